-- Compilations: what each compile came to.
--
-- Times are microseconds since 1970. Ids sort by time. `body` is JSON: the hashes of the stages, the
-- report's figures, effects, hook runs, and what is needed to run it again.

CREATE TABLE compilations (
    tenant        TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,
    -- The empty text where there is none.
    session       TEXT    NOT NULL,
    target        TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    level         TEXT    NOT NULL,
    status        TEXT    NOT NULL,
    engine        TEXT    NOT NULL,
    payload_hash  BLOB    NOT NULL CHECK (length(payload_hash) = 32),
    tokens_before INTEGER NOT NULL,
    tokens_after  INTEGER NOT NULL,
    fits          INTEGER NOT NULL,
    body          TEXT    NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX compilations_session ON compilations (tenant, session, id);
CREATE INDEX compilations_expiry ON compilations (tenant, expires_at);

-- The texts of a full record: its blobs, which others may need too.
CREATE TABLE compilation_texts (
    tenant      TEXT NOT NULL,
    compilation TEXT NOT NULL,
    digest      BLOB NOT NULL CHECK (length(digest) = 32),
    PRIMARY KEY (tenant, compilation, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX compilation_texts_digest ON compilation_texts (tenant, digest);
-- A text that a record no longer needs goes where no answer has it as an original.
CREATE INDEX chains_original ON chains (tenant, original);
