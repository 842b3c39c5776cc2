-- Scopes of memory get a fourth part, the pack tenant, and entries that a model wrote last are
-- captured, not promoted.

CREATE TABLE memory_scoped (
    -- The number by which words find the entry; no meaning outside of this file.
    id              INTEGER PRIMARY KEY,
    tenant          TEXT    NOT NULL,
    subject         TEXT    NOT NULL,
    session         TEXT    NOT NULL,
    agent           TEXT    NOT NULL,
    pack_tenant     TEXT    NOT NULL,
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
    UNIQUE (tenant, subject, session, agent, pack_tenant, key)
) STRICT;
INSERT INTO memory_scoped
    SELECT id, tenant, subject, session, agent, '', key, value, description, tags, importance, tier,
           classification, status, source, author, metadata, version, update_count, created_at,
           updated_at, ttl_seconds, ttl_turns, expires_at, expires_at_turn
    FROM memory;
DROP TABLE memory;
ALTER TABLE memory_scoped RENAME TO memory;
CREATE INDEX memory_weight
    ON memory (tenant, subject, session, agent, pack_tenant, importance, updated_at);
CREATE INDEX memory_expiry ON memory (tenant, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_turns ON memory (tenant, session, expires_at_turn)
    WHERE expires_at_turn IS NOT NULL;

CREATE TABLE memory_versions_scoped (
    tenant          TEXT    NOT NULL,
    subject         TEXT    NOT NULL,
    session         TEXT    NOT NULL,
    agent           TEXT    NOT NULL,
    pack_tenant     TEXT    NOT NULL,
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
    PRIMARY KEY (tenant, subject, session, agent, pack_tenant, key, version)
) STRICT, WITHOUT ROWID;
INSERT INTO memory_versions_scoped
    SELECT tenant, subject, session, agent, '', key, value, description, tags, importance, tier,
           classification, status, source, author, metadata, version, update_count, created_at,
           updated_at, ttl_seconds, ttl_turns, expires_at, expires_at_turn, action, origin
    FROM memory_versions;
DROP TABLE memory_versions;
ALTER TABLE memory_versions_scoped RENAME TO memory_versions;

-- The origin of an entry's newest version is its last writer.
UPDATE memory SET status = 'captured' WHERE status = 'promoted' AND 'model' = (
    SELECT origin FROM memory_versions AS v
    WHERE v.tenant = memory.tenant AND v.subject = memory.subject AND v.session = memory.session
      AND v.agent = memory.agent AND v.pack_tenant = '' AND v.key = memory.key
    ORDER BY v.version DESC LIMIT 1);

ALTER TABLE memory_candidates ADD COLUMN pack_tenant TEXT NOT NULL DEFAULT '';
