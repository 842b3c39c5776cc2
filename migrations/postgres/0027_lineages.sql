-- What the gateway decided about the texts of a message in its place, by the hash of the message and of all
-- before it. The first decision stands for good.
--
-- `decision` holds differences from texts that only the client has. Times are microseconds since 1970.

CREATE TABLE lineages (
    tenant TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    decision BYTEA NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, digest)
);
CREATE INDEX lineages_use ON lineages (tenant, used_at);

SELECT contexture_own('lineages');
