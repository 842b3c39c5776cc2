//! Finds what is due, by statements that read no more rows than they return.

use std::sync::Arc;

use crate::domain::Timestamp;
use crate::store::sql::{Sql, values};
use crate::store::{Error, Store};

/// Class of the attempts that are claimed: first attempts, or retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttemptClass {
    First,
    Retry,
}

const FIRST_TENANTS: &str =
    "SELECT tenant FROM delivery_tenants WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2";
const RETRY_TENANTS: &str =
    "SELECT tenant FROM delivery_tenants WHERE retry_at <= ?1 ORDER BY retry_at LIMIT ?2";
const FIRST_HOOKS: &str = "SELECT hook, failures FROM delivery_hooks
    WHERE tenant = ?1 AND due_at <= ?2 ORDER BY due_at LIMIT ?3";
const RETRY_HOOKS: &str = "SELECT hook, failures FROM delivery_hooks
    WHERE tenant = ?1 AND retry_at <= ?2 ORDER BY retry_at LIMIT ?3";
pub(super) const DUE_LINES: &str = "SELECT hook, session, seq FROM delivery_lines
    WHERE tenant = ?1 AND hook = ?2 AND retried = ?3 AND due_at <= ?4
    ORDER BY due_at, seq LIMIT ?5";

pub(super) const CLAIMED_TENANTS: &str = "SELECT tenant FROM delivery_lines WHERE claimed = 1";

/// The statements that find what is due, or claimed.
#[cfg(test)]
pub(crate) const DUE_STATEMENTS: [&str; 6] =
    [FIRST_TENANTS, RETRY_TENANTS, FIRST_HOOKS, RETRY_HOOKS, DUE_LINES, CLAIMED_TENANTS];

impl AttemptClass {
    /// The statement for the tenants with something due, those that wait longest first.
    fn tenants_statement(self) -> &'static str {
        match self {
            Self::First => FIRST_TENANTS,
            Self::Retry => RETRY_TENANTS,
        }
    }

    /// The statement for the hooks of a tenant with something due, in the same order.
    pub(super) fn hooks_statement(self) -> &'static str {
        match self {
            Self::First => FIRST_HOOKS,
            Self::Retry => RETRY_HOOKS,
        }
    }
}

impl Store {
    /// When the next delivery is due; `None` if none waits.
    pub fn next_delivery(&self) -> Result<Option<Timestamp>, Error> {
        let mut next = None;
        self.inner.backend.read(None, &mut |sql| {
            sql.query(
                "SELECT (SELECT min(due_at) FROM delivery_tenants),
                        (SELECT min(retry_at) FROM delivery_tenants)",
                &[],
                &mut |row| {
                    let (first, retry) = (row.get::<Option<_>>(0)?, row.get::<Option<_>>(1)?);
                    next = first.into_iter().chain(retry).min();
                    Ok(())
                },
            )
        })?;
        Ok(next)
    }
}

/// Up to `limit` tenants with something due, those that wait longest first.
pub(super) fn due_tenants(
    sql: &dyn Sql,
    class: AttemptClass,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Arc<str>>, Error> {
    let mut found = Vec::new();
    sql.query(class.tenants_statement(), values![now, limit], &mut |row| {
        found.push(row.get(0)?);
        Ok(())
    })?;
    Ok(found)
}
