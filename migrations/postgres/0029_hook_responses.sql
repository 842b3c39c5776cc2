-- Responses to queued calls about compiles whose record is in full, of the newest attempt of each. They go with the record.

CREATE TABLE hook_responses (
    tenant      TEXT COLLATE "C" NOT NULL,
    compilation TEXT COLLATE "C" NOT NULL,
    hook        TEXT COLLATE "C" NOT NULL,
    point       TEXT COLLATE "C" NOT NULL,
    occurrence  BIGINT NOT NULL,
    delivery    TEXT COLLATE "C" NOT NULL,
    number      BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    -- Null if there was no response.
    status      BIGINT,
    -- Null if it did not arrive, is no text, or repeats a secret of the hook.
    response    TEXT COLLATE "C",
    PRIMARY KEY (tenant, compilation, hook, point, occurrence)
);
