-- How much a tenant keeps of what has a quota, the messages of sessions by their digest, and the
-- candidate of each capture.

-- Kept by the triggers below, so that no statement can forget it.
CREATE TABLE tenant_usage (
    tenant TEXT COLLATE "C" NOT NULL,
    sessions BIGINT NOT NULL DEFAULT 0,
    turn_bytes BIGINT NOT NULL DEFAULT 0,
    candidates BIGINT NOT NULL DEFAULT 0,
    skills BIGINT NOT NULL DEFAULT 0,
    compilation_bytes BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant)
);

-- The texts of messages: forks of a session share them. A row of session_texts of kind 1 refers to
-- one, and has no content of its own; a text goes with the last session that refers to it.
CREATE TABLE message_texts (
    tenant TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    form BIGINT NOT NULL,
    size BIGINT NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (tenant, digest)
);
INSERT INTO message_texts (tenant, digest, form, size, content)
    SELECT tenant, digest, form, size, content FROM session_texts WHERE kind = 1
    ON CONFLICT DO NOTHING;
UPDATE session_texts SET content = '' WHERE kind = 1;
CREATE INDEX session_texts_message ON session_texts (tenant, digest) WHERE kind = 1;

-- The bytes of a text that a full record needs, as they were when the record was made.
ALTER TABLE compilation_texts ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
UPDATE compilation_texts SET bytes = length(blobs.content) FROM blobs
WHERE blobs.tenant = compilation_texts.tenant AND blobs.digest = compilation_texts.digest;

INSERT INTO tenant_usage (tenant, sessions) SELECT tenant, count(*) FROM sessions GROUP BY tenant;
INSERT INTO tenant_usage (tenant, turn_bytes)
    SELECT tenant, sum(length(content)) FROM message_texts GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET turn_bytes = excluded.turn_bytes;
INSERT INTO tenant_usage (tenant, candidates)
    SELECT tenant, count(*) FROM memory_candidates GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET candidates = excluded.candidates;
INSERT INTO tenant_usage (tenant, skills)
    SELECT tenant, count(*) FROM skills GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET skills = excluded.skills;
INSERT INTO tenant_usage (tenant, compilation_bytes)
    SELECT tenant, sum(octet_length(body)) FROM compilations GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET compilation_bytes = excluded.compilation_bytes;
INSERT INTO tenant_usage (tenant, compilation_bytes)
    SELECT tenant, sum(bytes) FROM (
        SELECT tenant, digest, max(bytes) AS bytes FROM compilation_texts
        GROUP BY tenant, digest) AS texts
    GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET
        compilation_bytes = tenant_usage.compilation_bytes + excluded.compilation_bytes;

SELECT contexture_own('tenant_usage');
SELECT contexture_own('message_texts');

-- Adds to one column of a tenant's usage.
CREATE FUNCTION contexture_use(of_tenant TEXT, quota TEXT, change BIGINT) RETURNS VOID
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'INSERT INTO tenant_usage (tenant, %1$I) VALUES ($1, $2)
         ON CONFLICT (tenant) DO UPDATE SET %1$I = tenant_usage.%1$I + $2', quota)
    USING of_tenant, change;
END $$;

-- Counts rows; the argument is the column.
CREATE FUNCTION contexture_count_row() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM contexture_use(NEW.tenant, TG_ARGV[0], 1);
    ELSE
        PERFORM contexture_use(OLD.tenant, TG_ARGV[0], -1);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER counted AFTER INSERT OR DELETE ON sessions
    FOR EACH ROW EXECUTE FUNCTION contexture_count_row('sessions');
CREATE TRIGGER counted AFTER INSERT OR DELETE ON memory_candidates
    FOR EACH ROW EXECUTE FUNCTION contexture_count_row('candidates');
CREATE TRIGGER counted AFTER INSERT OR DELETE ON skills
    FOR EACH ROW EXECUTE FUNCTION contexture_count_row('skills');

CREATE FUNCTION contexture_count_message_text() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM contexture_use(NEW.tenant, 'turn_bytes', length(NEW.content));
    ELSE
        PERFORM contexture_use(OLD.tenant, 'turn_bytes', -length(OLD.content));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER counted AFTER INSERT OR DELETE ON message_texts
    FOR EACH ROW EXECUTE FUNCTION contexture_count_message_text();

CREATE FUNCTION contexture_drop_message_text() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM message_texts
    WHERE tenant = OLD.tenant AND digest = OLD.digest AND NOT EXISTS (
        SELECT 1 FROM session_texts
        WHERE tenant = OLD.tenant AND digest = OLD.digest AND kind = 1);
    RETURN NULL;
END $$;
CREATE TRIGGER gone AFTER DELETE ON session_texts
    FOR EACH ROW WHEN (OLD.kind = 1) EXECUTE FUNCTION contexture_drop_message_text();

CREATE FUNCTION contexture_count_compilation() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM contexture_use(NEW.tenant, 'compilation_bytes', octet_length(NEW.body));
    ELSE
        PERFORM contexture_use(OLD.tenant, 'compilation_bytes', -octet_length(OLD.body));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER counted AFTER INSERT OR DELETE ON compilations
    FOR EACH ROW EXECUTE FUNCTION contexture_count_compilation();

CREATE FUNCTION contexture_size_compilation_text() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW.bytes := coalesce((
        SELECT length(content) FROM blobs
        WHERE tenant = NEW.tenant AND digest = NEW.digest), 0);
    RETURN NEW;
END $$;
CREATE TRIGGER sized BEFORE INSERT ON compilation_texts
    FOR EACH ROW EXECUTE FUNCTION contexture_size_compilation_text();

-- A text counts once, however many records need it.
CREATE FUNCTION contexture_count_compilation_text() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NOT EXISTS (
            SELECT 1 FROM compilation_texts
            WHERE tenant = NEW.tenant AND digest = NEW.digest AND compilation <> NEW.compilation)
        THEN
            PERFORM contexture_use(NEW.tenant, 'compilation_bytes', NEW.bytes);
        END IF;
    ELSIF NOT EXISTS (
        SELECT 1 FROM compilation_texts WHERE tenant = OLD.tenant AND digest = OLD.digest)
    THEN
        PERFORM contexture_use(OLD.tenant, 'compilation_bytes', -OLD.bytes);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER counted AFTER INSERT OR DELETE ON compilation_texts
    FOR EACH ROW EXECUTE FUNCTION contexture_count_compilation_text();

-- The candidate of a capture, whose content goes when the candidate is deleted. The ids of
-- candidates have 36 characters.
ALTER TABLE memory_log ADD COLUMN candidate TEXT COLLATE "C";
UPDATE memory_log SET candidate = substr(body, strpos(body, '"candidate":"') + 13, 36)
WHERE log = 'captures' AND strpos(body, '"candidate":"') > 0;
CREATE INDEX memory_log_candidate ON memory_log (tenant, candidate) WHERE candidate IS NOT NULL;
