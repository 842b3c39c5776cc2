//! Admission of jobs: which job runs, which waits, and which is refused at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::Error;
use crate::domain::{FairPlaces, GrantedPlace, PlaceLimits, Waiter};

/// Places for jobs of one kind, and a queue for each tenant, served in turn.
///
/// The length of a queue is limited by time: a job that would wait longer than
/// [`MAX_EXPECTED_WAIT`], by the duration of earlier jobs, is refused at once. A client that is
/// refused can use another node; a client in a long queue would time out after the work was done.
#[derive(Debug)]
pub(super) struct Lane {
    state: Mutex<LaneState>,
    width: u64,
    /// Longest wait of a job if the expectation was wrong.
    longest_wait: Duration,
}

#[derive(Debug)]
struct LaneState {
    places: FairPlaces<SeatRequest>,
    /// Jobs that wait to begin.
    waiting: usize,
    tenants: BTreeMap<Arc<str>, TenantLoad>,
}

/// The jobs of one tenant.
#[derive(Debug, Default)]
struct TenantLoad {
    /// Jobs that wait to begin.
    waiting: usize,
    /// Mean duration of a job in nanoseconds, in which the latest jobs count most.
    mean: u64,
}

/// Expected wait above which a job is refused.
const MAX_EXPECTED_WAIT: Duration = Duration::from_secs(2);
const MAX_WAIT: Duration = Duration::from_secs(5);
/// Jobs that may wait for each place, however long earlier jobs took.
const MIN_QUEUE_PER_PLACE: u64 = 4;
/// Jobs that may wait, however short they are.
const MAX_WAITING_JOBS: usize = 4_096;
/// Jobs of a tenant that may wait even if those of others are too many, up to twice as many.
const FEW_WAITING_JOBS: usize = 8;
/// The latest job counts for one part in so many of the mean.
const MEAN_PARTS: u64 = 16;
/// Tenants whose durations are remembered, besides those with waiting jobs.
const MAX_TENANTS: usize = 1_024;

/// A position in the queue of a tenant, given back on drop.
#[derive(Debug)]
pub(super) struct QueueTicket {
    lane: Arc<Lane>,
    tenant: Arc<str>,
}

impl Drop for QueueTicket {
    fn drop(&mut self) {
        let mut state = self.lane.state();
        state.waiting -= 1;
        if let Some(load) = state.tenants.get_mut(&self.tenant) {
            load.waiting -= 1;
        }
    }
}

/// The place of a running job, given back on drop.
#[derive(Debug)]
pub(super) struct Place {
    lane: Arc<Lane>,
    tenant: Arc<str>,
    pub(super) since: Instant,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.lane.state().places.release(&self.tenant);
        self.lane.serve();
    }
}

/// A job that has begun, with or without a place; it ends on drop.
#[derive(Debug)]
pub(super) struct BegunJob {
    lane: Arc<Lane>,
    tenant: Arc<str>,
}

impl Drop for BegunJob {
    fn drop(&mut self) {
        self.lane.state().places.end(&self.tenant);
        self.lane.serve();
    }
}

/// What a job gets that begins.
#[derive(Debug)]
pub(super) struct BegunSeat {
    // The place is dropped first, so that a job is never counted as one without a place.
    pub(super) place: Place,
    pub(super) job: BegunJob,
}

/// A job that waits for a place.
#[derive(Debug)]
enum SeatRequest {
    Begin(oneshot::Sender<BegunSeat>),
    Return(oneshot::Sender<Place>),
}

impl Waiter for SeatRequest {
    fn is_waiting(&self) -> bool {
        match self {
            Self::Begin(sender) => !sender.is_closed(),
            Self::Return(sender) => !sender.is_closed(),
        }
    }
}

impl Lane {
    /// `limits.places` is the number of jobs at once.
    pub(super) fn new(limits: PlaceLimits) -> Self {
        let limits = PlaceLimits { places: limits.places.max(1), ..limits };
        let places = FairPlaces::new(limits);
        Self {
            state: Mutex::new(LaneState { places, waiting: 0, tenants: BTreeMap::new() }),
            width: u64::try_from(limits.places).unwrap_or(u64::MAX),
            longest_wait: MAX_WAIT,
        }
    }

    /// Joins the queue of a tenant, or fails at once if it is too long.
    pub(super) fn queue(self: &Arc<Self>, tenant: &Arc<str>) -> Result<QueueTicket, Error> {
        let mut state = self.state();
        let own = state.tenants.get(tenant).map_or(0, |load| load.waiting);
        let is_full = state.waiting >= MAX_WAITING_JOBS
            && (own >= FEW_WAITING_JOBS || state.waiting >= 2 * MAX_WAITING_JOBS);
        if is_full || self.expected_wait(&state, tenant) > MAX_EXPECTED_WAIT {
            return Err(Error::Full);
        }
        state.waiting += 1;
        state.load_of(tenant).waiting += 1;
        drop(state);
        Ok(QueueTicket { lane: Arc::clone(self), tenant: Arc::clone(tenant) })
    }

    /// Expected wait of the next job of a tenant; zero if few are before it. Tenants take turns, so
    /// of another tenant's jobs, only as many are before it as of its own, and one more. It is never
    /// longer than that of its own jobs one after the other, for which a tenant has a place.
    fn expected_wait(&self, state: &LaneState, tenant: &Arc<str>) -> Duration {
        let load = state.tenants.get(tenant);
        let (own, mean) = load.map_or((0, 0), |load| (load.waiting, load.mean));
        let alone = u64::try_from(own).unwrap_or(u64::MAX).saturating_mul(mean);
        let (mut before, mut time) = (0_u64, 0_u64);
        for (other, load) in &state.tenants {
            let most = if other == tenant { own } else { own.saturating_add(1) };
            let jobs = u64::try_from(load.waiting.min(most)).unwrap_or(u64::MAX);
            before = before.saturating_add(jobs);
            time = time.saturating_add(jobs.saturating_mul(load.mean));
        }
        if before < self.width.saturating_mul(MIN_QUEUE_PER_PLACE) {
            return Duration::ZERO;
        }
        Duration::from_nanos((time / self.width).min(alone))
    }

    /// Waits for a place: until `end`, or until the wait has become too long.
    pub(super) async fn begin(
        &self,
        waiting: QueueTicket,
        end: Instant,
    ) -> Result<BegunSeat, Error> {
        let patience = Instant::now() + self.longest_wait;
        let (until, late) =
            if end < patience { (end, Error::TimeUp) } else { (patience, Error::Full) };
        let (sender, receiver) = oneshot::channel();
        let request = SeatRequest::Begin(sender);
        self.state().places.wait_to_begin(&waiting.tenant, request);
        waiting.lane.serve();
        let seat = tokio::time::timeout_at(until.into(), receiver).await;
        drop(waiting);
        seat.map_err(|_| late)?.map_err(|_| Error::Full)
    }

    /// Waits until a job that has begun gets a place again, without a limit.
    pub(super) async fn place_again(self: &Arc<Self>, tenant: &Arc<str>) -> Result<Place, Error> {
        let (sender, receiver) = oneshot::channel();
        self.state().places.wait_to_return(tenant, SeatRequest::Return(sender));
        self.serve();
        receiver.await.map_err(|_| Error::Full)
    }

    /// Gives free places to those that wait.
    fn serve(self: &Arc<Self>) {
        loop {
            // Sent without the lock: a place that no job takes any more is given back by its drop.
            let served = self.state().places.serve();
            let Some(GrantedPlace { tenant, waiter }) = served else { return };
            let place = Place {
                lane: Arc::clone(self),
                tenant: Arc::clone(&tenant),
                since: Instant::now(),
            };
            match waiter {
                SeatRequest::Begin(sender) => {
                    let job = BegunJob { lane: Arc::clone(self), tenant };
                    drop(sender.send(BegunSeat { place, job }));
                }
                SeatRequest::Return(sender) => drop(sender.send(place)),
            }
        }
    }

    /// Records how long a job of a tenant had its place.
    pub(super) fn record_time(&self, tenant: &Arc<str>, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let mut state = self.state();
        let load = state.load_of(tenant);
        load.mean = load.mean - load.mean / MEAN_PARTS + time / MEAN_PARTS;
    }

    fn state(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Places that are taken, and jobs that wait to begin.
    #[cfg(test)]
    pub(super) fn load(&self) -> (usize, usize) {
        let state = self.state();
        (state.places.taken(), state.waiting)
    }
}

impl LaneState {
    fn load_of(&mut self, tenant: &Arc<str>) -> &mut TenantLoad {
        if self.tenants.len() >= MAX_TENANTS && !self.tenants.contains_key(tenant) {
            self.tenants.retain(|_, load| load.waiting > 0);
        }
        self.tenants.entry(Arc::clone(tenant)).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(places: usize) -> Lane {
        Lane::new(PlaceLimits::without_away(places, 1))
    }

    fn tenant(name: &str) -> Arc<str> {
        name.into()
    }

    fn queued(lane: &Arc<Lane>, of: &str) -> Vec<QueueTicket> {
        let of = tenant(of);
        std::iter::from_fn(|| lane.queue(&of).ok()).take(4 * MAX_WAITING_JOBS).collect()
    }

    #[test]
    fn a_queue_is_as_long_as_its_jobs_are_short() {
        let (lane, a) = (Arc::new(lane(2)), tenant("a"));
        lane.record_time(&a, Duration::from_secs(1));
        assert_eq!(queued(&lane, "a").len(), 65, "one that was slow is not the rule");
        for _ in 0..1_000 {
            lane.record_time(&a, Duration::from_millis(10));
        }
        let most = queued(&lane, "a").len();
        assert!((395..=405).contains(&most), "two places do {most} of them in two seconds");
        assert_eq!(lane.load(), (0, 0), "who goes away leaves no trace");
        for _ in 0..1_000 {
            lane.record_time(&a, Duration::from_secs(1));
        }
        assert_eq!(queued(&lane, "a").len(), 2 * 4, "a few may always wait");
        for _ in 0..1_000 {
            lane.record_time(&a, Duration::ZERO);
        }
        assert_eq!(queued(&lane, "a").len(), MAX_WAITING_JOBS);
    }

    #[test]
    fn the_queue_of_one_tenant_does_not_fill_that_of_another() {
        let lane = Arc::new(lane(2));
        for _ in 0..1_000 {
            lane.record_time(&tenant("slow"), Duration::from_mins(1));
        }
        let slow = queued(&lane, "slow");
        assert_eq!(slow.len(), 8);
        for _ in 0..1_000 {
            lane.record_time(&tenant("other"), Duration::from_millis(10));
        }
        let most = queued(&lane, "other").len();
        assert!((195..=205).contains(&most), "one place does {most} of them in two seconds");
        drop(slow);
        let short = queued(&lane, "short");
        assert_eq!(short.len(), MAX_WAITING_JOBS);
        assert_eq!(queued(&lane, "other").len(), FEW_WAITING_JOBS);
    }

    #[test]
    fn durations_of_many_tenants_are_not_all_kept() {
        let lane = Arc::new(lane(2));
        for number in 0..10 * MAX_TENANTS {
            lane.record_time(&tenant(&number.to_string()), Duration::from_millis(1));
        }
        assert!(lane.state().tenants.len() <= MAX_TENANTS);
    }

    #[tokio::test]
    async fn a_wait_that_becomes_too_long_ends() {
        let lane = Lane { longest_wait: Duration::from_millis(20), ..lane(1) };
        let (lane, a) = (Arc::new(lane), tenant("a"));
        let end = Instant::now() + Duration::from_mins(1);
        let held = lane.begin(lane.queue(&a).unwrap(), end).await.unwrap();
        let (first, second) = (lane.queue(&a).unwrap(), lane.queue(&a).unwrap());
        assert_eq!(lane.begin(first, end).await.unwrap_err(), Error::Full);
        assert_eq!(lane.begin(second, Instant::now()).await.unwrap_err(), Error::TimeUp);
        assert_eq!(lane.load(), (1, 0));
        drop(held);
        let waiting = lane.queue(&a).unwrap();
        assert!(lane.begin(waiting, end).await.is_ok());
        assert_eq!(lane.load(), (0, 0));
    }

    #[tokio::test]
    async fn another_tenant_begins_while_one_has_all_places() {
        let (lane, a, b) = (Arc::new(lane(2)), tenant("a"), tenant("b"));
        let end = Instant::now() + Duration::from_mins(1);
        let begin = async |tenant: &Arc<str>, end| lane.begin(lane.queue(tenant)?, end).await;
        let held = (begin(&a, end).await.unwrap(), begin(&a, end).await.unwrap());
        assert_eq!(begin(&a, Instant::now()).await.unwrap_err(), Error::TimeUp);
        assert!(begin(&b, end).await.is_ok());
        drop(held);
    }
}
