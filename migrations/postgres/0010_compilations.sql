-- Compilations: what each compile came to.
--
-- Times are microseconds since 1970. Ids sort by time. `body` is JSON: the hashes of the stages, the
-- report's figures, effects, hook runs, and what is needed to run it again.

CREATE TABLE compilations (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- The empty text where there is none.
    session TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    level TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    engine TEXT COLLATE "C" NOT NULL,
    payload_hash BYTEA NOT NULL CHECK (length(payload_hash) = 32),
    tokens_before BIGINT NOT NULL,
    tokens_after BIGINT NOT NULL,
    fits BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX compilations_session ON compilations (tenant, session, id);
CREATE INDEX compilations_expiry ON compilations (tenant, expires_at);

-- The texts of a full record: its blobs, which others may need too.
CREATE TABLE compilation_texts (
    tenant TEXT COLLATE "C" NOT NULL,
    compilation TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    PRIMARY KEY (tenant, compilation, digest)
);
CREATE INDEX compilation_texts_digest ON compilation_texts (tenant, digest);
-- A text that a record no longer needs goes where no answer has it as an original.
CREATE INDEX chains_original ON chains (tenant, original);

SELECT contexture_own('compilations');
SELECT contexture_own('compilation_texts');
