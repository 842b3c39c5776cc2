//! Connections that read.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::connect::Target;
use super::sql::Connection;
use super::writers::only_of;
use crate::store::Error;
use crate::store::sql::Sql;

/// Connections that read at once; whoever comes then waits.
const MOST: usize = 16;

#[derive(Debug)]
pub(super) struct Readers {
    target: Arc<Target>,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Connection>,
    busy: usize,
}

impl Readers {
    pub(super) fn new(target: Arc<Target>) -> Self {
        Self { target, state: Mutex::default(), freed: Condvar::new() }
    }

    pub(super) fn read(
        &self,
        tenant: Option<&str>,
        read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let idle = self.take();
        let done = self.run(idle, tenant, read);
        let (connection, done) = match done {
            Ok(connection) => (Some(connection), Ok(())),
            Err(error) => (None, Err(error)),
        };
        let mut state = self.state();
        state.busy -= 1;
        state.idle.extend(connection);
        drop(state);
        self.freed.notify_one();
        done
    }

    /// Answers the connection where it can be used again.
    fn run(
        &self,
        idle: Option<Connection>,
        tenant: Option<&str>,
        read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>,
    ) -> Result<Connection, Error> {
        // All of a read sees the same state.
        let begin = format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {}", only_of(tenant));
        let kept = idle.filter(|connection| {
            // One that was kept may have been cut meanwhile: then nothing of the read has happened.
            !connection.is_dead() && connection.batch(&begin).is_ok()
        });
        let connection = if let Some(connection) = kept {
            connection
        } else {
            let connection = self.target.connect()?;
            connection.batch(&begin)?;
            connection
        };
        let done = read(&connection);
        let ended = connection.batch("COMMIT");
        done?;
        ended.map(|()| connection)
    }

    /// Takes part in reading: with a connection that was kept, or with none.
    fn take(&self) -> Option<Connection> {
        let state = self.state();
        let waited = self.freed.wait_while(state, |state| state.busy >= MOST);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.busy += 1;
        state.idle.pop()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
