-- Tokens that providers read from their caches and wrote to them, next to the costs; usage by hour, which is kept for a
-- month; and how long requests took, as counts of buckets of time (`DurationBucket`).

ALTER TABLE usage ADD COLUMN cache_read_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN priced_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session_usage ADD COLUMN cache_read_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session_usage ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session_usage ADD COLUMN priced_tokens INTEGER NOT NULL DEFAULT 0;

CREATE TABLE hour_usage (
    tenant TEXT NOT NULL,
    day INTEGER NOT NULL,
    hour INTEGER NOT NULL,
    key TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after INTEGER NOT NULL,
    priced_requests INTEGER NOT NULL,
    reported_requests INTEGER NOT NULL,
    payload_micros INTEGER NOT NULL,
    output_micros INTEGER NOT NULL,
    unshortened_micros INTEGER NOT NULL,
    unique_saved_tokens INTEGER NOT NULL,
    unique_saved_micros INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    priced_tokens INTEGER NOT NULL,
    PRIMARY KEY (tenant, day, hour, key, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_durations (
    tenant TEXT NOT NULL,
    day INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (tenant, day, bucket)
) STRICT, WITHOUT ROWID;
