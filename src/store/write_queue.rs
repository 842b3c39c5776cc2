//! Writes that wait for a writer: the tenants take turns, and each tenant's writes keep their order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Error;
use super::backend::{WriteJob, gone};

/// Writes of a tenant that may wait before further ones whose loss is harmless are dropped.
const MAX_QUEUED_NOTES: usize = 256;
/// Writes of one commit.
const MAX_GROUP_WRITES: usize = 64;
/// Time after which a transaction takes no further write of its group: those wait for the next one,
/// so that writes of other tenants can come between.
const MAX_GROUP_TIME: Duration = Duration::from_millis(25);
/// The same if a tenant waits that has no write in the group.
const MAX_GROUP_TIME_OF_OTHERS: Duration = Duration::from_millis(5);

type Job = Box<dyn WriteJob>;

/// Which writes a group may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupScope {
    /// Those of any tenant, one of each in turn.
    AllTenants,
    /// Those of the tenant whose turn it is.
    OneTenant,
}

/// When a group is over before all its writes are carried out.
pub(super) struct GroupTime<'q> {
    queue: &'q WriteQueue,
    start: Instant,
    tenants: Vec<Arc<str>>,
}

impl GroupTime<'_> {
    /// Whether the group takes no further write, because others have waited long enough.
    pub(super) fn is_over(&self) -> bool {
        let passed = self.start.elapsed();
        passed >= MAX_GROUP_TIME
            || (passed >= MAX_GROUP_TIME_OF_OTHERS && self.queue.has_other_than(&self.tenants))
    }
}

/// The waiting writes of one writer.
#[derive(Debug, Default)]
pub(super) struct WriteQueue {
    state: Mutex<QueueState>,
    filled: Condvar,
}

#[derive(Default)]
struct QueueState {
    /// Writes by tenant; the empty name is that of writes of no tenant.
    jobs: BTreeMap<Arc<str>, VecDeque<Job>>,
    /// The tenants with waiting writes; the one whose turn is next comes first.
    turns: VecDeque<Arc<str>>,
    is_closed: bool,
}

impl std::fmt::Debug for QueueState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueueState").field("turns", &self.turns).finish_non_exhaustive()
    }
}

impl WriteQueue {
    /// Queues a write after those of its tenant.
    pub(super) fn push(&self, job: Job) -> Result<(), Error> {
        let mut state = self.state();
        if state.is_closed {
            return Err(gone());
        }
        state.push(job);
        drop(state);
        self.filled.notify_one();
        Ok(())
    }

    /// Queues a write whose loss is harmless; drops it if many of its tenant wait.
    pub(super) fn push_note(&self, job: Job) {
        let mut state = self.state();
        let waiting = state.jobs.get(&tenant_of(&*job)).map_or(0, VecDeque::len);
        if state.is_closed || waiting >= MAX_QUEUED_NOTES {
            drop(state);
            tracing::debug!("a write whose loss is harmless was dropped: the database is busy");
            return;
        }
        state.push(job);
        drop(state);
        self.filled.notify_one();
    }

    /// Whether no write waits, and further ones are accepted.
    pub(super) fn is_idle(&self) -> bool {
        let state = self.state();
        state.turns.is_empty() && !state.is_closed
    }

    /// Waits until a write waits. Returns false once the queue is closed and empty.
    pub(super) fn wait_for_writes(&self) -> bool {
        let waits = |state: &mut QueueState| state.turns.is_empty() && !state.is_closed;
        let state = self.filled.wait_while(self.state(), waits);
        !state.unwrap_or_else(PoisonError::into_inner).turns.is_empty()
    }

    /// Waits for writes and takes the next group. Returns none once the queue is closed and empty.
    pub(super) fn next_group(&self, scope: GroupScope) -> Option<Vec<Job>> {
        while self.wait_for_writes() {
            let group = self.take_group(scope);
            if group.is_some() {
                return group;
            }
        }
        None
    }

    /// Takes the next group of the writes that wait; none if there are none. Writes whose caller has gone
    /// are not carried out.
    pub(super) fn take_group(&self, scope: GroupScope) -> Option<Vec<Job>> {
        let (mut group, mut abandoned) = (Vec::new(), Vec::new());
        let mut state = self.state();
        while group.len() < MAX_GROUP_WRITES
            && let Some(tenant) = state.turns.pop_front()
        {
            let takes = match scope {
                GroupScope::AllTenants => 1,
                GroupScope::OneTenant => MAX_GROUP_WRITES,
            };
            for job in state.take(&tenant, takes) {
                if job.is_abandoned() { abandoned.push(job) } else { group.push(job) }
            }
            if scope == GroupScope::OneTenant && !group.is_empty() {
                break;
            }
        }
        drop(state);
        for job in abandoned {
            job.finish(Err(Error::Abandoned));
        }
        (!group.is_empty()).then_some(group)
    }

    /// Starts the time of a group.
    pub(super) fn begin_group(&self, group: &[Job]) -> GroupTime<'_> {
        let mut tenants: Vec<Arc<str>> = group.iter().map(|job| tenant_of(&**job)).collect();
        tenants.dedup();
        GroupTime { queue: self, start: Instant::now(), tenants }
    }

    /// Whether a write of a tenant waits that is none of `tenants`.
    fn has_other_than(&self, tenants: &[Arc<str>]) -> bool {
        self.state().turns.iter().any(|tenant| !tenants.contains(tenant))
    }

    /// Ends the first `attempted` writes of a group that was committed. The others, for which its
    /// transaction had no time, go back into the queue.
    pub(super) fn finish_attempted(&self, mut group: Vec<Job>, attempted: usize) {
        let rest = group.split_off(attempted.min(group.len()));
        if let Some(last) = group.last().filter(|_| !rest.is_empty()) {
            self.put_back(rest, &tenant_of(&**last));
        }
        for job in group {
            job.finish(Ok(()));
        }
    }

    /// Puts writes back that were not carried out, in their order, because the time of their group
    /// was over after a write of the tenant `last`. The turn of that tenant comes after all others.
    fn put_back(&self, jobs: Vec<Job>, last: &Arc<str>) {
        let mut state = self.state();
        for job in jobs.into_iter().rev() {
            let tenant = tenant_of(&*job);
            state.turns.retain(|other| *other != tenant);
            state.turns.push_front(Arc::clone(&tenant));
            state.jobs.entry(tenant).or_default().push_front(job);
        }
        if state.jobs.contains_key(last) {
            state.turns.retain(|other| other != last);
            state.turns.push_back(Arc::clone(last));
        }
    }

    /// Accepts no more writes. Those that wait are still carried out.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.filled.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    fn push(&mut self, job: Job) {
        let tenant = tenant_of(&*job);
        let jobs = self.jobs.entry(Arc::clone(&tenant)).or_default();
        if jobs.is_empty() {
            self.turns.push_back(tenant);
        }
        jobs.push_back(job);
    }

    /// Takes writes of a tenant whose turn it is, which is over then.
    fn take(&mut self, tenant: &Arc<str>, most: usize) -> Vec<Job> {
        let Some(jobs) = self.jobs.get_mut(tenant) else { return Vec::new() };
        let taken = jobs.drain(..most.min(jobs.len())).collect();
        if jobs.is_empty() {
            self.jobs.remove(tenant);
        } else {
            self.turns.push_back(Arc::clone(tenant));
        }
        taken
    }
}

/// The tenant of a write; the empty name if it has none.
fn tenant_of(job: &dyn WriteJob) -> Arc<str> {
    job.tenant().cloned().unwrap_or_else(|| "".into())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::store::backend::{WriteHandle, WriteNeeds, job};

    /// A write that returns its number, and the handle of its result.
    fn write(tenant: &str, number: u32) -> (Job, WriteHandle<u32, Error>) {
        job(Some(&tenant.into()), WriteNeeds::default(), move |_| Ok(number))
    }

    fn filled(tenants: &[(&str, usize)]) -> WriteQueue {
        let queue = WriteQueue::default();
        for (tenant, count) in tenants {
            for _ in 0..*count {
                queue.push(write(tenant, 0).0).unwrap();
            }
        }
        queue
    }

    fn tenants(group: &[Job]) -> String {
        group.iter().map(|job| job.tenant().map_or("-", |tenant| tenant)).collect()
    }

    #[test]
    fn tenants_take_turns() {
        let queue = filled(&[("a", 3), ("b", 1), ("c", 2)]);
        let group = queue.next_group(GroupScope::AllTenants).unwrap();
        assert_eq!(tenants(&group), "abcaca");
        let queue = filled(&[("a", 3), ("b", 1)]);
        assert_eq!(tenants(&queue.next_group(GroupScope::OneTenant).unwrap()), "aaa");
        assert_eq!(tenants(&queue.next_group(GroupScope::OneTenant).unwrap()), "b");
    }

    #[test]
    fn a_tenant_with_many_writes_is_not_first_twice() {
        let queue = filled(&[("a", 100), ("b", 1)]);
        assert_eq!(queue.next_group(GroupScope::OneTenant).unwrap().len(), MAX_GROUP_WRITES);
        assert_eq!(tenants(&queue.next_group(GroupScope::OneTenant).unwrap()), "b");
        let queue = filled(&[("a", 100), ("b", 1)]);
        assert_eq!(tenants(&queue.next_group(GroupScope::AllTenants).unwrap()[..3]), "aba");
    }

    #[test]
    fn what_is_put_back_comes_first_in_its_order() {
        let queue = filled(&[("a", 2), ("b", 2)]);
        let mut group = queue.next_group(GroupScope::AllTenants).unwrap();
        assert_eq!(tenants(&group), "abab");
        queue.push(write("c", 0).0).unwrap();
        queue.push(write("b", 0).0).unwrap();
        let rest = group.split_off(1);
        queue.put_back(rest, &"a".into());
        assert_eq!(tenants(&queue.next_group(GroupScope::AllTenants).unwrap()), "bcabb");
    }

    #[test]
    fn a_group_is_over_sooner_if_another_tenant_waits() {
        let queue = filled(&[("a", 2), ("b", 1)]);
        let group = queue.next_group(GroupScope::AllTenants).unwrap();
        let begun_before = |passed: Duration| {
            let mut time = queue.begin_group(&group);
            time.start -= passed;
            time.is_over()
        };
        assert!(!begun_before(MAX_GROUP_TIME_OF_OTHERS) && begun_before(MAX_GROUP_TIME));
        queue.push(write("a", 0).0).unwrap();
        assert!(!begun_before(MAX_GROUP_TIME_OF_OTHERS), "a has writes in the group");
        queue.push(write("c", 0).0).unwrap();
        assert!(begun_before(MAX_GROUP_TIME_OF_OTHERS) && !begun_before(Duration::ZERO));
    }

    #[test]
    fn a_write_whose_caller_has_gone_is_not_begun() {
        let queue = WriteQueue::default();
        let has_gone = Arc::new(AtomicBool::new(false));
        let (mut first, handle) = write("a", 1);
        let gone = Arc::clone(&has_gone);
        first.abandon_if(Arc::new(move || gone.load(Ordering::SeqCst)));
        queue.push(first).unwrap();
        queue.push(write("a", 2).0).unwrap();
        has_gone.store(true, Ordering::SeqCst);
        assert_eq!(queue.next_group(GroupScope::AllTenants).unwrap().len(), 1);
        assert!(matches!(handle.wait(), Err(Error::Abandoned)));
    }

    #[test]
    fn a_closed_queue_is_emptied_and_ends() {
        let queue = filled(&[("a", 1)]);
        queue.close();
        assert!(queue.push(write("a", 0).0).is_err());
        assert_eq!(queue.next_group(GroupScope::AllTenants).unwrap().len(), 1);
        assert!(queue.next_group(GroupScope::AllTenants).is_none());
    }
}
