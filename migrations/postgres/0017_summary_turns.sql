-- Whose turn it is to have a summary written, while several nodes may want it.
--
-- Times are microseconds since 1970.

CREATE TABLE summary_turns (
    tenant TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    holder TEXT COLLATE "C" NOT NULL,
    -- When it is somebody else's turn, where the holder says nothing.
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, digest)
);

SELECT contexture_own('summary_turns');
