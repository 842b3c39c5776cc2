//! Finds which tenants have something to remove, for many of them by one read, so that a cleanup opens
//! no transaction for a tenant of which nothing is due.

use std::fmt::Write as _;

use super::deliveries::DELIVERY_RETENTION;
use super::events::DELETE_BATCH_EVENTS;
use super::lineages::MAX_UNUSED;
use super::memory::EXPIRED_RETENTION;
use super::sql::{Row, values};
use super::usage::{GATEWAY_SESSION_CONDITION, oldest_usage_days};
use super::{Error, Store};
use crate::domain::Timestamp;

/// First events of a tenant of which each is looked at.
const FIRST_EVENTS: u64 = 20;

/// Tenants of one read.
const READ_BATCH_TENANTS: usize = 200;

/// Tables that name every tenant with rows to clean up: tables with an expiry, and the hooks.
const CLEANED_TABLES: [&str; 11] = [
    "blobs",
    "answers",
    "chains",
    "memory_state",
    "event_state",
    "replies",
    "sessions",
    "deliveries",
    "summaries",
    "hook_state",
    "lineages",
];

/// Tables whose rows go at their `expires_at`, which an index has after the tenant.
const EXPIRING_TABLES: [&str; 5] = ["answers", "blobs", "chains", "compilations", "replies"];

/// Work of a cleanup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueWork {
    /// Memory entries have expired, or may have by the turns of their session.
    Memory,
    Sessions,
    /// Outcomes of hooks are kept; the hooks may be gone.
    Outcomes,
    /// Hooks are stored; their URLs may not be sealed.
    Hooks,
    Artifacts,
    /// Rows of other tables.
    Rows,
}

impl DueWork {
    const ALL: [Self; 6] =
        [Self::Memory, Self::Sessions, Self::Outcomes, Self::Hooks, Self::Artifacts, Self::Rows];

    /// The condition under which there is such work for the tenant `name`. Each part of it is a step or
    /// two in an index, but for artifacts, tickets and turns of summaries, which are few.
    fn condition(self) -> String {
        match self {
            Self::Memory => format!(
                "{} < ?3 OR {}",
                first("expires_at", "memory", "expires_at IS NOT NULL"),
                exists("memory WHERE tenant = name AND expires_at_turn IS NOT NULL")
            ),
            Self::Sessions => {
                format!("{} <= ?2", first("expires_at", "sessions", "expires_at IS NOT NULL"))
            }
            Self::Outcomes => exists("hook_outcomes WHERE tenant = name"),
            Self::Hooks => exists("hooks WHERE tenant = name"),
            Self::Artifacts => "(SELECT CASE WHEN count(*) > ?11 OR sum(bytes) > ?12
                      OR min(renewed_at) < ?13 OR min(expires_at) <= ?2 THEN 1 ELSE 0 END
                  FROM artifacts WHERE tenant = name) = 1"
                .to_owned(),
            Self::Rows => rows_condition(),
        }
    }
}

/// A tenant with work for a cleanup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTenant {
    pub name: String,
    work: Vec<DueWork>,
}

impl DueTenant {
    pub fn has(&self, work: DueWork) -> bool {
        self.work.contains(&work)
    }
}

impl Store {
    /// The tenants with work for a cleanup, and what work. Decisions beyond the number that a tenant may
    /// keep are no work of their own: a tenant with as many has other rows that are due.
    pub fn due_tenants(&self) -> Result<Vec<DueTenant>, Error> {
        let mut due = Vec::new();
        self.for_each_tenant(&due_statement(), &mut |row| {
            let mut work = Vec::new();
            for (of, column) in DueWork::ALL.into_iter().zip(1..) {
                if row.get::<bool>(column)? {
                    work.push(of);
                }
            }
            if !work.is_empty() {
                due.push(DueTenant { name: row.get(0)?, work });
            }
            Ok(())
        })?;
        Ok(due)
    }

    /// Every tenant with rows that expire, and possibly more.
    pub fn tenants(&self) -> Result<Vec<String>, Error> {
        let mut found = Vec::new();
        self.for_each_tenant(&statement(""), &mut |row| {
            found.push(row.get(0)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// Hands each row of a statement made by [`statement`] to `each`, in the order of the tenants' names.
    /// Reads some of them at a time.
    fn for_each_tenant(
        &self,
        statement: &str,
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let retention = &self.inner.retention;
        let (now, caps) = (self.now(), &retention.caps);
        let (hours_from, sessions_from) = oldest_usage_days(now);
        let renewed_from =
            caps.max_age.map_or(Timestamp::from_micros(i64::MIN), |age| now.before(age));
        let mut after = String::new();
        loop {
            let mut found = 0;
            let mut last = String::new();
            self.inner.backend.read(None, &mut |sql| {
                let given = values![
                    &after,
                    now,
                    now.before(EXPIRED_RETENTION),
                    now.before(retention.events),
                    now.before(DELIVERY_RETENTION),
                    now.before(retention.ttl),
                    now.before(MAX_UNUSED),
                    hours_from,
                    sessions_from,
                    retention.originals_max_bytes,
                    caps.max_count.unwrap_or(u64::MAX),
                    caps.max_bytes.unwrap_or(u64::MAX),
                    renewed_from,
                ];
                sql.query(statement, given, &mut |row| {
                    found += 1;
                    last = row.get(0)?;
                    each(row)
                })
            })?;
            if found < READ_BATCH_TENANTS {
                return Ok(());
            }
            after = last;
        }
    }
}

/// The statement for the names of tenants, and for each kind of work whether there is any.
pub(super) fn due_statement() -> String {
    let mut columns = String::new();
    for work in DueWork::ALL {
        let _ = write!(columns, ", CASE WHEN {} THEN 1 ELSE 0 END", work.condition());
    }
    statement(&columns)
}

/// The statement for the names of the tenants after `?1`, with columns about each.
fn statement(columns: &str) -> String {
    let (first, next) = (next_name("?1"), next_name("name"));
    // The number ends the recursion: not every database stops it at a limit.
    format!(
        "WITH RECURSIVE names (name, number) AS (
             SELECT ({first}), 1
             UNION ALL
             SELECT ({next}), number + 1 FROM names
             WHERE name IS NOT NULL AND number < {READ_BATCH_TENANTS})
         SELECT name{columns} FROM names WHERE name IS NOT NULL ORDER BY number"
    )
}

/// The statement for the name of the next tenant, by a step in an index of each table.
fn next_name(after: &str) -> String {
    let next = CLEANED_TABLES
        .map(|table| {
            format!(
                "SELECT tenant FROM (SELECT tenant FROM {table} WHERE tenant > {after}
                     ORDER BY tenant LIMIT 1) AS next_{table}"
            )
        })
        .join(" UNION ALL ");
    format!("SELECT min(tenant) FROM ({next}) AS firsts")
}

/// True if there is a row. The order of an index keeps a database from reading the table.
fn exists(rows: &str) -> String {
    format!("(SELECT 1 FROM {rows} ORDER BY tenant LIMIT 1) = 1")
}

/// The lowest value of a column in the rows of the tenant `name`. The aggregate `min` says the same, but
/// a database that expects few rows reads them all for it.
fn first(column: &str, table: &str, condition: &str) -> String {
    format!(
        "(SELECT {column} FROM {table} WHERE tenant = name AND {condition}
          ORDER BY {column} LIMIT 1)"
    )
}

fn rows_condition() -> String {
    let mut condition = String::new();
    for table in EXPIRING_TABLES {
        let first = first("expires_at", table, "expires_at IS NOT NULL");
        let _ = write!(condition, "{first} <= ?2 OR ");
    }
    for table in ["tickets", "summary_turns"] {
        let rows = format!("{table} WHERE tenant = name AND expires_at <= ?2");
        let _ = write!(condition, "{} OR ", exists(&rows));
    }
    for (column, table, of_it, limit) in [
        ("updated_at", "deliveries", "state <> 'queued'", "< ?5"),
        ("used_at", "summaries", "used_at IS NOT NULL", "<= ?6"),
        ("used_at", "lineages", "used_at IS NOT NULL", "<= ?7"),
        ("day", "hour_usage", "day IS NOT NULL", "< ?8"),
        ("day", "session_usage", GATEWAY_SESSION_CONDITION, "< ?9"),
    ] {
        let _ = write!(condition, "{} {limit} OR ", first(column, table, of_it));
    }
    // Events: an event is at least as old as every event after it, whatever the clock said. With a
    // clock that was ahead for long, the last event of the first batch tells: numbers have no gap.
    let last = DELETE_BATCH_EVENTS - 1;
    let _ = write!(
        condition,
        "(SELECT min(at) FROM (
              SELECT at FROM events WHERE tenant = name ORDER BY seq LIMIT {FIRST_EVENTS}) AS firsts)
            < ?4
         OR (SELECT late.at FROM (
                 SELECT seq FROM events WHERE tenant = name ORDER BY seq LIMIT 1) AS oldest
             JOIN events AS late ON late.tenant = name AND late.seq = oldest.seq + {last}) < ?4
         OR (SELECT original_bytes FROM tenant_usage WHERE tenant = name) > ?10"
    );
    condition
}
