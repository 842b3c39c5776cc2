//! Makes the lines of calls that an older release queued, after the schema has got their tables.
//!
//! It works in batches, each in a transaction of its own, before the store is used. The row of
//! `delivery_backfill` has the position, so that a start that was cut short goes on there.

use std::sync::Arc;

use crate::store::Error;
use crate::store::sql::{Row, Sql, values};

/// Queued calls of one batch.
pub(crate) const BATCH_CALLS: u64 = 10_000;

/// A place in the order of lines and, in a line, of calls.
struct Position {
    tenant: Arc<str>,
    hook: Arc<str>,
    session: Arc<str>,
    seq: u64,
}

impl Position {
    fn read(row: &dyn Row) -> Result<Self, Error> {
        Ok(Self { tenant: row.get(0)?, hook: row.get(1)?, session: row.get(2)?, seq: row.get(3)? })
    }
}

/// Makes the lines of the next batch of calls, in a transaction over all tenants; returns whether
/// there are more.
pub(crate) fn make_lines(sql: &dyn Sql, batch_calls: u64) -> Result<bool, Error> {
    let from = first(sql, "SELECT tenant, hook, session, seq FROM delivery_backfill", None)?;
    let Some(from) = from else { return Ok(false) };
    let next = format!(
        "SELECT tenant, hook, session, seq FROM deliveries
         WHERE state = 'queued' AND (tenant, hook, session, seq) > (?1, ?2, ?3, ?4)
         ORDER BY tenant, hook, session, seq LIMIT 1 OFFSET {}",
        batch_calls.saturating_sub(1)
    );
    let to = first(sql, &next, Some(&from))?;
    make_batch(sql, &from, to.as_ref())?;
    match &to {
        Some(to) => {
            sql.execute(
                "UPDATE delivery_backfill SET tenant = ?1, hook = ?2, session = ?3, seq = ?4",
                values![&to.tenant, &to.hook, &to.session, to.seq],
            )?;
        }
        None => make_due_times(sql)?,
    }
    Ok(to.is_some())
}

fn first(sql: &dyn Sql, query: &str, after: Option<&Position>) -> Result<Option<Position>, Error> {
    let mut found = None;
    let mut each = |row: &dyn Row| {
        found = Some(Position::read(row)?);
        Ok(())
    };
    match after {
        Some(Position { tenant, hook, session, seq }) => {
            sql.query(query, values![tenant, hook, session, *seq], &mut each)?;
        }
        None => sql.query(query, &[], &mut each)?,
    }
    Ok(found)
}

/// Makes the lines whose oldest call is after `from`, up to `to`, and counts the calls of hooks.
fn make_batch(sql: &dyn Sql, from: &Position, to: Option<&Position>) -> Result<(), Error> {
    let until = match to {
        Some(_) => " AND (head.tenant, head.hook, head.session, head.seq) <= (?5, ?6, ?7, ?8)",
        None => "",
    };
    let batch = format!(
        "FROM deliveries AS head
         WHERE head.state = 'queued'
           AND (head.tenant, head.hook, head.session, head.seq) > (?1, ?2, ?3, ?4){until}"
    );
    // Compared with the oldest call, which is found by an index: the opposite (no older call exists)
    // has PostgreSQL read the whole table for each batch.
    let lines = format!(
        "INSERT INTO delivery_lines (tenant, hook, session, seq, retried, claimed, due_at)
         SELECT head.tenant, head.hook, head.session, head.seq,
                CASE WHEN head.tries > 0 THEN 1 ELSE 0 END, head.claimed, head.due_at {batch}
         AND head.seq = (SELECT oldest.seq FROM deliveries AS oldest
             WHERE oldest.tenant = head.tenant AND oldest.hook = head.hook
               AND oldest.session = head.session AND oldest.state = 'queued'
             ORDER BY oldest.seq LIMIT 1)"
    );
    let counts = format!(
        "INSERT INTO delivery_hooks (tenant, hook, queued, lost, untold, tell_at, failures,
                                     ready_at)
         SELECT head.tenant, head.hook, count(*), 0, 0, 0, 0, 0 {batch}
         GROUP BY head.tenant, head.hook
         ON CONFLICT (tenant, hook) DO UPDATE SET queued = delivery_hooks.queued + excluded.queued"
    );
    let mut given = values![&from.tenant, &from.hook, &from.session, from.seq].to_vec();
    if let Some(to) = to {
        given.extend(values![&to.tenant, &to.hook, &to.session, to.seq]);
    }
    sql.execute(&lines, &given)?;
    sql.execute(&counts, &given).map(drop)
}

/// Ends the work: computes the times of hooks and tenants from their lines.
fn make_due_times(sql: &dyn Sql) -> Result<(), Error> {
    sql.execute(
        "UPDATE delivery_hooks SET
             due_at = (SELECT min(line.due_at) FROM delivery_lines AS line
                       WHERE line.tenant = delivery_hooks.tenant
                         AND line.hook = delivery_hooks.hook AND line.retried = 0),
             retry_at = (SELECT min(line.due_at) FROM delivery_lines AS line
                         WHERE line.tenant = delivery_hooks.tenant
                           AND line.hook = delivery_hooks.hook AND line.retried = 1)",
        &[],
    )?;
    sql.execute(
        "INSERT INTO delivery_tenants (tenant, due_at, retry_at)
         SELECT tenant, min(due_at), min(retry_at) FROM delivery_hooks GROUP BY tenant",
        &[],
    )?;
    sql.execute("DELETE FROM delivery_backfill", &[]).map(drop)
}
