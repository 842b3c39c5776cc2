//! Worker threads, apart from the threads that serve sockets: one lane for jobs that compute, as
//! many at once as there are cores, and one for jobs that mostly wait for the store. Tenants take
//! turns in each.

mod courtesy;
mod lane;
mod seat;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use self::lane::{Lane, QueueTicket};
pub use self::seat::JobSeat;
use self::seat::SeatGuard;
use crate::domain::PlaceLimits;
use crate::limit::Deadline;
use crate::telemetry::trace;

/// Threads for jobs that a runtime needs: as many as may have begun in the two lanes of a pool,
/// with their waits for hooks, and for the looks at the store.
pub const MAX_POOL_THREADS: usize = 896;

/// Runs blocking jobs, in one of two lanes that do not hold each other up. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pool {
    /// Jobs that compute.
    work: Arc<Lane>,
    /// Jobs that read a few rows or wait for a commit.
    visits: Arc<Lane>,
    /// A permit for each look at the store.
    looking: Arc<Semaphore>,
    /// A permit for each step that asks memory alone.
    recalling: Arc<Semaphore>,
    /// A permit for each step of a queued call of a hook.
    delivering: Arc<Semaphore>,
}

/// A position in the queue of a lane, given back on drop.
#[derive(Debug)]
pub struct QueuePlace {
    lane: Arc<Lane>,
    waiting: QueueTicket,
    tenant: Arc<str>,
    computes: bool,
}

/// The reason why a job was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("more work waits than is done in a moment")]
    Full,
    #[error("the time was up before a thread was free")]
    TimeUp,
    /// The job has run past its end.
    #[error("the time was up before the work was done")]
    Overrun,
    #[error("the job panicked")]
    Panicked,
}

/// The result of a job on another thread. With it, all jobs have one type, so that the tasks of the
/// runtime are compiled once rather than for each job.
#[derive(Debug)]
struct JobResult<T>(Arc<Mutex<Option<T>>>);

impl<T> Default for JobResult<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(None)))
    }
}

impl<T> Clone for JobResult<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> JobResult<T> {
    fn put(&self, result: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }

    fn take(&self) -> Result<T, Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or(Error::Panicked)
    }
}

impl Pool {
    /// Jobs at once in the lane for the store. Writes of many jobs are committed together.
    const MAX_VISITS: usize = 64;
    /// Looks at the store at once.
    const MAX_LOOKS: usize = 32;
    /// Steps of queued calls at once: more than there are calls under way, so that the steps of one
    /// tenant's calls, which may wait for the writer, hold up no other tenant's.
    const MAX_DELIVERY_STEPS: usize = 128;
    /// Jobs beyond the width of a lane, each of a tenant that has none running.
    const EXTRA_JOBS: usize = 8;
    /// Jobs of the lane for computing that may have given their place away: each still has a
    /// thread. At this number, further jobs do not begin.
    const MAX_AWAY: usize = 256;
    /// The same, of the lane for the store.
    const MAX_AWAY_VISITS: usize = 128;
    /// Jobs in addition that may be away, of tenants with few of them.
    const EXTRA_AWAY: usize = 64;

    /// A pool of `threads` jobs at once.
    pub fn new(threads: usize) -> Self {
        let limits = |places, max_away| PlaceLimits {
            places,
            extra_places: Self::EXTRA_JOBS,
            max_away,
            extra_away: Self::EXTRA_AWAY,
        };
        Self {
            work: Arc::new(Lane::new(limits(threads, Self::MAX_AWAY))),
            visits: Arc::new(Lane::new(limits(Self::MAX_VISITS, Self::MAX_AWAY_VISITS))),
            looking: Arc::new(Semaphore::new(Self::MAX_LOOKS)),
            recalling: Arc::new(Semaphore::new(threads.max(1))),
            delivering: Arc::new(Semaphore::new(Self::MAX_DELIVERY_STEPS)),
        }
    }

    /// Runs a short read of the store, even if the pool is full: the result decides whether there
    /// is work at all.
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        Self::run_with(&self.looking, look).await
    }

    /// Runs a step that asks memory alone, while those that ask the store may wait for it.
    pub async fn recall<T: Send + 'static>(
        &self,
        step: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        Self::run_with(&self.recalling, step).await
    }

    /// Runs a step of a queued call of a hook, which reads or writes a few rows of the store. It
    /// takes no place of the looks that let callers in.
    pub async fn deliver<T: Send + 'static>(
        &self,
        step: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        Self::run_with(&self.delivering, step).await
    }

    async fn run_with<T: Send + 'static>(
        permits: &Arc<Semaphore>,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let result = JobResult::default();
        let kept = result.clone();
        Self::run_boxed(permits, Box::new(move || kept.put(job()))).await?;
        result.take()
    }

    async fn run_boxed(
        permits: &Arc<Semaphore>,
        job: Box<dyn FnOnce() + Send>,
    ) -> Result<(), Error> {
        let held = Arc::clone(permits).acquire_owned().await.map_err(|_| Error::Full)?;
        let job = tokio::task::spawn_blocking(move || {
            let _held = held;
            job();
        });
        job.await.map_err(|_| Error::Panicked)
    }

    /// Joins a tenant's queue of jobs that compute, or fails at once if it is too long.
    pub fn admit(&self, tenant: &Arc<str>) -> Result<QueuePlace, Error> {
        Self::queue(&self.work, tenant, true)
    }

    /// Joins a tenant's queue of jobs that mostly wait for the store, or fails at once if it is too
    /// long.
    pub fn visit(&self, tenant: &Arc<str>) -> Result<QueuePlace, Error> {
        Self::queue(&self.visits, tenant, false)
    }

    fn queue(lane: &Arc<Lane>, tenant: &Arc<str>, computes: bool) -> Result<QueuePlace, Error> {
        let waiting = lane.queue(tenant)?;
        Ok(QueuePlace { waiting, lane: Arc::clone(lane), tenant: Arc::clone(tenant), computes })
    }
}

impl QueuePlace {
    /// Time after the end in which a job can still return its result.
    const GRACE: Duration = Duration::from_millis(500);

    /// Runs `job` on a thread of its own once one is free, at the latest at the end of the deadline. A
    /// job that has not ended a moment after it, or after the later end that the request has asked
    /// for in the meantime, is no longer waited for; it should have stopped by itself.
    ///
    /// The thread counts as taken until the job itself ends, or waits for something else, even if
    /// the caller stops waiting.
    pub async fn run<T: Send + 'static>(
        self,
        deadline: &Deadline,
        job: impl FnOnce(JobSeat) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let result = JobResult::default();
        let kept = result.clone();
        self.run_boxed(deadline, Box::new(move |seat| kept.put(job(seat)))).await?;
        result.take()
    }

    async fn run_boxed(
        self,
        deadline: &Deadline,
        job: Box<dyn FnOnce(JobSeat) + Send>,
    ) -> Result<(), Error> {
        // A deadline of a request has an end.
        let end = || deadline.request_end().unwrap_or_else(Instant::now);
        let mut until = end();
        let Self { lane, waiting, tenant, computes } = self;
        let queued_at = Instant::now();
        let begun = lane.begin(waiting, until).await?;
        let span = trace::job(queued_at.elapsed());
        let logged = tracing::Span::current();
        let seat = JobSeat::new(lane, tenant, Handle::current(), begun.place);
        // Dropped in this order: the job ends after it has given its place back.
        let held = (SeatGuard(seat.clone()), begun.job);
        let mut job = tokio::task::spawn_blocking(move || {
            let _held = held;
            if computes {
                courtesy::give_way();
            }
            span.in_scope(|| logged.in_scope(|| job(seat)));
        });
        loop {
            match tokio::time::timeout_at((until + Self::GRACE).into(), &mut job).await {
                Ok(done) => return done.map_err(|_| Error::Panicked),
                Err(_) if end() > until => until = end(),
                Err(_) => return Err(Error::Overrun),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant() -> Arc<str> {
        "a".into()
    }

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    fn soon() -> Deadline {
        Deadline::at(later())
    }

    #[tokio::test]
    async fn work_that_waits_holds_up_no_visit() {
        let pool = Pool::new(1);
        let end = soon();
        let (sender, busy) = std::sync::mpsc::channel::<()>();
        let (started, has_started) = tokio::sync::oneshot::channel();
        let work = pool.admit(&tenant()).unwrap().run(&end, move |_| {
            let _ = started.send(());
            busy.recv()
        });
        let visit = async {
            has_started.await.unwrap();
            let done = pool.visit(&tenant()).unwrap().run(&end, |_| 7).await;
            drop(sender);
            done
        };
        let (_, done) = tokio::join!(work, visit);
        assert_eq!(done, Ok(7));
        assert_eq!((pool.work.load(), pool.visits.load()), ((0, 0), (0, 0)));
    }

    #[tokio::test]
    async fn queued_calls_that_wait_for_the_store_hold_up_no_look() {
        let pool = Pool::new(1);
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let store = Arc::new(std::sync::Mutex::new(receiver));
        let steps = (0..Pool::MAX_DELIVERY_STEPS).map(|_| {
            let store = Arc::clone(&store);
            pool.deliver(move || store.lock().is_ok_and(|store| store.recv().is_err()))
        });
        let look = async {
            let done = pool.look(|| 7).await;
            drop(sender);
            done
        };
        let (steps, done) = tokio::join!(futures_util::future::join_all(steps), look);
        assert_eq!(done, Ok(7));
        assert!(steps.iter().all(|step| *step == Ok(true)));
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_frees_the_thread() {
        let pool = Pool::new(1);
        let end = soon();
        let result = pool.admit(&tenant()).unwrap().run(&end, |_| panic!("on purpose")).await;
        assert_eq!(result, Err::<(), _>(Error::Panicked));
        assert_eq!(pool.admit(&tenant()).unwrap().run(&end, |_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn a_job_that_goes_on_past_its_end_is_not_waited_for() {
        let pool = Pool::new(1);
        let end = soon();
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let result = pool
            .admit(&tenant())
            .unwrap()
            .run(&Deadline::at(Instant::now()), move |_| receiver.recv())
            .await;
        // It had a thread: that none was free is not said of it.
        assert_eq!(result, Err(Error::Overrun));
        drop(sender);
        // Its thread is free again when the job has ended.
        assert_eq!(pool.admit(&tenant()).unwrap().run(&end, |_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn waiting_ends_with_the_deadline() {
        let pool = Pool::new(1);
        let end = soon();
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let (started, has_started) = tokio::sync::oneshot::channel();
        let place = pool.admit(&tenant()).unwrap();
        let busy = place.run(&end, move |_| {
            let _ = started.send(());
            receiver.recv()
        });
        let late = async {
            has_started.await.unwrap();
            let result =
                pool.admit(&tenant()).unwrap().run(&Deadline::at(Instant::now()), |_| 1).await;
            drop(sender);
            result
        };
        let (_, result) = tokio::join!(busy, late);
        assert_eq!(result, Err(Error::TimeUp));
    }

    #[tokio::test]
    async fn a_job_that_waits_for_others_lets_the_next_one_run() {
        let pool = Pool::new(1);
        let end = soon();
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        let waits = pool
            .admit(&tenant())
            .unwrap()
            .run(&end, move |seat| seat.wait(Some(later()), receiver).is_ok());
        let next = async {
            let place = pool.admit(&tenant()).unwrap();
            // With one thread it only runs once the first job is away.
            let done = place.run(&end, |_| 1).await;
            sender.send(()).unwrap();
            done
        };
        let (waited, done) = tokio::join!(waits, next);
        assert_eq!((waited, done), (Ok(true), Ok(1)));
        assert_eq!(pool.work.load(), (0, 0));
    }

    #[tokio::test]
    async fn who_comes_back_waits_for_a_place_and_no_longer_than_to_the_end() {
        let pool = Pool::new(1);
        let end = soon();
        let (sender, busy) = std::sync::mpsc::channel::<()>();
        let (started, has_started) = tokio::sync::oneshot::channel::<()>();
        let early = Instant::now() + Duration::from_millis(50);
        let waits = pool.admit(&tenant()).unwrap().run(&end, move |seat| {
            seat.wait(Some(early), has_started).unwrap();
            Instant::now() >= early
        });
        let waits = async {
            let late = waits.await;
            drop(sender);
            late
        };
        let next = async {
            let place = pool.admit(&tenant()).unwrap();
            let job = move |_| {
                started.send(()).unwrap();
                busy.recv()
            };
            place.run(&end, job).await
        };
        let (late, _) = tokio::join!(waits, next);
        assert_eq!(late, Ok(true));
        assert_eq!(pool.work.load(), (0, 0));
    }

    #[tokio::test]
    async fn work_within_a_wait_computes_with_a_place() {
        let pool = Pool::new(1);
        let end = soon();
        let (release, busy) = std::sync::mpsc::channel::<()>();
        let (started, has_started) = tokio::sync::oneshot::channel::<()>();
        let of_lane = pool.clone();
        let waits = pool.admit(&tenant()).unwrap().run(&end, move |seat| {
            seat.wait(Some(later()), async {
                // Nothing is given away before the first pause.
                drop(seat.compute().await);
                let before = of_lane.work.load().0;
                has_started.await.unwrap();
                // The other job has the place until it ends.
                release.send(()).unwrap();
                let computing = seat.compute().await;
                let during = of_lane.work.load().0;
                drop(computing);
                (before, during, of_lane.work.load().0)
            })
        });
        let next = pool.admit(&tenant()).unwrap().run(&end, move |_| {
            started.send(()).unwrap();
            busy.recv().unwrap();
        });
        let (loads, _) = tokio::join!(waits, next);
        assert_eq!(loads, Ok((1, 1, 0)));
        assert_eq!(pool.work.load(), (0, 0));
    }
}
