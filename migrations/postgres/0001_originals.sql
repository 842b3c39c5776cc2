-- Originals: texts that were shortened or moved out of a payload, and the messages of answers.
--
-- Times are microseconds since 1970. Every key begins with the tenant. `content` is as `form`
-- says: 0 plain, 1 zstd.

-- A transaction sees the rows of the tenant that it was begun for, or everybody's where that is `*`.
CREATE FUNCTION contexture_own(name TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
        'CREATE POLICY own ON %I USING (
             tenant = (SELECT current_setting(''contexture.tenant'', true))
             OR (SELECT current_setting(''contexture.tenant'', true)) = ''*'')',
        name);
END $$;

CREATE TABLE blobs (
    tenant TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    form BIGINT NOT NULL,
    size BIGINT NOT NULL,
    content BYTEA NOT NULL,
    -- Until when a message needs it; null where only an artifact does.
    expires_at BIGINT,
    PRIMARY KEY (tenant, digest)
);
CREATE INDEX blobs_expiry ON blobs (tenant, expires_at, size) WHERE expires_at IS NOT NULL;

-- The content of an artifact is the blob with its digest.
CREATE TABLE artifacts (
    tenant TEXT COLLATE "C" NOT NULL,
    id BYTEA NOT NULL CHECK (length(id) = 12),
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    media_type TEXT COLLATE "C" NOT NULL,
    bytes BIGINT NOT NULL,
    lines BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    renewed_at BIGINT NOT NULL,
    accessed_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);

-- Which message a message of an answer stands for, by the hash chain up to it.
CREATE TABLE chains (
    tenant TEXT COLLATE "C" NOT NULL,
    chain BYTEA NOT NULL CHECK (length(chain) = 32),
    original BYTEA NOT NULL CHECK (length(original) = 32),
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, chain)
);
CREATE INDEX chains_expiry ON chains (tenant, expires_at);

-- The digests of an answer's original messages, one behind the other.
CREATE TABLE answers (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    originals BYTEA NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX answers_expiry ON answers (tenant, expires_at);

SELECT contexture_own('blobs');
SELECT contexture_own('artifacts');
SELECT contexture_own('chains');
SELECT contexture_own('answers');
