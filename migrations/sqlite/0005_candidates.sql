-- Candidates for memory, and the two logs behind them.
--
-- Times are microseconds since 1970. A scope's part that is absent is the empty text.

-- `captures`: what was proposed, as it was proposed. `transitions`: what became of it. Nothing of
-- them is ever changed or removed.
CREATE TABLE memory_log (
    tenant    TEXT    NOT NULL,
    log       TEXT    NOT NULL,
    seq       INTEGER NOT NULL,
    -- Of the line before; `hash` is the SHA-256 over it and `body`.
    prev_hash BLOB    NOT NULL CHECK (length(prev_hash) = 32),
    hash      BLOB    NOT NULL CHECK (length(hash) = 32),
    -- Canonical JSON, with `seq` and, where there is content, its SHA-256 as `content`.
    body      TEXT    NOT NULL,
    content   TEXT,
    PRIMARY KEY (tenant, log, seq)
) STRICT, WITHOUT ROWID;

-- The last line of each log: a log that was cut short does not end in it.
CREATE TABLE memory_log_head (
    tenant TEXT    NOT NULL,
    log    TEXT    NOT NULL,
    seq    INTEGER NOT NULL,
    hash   BLOB    NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (tenant, log)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_candidates (
    tenant         TEXT    NOT NULL,
    id             TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    version        INTEGER NOT NULL,
    fingerprint    BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    subject        TEXT    NOT NULL,
    session        TEXT    NOT NULL,
    agent          TEXT    NOT NULL,
    -- Both, or neither.
    entity         TEXT,
    predicate      TEXT,
    class          TEXT    NOT NULL,
    value          TEXT    NOT NULL,
    key            TEXT,
    description    TEXT,
    tier           TEXT    NOT NULL,
    classification TEXT    NOT NULL,
    -- JSON: an array of texts, an array, any value.
    intents        TEXT    NOT NULL,
    evidence_refs  TEXT,
    consent        TEXT,
    confidence     REAL,
    ttl_seconds    INTEGER,
    ttl_turns      INTEGER,
    -- JSON.
    proposers      TEXT    NOT NULL,
    checks         TEXT    NOT NULL,
    review         TEXT,
    capture        INTEGER NOT NULL,
    last_event     INTEGER NOT NULL,
    memory_key     TEXT,
    superseded_by  TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX memory_candidates_state ON memory_candidates (tenant, state, id);
CREATE INDEX memory_candidates_same ON memory_candidates (tenant, fingerprint, state, last_event);
CREATE INDEX memory_candidates_about ON memory_candidates (tenant, entity, predicate, state)
    WHERE entity IS NOT NULL;
CREATE INDEX memory_candidates_entry ON memory_candidates (tenant, memory_key, state)
    WHERE memory_key IS NOT NULL;
