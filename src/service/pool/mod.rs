//! Worker threads, apart from the threads that serve sockets: one lane for jobs that compute, as
//! many at once as there are cores, and one for jobs that mostly wait for the store.

mod courtesy;
mod lane;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::lane::{Lane, QueueTicket};
use crate::limit::Deadline;
use crate::telemetry::trace;

/// Runs blocking jobs, in one of two lanes that do not hold each other up. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pool {
    /// Jobs that compute.
    work: Arc<Lane>,
    /// Jobs that read a few rows or wait for a commit.
    visits: Arc<Lane>,
    /// A permit for each look at the store.
    looking: Arc<Semaphore>,
    /// A permit for each job that waits for something else and has given its place away.
    away: Arc<Semaphore>,
}

/// A position in the queue of a lane, given back on drop.
#[derive(Debug)]
pub struct QueuePlace {
    lane: Arc<Lane>,
    waiting: QueueTicket,
    computes: bool,
    away: Arc<Semaphore>,
}

/// The place of a running job, which it gives away while it waits for something else. Cheap to
/// clone.
#[derive(Debug, Clone)]
pub struct JobSeat(Arc<SeatState>);

#[derive(Debug)]
struct SeatState {
    lane: Arc<Lane>,
    away: Arc<Semaphore>,
    runtime: Handle,
    held: Mutex<LanePlace>,
}

/// The place of a job; none while it is given away.
#[derive(Debug)]
struct LanePlace {
    place: Option<(OwnedSemaphorePermit, Instant)>,
    /// Time for which the job had a place before.
    took: Duration,
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

impl Pool {
    /// Jobs at once in the lane for the store. Writes of many jobs are committed together.
    const MAX_VISITS: usize = 64;
    /// Looks at the store at once.
    const MAX_LOOKS: usize = 32;
    /// Jobs that may have given their place away: each still has a thread. Further jobs keep their
    /// place.
    const MAX_AWAY: usize = 256;

    /// A pool of `threads` jobs at once.
    pub fn new(threads: usize) -> Self {
        Self {
            work: Arc::new(Lane::new(threads)),
            visits: Arc::new(Lane::new(Self::MAX_VISITS)),
            looking: Arc::new(Semaphore::new(Self::MAX_LOOKS)),
            away: Arc::new(Semaphore::new(Self::MAX_AWAY)),
        }
    }

    /// Runs a short read of the store, even if the pool is full: the result decides whether there
    /// is work at all.
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let held = Arc::clone(&self.looking).acquire_owned().await.map_err(|_| Error::Full)?;
        let job = tokio::task::spawn_blocking(move || {
            let _held = held;
            look()
        });
        job.await.map_err(|_| Error::Panicked)
    }

    /// Joins the queue of jobs that compute, or fails at once if it is too long.
    pub fn admit(&self) -> Result<QueuePlace, Error> {
        self.queue(&self.work, true)
    }

    /// Joins the queue of jobs that mostly wait for the store, or fails at once if it is too long.
    pub fn visit(&self) -> Result<QueuePlace, Error> {
        self.queue(&self.visits, false)
    }

    fn queue(&self, lane: &Arc<Lane>, computes: bool) -> Result<QueuePlace, Error> {
        let (lane, away) = (Arc::clone(lane), Arc::clone(&self.away));
        Ok(QueuePlace { waiting: lane.queue()?, lane, computes, away })
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
    /// the caller stops waiting; `guard` is dropped then too.
    pub async fn run<T: Send + 'static>(
        self,
        deadline: &Deadline,
        guard: impl Send + 'static,
        job: impl FnOnce(JobSeat) -> T + Send + 'static,
    ) -> Result<T, Error> {
        // A deadline of a request has an end.
        let end = || deadline.request_end().unwrap_or_else(Instant::now);
        let mut until = end();
        let Self { lane, waiting, computes, away } = self;
        let queued_at = Instant::now();
        let place = lane.place(waiting, until).await?;
        let span = trace::job(queued_at.elapsed());
        let logged = tracing::Span::current();
        let held = LanePlace { place: Some((place, Instant::now())), took: Duration::ZERO };
        let runtime = Handle::current();
        let seat = JobSeat(Arc::new(SeatState { lane, away, runtime, held: Mutex::new(held) }));
        let mut job = tokio::task::spawn_blocking(move || {
            let _held = (SeatGuard(seat.clone()), guard);
            if computes {
                courtesy::give_way();
            }
            span.in_scope(|| logged.in_scope(|| job(seat)))
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

impl JobSeat {
    /// Waits for `others` and gives the place away meanwhile. The job gets a place again before it
    /// goes on, unless `end` comes first: then it only has to report that.
    pub fn wait<T>(&self, end: Option<Instant>, others: impl Future<Output = T>) -> T {
        let seated = &*self.0;
        let away = Arc::clone(&seated.away).try_acquire_owned().ok();
        if away.is_none() {
            return seated.runtime.block_on(others);
        }
        self.leave();
        seated.runtime.block_on(async {
            let waited = others.await;
            let place = seated.lane.any_place();
            let place = match end {
                Some(end) => tokio::time::timeout_at(end.into(), place).await.ok(),
                None => Some(place.await),
            };
            let place = place.and_then(Result::ok);
            seated.lock().place = place.map(|place| (place, Instant::now()));
            waited
        })
    }

    /// Gives the place away. Returns how long the job has had one.
    fn leave(&self) -> Duration {
        let mut held = self.0.lock();
        if let Some((_, since)) = held.place.take() {
            held.took += since.elapsed();
        }
        held.took
    }
}

impl SeatState {
    fn lock(&self) -> std::sync::MutexGuard<'_, LanePlace> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Frees the place when the job ends, even if clones of the seat are left.
struct SeatGuard(JobSeat);

impl Drop for SeatGuard {
    fn drop(&mut self) {
        let took = self.0.leave();
        self.0.0.lane.record_time(took);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let work = pool.admit().unwrap().run(&end, (), move |_| {
            let _ = started.send(());
            busy.recv()
        });
        let visit = async {
            has_started.await.unwrap();
            let done = pool.visit().unwrap().run(&end, (), |_| 7).await;
            drop(sender);
            done
        };
        let (_, done) = tokio::join!(work, visit);
        assert_eq!(done, Ok(7));
        assert_eq!((pool.work.free(), pool.visits.free()), ((1, 0), (Pool::MAX_VISITS, 0)));
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_frees_the_thread() {
        let pool = Pool::new(1);
        let end = soon();
        let result = pool.admit().unwrap().run(&end, (), |_| panic!("on purpose")).await;
        assert_eq!(result, Err::<(), _>(Error::Panicked));
        assert_eq!(pool.admit().unwrap().run(&end, (), |_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn a_job_that_goes_on_past_its_end_is_not_waited_for() {
        let pool = Pool::new(1);
        let end = soon();
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let result = pool
            .admit()
            .unwrap()
            .run(&Deadline::at(Instant::now()), (), move |_| receiver.recv())
            .await;
        // It had a thread: that none was free is not said of it.
        assert_eq!(result, Err(Error::Overrun));
        drop(sender);
        // Its thread is free again when the job has ended.
        assert_eq!(pool.admit().unwrap().run(&end, (), |_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn waiting_ends_with_the_deadline() {
        let pool = Pool::new(1);
        let end = soon();
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let (started, has_started) = tokio::sync::oneshot::channel();
        let place = pool.admit().unwrap();
        let busy = place.run(&end, (), move |_| {
            let _ = started.send(());
            receiver.recv()
        });
        let late = async {
            has_started.await.unwrap();
            let result = pool.admit().unwrap().run(&Deadline::at(Instant::now()), (), |_| 1).await;
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
            .admit()
            .unwrap()
            .run(&end, (), move |seat| seat.wait(Some(later()), receiver).is_ok());
        let next = async {
            let place = pool.admit().unwrap();
            // With one thread it only runs once the first job is away.
            let done = place.run(&end, (), |_| 1).await;
            sender.send(()).unwrap();
            done
        };
        let (waited, done) = tokio::join!(waits, next);
        assert_eq!((waited, done), (Ok(true), Ok(1)));
        assert_eq!(pool.work.free(), (1, 0));
    }

    #[tokio::test]
    async fn who_comes_back_waits_for_a_place_and_no_longer_than_to_the_end() {
        let pool = Pool::new(1);
        let end = soon();
        let (sender, busy) = std::sync::mpsc::channel::<()>();
        let (started, has_started) = tokio::sync::oneshot::channel::<()>();
        let early = Instant::now() + Duration::from_millis(50);
        let waits = pool.admit().unwrap().run(&end, (), move |seat| {
            seat.wait(Some(early), has_started).unwrap();
            Instant::now() >= early
        });
        let waits = async {
            let late = waits.await;
            drop(sender);
            late
        };
        let next = async {
            let place = pool.admit().unwrap();
            let job = move |_| {
                started.send(()).unwrap();
                busy.recv()
            };
            place.run(&end, (), job).await
        };
        let (late, _) = tokio::join!(waits, next);
        assert_eq!(late, Ok(true));
        assert_eq!(pool.work.free(), (1, 0));
    }
}
