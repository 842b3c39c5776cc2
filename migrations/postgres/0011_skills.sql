-- Skills that callers have stored.
--
-- `skill` is its JSON text. It stands last, so that a list of names reads nothing of it.

CREATE TABLE skills (
    tenant TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    skill TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, name)
);

SELECT contexture_own('skills');
