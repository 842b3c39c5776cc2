//! The one connection that writes. A write that finds it free is carried out by its own thread, which saves
//! two changes of threads; all others wait for the thread of the writer, and share a commit.
//!
//! Each write of a group has a savepoint, so a failed write takes no other with it; if the commit
//! itself fails, each is tried once more in a transaction of its own. Every transaction begins with
//! `BEGIN IMMEDIATE`, so none finds out half-way that another process was faster.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::access::AccessQueue;
use super::error;
use super::writer_connection::WriterConnection;
use crate::store::Error;
use crate::store::backend::{WriteJob, gone};
use crate::store::health::StoreCondition;
use crate::store::write_queue::{GroupScope, WriteQueue};

pub(super) struct SqliteWriter {
    connection: Arc<Mutex<WriterConnection>>,
    queue: Arc<WriteQueue>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for SqliteWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteWriter").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl SqliteWriter {
    pub(super) fn start(connection: WriterConnection) -> std::io::Result<Self> {
        let queue = Arc::new(WriteQueue::default());
        let jobs = Arc::clone(&queue);
        let connection = Arc::new(Mutex::new(connection));
        let shared = Arc::clone(&connection);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || run(&shared, &jobs))?;
        Ok(Self { connection, queue, thread: Some(thread) })
    }

    /// Queues the job after the waiting ones of its tenant.
    pub(super) fn queue(&self, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.queue.push(job)
    }

    /// Carries the job out, if nothing is being written and nothing waits; else queues it.
    pub(super) fn send(&self, job: Box<dyn WriteJob>) -> Result<(), Error> {
        if let Ok(connection) = self.connection.try_lock()
            // Jobs leave the queue under this lock alone, so none of the tenant is on its way.
            && self.queue.is_idle()
        {
            carry_out_group(&connection, vec![job], &self.queue);
            return Ok(());
        }
        self.queue.push(job)
    }

    /// Queues the job for some later time; drops it if many wait.
    pub(super) fn send_later(&self, job: Box<dyn WriteJob>) {
        self.queue.push_note(job);
    }
}

impl Drop for SqliteWriter {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(connection: &Mutex<WriterConnection>, jobs: &WriteQueue) {
    let lock = || connection.lock().unwrap_or_else(PoisonError::into_inner);
    lock().reserve_room();
    while jobs.wait_for_writes() {
        let connection = lock();
        if let Some(group) = jobs.take_group(GroupScope::AllTenants) {
            carry_out_group(&connection, group, jobs);
        }
    }
}

fn carry_out_group(
    connection: &WriterConnection,
    group: Vec<Box<dyn WriteJob>>,
    jobs: &WriteQueue,
) {
    if connection.health.condition() != StoreCondition::Full {
        carry_out(connection, group, jobs);
        return;
    }
    // Apart, because the reserve is released for removals alone.
    let (removals, others): (Vec<_>, Vec<_>) =
        group.into_iter().partition(|job| job.needs().frees_room);
    if connection.has_room_for_removals_only() {
        for job in others {
            job.finish(Err(no_room()));
        }
    } else {
        carry_out(connection, others, jobs);
    }
    carry_out(connection, removals, jobs);
}

/// Carries out a group together, or each of its jobs on its own if that fails. The jobs for which
/// the transaction had no time go back into the queue.
fn carry_out(connection: &WriterConnection, mut group: Vec<Box<dyn WriteJob>>, queue: &WriteQueue) {
    if group.is_empty() {
        return;
    }
    if connection.health.condition() == StoreCondition::Lost {
        for job in group {
            job.finish(Err(gone()));
        }
        return;
    }
    match commit(connection, &mut group, queue) {
        Ok(attempted) => queue.finish_attempted(group, attempted),
        // If no transaction can begin, none can for each job either.
        Err(WriteFailure { began, error }) if !began || group.len() == 1 => {
            for job in group {
                job.finish(Err(error.clone()));
            }
        }
        Err(_) => {
            for mut job in group {
                if connection.health.condition() == StoreCondition::Lost {
                    job.finish(Err(gone()));
                    continue;
                }
                let result = commit(connection, std::slice::from_mut(&mut job), queue);
                job.finish(result.map(drop).map_err(|failed| failed.error));
            }
        }
    }
}

fn no_room() -> Error {
    let why = "the space that is left on the disk is kept for removals";
    Error::Full(Arc::new(std::io::Error::new(std::io::ErrorKind::StorageFull, why)))
}

struct WriteFailure {
    began: bool,
    error: Error,
}

/// What was done in a transaction.
#[derive(Debug, Clone, Copy)]
struct GroupCommit {
    /// The jobs that were attempted, from the first on.
    attempted: usize,
    /// Whether a job that changed something was kept.
    has_changes: bool,
}

/// Carries out a group in one transaction, as far as there is time, or none of it. Returns how many
/// of the jobs.
fn commit(
    noting: &WriterConnection,
    group: &mut [Box<dyn WriteJob>],
    queue: &WriteQueue,
) -> Result<usize, WriteFailure> {
    let was_full = noting.health.condition() == StoreCondition::Full;
    let frees_room = group.iter().any(|job| job.needs().frees_room);
    noting.spare_room(was_full);
    if frees_room {
        noting.release_reserve();
    }
    let done = commit_at_level(noting, group, queue);
    match &done {
        // A removal on a full disk says nothing about the next write.
        Ok(GroupCommit { has_changes: true, .. }) if !(was_full && frees_room) => {
            noting.health.note(StoreCondition::Good);
        }
        Ok(_) => {}
        Err(failed) => noting.note(&failed.error),
    }
    let is_full = noting.health.condition() == StoreCondition::Full;
    if is_full && !was_full {
        noting.release_reserve();
        noting.checkpoint();
    } else if is_full && frees_room && done.is_ok() {
        noting.return_pages();
    }
    noting.reserve_room();
    done.map(|done| done.attempted)
}

fn commit_at_level(
    noting: &WriterConnection,
    group: &mut [Box<dyn WriteJob>],
    queue: &WriteQueue,
) -> Result<GroupCommit, WriteFailure> {
    let connection = &noting.connection;
    if !group.iter().any(|job| job.needs().is_durable) {
        return transact(noting, group, queue);
    }
    // The setting cannot be changed while a transaction is open.
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(|cause| WriteFailure { began: false, error: error(cause) })?;
    let done = transact(noting, group, queue);
    if let Err(error) = connection.pragma_update(None, "synchronous", "NORMAL") {
        tracing::debug!(%error, "commits could not be made faster; they stay durable");
    }
    done
}

fn transact(
    noting: &WriterConnection,
    group: &mut [Box<dyn WriteJob>],
    queue: &WriteQueue,
) -> Result<GroupCommit, WriteFailure> {
    let connection = &noting.connection;
    let _access = noting.access.as_ref().map(AccessQueue::write);
    let (before, time) = (connection.total_changes(), queue.begin_group(group));
    connection
        .execute_batch("BEGIN IMMEDIATE")
        .map_err(|cause| WriteFailure { began: false, error: error(cause) })?;
    let attempt_all = || {
        let (mut attempted, mut any) = (0, false);
        for job in group {
            if attempted > 0 && time.is_over() {
                break;
            }
            any |= attempt(noting, &mut **job)?;
            attempted += 1;
        }
        connection.execute_batch("COMMIT")?;
        Ok(GroupCommit { attempted, has_changes: any && connection.total_changes() > before })
    };
    attempt_all().map_err(|cause| {
        // A full disk ends the transaction without a rollback.
        if !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
        WriteFailure { began: true, error: error(cause) }
    })
}

/// Does one job of a group; rolls its changes back if it fails. Returns whether they are kept.
fn attempt(noting: &WriterConnection, job: &mut dyn WriteJob) -> rusqlite::Result<bool> {
    let run = |sql: &str| noting.connection.prepare_cached(sql)?.execute([]);
    run("SAVEPOINT job")?;
    let stays = job.attempt(noting);
    if !stays {
        // Fails if the whole transaction is gone; then the group is, too.
        run("ROLLBACK TO job")?;
    }
    run("RELEASE job")?;
    Ok(stays)
}
