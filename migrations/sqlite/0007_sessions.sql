-- Sessions, what they were sent last, their messages and their snapshots.
--
-- Times are microseconds since 1970. How many compiles a session has had stands in session_turns.

CREATE TABLE sessions (
    tenant      TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    version     INTEGER NOT NULL,
    -- The session that it goes on from.
    parent      TEXT,
    -- Keys of a compile request: a JSON object.
    defaults    TEXT,
    ttl_seconds INTEGER,
    -- Lengths of the message list at which its history was shrunk for a cold cache: a JSON array.
    points      TEXT    NOT NULL,
    -- What providers counted, a model each: a JSON array.
    measured    TEXT    NOT NULL,
    -- The last compile.
    compilation TEXT,
    -- The shape of its messages, once it has any.
    source      TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    used_at     INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_expiry ON sessions (tenant, expires_at);
CREATE INDEX sessions_parent ON sessions (tenant, parent, id) WHERE parent IS NOT NULL;

-- The payload that a session was sent last, as the digests of its blocks.
CREATE TABLE session_payloads (
    tenant      TEXT NOT NULL,
    session     TEXT NOT NULL,
    compilation TEXT NOT NULL,
    -- Its members in order, with how many blocks each has: a JSON array.
    layout      TEXT NOT NULL,
    digests     BLOB NOT NULL,
    PRIMARY KEY (tenant, session)
) STRICT, WITHOUT ROWID;

-- The messages of a session, in order.
CREATE TABLE session_messages (
    tenant  TEXT    NOT NULL,
    session TEXT    NOT NULL,
    seq     INTEGER NOT NULL,
    digest  BLOB    NOT NULL,
    PRIMARY KEY (tenant, session, seq)
) STRICT, WITHOUT ROWID;

-- Texts of a session by their digest: blocks of its payload, and its messages. They are the
-- session's alone, so that they go with it.
CREATE TABLE session_texts (
    tenant  TEXT    NOT NULL,
    session TEXT    NOT NULL,
    kind    INTEGER NOT NULL,
    digest  BLOB    NOT NULL,
    form    INTEGER NOT NULL,
    size    INTEGER NOT NULL,
    content BLOB    NOT NULL,
    PRIMARY KEY (tenant, session, kind, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
    tenant     TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    session    TEXT    NOT NULL,
    label      TEXT,
    created_at INTEGER NOT NULL,
    -- All of it but its messages: a JSON object.
    document   TEXT    NOT NULL,
    -- The digests of its messages.
    digests    BLOB    NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX snapshots_session ON snapshots (tenant, session, id);

CREATE INDEX memory_session ON memory (tenant, session, key) WHERE session <> '';
