//! Access to a database in memory. SQLite lets its readers and its writer shut each other out, and those
//! that are shut out try again every few milliseconds without an order, so that some could fail after
//! seconds although no one had the database for long.

use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Gives access in the order in which it is asked for. Reads that follow each other have it together.
#[derive(Debug, Clone, Default)]
pub(super) struct AccessQueue(Arc<RwLock<()>>);

/// The access of a write, until it is dropped.
#[derive(Debug)]
pub(super) struct WriteAccess<'q>(Option<RwLockWriteGuard<'q, ()>>);

impl AccessQueue {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, ()> {
        self.0.read()
    }

    pub(super) fn write(&self) -> WriteAccess<'_> {
        WriteAccess(Some(self.0.write()))
    }
}

impl Drop for WriteAccess<'_> {
    /// Hands the database to who waits: the writer comes again at once if more writes wait for it.
    fn drop(&mut self) {
        if let Some(guard) = self.0.take() {
            RwLockWriteGuard::unlock_fair(guard);
        }
    }
}
