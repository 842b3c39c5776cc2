-- How much a tenant keeps of what has a quota, the messages of sessions by their digest, and the
-- candidate of each capture.

-- Kept by the triggers below, so that no statement can forget it.
CREATE TABLE tenant_usage (
    tenant            TEXT    NOT NULL,
    sessions          INTEGER NOT NULL DEFAULT 0,
    turn_bytes        INTEGER NOT NULL DEFAULT 0,
    candidates        INTEGER NOT NULL DEFAULT 0,
    skills            INTEGER NOT NULL DEFAULT 0,
    compilation_bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant)
) STRICT, WITHOUT ROWID;

-- The texts of messages: forks of a session share them. A row of session_texts of kind 1 refers to
-- one, and has no content of its own; a text goes with the last session that refers to it.
CREATE TABLE message_texts (
    tenant  TEXT    NOT NULL,
    digest  BLOB    NOT NULL,
    form    INTEGER NOT NULL,
    size    INTEGER NOT NULL,
    content BLOB    NOT NULL,
    PRIMARY KEY (tenant, digest)
) STRICT, WITHOUT ROWID;
INSERT INTO message_texts (tenant, digest, form, size, content)
    SELECT tenant, digest, form, size, content FROM session_texts WHERE kind = 1
    ON CONFLICT DO NOTHING;
UPDATE session_texts SET content = x'' WHERE kind = 1;
CREATE INDEX session_texts_message ON session_texts (tenant, digest) WHERE kind = 1;
CREATE TRIGGER session_texts_gone AFTER DELETE ON session_texts WHEN OLD.kind = 1
BEGIN
    DELETE FROM message_texts
    WHERE tenant = OLD.tenant AND digest = OLD.digest AND NOT EXISTS (
        SELECT 1 FROM session_texts
        WHERE tenant = OLD.tenant AND digest = OLD.digest AND kind = 1);
END;

-- The bytes of a text that a full record needs, as they were when the record was made.
ALTER TABLE compilation_texts ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE compilation_texts SET bytes = coalesce((
    SELECT length(content) FROM blobs
    WHERE blobs.tenant = compilation_texts.tenant AND blobs.digest = compilation_texts.digest), 0);

INSERT INTO tenant_usage (tenant, sessions)
    SELECT tenant, count(*) FROM sessions WHERE true GROUP BY tenant;
INSERT INTO tenant_usage (tenant, turn_bytes)
    SELECT tenant, sum(length(content)) FROM message_texts WHERE true GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET turn_bytes = excluded.turn_bytes;
INSERT INTO tenant_usage (tenant, candidates)
    SELECT tenant, count(*) FROM memory_candidates WHERE true GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET candidates = excluded.candidates;
INSERT INTO tenant_usage (tenant, skills)
    SELECT tenant, count(*) FROM skills WHERE true GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET skills = excluded.skills;
INSERT INTO tenant_usage (tenant, compilation_bytes)
    SELECT tenant, sum(octet_length(body)) FROM compilations WHERE true GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET compilation_bytes = excluded.compilation_bytes;
INSERT INTO tenant_usage (tenant, compilation_bytes)
    SELECT tenant, sum(bytes) FROM (
        SELECT tenant, digest, max(bytes) AS bytes FROM compilation_texts GROUP BY tenant, digest)
    WHERE true GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET
        compilation_bytes = tenant_usage.compilation_bytes + excluded.compilation_bytes;

CREATE TRIGGER sessions_counted AFTER INSERT ON sessions
BEGIN
    INSERT INTO tenant_usage (tenant, sessions) VALUES (NEW.tenant, 1)
        ON CONFLICT (tenant) DO UPDATE SET sessions = sessions + 1;
END;
CREATE TRIGGER sessions_discounted AFTER DELETE ON sessions
BEGIN
    UPDATE tenant_usage SET sessions = sessions - 1 WHERE tenant = OLD.tenant;
END;
CREATE TRIGGER message_texts_counted AFTER INSERT ON message_texts
BEGIN
    INSERT INTO tenant_usage (tenant, turn_bytes) VALUES (NEW.tenant, length(NEW.content))
        ON CONFLICT (tenant) DO UPDATE SET turn_bytes = turn_bytes + excluded.turn_bytes;
END;
CREATE TRIGGER message_texts_discounted AFTER DELETE ON message_texts
BEGIN
    UPDATE tenant_usage SET turn_bytes = turn_bytes - length(OLD.content)
    WHERE tenant = OLD.tenant;
END;
CREATE TRIGGER candidates_counted AFTER INSERT ON memory_candidates
BEGIN
    INSERT INTO tenant_usage (tenant, candidates) VALUES (NEW.tenant, 1)
        ON CONFLICT (tenant) DO UPDATE SET candidates = candidates + 1;
END;
CREATE TRIGGER candidates_discounted AFTER DELETE ON memory_candidates
BEGIN
    UPDATE tenant_usage SET candidates = candidates - 1 WHERE tenant = OLD.tenant;
END;
CREATE TRIGGER skills_counted AFTER INSERT ON skills
BEGIN
    INSERT INTO tenant_usage (tenant, skills) VALUES (NEW.tenant, 1)
        ON CONFLICT (tenant) DO UPDATE SET skills = skills + 1;
END;
CREATE TRIGGER skills_discounted AFTER DELETE ON skills
BEGIN
    UPDATE tenant_usage SET skills = skills - 1 WHERE tenant = OLD.tenant;
END;
CREATE TRIGGER compilations_counted AFTER INSERT ON compilations
BEGIN
    INSERT INTO tenant_usage (tenant, compilation_bytes)
        VALUES (NEW.tenant, octet_length(NEW.body))
        ON CONFLICT (tenant) DO UPDATE SET
            compilation_bytes = compilation_bytes + excluded.compilation_bytes;
END;
CREATE TRIGGER compilations_discounted AFTER DELETE ON compilations
BEGIN
    UPDATE tenant_usage SET compilation_bytes = compilation_bytes - octet_length(OLD.body)
    WHERE tenant = OLD.tenant;
END;
-- A text counts once, however many records need it.
CREATE TRIGGER compilation_texts_counted AFTER INSERT ON compilation_texts
BEGIN
    UPDATE compilation_texts SET bytes = coalesce((
        SELECT length(content) FROM blobs
        WHERE tenant = NEW.tenant AND digest = NEW.digest), 0)
    WHERE tenant = NEW.tenant AND compilation = NEW.compilation AND digest = NEW.digest;
    INSERT INTO tenant_usage (tenant, compilation_bytes)
        SELECT tenant, bytes FROM compilation_texts
        WHERE tenant = NEW.tenant AND compilation = NEW.compilation AND digest = NEW.digest
          AND NOT EXISTS (
            SELECT 1 FROM compilation_texts
            WHERE tenant = NEW.tenant AND digest = NEW.digest AND compilation <> NEW.compilation)
        ON CONFLICT (tenant) DO UPDATE SET
            compilation_bytes = compilation_bytes + excluded.compilation_bytes;
END;
CREATE TRIGGER compilation_texts_discounted AFTER DELETE ON compilation_texts
WHEN NOT EXISTS (
    SELECT 1 FROM compilation_texts WHERE tenant = OLD.tenant AND digest = OLD.digest)
BEGIN
    UPDATE tenant_usage SET compilation_bytes = compilation_bytes - OLD.bytes
    WHERE tenant = OLD.tenant;
END;

-- The candidate of a capture, whose content goes when the candidate is deleted. The ids of
-- candidates have 36 characters.
ALTER TABLE memory_log ADD COLUMN candidate TEXT;
UPDATE memory_log SET candidate = substr(body, instr(body, '"candidate":"') + 13, 36)
WHERE log = 'captures' AND instr(body, '"candidate":"') > 0;
CREATE INDEX memory_log_candidate ON memory_log (tenant, candidate) WHERE candidate IS NOT NULL;
