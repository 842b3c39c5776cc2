-- Lists look at a bounded number of rows, in the order of an index, and stored responses count towards
-- a quota.

CREATE INDEX memory_list ON memory (tenant, key, subject, session, agent, pack_tenant);
CREATE INDEX memory_subject ON memory (tenant, subject, key, session, agent, pack_tenant);
-- Step 21 built the table again, without this index.
CREATE INDEX memory_session ON memory (tenant, session, key, subject, agent, pack_tenant)
    WHERE session <> '';
-- All that a list of snapshots shows, so that it does not read through their documents.
CREATE INDEX snapshots_list
    ON snapshots (tenant, session, id, label, created_at, length(digests), hooks_scoped);
DROP INDEX snapshots_session;

ALTER TABLE tenant_usage ADD COLUMN reply_bytes INTEGER NOT NULL DEFAULT 0;
INSERT INTO tenant_usage (tenant, reply_bytes)
    SELECT tenant, sum(octet_length(answer)) FROM replies WHERE true GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET reply_bytes = excluded.reply_bytes;
CREATE TRIGGER replies_counted AFTER INSERT ON replies
BEGIN
    INSERT INTO tenant_usage (tenant, reply_bytes) VALUES (NEW.tenant, octet_length(NEW.answer))
        ON CONFLICT (tenant) DO UPDATE SET reply_bytes = reply_bytes + excluded.reply_bytes;
END;
CREATE TRIGGER replies_discounted AFTER DELETE ON replies
BEGIN
    UPDATE tenant_usage SET reply_bytes = reply_bytes - octet_length(OLD.answer)
    WHERE tenant = OLD.tenant;
END;
