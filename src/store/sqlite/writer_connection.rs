//! The connection of the writer, and what it does when the disk is full.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;

use super::access::AccessQueue;
use super::condition;
use super::reserve::{Reserve, file_bytes};
use crate::store::Error;
use crate::store::health::{ConditionCell, StoreCondition};
use crate::store::sql::{Dialect, Row, Sql, SqlValue};

/// Pages that are given back to a full disk at once: 1 MiB.
const VACUUM_STEP_PAGES: i64 = 256;
/// Steps after one group, so that no write waits for long.
const MAX_VACUUM_STEPS: usize = 16;

/// A connection that records the condition that its failures predict for the next write.
pub(super) struct WriterConnection {
    pub(super) connection: Connection,
    pub(super) health: Arc<ConditionCell>,
    /// `None` for a database in memory.
    reserve: RefCell<Option<Reserve>>,
    /// Whether the connection is set up for a full disk.
    spares_room: Cell<bool>,
    /// `None` for a file.
    pub(super) access: Option<AccessQueue>,
}

impl WriterConnection {
    pub(super) fn new(
        connection: Connection,
        health: Arc<ConditionCell>,
        reserve: Option<Reserve>,
        access: Option<AccessQueue>,
    ) -> Self {
        let (reserve, spares_room) = (RefCell::new(reserve), Cell::new(false));
        Self { connection, health, reserve, spares_room, access }
    }

    /// Reserves space, unless the disk is full.
    pub(super) fn reserve_room(&self) {
        if let Some(reserve) = self.reserve.borrow_mut().as_mut()
            && self.health.condition() == StoreCondition::Good
        {
            reserve.take();
        }
    }

    /// Whether only jobs that free room are carried out: the disk is full, and the space that is
    /// left is kept for them. Tries to take the reserve back; once it is taken, other jobs use only
    /// the space that is left besides.
    pub(super) fn has_room_for_removals_only(&self) -> bool {
        let mut reserve = self.reserve.borrow_mut();
        let Some(reserve) = reserve.as_mut() else { return false };
        self.health.condition() == StoreCondition::Full && !reserve.take_back()
    }

    /// Releases the reserve on a full disk, if it is taken.
    pub(super) fn release_reserve(&self) {
        let mut reserve = self.reserve.borrow_mut();
        if self.health.condition() == StoreCondition::Full
            && reserve.as_mut().is_some_and(Reserve::give_up)
        {
            tracing::warn!("the disk is full; the reserve is released so that data can be removed");
        }
    }

    /// Sets whether removals leave no byte in the file, and whether the log is moved into the file
    /// by itself. On a full disk neither: overwriting a row takes as much room in the log as the row
    /// has, and a log that finds no room in the file takes what is left.
    pub(super) fn spare_room(&self, is_full: bool) {
        if self.spares_room.replace(is_full) == is_full {
            return;
        }
        let pragmas = if is_full {
            "PRAGMA secure_delete = FAST; PRAGMA wal_autocheckpoint = 0;"
        } else {
            "PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 1000;"
        };
        if let Err(error) = self.connection.execute_batch(pragmas) {
            tracing::warn!(
                %error,
                "the settings of the database for a full disk could not be changed"
            );
        }
    }

    /// Checks whether the disk has room for the pages that the log adds to the file.
    fn has_room_for_checkpoint(&self) -> bool {
        let reserve = self.reserve.borrow();
        let Some(free) = reserve.as_ref().and_then(Reserve::free_bytes) else { return true };
        let number =
            |name: &str| self.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let (Ok(count), Ok(bytes)) = (number("page_count"), number("page_size")) else {
            return false;
        };
        let (count, bytes) = (count.unsigned_abs(), bytes.unsigned_abs());
        let file = self.connection.path().map_or(0, |path| file_bytes(Path::new(path)));
        count.saturating_mul(bytes).saturating_sub(file) <= free
    }

    /// Moves the log into the file and starts it again.
    pub(super) fn checkpoint(&self) {
        if !self.has_room_for_checkpoint() {
            tracing::debug!(
                "the write-ahead log could not be moved into the database: the disk is full"
            );
            return;
        }
        let pragma = "PRAGMA wal_checkpoint(TRUNCATE)";
        if let Err(error) = self.connection.query_row(pragma, [], |_| Ok(())) {
            tracing::debug!(%error, "the write-ahead log could not be moved into the database");
        }
    }

    /// Gives pages that were freed back to the full disk, a few at a time: each step needs room in
    /// the log.
    pub(super) fn return_pages(&self) {
        let pages = || self.connection.pragma_query_value(None, "freelist_count", |row| row.get(0));
        self.checkpoint();
        for _ in 0..MAX_VACUUM_STEPS {
            let free: i64 = pages().unwrap_or_default();
            if free < VACUUM_STEP_PAGES {
                return;
            }
            let step = format!("PRAGMA incremental_vacuum({VACUUM_STEP_PAGES})");
            // A row for each page: `execute_batch` would stop at the first.
            if let Err(error) = Sql::execute(&self.connection, &step, &[]) {
                tracing::debug!(%error, "free pages could not be returned to the disk");
                return;
            }
            self.checkpoint();
        }
    }

    pub(super) fn note(&self, error: &Error) {
        if let Some(condition) = condition(error) {
            self.health.note(condition);
        }
    }
}

impl Sql for WriterConnection {
    fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<u64, Error> {
        Sql::execute(&self.connection, sql, values).inspect_err(|error| self.note(error))
    }

    fn query(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Sql::query(&self.connection, sql, values, each).inspect_err(|error| self.note(error))
    }

    fn dialect(&self) -> Dialect {
        self.connection.dialect()
    }
}
