//! The schema, step by step.

use super::connection::PostgresTarget;
use super::sql::Connection;
use super::writers::scope_statement;
use crate::store::check::DatabaseState;
use crate::store::deliveries::{BATCH_CALLS, make_lines};
use crate::store::error::{Error, OpenError};
use crate::store::sql::{Sql as _, values};

/// The schema, a file a step; a step that is listed here is never changed.
const MIGRATIONS: &[&str] = &[
    include_str!("../../../migrations/postgres/0001_originals.sql"),
    include_str!("../../../migrations/postgres/0002_adapters.sql"),
    include_str!("../../../migrations/postgres/0003_keys.sql"),
    include_str!("../../../migrations/postgres/0004_memory.sql"),
    include_str!("../../../migrations/postgres/0005_candidates.sql"),
    include_str!("../../../migrations/postgres/0006_hooks.sql"),
    include_str!("../../../migrations/postgres/0007_sessions.sql"),
    include_str!("../../../migrations/postgres/0008_deliveries.sql"),
    include_str!("../../../migrations/postgres/0009_packs.sql"),
    include_str!("../../../migrations/postgres/0010_compilations.sql"),
    include_str!("../../../migrations/postgres/0011_skills.sql"),
    include_str!("../../../migrations/postgres/0012_outcomes.sql"),
    include_str!("../../../migrations/postgres/0013_words.sql"),
    include_str!("../../../migrations/postgres/0014_summaries.sql"),
    include_str!("../../../migrations/postgres/0015_golden.sql"),
    include_str!("../../../migrations/postgres/0016_tickets.sql"),
    include_str!("../../../migrations/postgres/0017_summary_turns.sql"),
    include_str!("../../../migrations/postgres/0018_hooks_scope.sql"),
    include_str!("../../../migrations/postgres/0019_delivery_lines.sql"),
    include_str!("../../../migrations/postgres/0020_quotas.sql"),
    include_str!("../../../migrations/postgres/0021_memory_scope.sql"),
    include_str!("../../../migrations/postgres/0022_calibration.sql"),
    include_str!("../../../migrations/postgres/0023_fair_shares.sql"),
    include_str!("../../../migrations/postgres/0024_sent_history.sql"),
    include_str!("../../../migrations/postgres/0025_costs.sql"),
    include_str!("../../../migrations/postgres/0026_reported_costs.sql"),
    include_str!("../../../migrations/postgres/0027_lineages.sql"),
    include_str!("../../../migrations/postgres/0028_usage_hours.sql"),
    include_str!("../../../migrations/postgres/0029_hook_responses.sql"),
    include_str!("../../../migrations/postgres/0030_original_bytes.sql"),
    include_str!("../../../migrations/postgres/0031_row_security.sql"),
];

/// The lowest step that a program must know to use this schema. A step that older programs cannot
/// work with raises it; all others only add.
const MIN_KNOWN_STEP: i64 = 21;

/// Servers that start at once wait for each other here.
const BEGIN_ALONE: &str = "BEGIN; SET LOCAL statement_timeout TO 0; SET LOCAL lock_timeout TO 0;
    SELECT pg_advisory_xact_lock(4857241961438561);
    CREATE TABLE IF NOT EXISTS contexture_schema (
        one    BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
        step   BIGINT NOT NULL,
        oldest BIGINT NOT NULL
    )";

/// Runs the steps that the database has not applied, all in one transaction, and then what they left
/// to be done in batches; returns how many it had applied, and how many there are.
pub(super) fn run(target: &PostgresTarget) -> Result<(i64, i64), OpenError> {
    let known = latest_step();
    let wrong = |error: Error| target.connect_error(error);
    let connection = target.connect().map_err(wrong)?;
    connection.wait_without_limit();
    connection.batch(BEGIN_ALONE).map_err(wrong)?;
    let mut found = (0, 0);
    let read = connection.query("SELECT step, oldest FROM contexture_schema", &[], &mut |row| {
        found = (row.get(0)?, row.get(1)?);
        Ok(())
    });
    read.map_err(wrong)?;
    let (found, oldest) = found;
    if oldest > known {
        let url = target.display_url().to_owned();
        return Err(OpenError::TooNew { url, found, known, oldest });
    }
    if found < known {
        // Steps read and write the rows of all tenants.
        connection.batch(&scope_statement(None)).map_err(wrong)?;
        for step in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
            connection.batch(step).map_err(wrong)?;
        }
        let note = "INSERT INTO contexture_schema (step, oldest) VALUES (?1, ?2)
                    ON CONFLICT (one) DO UPDATE
                    SET step = excluded.step, oldest = excluded.oldest";
        connection.execute(note, values![known, MIN_KNOWN_STEP]).map_err(wrong)?;
    }
    connection.batch("COMMIT").map_err(wrong)?;
    while make_batch(&connection).map_err(wrong)? {}
    if found < known {
        // Plans for tables that were filled just now would be made without statistics.
        let analyze = "ANALYZE delivery_lines; ANALYZE delivery_hooks; ANALYZE delivery_tenants";
        connection.batch(analyze).map_err(wrong)?;
    }
    Ok((found, known))
}

/// Reads what there is in a database, and changes nothing.
pub(super) fn inspect(target: &PostgresTarget) -> Result<DatabaseState, OpenError> {
    let wrong = |error: Error| target.connect_error(error);
    let connection = target.connect().map_err(wrong)?;
    connection.batch(&format!("BEGIN READ ONLY; {}", scope_statement(None))).map_err(wrong)?;
    let finds = |sql: &str| {
        let mut is_found = false;
        let read = connection.query(sql, &[], &mut |_| {
            is_found = true;
            Ok(())
        });
        read.map(|()| is_found).map_err(wrong)
    };
    if !finds("SELECT 1 WHERE to_regclass('contexture_schema') IS NOT NULL")? {
        return Ok(DatabaseState::default());
    }
    let mut steps = (0, 0);
    let read = connection.query("SELECT step, oldest FROM contexture_schema", &[], &mut |row| {
        steps = (row.get(0)?, row.get(1)?);
        Ok(())
    });
    read.map_err(wrong)?;
    let ((found, oldest), known) = (steps, latest_step());
    if oldest > known {
        let url = target.display_url().to_owned();
        return Err(OpenError::TooNew { url, found, known, oldest });
    }
    let has_keys = finds("SELECT 1 WHERE to_regclass('keys') IS NOT NULL")?
        && finds("SELECT 1 FROM keys LIMIT 1")?;
    Ok(DatabaseState { exists: true, has_keys })
}

fn latest_step() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Does one batch of what the schema left to be done; returns whether there are more.
fn make_batch(connection: &Connection) -> Result<bool, Error> {
    connection.batch(BEGIN_ALONE)?;
    connection.batch(&scope_statement(None))?;
    let goes_on = make_lines(connection, BATCH_CALLS)?;
    connection.batch("COMMIT")?;
    Ok(goes_on)
}
