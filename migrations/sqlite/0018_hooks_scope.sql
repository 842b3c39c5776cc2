-- Whether the hooks in a session's defaults, and in a snapshot's, were written by a caller with the
-- scope `hooks:write`. Defaults that are there already do not prove it, so their hooks do not run.

ALTER TABLE sessions ADD COLUMN hooks_scoped INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshots ADD COLUMN hooks_scoped INTEGER NOT NULL DEFAULT 0;

-- Whether a hook runs for a request that wants no hooks, too. Null: it was registered before this
-- could be said, and guards do.
ALTER TABLE hooks ADD COLUMN mandatory INTEGER;
