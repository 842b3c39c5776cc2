-- What hooks said of results of tools, so that nobody is asked twice of the same.

CREATE TABLE hook_outcomes (
    tenant TEXT COLLATE "C" NOT NULL,
    hook TEXT COLLATE "C" NOT NULL,
    -- What stands for the result: 64 hex digits.
    key TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    -- JSON as the hook gave it; empty where it was told and asked nothing.
    answer TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, hook, key)
);

-- Whether an attempt is under way.
ALTER TABLE deliveries ADD COLUMN claimed BIGINT NOT NULL DEFAULT 0;

SELECT contexture_own('hook_outcomes');
