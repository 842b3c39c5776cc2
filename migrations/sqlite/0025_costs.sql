-- What payloads cost, in micro-dollars: by day, key and model next to the tokens, by session in a
-- table of its own, and for each session what its last payloads cost. Sums go down if a provider's
-- usage shows that less was paid than was assumed.

ALTER TABLE usage ADD COLUMN priced_requests INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN reported_requests INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN payload_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN output_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN unshortened_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN unique_saved_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN unique_saved_micros INTEGER NOT NULL DEFAULT 0;

-- JSON, as `SessionCosts`.
ALTER TABLE sessions ADD COLUMN costs TEXT NOT NULL DEFAULT '{}';

-- The share of each session in the rows of usage. It goes with the session.
CREATE TABLE session_usage (
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    day INTEGER NOT NULL,
    key TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after INTEGER NOT NULL,
    priced_requests INTEGER NOT NULL,
    reported_requests INTEGER NOT NULL,
    payload_micros INTEGER NOT NULL,
    output_micros INTEGER NOT NULL,
    unshortened_micros INTEGER NOT NULL,
    unique_saved_tokens INTEGER NOT NULL,
    unique_saved_micros INTEGER NOT NULL,
    PRIMARY KEY (tenant, session, day, key, model)
) STRICT, WITHOUT ROWID;

-- The prefix that a provider is taken to keep for a session, and when it runs out. The node that
-- sets `published` to 1 is the one that publishes that.
CREATE TABLE session_caches (
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    ttl_seconds INTEGER NOT NULL,
    compilation TEXT NOT NULL,
    model TEXT NOT NULL,
    prefix_hash BLOB NOT NULL,
    prefix_tokens INTEGER NOT NULL,
    rewrite_micros INTEGER,
    published INTEGER NOT NULL,
    PRIMARY KEY (tenant, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_caches_expiry ON session_caches (expires_at, tenant, session) WHERE published = 0;
