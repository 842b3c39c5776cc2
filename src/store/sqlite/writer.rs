//! The one thread that writes. What waits while it commits goes into the next commit together.
//!
//! Each write of a group stands behind a savepoint, so one that fails takes no other along; where
//! the commit itself fails, each is tried once more in a transaction of its own. Every transaction
//! begins with `BEGIN IMMEDIATE`, so none finds out half-way that another process was faster.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::error;
use crate::store::Error;
use crate::store::backend::{Job, gone};

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

    /// Has the job done, behind those that wait.
    pub(super) fn send(&self, job: Box<dyn Job>) -> Result<(), Error> {
        let queue = self.queue.as_ref().ok_or_else(gone)?;
        queue.send(job).map_err(|_| gone())
    }

    /// Has the job done some time, or not at all where many wait.
    pub(super) fn send_later(&self, job: Box<dyn Job>) {
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
        .try_for_each(|job| attempt(connection, &mut **job))
        .and_then(|()| connection.execute_batch("COMMIT"));
    done.map_err(|cause| {
        // A full disk ends the transaction by itself.
        if !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
        Failed { began: true, error: error(cause) }
    })
}

/// Does one job of a group; what it wrote is taken back where it fails.
fn attempt(connection: &Connection, job: &mut dyn Job) -> rusqlite::Result<()> {
    let run = |sql: &str| connection.prepare_cached(sql)?.execute([]);
    run("SAVEPOINT job")?;
    if !job.attempt(connection) {
        // Fails where the whole transaction is gone, and so the group is.
        run("ROLLBACK TO job")?;
    }
    run("RELEASE job")?;
    Ok(())
}
