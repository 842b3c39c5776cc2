//! The threads that write. The writes of a tenant always run on the same thread, in order; writes
//! that wait while it commits share the next commit.
//!
//! Each write of a group has a savepoint, so a failed write takes no other with it; if the group
//! cannot be committed, each is tried once more in a transaction of its own.

use std::fmt::Write as _;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::connection::PostgresTarget;
use super::sql::Connection;
use super::{at_commit, condition};
use crate::store::Error;
use crate::store::backend::{WriteJob, gone};
use crate::store::health::{ConditionCell, StoreCondition};
use crate::store::write_queue::{GroupScope, WriteQueue};

/// Threads, and connections, that write.
const WRITER_THREADS: usize = 4;

#[derive(Debug)]
pub(super) struct Writers {
    queues: Vec<Arc<WriteQueue>>,
    threads: Vec<JoinHandle<()>>,
}

impl Writers {
    pub(super) fn start(
        target: &Arc<PostgresTarget>,
        health: &Arc<ConditionCell>,
    ) -> std::io::Result<Self> {
        let mut writers = Self { queues: Vec::new(), threads: Vec::new() };
        for number in 0..WRITER_THREADS {
            let queue = Arc::new(WriteQueue::default());
            let jobs = Arc::clone(&queue);
            let (target, health) = (Arc::clone(target), Arc::clone(health));
            let mut writer = TenantWriter { target, health, connection: None };
            let thread = std::thread::Builder::new()
                .name(format!("store-writer-{number}"))
                .spawn(move || writer.run(&jobs))?;
            writers.queues.push(queue);
            writers.threads.push(thread);
        }
        Ok(writers)
    }

    fn queue(&self, job: &dyn WriteJob) -> Result<&WriteQueue, Error> {
        let tenant = job.tenant().map_or("", |tenant| tenant);
        let at = crc32fast::hash(tenant.as_bytes()) as usize % WRITER_THREADS;
        self.queues.get(at).map(|queue| &**queue).ok_or_else(gone)
    }

    /// Queues the job after the tenant's waiting jobs.
    pub(super) fn send(&self, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.queue(&*job)?.push(job)
    }

    /// Queues the job for some later time; drops it if many wait.
    pub(super) fn send_later(&self, job: Box<dyn WriteJob>) {
        if let Ok(queue) = self.queue(&*job) {
            queue.push_note(job);
        }
    }
}

impl Drop for Writers {
    fn drop(&mut self) {
        self.queues.iter().for_each(|queue| queue.close());
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// A statement that limits a transaction to the rows of one tenant, or opens it to all.
pub(super) fn scope_statement(tenant: Option<&str>) -> String {
    format!("SELECT set_config('contexture.tenant', {}, true)", quote(tenant.unwrap_or("*")))
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

struct TenantWriter {
    target: Arc<PostgresTarget>,
    health: Arc<ConditionCell>,
    connection: Option<Connection>,
}

/// Why a group was not committed, and whether it can be tried again: nothing of it can have been
/// stored.
struct GroupFailure {
    error: Error,
    again: bool,
}

impl TenantWriter {
    fn run(&mut self, jobs: &WriteQueue) {
        while let Some(group) = jobs.next_group(GroupScope::OneTenant) {
            let tenant = group.first().and_then(|job| job.tenant().cloned());
            self.write(tenant.as_deref(), group, jobs);
        }
    }

    /// Carries out a group together, or each of its jobs on its own if that fails. The jobs for
    /// which the transaction had no time go back into the queue.
    fn write(
        &mut self,
        tenant: Option<&str>,
        mut group: Vec<Box<dyn WriteJob>>,
        queue: &WriteQueue,
    ) {
        match self.commit(tenant, &mut group, queue) {
            Ok(attempted) => queue.finish_attempted(group, attempted),
            Err(GroupFailure { error, again: false }) => {
                for job in group {
                    job.finish(Err(error.clone()));
                }
            }
            Err(_) => {
                for mut job in group {
                    let result = self.commit(tenant, std::slice::from_mut(&mut job), queue);
                    job.finish(result.map(drop).map_err(|failed| failed.error));
                }
            }
        }
    }

    /// Carries out a group in one transaction, as far as there is time, or none of it. Returns how
    /// many of the jobs.
    fn commit(
        &mut self,
        tenant: Option<&str>,
        group: &mut [Box<dyn WriteJob>],
        queue: &WriteQueue,
    ) -> Result<usize, GroupFailure> {
        let done = self.transact(tenant, group, queue);
        match &done {
            Ok(_) => self.health.note(StoreCondition::Good),
            Err(failed) => {
                if let Some(condition) = condition(&failed.error) {
                    self.health.note(condition);
                }
                // The state of its transaction is unknown.
                self.connection = None;
            }
        }
        done
    }

    fn transact(
        &mut self,
        tenant: Option<&str>,
        group: &mut [Box<dyn WriteJob>],
        queue: &WriteQueue,
    ) -> Result<usize, GroupFailure> {
        let time = queue.begin_group(group);
        let begin = begin(tenant, group.iter().any(|job| job.needs().is_durable));
        let connection =
            self.begin_transaction(&begin).map_err(|error| GroupFailure { error, again: false })?;
        let alone = group.len() == 1;
        let lost = |error: Error| GroupFailure { error, again: true };
        let (mut attempted, mut any) = (0, false);
        for job in group {
            if attempted > 0 && time.is_over() {
                break;
            }
            attempted += 1;
            if !alone {
                connection.batch("SAVEPOINT job").map_err(lost)?;
            }
            let stays = job.attempt(connection);
            any |= stays;
            if connection.is_dead() {
                return Err(lost(gone()));
            }
            match (stays, alone) {
                (true, true) => {}
                (false, true) => connection.batch("ROLLBACK").map_err(lost)?,
                (true, false) => connection.batch("RELEASE job").map_err(lost)?,
                (false, false) => {
                    connection.batch("ROLLBACK TO job; RELEASE job").map_err(lost)?;
                }
            }
        }
        if any || !alone {
            // Without an answer the commit may have succeeded: it is not tried again.
            let failed = |error| GroupFailure { error: at_commit(error), again: false };
            connection.batch("COMMIT").map_err(failed)?;
        }
        Ok(attempted)
    }

    /// A connection with an open transaction that has its tenant's lock.
    fn begin_transaction(&mut self, begin: &str) -> Result<&Connection, Error> {
        let connection = self.target.connect_and_begin(self.connection.take(), begin)?;
        Ok(self.connection.insert(connection))
    }
}

/// The statements that begin a write transaction: they take the tenant's lock before anything is
/// read.
fn begin(tenant: Option<&str>, is_durable: bool) -> String {
    let mut begin = format!("BEGIN; {}", scope_statement(tenant));
    if !is_durable {
        // The commit survives the end of this process, and of the database's; not that of its
        // machine.
        begin.push_str("; SET LOCAL synchronous_commit TO OFF");
    }
    // Rows of no tenant, such as claims of deliveries, have a lock of their own.
    let tenant = quote(tenant.unwrap_or_default());
    let _ = write!(begin, "; SELECT pg_advisory_xact_lock(hashtextextended({tenant}, 0))");
    begin
}
