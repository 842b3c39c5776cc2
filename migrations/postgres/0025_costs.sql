-- What payloads cost, in micro-dollars: by day, key and model next to the tokens, by session in a
-- table of its own, and for each session what its last payloads cost. Sums go down if a provider's
-- usage shows that less was paid than was assumed.

ALTER TABLE usage ADD COLUMN priced_requests BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN reported_requests BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN payload_micros BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN output_micros BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN unshortened_micros BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN unique_saved_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN unique_saved_micros BIGINT NOT NULL DEFAULT 0;

-- JSON, as `SessionCosts`.
ALTER TABLE sessions ADD COLUMN costs TEXT COLLATE "C" NOT NULL DEFAULT '{}';

-- The share of each session in the rows of usage. It goes with the session.
CREATE TABLE session_usage (
    tenant TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    day BIGINT NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    requests BIGINT NOT NULL,
    tokens_before BIGINT NOT NULL,
    tokens_after BIGINT NOT NULL,
    priced_requests BIGINT NOT NULL,
    reported_requests BIGINT NOT NULL,
    payload_micros BIGINT NOT NULL,
    output_micros BIGINT NOT NULL,
    unshortened_micros BIGINT NOT NULL,
    unique_saved_tokens BIGINT NOT NULL,
    unique_saved_micros BIGINT NOT NULL,
    PRIMARY KEY (tenant, session, day, key, model)
);

-- The prefix that a provider is taken to keep for a session, and when it runs out. The node that
-- sets `published` to 1 is the one that publishes that.
CREATE TABLE session_caches (
    tenant TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    ttl_seconds BIGINT NOT NULL,
    compilation TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    prefix_hash BYTEA NOT NULL,
    prefix_tokens BIGINT NOT NULL,
    rewrite_micros BIGINT,
    published BIGINT NOT NULL,
    PRIMARY KEY (tenant, session)
);
CREATE INDEX session_caches_expiry ON session_caches (expires_at, tenant, session) WHERE published = 0;
