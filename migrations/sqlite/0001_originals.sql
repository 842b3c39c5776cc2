-- Originals: texts that were shortened or moved out of a payload, and the messages of answers.
--
-- Times are microseconds since 1970. Every key begins with the tenant. `content` is as `form`
-- says: 0 plain, 1 zstd.

CREATE TABLE blobs (
    tenant     TEXT    NOT NULL,
    digest     BLOB    NOT NULL CHECK (length(digest) = 32),
    form       INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    content    BLOB    NOT NULL,
    -- Until when a message needs it; null where only an artifact does.
    expires_at INTEGER,
    PRIMARY KEY (tenant, digest)
) STRICT;
CREATE INDEX blobs_expiry ON blobs (tenant, expires_at, size) WHERE expires_at IS NOT NULL;

-- The content of an artifact is the blob with its digest.
CREATE TABLE artifacts (
    tenant      TEXT    NOT NULL,
    id          BLOB    NOT NULL CHECK (length(id) = 12),
    digest      BLOB    NOT NULL CHECK (length(digest) = 32),
    media_type  TEXT    NOT NULL,
    bytes       INTEGER NOT NULL,
    lines       INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    renewed_at  INTEGER NOT NULL,
    accessed_at INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

-- Which message a message of an answer stands for, by the hash chain up to it.
CREATE TABLE chains (
    tenant     TEXT    NOT NULL,
    chain      BLOB    NOT NULL CHECK (length(chain) = 32),
    original   BLOB    NOT NULL CHECK (length(original) = 32),
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, chain)
) STRICT, WITHOUT ROWID;
CREATE INDEX chains_expiry ON chains (tenant, expires_at);

-- The digests of an answer's original messages, one behind the other.
CREATE TABLE answers (
    tenant     TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    originals  BLOB    NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_expiry ON answers (tenant, expires_at);
