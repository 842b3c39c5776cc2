-- Candidates for memory, and the two logs behind them.
--
-- Times are microseconds since 1970. A scope's part that is absent is the empty text.

-- `captures`: what was proposed, as it was proposed. `transitions`: what became of it. Nothing of
-- them is ever changed or removed.
CREATE TABLE memory_log (
    tenant TEXT COLLATE "C" NOT NULL,
    log TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    -- Of the line before; `hash` is the SHA-256 over it and `body`.
    prev_hash BYTEA NOT NULL CHECK (length(prev_hash) = 32),
    hash BYTEA NOT NULL CHECK (length(hash) = 32),
    -- Canonical JSON, with `seq` and, where there is content, its SHA-256 as `content`.
    body TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C",
    PRIMARY KEY (tenant, log, seq)
);

-- The last line of each log: a log that was cut short does not end in it.
CREATE TABLE memory_log_head (
    tenant TEXT COLLATE "C" NOT NULL,
    log TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    hash BYTEA NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (tenant, log)
);

CREATE TABLE memory_candidates (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    fingerprint BYTEA NOT NULL CHECK (length(fingerprint) = 32),
    subject TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    -- Both, or neither.
    entity TEXT COLLATE "C",
    predicate TEXT COLLATE "C",
    class TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C",
    description TEXT COLLATE "C",
    tier TEXT COLLATE "C" NOT NULL,
    classification TEXT COLLATE "C" NOT NULL,
    -- JSON: an array of texts, an array, any value.
    intents TEXT COLLATE "C" NOT NULL,
    evidence_refs TEXT COLLATE "C",
    consent TEXT COLLATE "C",
    confidence DOUBLE PRECISION,
    ttl_seconds BIGINT,
    ttl_turns BIGINT,
    -- JSON.
    proposers TEXT COLLATE "C" NOT NULL,
    checks TEXT COLLATE "C" NOT NULL,
    review TEXT COLLATE "C",
    capture BIGINT NOT NULL,
    last_event BIGINT NOT NULL,
    memory_key TEXT COLLATE "C",
    superseded_by TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX memory_candidates_state ON memory_candidates (tenant, state, id);
CREATE INDEX memory_candidates_same ON memory_candidates (tenant, fingerprint, state, last_event);
CREATE INDEX memory_candidates_about ON memory_candidates (tenant, entity, predicate, state)
    WHERE entity IS NOT NULL;
CREATE INDEX memory_candidates_entry ON memory_candidates (tenant, memory_key, state)
    WHERE memory_key IS NOT NULL;

SELECT contexture_own('memory_log');
SELECT contexture_own('memory_log_head');
SELECT contexture_own('memory_candidates');
