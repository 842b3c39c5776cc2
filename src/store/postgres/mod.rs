//! The store in PostgreSQL, which any number of servers share.
//!
//! Properties that SQLite has by its nature are made here: the writes of a tenant run one after
//! another, on whichever server, since each transaction that writes takes a lock of its tenant
//! first. Statements are the same for both databases; a row is in sight of its own tenant's
//! transactions alone (row security), so that one that forgot its tenant would find nothing.

mod connection;
mod migration;
mod readers;
mod sql;
mod stall;
mod writers;

use std::sync::Arc;

use self::connection::PostgresTarget;
use self::readers::PostgresReaders;
use self::writers::Writers;
use super::backend::{Backend, WriteJob};
use super::check::DatabaseState;
use super::error::{BackendCause, Error, OpenError};
use super::health::{ConditionCell, StoreCondition};
use super::sql::Sql;
use crate::config::PostgresUrl;

#[derive(Debug)]
pub(super) struct Postgres {
    writers: Writers,
    readers: PostgresReaders,
    health: Arc<ConditionCell>,
}

impl Postgres {
    /// Connects, and brings the schema up to date.
    pub(super) fn open(url: &PostgresUrl) -> Result<Self, OpenError> {
        let target = Arc::new(PostgresTarget::new(url)?);
        migration::run(&target)?;
        let health = Arc::new(ConditionCell::default());
        let writers =
            Writers::start(&target, &health).map_err(|error| target.connect_error(error))?;
        Ok(Self { writers, readers: PostgresReaders::new(target), health })
    }

    /// Brings the schema up to date; returns the steps before and after.
    pub(super) fn migrate(url: &PostgresUrl) -> Result<(i64, i64), OpenError> {
        migration::run(&PostgresTarget::new(url)?)
    }

    /// Connects, and reads the version of the schema without changing it.
    pub(super) fn inspect(url: &PostgresUrl) -> Result<DatabaseState, OpenError> {
        migration::inspect(&PostgresTarget::new(url)?)
    }
}

/// Converts an error of PostgreSQL into the error that a caller can act on.
fn error(error: tokio_postgres::Error) -> Error {
    use tokio_postgres::error::SqlState;
    match error.code() {
        Some(code) if *code == SqlState::DISK_FULL => Error::Full(Arc::new(error)),
        Some(code) if *code == SqlState::DATA_CORRUPTED || *code == SqlState::INDEX_CORRUPTED => {
            Error::Corrupt(Arc::new(error))
        }
        _ => Error::Unavailable(Arc::new(error)),
    }
}

/// The meaning of a failed commit: rolled back, or of unknown outcome because no answer arrived.
fn at_commit(error: Error) -> Error {
    match error {
        Error::Unavailable(cause) if !reports_failure(&cause) => Error::Unknown(cause),
        other => other,
    }
}

/// Whether the database reports that the commit failed. A shutdown (`57P…`) may be reported after a
/// commit that succeeded.
fn reports_failure(cause: &BackendCause) -> bool {
    let error = cause.downcast_ref::<tokio_postgres::Error>();
    let code = error.and_then(tokio_postgres::Error::code);
    code.is_some_and(|code| !code.code().starts_with("57P"))
}

/// The condition that an error predicts for the next write; `None` if it predicts nothing.
fn condition(error: &Error) -> Option<StoreCondition> {
    match error {
        Error::Full(_) => Some(StoreCondition::Full),
        Error::Unavailable(cause) | Error::Unknown(cause) => {
            let error = cause.downcast_ref::<tokio_postgres::Error>();
            // A statement that is refused says nothing about the condition of the database.
            error.is_none_or(|error| error.code().is_none()).then_some(StoreCondition::Unavailable)
        }
        _ => None,
    }
}

impl Backend for Postgres {
    fn read(
        &self,
        tenant: Option<&str>,
        read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.readers.read(tenant, read)
    }

    fn queue_write(&self, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.writers.send(job)
    }

    fn write_later(&self, job: Box<dyn WriteJob>) {
        self.writers.send_later(job);
    }

    fn health(&self) -> &ConditionCell {
        &self.health
    }

    /// PostgreSQL shrinks its files itself.
    fn shrink(&self) -> Result<(), Error> {
        Ok(())
    }

    fn is_shared(&self) -> bool {
        true
    }
}

#[cfg(test)]
pub(super) mod scratch;
#[cfg(test)]
mod tests;
