-- Context packs as they were published. A version never changes.
--
-- The three numbers of a version stand by themselves too, so that 1.10.0 comes behind 1.9.0. The
-- document stands last, so that a list reads nothing of it.

CREATE TABLE packs (
    tenant     TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    major      INTEGER NOT NULL,
    minor      INTEGER NOT NULL,
    patch      INTEGER NOT NULL,
    version    TEXT    NOT NULL,
    digest     BLOB    NOT NULL CHECK (length(digest) = 32),
    is_signed  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    document   TEXT    NOT NULL,
    PRIMARY KEY (tenant, id, major, minor, patch)
) STRICT;
