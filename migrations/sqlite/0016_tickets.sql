-- Tickets for streams of events, by the hash of their text. One is good once, and for a moment.
--
-- Times are microseconds since 1970.

CREATE TABLE tickets (
    tenant     TEXT    NOT NULL,
    digest     BLOB    NOT NULL CHECK (length(digest) = 32),
    -- The id of the key it stands for; null where callers need none.
    key        TEXT,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, digest)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tickets_digest ON tickets (digest);
