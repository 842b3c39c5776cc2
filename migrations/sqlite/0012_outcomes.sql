-- What hooks said of results of tools, so that nobody is asked twice of the same.

CREATE TABLE hook_outcomes (
    tenant TEXT    NOT NULL,
    hook   TEXT    NOT NULL,
    -- What stands for the result: 64 hex digits.
    key    TEXT    NOT NULL,
    at     INTEGER NOT NULL,
    -- JSON as the hook gave it; empty where it was told and asked nothing.
    answer TEXT    NOT NULL,
    PRIMARY KEY (tenant, hook, key)
) STRICT;

-- Whether an attempt is under way.
ALTER TABLE deliveries ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;
