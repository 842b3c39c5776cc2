//! The one thread that writes. What waits while it commits goes into the next commit together.
//!
//! A write either is in the transaction of its group or, where that fails, is tried once more in
//! one of its own: nobody's write fails for what another's does. Every transaction begins with
//! `BEGIN IMMEDIATE`, so none finds out half-way that another process was faster.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::{Error, error};

/// Writes that may wait before a caller has to.
const QUEUE: usize = 256;
/// Writes of one commit.
const GROUP: usize = 64;

#[derive(Debug)]
pub(super) struct Writer {
    queue: Option<SyncSender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(connection: Connection) -> std::io::Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || run(&connection, &jobs))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Runs `work` in a transaction, and is back when that is committed. `work` may be run twice.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.wait(work, false)
    }

    /// The same, and what is written survives a loss of power. Costs a flush to the disk.
    pub(super) fn run_durable<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.wait(work, true)
    }

    fn wait<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, Error> + Send + 'static,
        durable: bool,
    ) -> Result<T, Error> {
        let (answer, answered) = sync_channel(1);
        let job = Box::new(Typed { work, durable, done: None, answer });
        let queue = self.queue.as_ref().ok_or_else(gone)?;
        queue.send(job).map_err(|_| gone())?;
        answered.recv().map_err(|_| gone())?
    }

    /// Runs `work` some time, or not at all where many writes wait.
    pub(super) fn run_later(
        &self,
        work: impl FnMut(&Connection) -> Result<(), Error> + Send + 'static,
    ) {
        let (answer, _) = sync_channel(1);
        let job: Box<dyn Job> = Box::new(Typed { work, durable: false, done: None, answer });
        if let Some(Err(TrySendError::Full(_))) =
            self.queue.as_ref().map(|queue| queue.try_send(job))
        {
            tracing::debug!("a note was dropped: the store is busy");
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A write that waits, whatever it answers.
trait Job: Send {
    /// Whether it must survive a loss of power.
    fn is_durable(&self) -> bool;
    fn attempt(&mut self, connection: &Connection) -> Result<(), Error>;
    /// Tells the caller: what the attempt gave, or why there is nothing.
    fn finish(self: Box<Self>, committed: Result<(), Error>);
}

struct Typed<T, F> {
    work: F,
    durable: bool,
    done: Option<T>,
    answer: SyncSender<Result<T, Error>>,
}

impl<T, F> Job for Typed<T, F>
where
    T: Send,
    F: FnMut(&Connection) -> Result<T, Error> + Send,
{
    fn is_durable(&self) -> bool {
        self.durable
    }

    fn attempt(&mut self, connection: &Connection) -> Result<(), Error> {
        let work = AssertUnwindSafe(|| (self.work)(connection));
        let done = catch_unwind(work).unwrap_or_else(|_| Err(broken("a write panicked")))?;
        self.done = Some(done);
        Ok(())
    }

    fn finish(self: Box<Self>, committed: Result<(), Error>) {
        let Self { done, answer, .. } = *self;
        // The caller may have gone away.
        let _ = answer.send(committed.and_then(|()| done.ok_or_else(gone)));
    }
}

fn run(connection: &Connection, jobs: &Receiver<Box<dyn Job>>) {
    while let Ok(first) = jobs.recv() {
        let mut group = vec![first];
        group.extend(jobs.try_iter().take(GROUP - 1));
        match commit(connection, &mut group) {
            Ok(()) => group.into_iter().for_each(|job| job.finish(Ok(()))),
            // Where no transaction can begin, none can for each of them either.
            Err(Failed { began, error }) if !began || group.len() == 1 => {
                for job in group {
                    job.finish(Err(error.clone()));
                }
            }
            Err(_) => {
                for mut job in group {
                    let result = commit(connection, std::slice::from_mut(&mut job));
                    job.finish(result.map_err(|failed| failed.error));
                }
            }
        }
    }
}

struct Failed {
    began: bool,
    error: Error,
}

/// Carries out a group in one transaction, or none of it.
fn commit(connection: &Connection, group: &mut [Box<dyn Job>]) -> Result<(), Failed> {
    if !group.iter().any(|job| job.is_durable()) {
        return transact(connection, group);
    }
    // It cannot be changed while a transaction is open.
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(|cause| Failed { began: false, error: error(cause) })?;
    let done = transact(connection, group);
    if let Err(error) = connection.pragma_update(None, "synchronous", "NORMAL") {
        tracing::debug!(%error, "commits stay durable");
    }
    done
}

fn transact(connection: &Connection, group: &mut [Box<dyn Job>]) -> Result<(), Failed> {
    connection
        .execute_batch("BEGIN IMMEDIATE")
        .map_err(|cause| Failed { began: false, error: error(cause) })?;
    let done = group
        .iter_mut()
        .try_for_each(|job| job.attempt(connection))
        .and_then(|()| connection.execute_batch("COMMIT").map_err(error));
    done.map_err(|error| {
        // A full disk ends the transaction by itself.
        if !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
        Failed { began: true, error }
    })
}

fn gone() -> Error {
    broken("the thread that writes has ended")
}

fn broken(what: &'static str) -> Error {
    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Broken(&'static str);
    Error::Unavailable(Arc::new(Broken(what)))
}
