//! Connections that read.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::connect::PostgresTarget;
use super::sql::Connection;
use super::writers::scope_statement;
use crate::store::Error;
use crate::store::sql::Sql;

/// Connections that read at once; further readers wait.
const MAX_CONNECTIONS: usize = 16;

#[derive(Debug)]
pub(super) struct PostgresReaders {
    target: Arc<PostgresTarget>,
    state: Mutex<PostgresReaderState>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct PostgresReaderState {
    idle: Vec<Connection>,
    busy: usize,
}

/// A permit to read, released on drop, also if a read panics.
struct PostgresReadPermit<'r>(&'r PostgresReaders);

impl Drop for PostgresReadPermit<'_> {
    fn drop(&mut self) {
        self.0.state().busy -= 1;
        self.0.freed.notify_one();
    }
}

impl PostgresReaders {
    pub(super) fn new(target: Arc<PostgresTarget>) -> Self {
        Self { target, state: Mutex::default(), freed: Condvar::new() }
    }

    pub(super) fn read(
        &self,
        tenant: Option<&str>,
        read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let idle = self.take();
        let busy = PostgresReadPermit(self);
        let connection = self.run(idle, tenant, read)?;
        self.state().idle.push(connection);
        drop(busy);
        Ok(())
    }

    /// Returns the connection if it can be used again.
    fn run(
        &self,
        idle: Option<Connection>,
        tenant: Option<&str>,
        read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>,
    ) -> Result<Connection, Error> {
        // A read sees one state throughout.
        let begin =
            format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {}", scope_statement(tenant));
        let connection = self.target.connect_and_begin(idle, &begin)?;
        let done = read(&connection);
        let ended = connection.batch("COMMIT");
        done?;
        ended.map(|()| connection)
    }

    /// Takes part in reading: with a connection that was kept, or with none.
    fn take(&self) -> Option<Connection> {
        let state = self.state();
        let waited = self.freed.wait_while(state, |state| state.busy >= MAX_CONNECTIONS);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.busy += 1;
        state.idle.pop()
    }

    fn state(&self) -> MutexGuard<'_, PostgresReaderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
