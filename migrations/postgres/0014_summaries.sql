-- Summaries that a model or a hook wrote, by the hash of what was asked and of whom.
--
-- One row for each session that uses one, so that everything of a session can go; the text is the
-- same in all of them, that which came first. Times are microseconds since 1970.

CREATE TABLE summaries (
    tenant TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    -- The empty text where there is none.
    session TEXT COLLATE "C" NOT NULL,
    author TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, digest, session)
);
CREATE INDEX summaries_session ON summaries (tenant, session);
CREATE INDEX summaries_use ON summaries (tenant, used_at);

SELECT contexture_own('summaries');
