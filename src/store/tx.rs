//! One transaction over one tenant's rows.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;

use super::Error;
use super::message_text_cache::MessageTextCache;
use super::sql::{Dialect, Row, Sql, SqlValue, for_parts};
use crate::domain::{ContentHash, Event, Quotas, Timestamp};

/// A transaction over the rows of one tenant; it writes only inside of
/// [`Tenant::write`](super::Tenant::write). All of it sees the same state, and is stored together
/// or not at all.
///
/// Every noun adds its methods in a file of its own; the first value of each statement, `?1`, is
/// the tenant, so no query can forget to name it.
pub struct Tx<'t> {
    sql: &'t dyn Sql,
    tenant: &'t str,
    now: Timestamp,
    quotas: Quotas,
    message_texts: Option<&'t MessageTextCache>,
    /// The events published so far.
    events: RefCell<Vec<Event>>,
    /// Whether a delivery was queued.
    queued: Cell<bool>,
    /// Whether hooks, their order or adapters were changed.
    definitions_changed: Cell<bool>,
    /// Facts for observe hooks.
    facts: RefCell<Vec<ObservedFact>>,
    /// The compile that the transaction stores the effects of.
    compilation: RefCell<Option<Arc<str>>>,
}

/// A change, as it is reported to observe hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedFact {
    /// The point of the hooks.
    pub point: &'static str,
    /// The input of the hooks, as JSON text.
    pub input: String,
    /// The agent, and the status, for the `match` of hooks.
    pub agent: Option<Arc<str>>,
    pub status: Option<&'static str>,
}

impl ObservedFact {
    pub fn new(point: &'static str, input: String) -> Self {
        Self { point, input, agent: None, status: None }
    }
}

/// The notifications to send after a transaction is committed.
#[derive(Debug, Default)]
pub(super) struct CommitNotice {
    pub(super) events: Vec<Event>,
    pub(super) queued: bool,
    pub(super) definitions_changed: bool,
}

impl fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tx").field("now", &self.now).finish_non_exhaustive()
    }
}

impl<'t> Tx<'t> {
    pub(super) fn new(sql: &'t dyn Sql, tenant: &'t str, now: Timestamp) -> Self {
        Self {
            sql,
            tenant,
            now,
            quotas: Quotas::default(),
            message_texts: None,
            events: RefCell::default(),
            queued: Cell::default(),
            definitions_changed: Cell::default(),
            facts: RefCell::default(),
            compilation: RefCell::default(),
        }
    }

    /// Sets the quotas of the tenant.
    pub(super) fn within(self, quotas: Quotas) -> Self {
        Self { quotas, ..self }
    }

    /// Sets where texts of messages are looked for before they are read.
    pub(super) fn with_message_texts(self, cache: &'t MessageTextCache) -> Self {
        Self { message_texts: Some(cache), ..self }
    }

    pub(super) fn message_texts(&self) -> Option<&'t MessageTextCache> {
        self.message_texts
    }

    pub(super) fn quotas(&self) -> &Quotas {
        &self.quotas
    }

    /// When the transaction was begun, by the store's clock.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The same transaction over another tenant's rows: for callers with rights over other tenants.
    pub fn of_tenant<'o>(&self, tenant: &'o str) -> Tx<'o>
    where
        't: 'o,
    {
        Tx::new(self.sql, tenant, self.now).within(self.quotas)
    }

    /// Sets the compile that the transaction stores the effects of: its events have the id.
    pub fn set_compilation(&self, id: Arc<str>) {
        *self.compilation.borrow_mut() = Some(id);
    }

    pub(super) fn compilation(&self) -> Option<Arc<str>> {
        self.compilation.borrow().clone()
    }

    /// Adds a fact for observe hooks.
    pub fn observe_fact(&self, fact: ObservedFact) {
        self.facts.borrow_mut().push(fact);
    }

    /// Takes the facts for observe hooks collected so far.
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

    /// Notes that hooks, their order or adapters were changed.
    pub(super) fn note_definitions_changed(&self) {
        self.definitions_changed.set(true);
    }

    /// What is to be notified of this transaction.
    pub(super) fn into_notice(self) -> CommitNotice {
        CommitNotice {
            events: self.events.into_inner(),
            queued: self.queued.get(),
            definitions_changed: self.definitions_changed.get(),
        }
    }

    /// The tenant of the rows.
    pub fn tenant(&self) -> &'t str {
        self.tenant
    }

    /// The database that runs its statements.
    pub(super) fn dialect(&self) -> Dialect {
        self.sql.dialect()
    }

    /// Runs a statement that changes rows; returns how many. `?1` is the tenant, `?2` the first of
    /// `values`.
    pub(super) fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<u64, Error> {
        self.sql.execute(sql, &self.with_tenant(values))
    }

    /// All rows of a query, converted by `read`.
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

    /// All rows of a query that have one of these digests, in no order. `sql` ends in a condition, to
    /// which that of the digests is added.
    pub(super) fn all_of<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        digests: &[ContentHash],
        mut read: impl FnMut(&dyn Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut found = Vec::with_capacity(digests.len());
        for_parts(&format!("{sql} AND digest IN #"), values, digests, |sql, given| {
            found.extend(self.all(sql, given, &mut read)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// Runs a statement for items, of which it takes some at a time: `#` in it stands for their list.
    /// Returns how many rows it changed.
    pub(super) fn execute_for<'v, T>(
        &self,
        sql: &str,
        values: &[SqlValue<'v>],
        items: &'v [T],
    ) -> Result<u64, Error>
    where
        't: 'v,
        SqlValue<'v>: From<&'v T>,
    {
        let mut changed = 0;
        for_parts(sql, values, items, |sql, given| {
            changed += self.execute(sql, given)?;
            Ok(())
        })?;
        Ok(changed)
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
