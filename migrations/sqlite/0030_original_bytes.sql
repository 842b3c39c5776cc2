-- Bytes of a tenant's original messages, so that a cleanup need not add up the sizes of all of them, and
-- the usage of sessions of the gateway by day, so that it need not read through all of it.

ALTER TABLE tenant_usage ADD COLUMN original_bytes INTEGER NOT NULL DEFAULT 0;
INSERT INTO tenant_usage (tenant, original_bytes)
    SELECT tenant, sum(size) FROM blobs WHERE expires_at IS NOT NULL GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET original_bytes = excluded.original_bytes;

CREATE TRIGGER originals_counted AFTER INSERT ON blobs WHEN NEW.expires_at IS NOT NULL
BEGIN
    INSERT INTO tenant_usage (tenant, original_bytes) VALUES (NEW.tenant, NEW.size)
        ON CONFLICT (tenant) DO UPDATE SET original_bytes = original_bytes + excluded.original_bytes;
END;
CREATE TRIGGER originals_discounted AFTER DELETE ON blobs WHEN OLD.expires_at IS NOT NULL
BEGIN
    UPDATE tenant_usage SET original_bytes = original_bytes - OLD.size WHERE tenant = OLD.tenant;
END;
CREATE TRIGGER originals_counted_again AFTER UPDATE OF expires_at ON blobs
WHEN (OLD.expires_at IS NULL) <> (NEW.expires_at IS NULL)
BEGIN
    INSERT INTO tenant_usage (tenant, original_bytes)
        VALUES (NEW.tenant, CASE WHEN NEW.expires_at IS NULL THEN -NEW.size ELSE NEW.size END)
        ON CONFLICT (tenant) DO UPDATE SET original_bytes = original_bytes + excluded.original_bytes;
END;

CREATE INDEX session_usage_gateway ON session_usage (tenant, day)
    WHERE session >= 'gws_' AND session < 'gws`';
