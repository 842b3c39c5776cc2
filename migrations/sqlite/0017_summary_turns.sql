-- Whose turn it is to have a summary written, while several nodes may want it.
--
-- Times are microseconds since 1970.

CREATE TABLE summary_turns (
    tenant     TEXT    NOT NULL,
    digest     BLOB    NOT NULL CHECK (length(digest) = 32),
    holder     TEXT    NOT NULL,
    -- When it is somebody else's turn, where the holder says nothing.
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, digest)
) STRICT, WITHOUT ROWID;
