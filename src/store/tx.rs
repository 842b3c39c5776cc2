//! One transaction over one tenant's rows.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;

use super::Error;
use super::sql::{Dialect, Row, Sql, SqlValue};
use crate::domain::{Event, Timestamp};

/// Reads, and inside of [`Tenant::write`](super::Tenant::write) writes, the rows of one tenant. All
/// of it sees the same state, and is stored together or not at all.
///
/// Every noun adds its methods in a file of its own; the first value of each statement, `?1`, is the
/// tenant, so no query can forget whose rows it reads.
pub struct Tx<'t> {
    sql: &'t dyn Sql,
    tenant: &'t str,
    now: Timestamp,
    /// What was published so far.
    events: RefCell<Vec<Event>>,
    /// Whether a delivery was queued.
    queued: Cell<bool>,
    /// What observe hooks are to hear of.
    facts: RefCell<Vec<ObservedFact>>,
}

/// Something that was done, as observe hooks hear of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedFact {
    /// The point at which they stand.
    pub point: &'static str,
    /// What they are told, as JSON text.
    pub input: String,
    /// The agent that it is about, and how it ended, where hooks match by these.
    pub agent: Option<Arc<str>>,
    pub status: Option<&'static str>,
}

impl ObservedFact {
    pub fn new(point: &'static str, input: String) -> Self {
        Self { point, input, agent: None, status: None }
    }
}

/// What others are told of once a transaction is committed.
#[derive(Debug, Default)]
pub(super) struct CommitNotice {
    pub(super) events: Vec<Event>,
    pub(super) queued: bool,
}

impl fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tx").field("now", &self.now).finish_non_exhaustive()
    }
}

impl<'t> Tx<'t> {
    pub(super) fn new(sql: &'t dyn Sql, tenant: &'t str, now: Timestamp) -> Self {
        let (events, queued, facts) = Default::default();
        Self { sql, tenant, now, events, queued, facts }
    }

    /// When the transaction was begun, by the store's clock.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The same transaction over another tenant's rows: for who may act for others.
    pub fn of_tenant<'o>(&self, tenant: &'o str) -> Tx<'o>
    where
        't: 'o,
    {
        Tx::new(self.sql, tenant, self.now)
    }

    /// Notes something that observe hooks are to hear of.
    pub fn tell(&self, fact: ObservedFact) {
        self.facts.borrow_mut().push(fact);
    }

    /// What was noted so far.
    pub fn take_facts(&self) -> Vec<ObservedFact> {
        self.facts.take()
    }

    /// Notes that an event was published.
    pub(super) fn note(&self, event: Event) {
        self.events.borrow_mut().push(event);
    }

    /// Notes that a delivery was queued.
    pub(super) fn note_queued(&self) {
        self.queued.set(true);
    }

    /// What was published and queued.
    pub(super) fn into_told(self) -> CommitNotice {
        CommitNotice { events: self.events.into_inner(), queued: self.queued.get() }
    }

    /// Whose rows they are.
    pub fn tenant(&self) -> &'t str {
        self.tenant
    }

    /// Which database runs its statements.
    pub(super) fn dialect(&self) -> Dialect {
        self.sql.dialect()
    }

    /// Runs a statement for what it changes; answers in how many rows. `?1` is the tenant, `?2` the
    /// first of `values`.
    pub(super) fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<u64, Error> {
        self.sql.execute(sql, &self.with_tenant(values))
    }

    /// All rows of a query, each as `read` makes it.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        mut read: impl FnMut(&dyn Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut found = Vec::new();
        self.sql.query(sql, &self.with_tenant(values), &mut |row| {
            found.push(read(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// The first row of a query.
    pub(super) fn first<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnMut(&dyn Row) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        Ok(self.all(sql, values, read)?.into_iter().next())
    }

    /// Whether a query finds anything.
    pub(super) fn exists(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<bool, Error> {
        Ok(self.first(sql, values, |_| Ok(()))?.is_some())
    }

    fn with_tenant<'v>(&self, values: &[SqlValue<'v>]) -> Vec<SqlValue<'v>>
    where
        't: 'v,
    {
        let mut all = Vec::with_capacity(values.len() + 1);
        all.push(SqlValue::Text(self.tenant));
        all.extend_from_slice(values);
        all
    }
}
