-- Memory entries, their versions, the turns of sessions, and events.
--
-- Times are microseconds since 1970. A scope's part that is absent is the empty text.

CREATE TABLE memory (
    -- What the words below are found by; no meaning outside of this file.
    id              INTEGER PRIMARY KEY,
    tenant          TEXT    NOT NULL,
    subject         TEXT    NOT NULL,
    session         TEXT    NOT NULL,
    agent           TEXT    NOT NULL,
    key             TEXT    NOT NULL,
    value           TEXT    NOT NULL,
    description     TEXT,
    -- A JSON array of texts.
    tags            TEXT    NOT NULL,
    importance      REAL    NOT NULL,
    tier            TEXT    NOT NULL,
    classification  TEXT    NOT NULL,
    status          TEXT    NOT NULL,
    source          TEXT,
    author          TEXT,
    metadata        TEXT,
    version         INTEGER NOT NULL,
    update_count    INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    -- As it was given: seconds or turns, one of them or neither.
    ttl_seconds     INTEGER,
    ttl_turns       INTEGER,
    expires_at      INTEGER,
    expires_at_turn INTEGER,
    UNIQUE (tenant, subject, session, agent, key)
) STRICT;
CREATE INDEX memory_weight ON memory (tenant, subject, session, agent, importance, updated_at);
CREATE INDEX memory_expiry ON memory (tenant, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_turns ON memory (tenant, session, expires_at_turn)
    WHERE expires_at_turn IS NOT NULL;

-- The words of each entry, beside a word that stands for its tenant.
CREATE VIRTUAL TABLE memory_words USING fts5 (
    tenant, words, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);

-- Every entry as it was after each of its writes, until it is deleted.
CREATE TABLE memory_versions (
    tenant          TEXT    NOT NULL,
    subject         TEXT    NOT NULL,
    session         TEXT    NOT NULL,
    agent           TEXT    NOT NULL,
    key             TEXT    NOT NULL,
    value           TEXT    NOT NULL,
    description     TEXT,
    tags            TEXT    NOT NULL,
    importance      REAL    NOT NULL,
    tier            TEXT    NOT NULL,
    classification  TEXT    NOT NULL,
    status          TEXT    NOT NULL,
    source          TEXT,
    author          TEXT,
    metadata        TEXT,
    version         INTEGER NOT NULL,
    update_count    INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    ttl_seconds     INTEGER,
    ttl_turns       INTEGER,
    expires_at      INTEGER,
    expires_at_turn INTEGER,
    action          TEXT    NOT NULL,
    origin          TEXT    NOT NULL,
    PRIMARY KEY (tenant, subject, session, agent, key, version)
) STRICT, WITHOUT ROWID;

-- How often a tenant's entries were changed, and how many there are.
CREATE TABLE memory_state (
    tenant   TEXT    NOT NULL PRIMARY KEY,
    revision INTEGER NOT NULL,
    entries  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How many compiles a session has had.
CREATE TABLE session_turns (
    tenant TEXT    NOT NULL,
    id     TEXT    NOT NULL,
    turns  INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    tenant      TEXT    NOT NULL,
    seq         INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    type        TEXT    NOT NULL,
    session     TEXT,
    compilation TEXT,
    data        TEXT    NOT NULL,
    PRIMARY KEY (tenant, seq)
) STRICT, WITHOUT ROWID;

-- The number of the last event of each tenant.
CREATE TABLE event_state (
    tenant TEXT    NOT NULL PRIMARY KEY,
    seq    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
