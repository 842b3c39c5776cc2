-- The queue by lines, hooks and tenants, so that a due call is found at a cost that does not grow with
-- the number of queued calls.
--
-- Times are microseconds since 1970. A row is there only while it has something to say.

-- The queued calls of one hook and session, of which only the oldest may be made.
CREATE TABLE delivery_lines (
    tenant  TEXT    NOT NULL,
    hook    TEXT    NOT NULL,
    session TEXT    NOT NULL,
    -- The oldest queued call: `deliveries.seq`, and what that row says of it.
    seq     INTEGER NOT NULL,
    retried INTEGER NOT NULL,
    claimed INTEGER NOT NULL,
    due_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, hook, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_lines_due ON delivery_lines (tenant, hook, retried, due_at, seq);
CREATE INDEX delivery_lines_oldest ON delivery_lines (tenant, hook, claimed, seq);
CREATE INDEX delivery_lines_claimed ON delivery_lines (claimed, tenant, hook) WHERE claimed = 1;

-- The queue of one hook.
CREATE TABLE delivery_hooks (
    tenant   TEXT    NOT NULL,
    hook     TEXT    NOT NULL,
    queued   INTEGER NOT NULL,
    -- Calls that were deleted because too many were queued, and how many of them no event has counted yet.
    lost     INTEGER NOT NULL,
    untold   INTEGER NOT NULL,
    -- The earliest time of the next event about them.
    tell_at  INTEGER NOT NULL,
    -- Failed attempts in a row.
    failures INTEGER NOT NULL,
    -- No call of the hook is made before this time.
    ready_at INTEGER NOT NULL,
    -- When a first attempt is due, and when a retry is; null if none is queued.
    due_at   INTEGER,
    retry_at INTEGER,
    PRIMARY KEY (tenant, hook)
) STRICT;
CREATE INDEX delivery_hooks_due ON delivery_hooks (tenant, due_at);
CREATE INDEX delivery_hooks_retry ON delivery_hooks (tenant, retry_at);
CREATE INDEX delivery_hooks_untold ON delivery_hooks (tell_at) WHERE untold > 0;

-- The earliest times of a tenant's hooks.
CREATE TABLE delivery_tenants (
    tenant   TEXT    NOT NULL,
    due_at   INTEGER,
    retry_at INTEGER,
    PRIMARY KEY (tenant)
) STRICT;
CREATE INDEX delivery_tenants_due ON delivery_tenants (due_at);
CREATE INDEX delivery_tenants_retry ON delivery_tenants (retry_at);

-- The last queued call for which the rows above were made; no row once they are made for all.
CREATE TABLE delivery_backfill (
    tenant  TEXT    NOT NULL,
    hook    TEXT    NOT NULL,
    session TEXT    NOT NULL,
    seq     INTEGER NOT NULL,
    PRIMARY KEY (tenant)
) STRICT;
INSERT INTO delivery_backfill (tenant, hook, session, seq) VALUES ('', '', '', 0);

DROP INDEX deliveries_due;
