-- Lists look at a bounded number of rows, in the order of an index, and stored responses count towards
-- a quota.

CREATE INDEX memory_list ON memory (tenant, key, subject, session, agent, pack_tenant);
CREATE INDEX memory_subject ON memory (tenant, subject, key, session, agent, pack_tenant);

ALTER TABLE tenant_usage ADD COLUMN reply_bytes BIGINT NOT NULL DEFAULT 0;
INSERT INTO tenant_usage (tenant, reply_bytes)
    SELECT tenant, sum(octet_length(answer)) FROM replies GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET reply_bytes = excluded.reply_bytes;
CREATE FUNCTION contexture_count_reply() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM contexture_use(NEW.tenant, 'reply_bytes', octet_length(NEW.answer));
    ELSE
        PERFORM contexture_use(OLD.tenant, 'reply_bytes', -octet_length(OLD.answer));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER counted AFTER INSERT OR DELETE ON replies
    FOR EACH ROW EXECUTE FUNCTION contexture_count_reply();
