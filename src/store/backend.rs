//! What a database must be able to do.
//!
//! Whoever implements this is held to `store/tests/`; nobody but [`super::Tenant`] and
//! [`super::Store`] calls it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::Error;
use super::error::broken;
use super::health::ConditionCell;
use super::sql::Sql;

pub(super) trait Backend: fmt::Debug + Send + Sync {
    /// Runs `read` in a transaction that writes nothing; all of it sees the same state. It looks at
    /// one tenant's rows, or at everybody's.
    fn read(
        &self,
        tenant: Option<&str>,
        read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Takes a write on, in the order in which they come for each tenant; it is told how it ended.
    /// No two writes of a tenant run at the same time, wherever they come from.
    fn write(&self, job: Box<dyn WriteJob>) -> Result<(), Error>;

    /// The same, where losing it harms nobody: it is dropped where many writes wait.
    fn write_later(&self, job: Box<dyn WriteJob>);

    /// How it fares.
    fn health(&self) -> &ConditionCell;

    /// Gives room that was freed back to the disk.
    fn shrink(&self) -> Result<(), Error>;

    /// Whether other processes write to it.
    fn is_shared(&self) -> bool;
}

/// A write that waits, whatever it answers.
pub(super) trait WriteJob: Send {
    /// Whose rows it writes; none where it belongs to nobody.
    fn tenant(&self) -> Option<&Arc<str>>;

    /// Whether it must survive a loss of power.
    fn is_durable(&self) -> bool;

    /// Does the work inside of a transaction; may be called again where that could not be
    /// committed. Answers whether what it wrote is to stay.
    fn attempt(&mut self, sql: &dyn Sql) -> bool;

    /// Tells the caller: what the attempt gave, or why there is nothing.
    fn finish(self: Box<Self>, committed: Result<(), Error>);
}

/// A write as a function, and where its answer goes.
struct TypedWrite<T, E, F> {
    tenant: Option<Arc<str>>,
    work: F,
    is_durable: bool,
    done: Option<Result<T, E>>,
    answer: SyncSender<Result<T, E>>,
}

/// What comes of a write, once it is committed.
pub(super) struct WriteHandle<T, E> {
    answered: Receiver<Result<T, E>>,
}

impl<T, E: From<Error>> WriteHandle<T, E> {
    /// Waits for the commit.
    pub(super) fn wait(self) -> Result<T, E> {
        self.answered.recv().unwrap_or_else(|_| Err(gone().into()))
    }
}

/// A job of `work`, and its answer. An error of `work` takes back what it wrote.
pub(super) fn job<T, E>(
    tenant: Option<&Arc<str>>,
    is_durable: bool,
    work: impl FnMut(&dyn Sql) -> Result<T, E> + Send + 'static,
) -> (Box<dyn WriteJob>, WriteHandle<T, E>)
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (answer, answered) = sync_channel(1);
    let tenant = tenant.cloned();
    (
        Box::new(TypedWrite { tenant, work, is_durable, done: None, answer }),
        WriteHandle { answered },
    )
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

    fn is_durable(&self) -> bool {
        self.is_durable
    }

    fn attempt(&mut self, sql: &dyn Sql) -> bool {
        let work = AssertUnwindSafe(|| (self.work)(sql));
        let done = catch_unwind(work).unwrap_or_else(|_| Err(broken("a write panicked").into()));
        let stays = done.is_ok();
        self.done = Some(done);
        stays
    }

    fn finish(self: Box<Self>, committed: Result<(), Error>) {
        let Self { work, done, answer, .. } = *self;
        // What it holds, such as an idempotency key, is free when the caller goes on.
        drop(work);
        let told = match (done, committed) {
            // What failed by itself says why.
            (Some(Err(error)), _) => Err(error),
            (_, Err(error)) => Err(error.into()),
            (Some(Ok(done)), Ok(())) => Ok(done),
            (None, Ok(())) => Err(gone().into()),
        };
        // The caller may have gone away.
        let _ = answer.send(told);
    }
}

pub(super) fn gone() -> Error {
    broken("the thread that writes has ended")
}
