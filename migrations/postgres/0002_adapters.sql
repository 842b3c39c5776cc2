-- Format adapters that callers have written, as data.
--
-- `definition` is the JSON text as it was given. It stands last, so that a list of names reads
-- nothing of it.

CREATE TABLE adapters (
    tenant TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    definition TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, name)
);

SELECT contexture_own('adapters');
