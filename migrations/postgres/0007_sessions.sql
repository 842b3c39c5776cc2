-- Sessions, what they were sent last, their messages and their snapshots.
--
-- Times are microseconds since 1970. How many compiles a session has had stands in session_turns.

CREATE TABLE sessions (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    -- The session that it goes on from.
    parent TEXT COLLATE "C",
    -- Keys of a compile request: a JSON object.
    defaults TEXT COLLATE "C",
    ttl_seconds BIGINT,
    -- Lengths of the message list at which its history was shrunk for a cold cache: a JSON array.
    points TEXT COLLATE "C" NOT NULL,
    -- What providers counted, a model each: a JSON array.
    measured TEXT COLLATE "C" NOT NULL,
    -- The last compile.
    compilation TEXT COLLATE "C",
    -- The shape of its messages, once it has any.
    source TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX sessions_expiry ON sessions (tenant, expires_at);
CREATE INDEX sessions_parent ON sessions (tenant, parent, id) WHERE parent IS NOT NULL;

-- The payload that a session was sent last, as the digests of its blocks.
CREATE TABLE session_payloads (
    tenant TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    compilation TEXT COLLATE "C" NOT NULL,
    -- Its members in order, with how many blocks each has: a JSON array.
    layout TEXT COLLATE "C" NOT NULL,
    digests BYTEA NOT NULL,
    PRIMARY KEY (tenant, session)
);

-- The messages of a session, in order.
CREATE TABLE session_messages (
    tenant TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    PRIMARY KEY (tenant, session, seq)
);

-- Texts of a session by their digest: blocks of its payload, and its messages. They are the
-- session's alone, so that they go with it.
CREATE TABLE session_texts (
    tenant TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    kind BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    form BIGINT NOT NULL,
    size BIGINT NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (tenant, session, kind, digest)
);

CREATE TABLE snapshots (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    label TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    -- All of it but its messages: a JSON object.
    document TEXT COLLATE "C" NOT NULL,
    -- The digests of its messages.
    digests BYTEA NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX snapshots_session ON snapshots (tenant, session, id);

CREATE INDEX memory_session ON memory (tenant, session, key) WHERE session <> '';

SELECT contexture_own('sessions');
SELECT contexture_own('session_payloads');
SELECT contexture_own('session_messages');
SELECT contexture_own('session_texts');
SELECT contexture_own('snapshots');
