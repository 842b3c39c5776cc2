-- Golden sets: compiles that a version of a pack has come to, and that others are measured by.
--
-- `packet` is JSON: the record with all that it takes to run it again, so that it stays when the
-- record is gone. Times are microseconds since 1970.

CREATE TABLE golden (
    tenant TEXT COLLATE "C" NOT NULL,
    pack TEXT COLLATE "C" NOT NULL,
    major BIGINT NOT NULL,
    minor BIGINT NOT NULL,
    patch BIGINT NOT NULL,
    -- The place in its set.
    place BIGINT NOT NULL,
    compilation TEXT COLLATE "C" NOT NULL,
    -- The empty text where there is none.
    session TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    packet TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, pack, major, minor, patch, place)
);
CREATE INDEX golden_session ON golden (tenant, session);

SELECT contexture_own('golden');
