-- Bytes of a tenant's original messages, so that a cleanup need not add up the sizes of all of them, and
-- the usage of sessions of the gateway by day, so that it need not read through all of it.

-- The triggers are made first: they block writers until the sums are stored.
CREATE FUNCTION contexture_count_original() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.expires_at IS NOT NULL THEN
        PERFORM contexture_use(NEW.tenant, 'original_bytes', NEW.size);
    ELSE
        PERFORM contexture_use(NEW.tenant, 'original_bytes', -NEW.size);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER counted AFTER INSERT ON blobs
    FOR EACH ROW WHEN (NEW.expires_at IS NOT NULL) EXECUTE FUNCTION contexture_count_original();
-- Once for a statement: a row of usage that is updated for each of many rows gets slower each time.
CREATE FUNCTION contexture_discount_originals() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    one RECORD;
BEGIN
    FOR one IN SELECT tenant, CAST(sum(size) AS BIGINT) AS bytes FROM gone
               WHERE expires_at IS NOT NULL GROUP BY tenant LOOP
        PERFORM contexture_use(one.tenant, 'original_bytes', -one.bytes);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER discounted AFTER DELETE ON blobs
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION contexture_discount_originals();
CREATE TRIGGER counted_again AFTER UPDATE OF expires_at ON blobs
    FOR EACH ROW WHEN ((OLD.expires_at IS NULL) <> (NEW.expires_at IS NULL))
    EXECUTE FUNCTION contexture_count_original();

ALTER TABLE tenant_usage ADD COLUMN original_bytes BIGINT NOT NULL DEFAULT 0;
INSERT INTO tenant_usage (tenant, original_bytes)
    SELECT tenant, sum(size) FROM blobs WHERE expires_at IS NOT NULL GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET original_bytes = excluded.original_bytes;

CREATE INDEX session_usage_gateway ON session_usage (tenant, day)
    WHERE session >= 'gws_' AND session < 'gws`';

-- Removed records are discounted once for a statement, too.
CREATE FUNCTION contexture_discount_compilations() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    one RECORD;
BEGIN
    FOR one IN SELECT tenant, CAST(sum(octet_length(body)) AS BIGINT) AS bytes FROM gone
               GROUP BY tenant LOOP
        PERFORM contexture_use(one.tenant, 'compilation_bytes', -one.bytes);
    END LOOP;
    RETURN NULL;
END $$;
DROP TRIGGER counted ON compilations;
CREATE TRIGGER counted AFTER INSERT ON compilations
    FOR EACH ROW EXECUTE FUNCTION contexture_count_compilation();
CREATE TRIGGER discounted AFTER DELETE ON compilations
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION contexture_discount_compilations();
