-- Format adapters that callers have written, as data.
--
-- `definition` is the JSON text as it was given. It stands last, so that a list of names reads
-- nothing of it.

CREATE TABLE adapters (
    tenant     TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    definition TEXT    NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT;
