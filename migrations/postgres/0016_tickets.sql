-- Tickets for streams of events, by the hash of their text. One is good once, and for a moment, on
-- whichever node it is shown.
--
-- Times are microseconds since 1970.

CREATE TABLE tickets (
    tenant TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    -- The id of the key it stands for; null where callers need none.
    key TEXT COLLATE "C",
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, digest)
);
CREATE UNIQUE INDEX tickets_digest ON tickets (digest);

SELECT contexture_own('tickets');
