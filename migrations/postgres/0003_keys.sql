-- Keys, what was used under them, and replies to requests that may come again.
--
-- Of a key's secret its SHA-256 is stored. A key that was revoked stays, so that its id is never
-- another's and a server that has once had a key never serves callers without one. `scopes` and
-- `roles` are words with spaces between; `defaults` is the text of an object.

CREATE TABLE keys (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    hash BYTEA NOT NULL CHECK (length(hash) = 32),
    name TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    scopes TEXT COLLATE "C" NOT NULL,
    roles TEXT COLLATE "C" NOT NULL,
    requests_per_minute BIGINT,
    tokens_per_day BIGINT,
    defaults TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revoked_at BIGINT,
    PRIMARY KEY (tenant, id)
);
-- A caller shows a key before anybody knows the tenant.
CREATE UNIQUE INDEX keys_id ON keys (id);

-- `day` counts from 1970 in UTC; `key` and `model` are empty where there was none.
CREATE TABLE usage (
    tenant TEXT COLLATE "C" NOT NULL,
    day BIGINT NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    requests BIGINT NOT NULL,
    tokens_before BIGINT NOT NULL,
    tokens_after BIGINT NOT NULL,
    PRIMARY KEY (tenant, day, key, model)
);

-- What was answered to a request with an idempotency key, and the hash of that request.
CREATE TABLE replies (
    tenant TEXT COLLATE "C" NOT NULL,
    route TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    answer TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, route, key)
);
CREATE INDEX replies_expiry ON replies (tenant, expires_at);

-- Keys are looked for before anybody knows the tenant.
SELECT contexture_own('usage');
SELECT contexture_own('replies');
