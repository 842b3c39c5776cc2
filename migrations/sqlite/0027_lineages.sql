-- What the gateway decided about the texts of a message in its place, by the hash of the message and of all
-- before it. The first decision stands for good.
--
-- `decision` holds differences from texts that only the client has. Times are microseconds since 1970.

CREATE TABLE lineages (
    tenant   TEXT    NOT NULL,
    digest   BLOB    NOT NULL CHECK (length(digest) = 32),
    decision BLOB    NOT NULL,
    used_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX lineages_use ON lineages (tenant, used_at);
