-- Scopes of memory get a fourth part, the pack tenant, and entries that a model wrote last are
-- captured, not promoted.

ALTER TABLE memory ADD COLUMN pack_tenant TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE memory DROP CONSTRAINT memory_tenant_subject_session_agent_key_key;
ALTER TABLE memory ADD UNIQUE (tenant, subject, session, agent, pack_tenant, key);
DROP INDEX memory_weight;
CREATE INDEX memory_weight
    ON memory (tenant, subject, session, agent, pack_tenant, importance, updated_at);

ALTER TABLE memory_versions ADD COLUMN pack_tenant TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE memory_versions DROP CONSTRAINT memory_versions_pkey;
ALTER TABLE memory_versions
    ADD PRIMARY KEY (tenant, subject, session, agent, pack_tenant, key, version);

-- The origin of an entry's newest version is its last writer.
UPDATE memory SET status = 'captured' WHERE status = 'promoted' AND 'model' = (
    SELECT origin FROM memory_versions AS v
    WHERE v.tenant = memory.tenant AND v.subject = memory.subject AND v.session = memory.session
      AND v.agent = memory.agent AND v.pack_tenant = '' AND v.key = memory.key
    ORDER BY v.version DESC LIMIT 1);

ALTER TABLE memory_candidates ADD COLUMN pack_tenant TEXT COLLATE "C" NOT NULL DEFAULT '';
