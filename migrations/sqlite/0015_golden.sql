-- Golden sets: compiles that a version of a pack has come to, and that others are measured by.
--
-- `packet` is JSON: the record with all that it takes to run it again, so that it stays when the
-- record is gone. Times are microseconds since 1970.

CREATE TABLE golden (
    tenant      TEXT    NOT NULL,
    pack        TEXT    NOT NULL,
    major       INTEGER NOT NULL,
    minor       INTEGER NOT NULL,
    patch       INTEGER NOT NULL,
    -- The place in its set.
    place       INTEGER NOT NULL,
    compilation TEXT    NOT NULL,
    -- The empty text where there is none.
    session     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    packet      TEXT    NOT NULL,
    PRIMARY KEY (tenant, pack, major, minor, patch, place)
) STRICT;
CREATE INDEX golden_session ON golden (tenant, session);
