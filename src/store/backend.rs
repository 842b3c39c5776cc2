//! The interface of a database backend.
//!
//! Each implementation is held to the suite in `store/tests`; only [`super::Tenant`] and
//! [`super::Store`] call it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::Error;
use super::error::broken;
use super::health::ConditionCell;
use super::sql::Sql;

/// Tells whether the caller of a write has gone.
pub(super) type AbandonedCheck = Arc<dyn Fn() -> bool + Send + Sync>;

pub(super) trait Backend: fmt::Debug + Send + Sync {
    /// Runs `read` in a transaction that writes nothing; all of it sees the same state. It sees the
    /// rows of one tenant, or of all.
    fn read(
        &self,
        tenant: Option<&str>,
        read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Accepts a write, in order for each tenant; the job is notified of the outcome. No two writes
    /// of a tenant run at the same time, even from different processes.
    fn queue_write(&self, job: Box<dyn WriteJob>) -> Result<(), Error>;

    /// As [`Self::queue_write`], for a caller that waits for the outcome: the write may be carried out
    /// before this returns.
    fn write(&self, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.queue_write(job)
    }

    /// Accepts a write whose loss is harmless: it is dropped if many writes wait.
    fn write_later(&self, job: Box<dyn WriteJob>);

    /// The condition of the backend.
    fn health(&self) -> &ConditionCell;

    /// Gives room that was freed back to the disk.
    fn shrink(&self) -> Result<(), Error>;

    /// Whether other processes write to it.
    fn is_shared(&self) -> bool;
}

/// The needs of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct WriteNeeds {
    /// Whether its commit must survive a loss of power.
    pub(super) is_durable: bool,
    /// Whether it removes rows, so that it is carried out even if the disk is full.
    pub(super) frees_room: bool,
}

impl WriteNeeds {
    /// A write that must survive a loss of power.
    #[cfg(test)]
    pub(super) const DURABLE: Self = Self { is_durable: true, frees_room: false };
    /// A write that removes rows.
    pub(super) const FREES_ROOM: Self = Self { is_durable: false, frees_room: true };
}

/// A write that waits, whatever it returns.
pub(super) trait WriteJob: Send {
    /// The tenant whose rows it writes; `None` for rows of no tenant.
    fn tenant(&self) -> Option<&Arc<str>>;

    fn needs(&self) -> WriteNeeds;

    /// Has the write left out if it has not begun when its caller has gone.
    fn abandon_if(&mut self, has_gone: AbandonedCheck);

    /// Whether the caller has gone.
    fn is_abandoned(&self) -> bool;

    /// Does the work inside a transaction; may be called again if that could not be committed.
    /// Returns whether its changes are to be kept.
    fn attempt(&mut self, sql: &dyn Sql) -> bool;

    /// Hands the caller the result of the attempt, or the error.
    fn finish(self: Box<Self>, committed: Result<(), Error>);
}

/// The result of a write, once there is one. The channel next to it only signals that it is there:
/// a channel for each type of result would be compiled once for each of them.
type ResultSlot<T, E> = Arc<Mutex<Option<Result<T, E>>>>;

/// A write as a function, and the place for its result.
struct TypedWrite<T, E, F> {
    tenant: Option<Arc<str>>,
    work: F,
    needs: WriteNeeds,
    has_gone: Option<AbandonedCheck>,
    done: Option<Result<T, E>>,
    result: ResultSlot<T, E>,
    finished: SyncSender<()>,
}

/// The result of a write, available after the commit.
pub(super) struct WriteHandle<T, E> {
    result: ResultSlot<T, E>,
    finished: Receiver<()>,
}

impl<T, E: From<Error>> WriteHandle<T, E> {
    /// Waits for the commit.
    pub(super) fn wait(self) -> Result<T, E> {
        // An error: the job was dropped before it finished, and the slot is empty.
        let _ = self.finished.recv();
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner).take();
        result.unwrap_or_else(|| Err(gone().into()))
    }
}

/// A job of `work`, and its answer. An error of `work` takes back what it wrote.
pub(super) fn job<T, E>(
    tenant: Option<&Arc<str>>,
    needs: WriteNeeds,
    work: impl FnMut(&dyn Sql) -> Result<T, E> + Send + 'static,
) -> (Box<dyn WriteJob>, WriteHandle<T, E>)
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (finished, has_finished) = sync_channel(1);
    let result = ResultSlot::default();
    let handle = WriteHandle { result: Arc::clone(&result), finished: has_finished };
    let tenant = tenant.cloned();
    let write = TypedWrite { tenant, work, needs, has_gone: None, done: None, result, finished };
    (Box::new(write), handle)
}

impl<T, E, F> WriteJob for TypedWrite<T, E, F>
where
    T: Send,
    E: From<Error> + Send,
    F: FnMut(&dyn Sql) -> Result<T, E> + Send,
{
    fn tenant(&self) -> Option<&Arc<str>> {
        self.tenant.as_ref()
    }

    fn needs(&self) -> WriteNeeds {
        self.needs
    }

    fn abandon_if(&mut self, has_gone: AbandonedCheck) {
        self.has_gone = Some(has_gone);
    }

    fn is_abandoned(&self) -> bool {
        self.has_gone.as_ref().is_some_and(|has_gone| has_gone())
    }

    fn attempt(&mut self, sql: &dyn Sql) -> bool {
        let work = AssertUnwindSafe(|| (self.work)(sql));
        let done = catch_unwind(work).unwrap_or_else(|_| Err(broken("a write panicked").into()));
        let stays = done.is_ok();
        self.done = Some(done);
        stays
    }

    fn finish(self: Box<Self>, committed: Result<(), Error>) {
        let Self { work, done, result, finished, .. } = *self;
        // Frees what the job holds, such as an idempotency key, before the caller goes on.
        drop(work);
        let told = match (done, committed) {
            // An error of the job itself is more specific than the one of the commit.
            (Some(Err(error)), _) => Err(error),
            (_, Err(error)) => Err(error.into()),
            (Some(Ok(done)), Ok(())) => Ok(done),
            (None, Ok(())) => Err(gone().into()),
        };
        *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
        // The caller may have gone away.
        let _ = finished.send(());
    }
}

pub(super) fn gone() -> Error {
    broken("the thread that writes has ended")
}
