//! Connections that read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::connection::PostgresTarget;
use super::sql::Connection;
use super::writers::scope_statement;
use crate::store::Error;
use crate::store::read_places::ReadPlaces;
use crate::store::sql::Sql;

/// Connections that read at once; further reads wait.
const MAX_CONNECTIONS: usize = 16;

#[derive(Debug)]
pub(super) struct PostgresReaders {
    target: Arc<PostgresTarget>,
    places: ReadPlaces,
    idle: Mutex<Vec<Connection>>,
}

impl PostgresReaders {
    pub(super) fn new(target: Arc<PostgresTarget>) -> Self {
        Self { target, places: ReadPlaces::new(MAX_CONNECTIONS), idle: Mutex::default() }
    }

    pub(super) fn read(
        &self,
        tenant: Option<&str>,
        read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _permit = self.places.take(tenant.unwrap_or_default());
        let idle = self.idle().pop();
        let connection = self.run(idle, tenant, read)?;
        self.idle().push(connection);
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

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
