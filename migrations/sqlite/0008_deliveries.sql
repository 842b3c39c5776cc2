-- Calls that are to be made from the queue, and what came of them.

CREATE TABLE deliveries (
    -- The order in which they were queued; no meaning outside of this file.
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant      TEXT    NOT NULL,
    -- The same for every attempt: `webhook-id`.
    id          TEXT    NOT NULL,
    hook        TEXT    NOT NULL,
    -- Calls of one hook and session are made one after another; empty where there is no session.
    session     TEXT    NOT NULL,
    point       TEXT    NOT NULL,
    compilation TEXT,
    agent       TEXT,
    turn        INTEGER,
    hops        INTEGER NOT NULL,
    occurrence  INTEGER NOT NULL,
    -- JSON; null once it was delivered.
    input       TEXT,
    state       TEXT    NOT NULL,
    -- All that were made, and those since it was queued or queued again.
    attempts    INTEGER NOT NULL,
    tries       INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    -- When the next attempt is to be made; while one is under way, when another node may take over.
    due_at      INTEGER NOT NULL,
    -- One more with each claim: what was claimed before changes nothing any more.
    fence       INTEGER NOT NULL,
    UNIQUE (tenant, id)
) STRICT;
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE state = 'queued';
CREATE INDEX deliveries_line ON deliveries (tenant, hook, session, seq) WHERE state = 'queued';
CREATE INDEX deliveries_hook ON deliveries (tenant, hook, seq);
CREATE INDEX deliveries_old ON deliveries (tenant, updated_at) WHERE state <> 'queued';

CREATE TABLE delivery_attempts (
    tenant   TEXT    NOT NULL,
    delivery TEXT    NOT NULL,
    number   INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    -- Of the answer, where there was one.
    status   INTEGER,
    -- Null where it succeeded.
    cause    TEXT,
    detail   TEXT,
    took_us  INTEGER NOT NULL,
    PRIMARY KEY (tenant, delivery, number)
) STRICT;

-- Hooks that hear of events, and the number of the last one that was queued for each.
CREATE TABLE event_hooks (
    tenant TEXT    NOT NULL,
    hook   TEXT    NOT NULL,
    seq    INTEGER NOT NULL,
    PRIMARY KEY (tenant, hook)
) STRICT;
