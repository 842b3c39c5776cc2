-- Summaries that a model or a hook wrote, by the hash of what was asked and of whom.
--
-- One row for each session that uses one, so that everything of a session can go; the text is the
-- same in all of them, that which came first. Times are microseconds since 1970.

CREATE TABLE summaries (
    tenant  TEXT    NOT NULL,
    digest  BLOB    NOT NULL CHECK (length(digest) = 32),
    -- The empty text where there is none.
    session TEXT    NOT NULL,
    author  TEXT    NOT NULL,
    content TEXT    NOT NULL,
    used_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, digest, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX summaries_session ON summaries (tenant, session);
CREATE INDEX summaries_use ON summaries (tenant, used_at);
