-- Memory entries, their versions, the turns of sessions, and events.
--
-- Times are microseconds since 1970. A scope's part that is absent is the empty text.

CREATE TABLE memory (
    -- What the words below are found by; no meaning outside of this file.
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C",
    -- A JSON array of texts.
    tags TEXT COLLATE "C" NOT NULL,
    importance DOUBLE PRECISION NOT NULL,
    tier TEXT COLLATE "C" NOT NULL,
    classification TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    source TEXT COLLATE "C",
    author TEXT COLLATE "C",
    metadata TEXT COLLATE "C",
    version BIGINT NOT NULL,
    update_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- As it was given: seconds or turns, one of them or neither.
    ttl_seconds BIGINT,
    ttl_turns BIGINT,
    expires_at BIGINT,
    expires_at_turn BIGINT,
    UNIQUE (tenant, subject, session, agent, key)
);
CREATE INDEX memory_weight ON memory (tenant, subject, session, agent, importance, updated_at);
CREATE INDEX memory_expiry ON memory (tenant, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_turns ON memory (tenant, session, expires_at_turn)
    WHERE expires_at_turn IS NOT NULL;

-- The words of each entry, with how often it has them, and how many words it has.
CREATE TABLE memory_terms (
    tenant TEXT COLLATE "C" NOT NULL,
    term   TEXT COLLATE "C" NOT NULL,
    id     BIGINT NOT NULL,
    times  BIGINT NOT NULL,
    PRIMARY KEY (tenant, term, id)
);
CREATE INDEX memory_terms_entry ON memory_terms (tenant, id);
CREATE TABLE memory_words (
    tenant TEXT COLLATE "C" NOT NULL,
    id     BIGINT NOT NULL,
    words  BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);

-- How many entries have words, and how many words they have together.
CREATE TABLE memory_word_state (
    tenant  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    entries BIGINT NOT NULL,
    words   BIGINT NOT NULL
);

-- Every entry as it was after each of its writes, until it is deleted.
CREATE TABLE memory_versions (
    tenant TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C",
    tags TEXT COLLATE "C" NOT NULL,
    importance DOUBLE PRECISION NOT NULL,
    tier TEXT COLLATE "C" NOT NULL,
    classification TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    source TEXT COLLATE "C",
    author TEXT COLLATE "C",
    metadata TEXT COLLATE "C",
    version BIGINT NOT NULL,
    update_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    ttl_seconds BIGINT,
    ttl_turns BIGINT,
    expires_at BIGINT,
    expires_at_turn BIGINT,
    action TEXT COLLATE "C" NOT NULL,
    origin TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, subject, session, agent, key, version)
);

-- How often a tenant's entries were changed, and how many there are.
CREATE TABLE memory_state (
    tenant TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    revision BIGINT NOT NULL,
    entries BIGINT NOT NULL
);

-- How many compiles a session has had.
CREATE TABLE session_turns (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    turns BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE events (
    tenant TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C",
    compilation TEXT COLLATE "C",
    data TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, seq)
);

-- The number of the last event of each tenant.
CREATE TABLE event_state (
    tenant TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL
);

SELECT contexture_own('memory');
SELECT contexture_own('memory_words');
SELECT contexture_own('memory_terms');
SELECT contexture_own('memory_word_state');
SELECT contexture_own('memory_versions');
SELECT contexture_own('memory_state');
SELECT contexture_own('session_turns');
SELECT contexture_own('events');
SELECT contexture_own('event_state');
