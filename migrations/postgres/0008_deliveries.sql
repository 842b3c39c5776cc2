-- Calls that are to be made from the queue, and what came of them.

CREATE TABLE deliveries (
    -- The order in which they were queued; no meaning outside of this file.
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    -- The same for every attempt: `webhook-id`.
    id TEXT COLLATE "C" NOT NULL,
    hook TEXT COLLATE "C" NOT NULL,
    -- Calls of one hook and session are made one after another; empty where there is no session.
    session TEXT COLLATE "C" NOT NULL,
    point TEXT COLLATE "C" NOT NULL,
    compilation TEXT COLLATE "C",
    agent TEXT COLLATE "C",
    turn BIGINT,
    hops BIGINT NOT NULL,
    occurrence BIGINT NOT NULL,
    -- JSON; null once it was delivered.
    input TEXT COLLATE "C",
    state TEXT COLLATE "C" NOT NULL,
    -- All that were made, and those since it was queued or queued again.
    attempts BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- When the next attempt is to be made; while one is under way, when another node may take over.
    due_at BIGINT NOT NULL,
    -- One more with each claim: what was claimed before changes nothing any more.
    fence BIGINT NOT NULL,
    UNIQUE (tenant, id)
);
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE state = 'queued';
CREATE INDEX deliveries_line ON deliveries (tenant, hook, session, seq) WHERE state = 'queued';
CREATE INDEX deliveries_hook ON deliveries (tenant, hook, seq);
CREATE INDEX deliveries_old ON deliveries (tenant, updated_at) WHERE state <> 'queued';

CREATE TABLE delivery_attempts (
    tenant TEXT COLLATE "C" NOT NULL,
    delivery TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    -- Of the answer, where there was one.
    status BIGINT,
    -- Null where it succeeded.
    cause TEXT COLLATE "C",
    detail TEXT COLLATE "C",
    took_us BIGINT NOT NULL,
    PRIMARY KEY (tenant, delivery, number)
);

-- Hooks that hear of events, and the number of the last one that was queued for each.
CREATE TABLE event_hooks (
    tenant TEXT COLLATE "C" NOT NULL,
    hook TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (tenant, hook)
);

SELECT contexture_own('deliveries');
SELECT contexture_own('delivery_attempts');
SELECT contexture_own('event_hooks');
