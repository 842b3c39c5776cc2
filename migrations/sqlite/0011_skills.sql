-- Skills that callers have stored.
--
-- `skill` is its JSON text. It stands last, so that a list of names reads nothing of it.

CREATE TABLE skills (
    tenant     TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    skill      TEXT    NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT;
