-- Responses to queued calls about compiles whose record is in full, of the newest attempt of each. They go with the record.

CREATE TABLE hook_responses (
    tenant      TEXT    NOT NULL,
    compilation TEXT    NOT NULL,
    hook        TEXT    NOT NULL,
    point       TEXT    NOT NULL,
    occurrence  INTEGER NOT NULL,
    delivery    TEXT    NOT NULL,
    number      INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    -- Null if there was no response.
    status      INTEGER,
    -- Null if it did not arrive, is no text, or repeats a secret of the hook.
    response    TEXT,
    PRIMARY KEY (tenant, compilation, hook, point, occurrence)
) STRICT, WITHOUT ROWID;
