//! The threads that compile: as many jobs at once as there are cores, a short queue before them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Runs work that takes a thread, away from the threads that serve sockets. Cheap to clone.
///
/// A full queue refuses at once instead of growing: a caller that is told so can go elsewhere,
/// one that waits in a long queue times out after the work was done.
#[derive(Debug, Clone)]
pub struct Pool {
    /// One a running job.
    running: Arc<Semaphore>,
    /// One a job that runs or waits.
    admitted: Arc<Semaphore>,
    /// One a look that is being taken.
    looking: Arc<Semaphore>,
    /// One a job that waits for somebody else and has given its place away.
    away: Arc<Semaphore>,
}

/// A place in the pool or its queue, given back on drop.
#[derive(Debug)]
pub struct Place {
    running: Arc<Semaphore>,
    admitted: OwnedSemaphorePermit,
    away: Arc<Semaphore>,
}

/// The place of a job that runs, which it gives away while it waits for somebody else. Cheap to
/// clone.
#[derive(Debug, Clone)]
pub struct Seat(Arc<Seated>);

#[derive(Debug)]
struct Seated {
    running: Arc<Semaphore>,
    away: Arc<Semaphore>,
    runtime: Handle,
    /// The place among those that run, and the one in the queue that it came from.
    held: Mutex<(Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>)>,
}

/// Why a job was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("as many jobs wait as may")]
    Full,
    #[error("the time was up before a thread was free")]
    TimeUp,
    #[error("the job panicked")]
    Panicked,
}

impl Pool {
    /// Jobs that may wait for each one that runs.
    const QUEUE_FACTOR: usize = 16;
    /// Looks at once.
    const LOOKS: usize = 32;
    /// Jobs that may be away at once: each still has a thread. What comes beyond keeps its place.
    const AWAY: usize = 256;

    /// A pool of `threads` jobs at once.
    pub fn new(threads: usize) -> Self {
        let threads = threads.max(1);
        let places = threads.saturating_mul(1 + Self::QUEUE_FACTOR);
        Self {
            running: Arc::new(Semaphore::new(threads)),
            admitted: Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))),
            looking: Arc::new(Semaphore::new(Self::LOOKS)),
            away: Arc::new(Semaphore::new(Self::AWAY)),
        }
    }

    /// Has a short look at the store, whether the pool is full or not: what it finds decides
    /// whether there is work at all.
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

    /// Takes a place, or says at once that there is none.
    pub fn admit(&self) -> Result<Place, Error> {
        let admitted = Arc::clone(&self.admitted).try_acquire_owned().map_err(|_| Error::Full)?;
        let (running, away) = (Arc::clone(&self.running), Arc::clone(&self.away));
        Ok(Place { running, admitted, away })
    }
}

impl Place {
    /// What a job gets after its time is up to say what it has.
    const GRACE: Duration = Duration::from_millis(500);

    /// Runs `job` on a thread of its own once one is free, at the latest at `end`. A job that has
    /// not ended a moment after `end`, when it should have noticed by itself, is not waited for.
    ///
    /// The thread counts as taken until the job itself ends, or waits for somebody else, even where
    /// the caller stops waiting; `guard` is dropped then too.
    pub async fn run<T: Send + 'static>(
        self,
        end: Instant,
        guard: impl Send + 'static,
        job: impl FnOnce(Seat) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let Self { running, admitted, away } = self;
        let thread = tokio::time::timeout_at(end.into(), Arc::clone(&running).acquire_owned())
            .await
            .map_err(|_| Error::TimeUp)?;
        let thread = thread.map_err(|_| Error::Full)?;
        let runtime = Handle::current();
        let held = Mutex::new((Some(thread), Some(admitted)));
        let seat = Seat(Arc::new(Seated { running, away, runtime, held }));
        let job = tokio::task::spawn_blocking(move || {
            let _held = (Leave(seat.clone()), guard);
            job(seat)
        });
        tokio::time::timeout_at((end + Self::GRACE).into(), job)
            .await
            .map_err(|_| Error::TimeUp)?
            .map_err(|_| Error::Panicked)
    }
}

impl Seat {
    /// Waits for `others` and gives the place away meanwhile. It is taken back before the work goes
    /// on, unless `end` comes first: then what is left to do is to say so.
    pub fn wait<T>(&self, end: Option<Instant>, others: impl Future<Output = T>) -> T {
        let seated = &*self.0;
        let away = Arc::clone(&seated.away).try_acquire_owned().ok();
        if away.is_none() {
            return seated.runtime.block_on(others);
        }
        self.leave();
        seated.runtime.block_on(async {
            let waited = others.await;
            let place = Arc::clone(&seated.running).acquire_owned();
            let place = match end {
                Some(end) => tokio::time::timeout_at(end.into(), place).await.ok(),
                None => Some(place.await),
            };
            seated.lock().0 = place.and_then(Result::ok);
            waited
        })
    }

    fn leave(&self) {
        *self.0.lock() = (None, None);
    }
}

impl Seated {
    fn lock(
        &self,
    ) -> std::sync::MutexGuard<'_, (Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>)>
    {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Frees the place when the job ends, whoever has the seat yet.
struct Leave(Seat);

impl Drop for Leave {
    fn drop(&mut self) {
        self.0.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[tokio::test]
    async fn a_full_queue_refuses_at_once_and_recovers() {
        let pool = Pool::new(1);
        let mut places: Vec<_> = std::iter::from_fn(|| pool.admit().ok()).take(1000).collect();
        assert_eq!(places.len(), 1 + Pool::QUEUE_FACTOR);
        assert_eq!(pool.admit().unwrap_err(), Error::Full);
        let place = places.pop().unwrap();
        assert_eq!(place.run(soon(), (), |_| 7).await, Ok(7));
        assert!(pool.admit().is_ok());
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_frees_the_thread() {
        let pool = Pool::new(1);
        let result = pool.admit().unwrap().run(soon(), (), |_| panic!("on purpose")).await;
        assert_eq!(result, Err::<(), _>(Error::Panicked));
        assert_eq!(pool.admit().unwrap().run(soon(), (), |_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn a_job_that_goes_on_past_its_end_is_not_waited_for() {
        let pool = Pool::new(1);
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let result = pool.admit().unwrap().run(Instant::now(), (), move |_| receiver.recv()).await;
        assert_eq!(result, Err(Error::TimeUp));
        drop(sender);
        // Its thread is free again when the job has ended.
        assert_eq!(pool.admit().unwrap().run(soon(), (), |_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn waiting_ends_with_the_deadline() {
        let pool = Pool::new(1);
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let (started, has_started) = tokio::sync::oneshot::channel();
        let place = pool.admit().unwrap();
        let busy = place.run(soon(), (), move |_| {
            let _ = started.send(());
            receiver.recv()
        });
        let late = async {
            has_started.await.unwrap();
            let result = pool.admit().unwrap().run(Instant::now(), (), |_| 1).await;
            drop(sender);
            result
        };
        let (_, result) = tokio::join!(busy, late);
        assert_eq!(result, Err(Error::TimeUp));
    }

    #[tokio::test]
    async fn a_job_that_waits_for_others_lets_the_next_one_run() {
        let pool = Pool::new(1);
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        let waits = pool
            .admit()
            .unwrap()
            .run(soon(), (), move |seat| seat.wait(Some(soon()), receiver).is_ok());
        let next = async {
            let place = pool.admit().unwrap();
            // With one thread it only runs once the first job is away.
            let done = place.run(soon(), (), |_| 1).await;
            sender.send(()).unwrap();
            done
        };
        let (waited, done) = tokio::join!(waits, next);
        assert_eq!((waited, done), (Ok(true), Ok(1)));
        assert_eq!(pool.running.available_permits(), 1);
        assert_eq!(pool.admitted.available_permits(), 1 + Pool::QUEUE_FACTOR);
    }

    #[tokio::test]
    async fn who_comes_back_waits_for_a_place_and_no_longer_than_to_the_end() {
        let pool = Pool::new(1);
        let (sender, busy) = std::sync::mpsc::channel::<()>();
        let (started, has_started) = tokio::sync::oneshot::channel::<()>();
        let end = Instant::now() + Duration::from_millis(50);
        let waits = pool.admit().unwrap().run(soon(), (), move |seat| {
            seat.wait(Some(end), has_started).unwrap();
            Instant::now() >= end
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
            place.run(soon(), (), job).await
        };
        let (late, _) = tokio::join!(waits, next);
        assert_eq!(late, Ok(true));
        assert_eq!(pool.running.available_permits(), 1);
    }
}
