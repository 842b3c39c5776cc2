-- Tokens that providers read from their caches and wrote to them, next to the costs; usage by hour, which is kept for a
-- month; and how long requests took, as counts of buckets of time (`DurationBucket`).

ALTER TABLE usage ADD COLUMN cache_read_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN cache_write_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN priced_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session_usage ADD COLUMN cache_read_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session_usage ADD COLUMN cache_write_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session_usage ADD COLUMN priced_tokens BIGINT NOT NULL DEFAULT 0;

CREATE TABLE hour_usage (
    tenant TEXT COLLATE "C" NOT NULL,
    day BIGINT NOT NULL,
    hour BIGINT NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    requests BIGINT NOT NULL,
    tokens_before BIGINT NOT NULL,
    tokens_after BIGINT NOT NULL,
    priced_requests BIGINT NOT NULL,
    reported_requests BIGINT NOT NULL,
    payload_micros BIGINT NOT NULL,
    output_micros BIGINT NOT NULL,
    unshortened_micros BIGINT NOT NULL,
    unique_saved_tokens BIGINT NOT NULL,
    unique_saved_micros BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    priced_tokens BIGINT NOT NULL,
    PRIMARY KEY (tenant, day, hour, key, model)
);

CREATE TABLE usage_durations (
    tenant TEXT COLLATE "C" NOT NULL,
    day BIGINT NOT NULL,
    bucket BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    PRIMARY KEY (tenant, day, bucket)
);
