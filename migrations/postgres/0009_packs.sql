-- Context packs as they were published. A version never changes.
--
-- The three numbers of a version stand by themselves too, so that 1.10.0 comes behind 1.9.0. The
-- document stands last, so that a list reads nothing of it.

CREATE TABLE packs (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    major BIGINT NOT NULL,
    minor BIGINT NOT NULL,
    patch BIGINT NOT NULL,
    version TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    is_signed BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id, major, minor, patch)
);

SELECT contexture_own('packs');
