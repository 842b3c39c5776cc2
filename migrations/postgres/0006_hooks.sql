-- Hooks, and the order in which they run.
--
-- Times are microseconds since 1970.

CREATE TABLE hooks (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    -- From 1, one more with each change.
    revision BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- Why the service disabled it; null where it did not.
    disabled TEXT COLLATE "C",
    -- Since when its queued calls have done nothing but fail.
    failing_since BIGINT,
    -- JSON without headers and secrets: these are sealed.
    definition TEXT COLLATE "C" NOT NULL,
    sealed BYTEA,
    PRIMARY KEY (tenant, id)
);

-- One row a tenant that ever had a hook or an order: one more with each change of either.
CREATE TABLE hook_state (
    tenant TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (tenant)
);

-- Ordering manifests, as JSON. The empty session is all of them.
CREATE TABLE hook_orders (
    tenant TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    manifest TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, session)
);

SELECT contexture_own('hooks');
SELECT contexture_own('hook_state');
SELECT contexture_own('hook_orders');
