-- Keys, what was used under them, and replies to requests that may come again.
--
-- Of a key's secret its SHA-256 is stored. A key that was revoked stays, so that its id is never
-- another's and a server that has once had a key never serves callers without one. `scopes` and
-- `roles` are words with spaces between; `defaults` is the text of an object.

CREATE TABLE keys (
    tenant              TEXT    NOT NULL,
    id                  TEXT    NOT NULL,
    hash                BLOB    NOT NULL CHECK (length(hash) = 32),
    name                TEXT    NOT NULL,
    kind                TEXT    NOT NULL,
    scopes              TEXT    NOT NULL,
    roles               TEXT    NOT NULL,
    requests_per_minute INTEGER,
    tokens_per_day      INTEGER,
    defaults            TEXT,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,
    revoked_at          INTEGER,
    PRIMARY KEY (tenant, id)
) STRICT;
-- A caller shows a key before anybody knows the tenant.
CREATE UNIQUE INDEX keys_id ON keys (id);

-- `day` counts from 1970 in UTC; `key` and `model` are empty where there was none.
CREATE TABLE usage (
    tenant        TEXT    NOT NULL,
    day           INTEGER NOT NULL,
    key           TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    requests      INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after  INTEGER NOT NULL,
    PRIMARY KEY (tenant, day, key, model)
) STRICT, WITHOUT ROWID;

-- What was answered to a request with an idempotency key, and the hash of that request.
CREATE TABLE replies (
    tenant     TEXT    NOT NULL,
    route      TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    digest     BLOB    NOT NULL CHECK (length(digest) = 32),
    answer     TEXT    NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, route, key)
) STRICT;
CREATE INDEX replies_expiry ON replies (tenant, expires_at);
