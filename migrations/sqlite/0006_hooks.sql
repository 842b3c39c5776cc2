-- Hooks, and the order in which they run.
--
-- Times are microseconds since 1970.

CREATE TABLE hooks (
    tenant        TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    -- From 1, one more with each change.
    revision      INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    -- Why the service disabled it; null where it did not.
    disabled      TEXT,
    -- Since when its queued calls have done nothing but fail.
    failing_since INTEGER,
    -- JSON without headers and secrets: these are sealed.
    definition    TEXT    NOT NULL,
    sealed        BLOB,
    PRIMARY KEY (tenant, id)
) STRICT;

-- One row a tenant that ever had a hook or an order: one more with each change of either.
CREATE TABLE hook_state (
    tenant   TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (tenant)
) STRICT;

-- Ordering manifests, as JSON. The empty session is all of them.
CREATE TABLE hook_orders (
    tenant   TEXT    NOT NULL,
    session  TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    manifest TEXT    NOT NULL,
    PRIMARY KEY (tenant, session)
) STRICT;
