//! The threads that compile: as many jobs at once as there are cores, a short queue before them.

use std::sync::Arc;
use std::time::{Duration, Instant};

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
}

/// A place in the pool or its queue, given back on drop.
#[derive(Debug)]
pub struct Place {
    running: Arc<Semaphore>,
    admitted: OwnedSemaphorePermit,
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

    /// A pool of `threads` jobs at once.
    pub fn new(threads: usize) -> Self {
        let threads = threads.max(1);
        let places = threads.saturating_mul(1 + Self::QUEUE_FACTOR);
        Self {
            running: Arc::new(Semaphore::new(threads)),
            admitted: Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))),
            looking: Arc::new(Semaphore::new(Self::LOOKS)),
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
        Ok(Place { running: Arc::clone(&self.running), admitted })
    }
}

impl Place {
    /// What a job gets after its time is up to say what it has.
    const GRACE: Duration = Duration::from_millis(500);

    /// Runs `job` on a thread of its own once one is free, at the latest at `end`. A job that has
    /// not ended a moment after `end`, when it should have noticed by itself, is not waited for.
    ///
    /// The thread counts as taken until the job itself ends, even where the caller stops
    /// waiting; `guard` is dropped then too.
    pub async fn run<T: Send + 'static>(
        self,
        end: Instant,
        guard: impl Send + 'static,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let Self { running, admitted } = self;
        let thread = tokio::time::timeout_at(end.into(), running.acquire_owned())
            .await
            .map_err(|_| Error::TimeUp)?;
        let job = tokio::task::spawn_blocking(move || {
            let _held = (thread, admitted, guard);
            job()
        });
        tokio::time::timeout_at((end + Self::GRACE).into(), job)
            .await
            .map_err(|_| Error::TimeUp)?
            .map_err(|_| Error::Panicked)
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
        assert_eq!(place.run(soon(), (), || 7).await, Ok(7));
        assert!(pool.admit().is_ok());
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_frees_the_thread() {
        let pool = Pool::new(1);
        let result = pool.admit().unwrap().run(soon(), (), || panic!("on purpose")).await;
        assert_eq!(result, Err::<(), _>(Error::Panicked));
        assert_eq!(pool.admit().unwrap().run(soon(), (), || 1).await, Ok(1));
    }

    #[tokio::test]
    async fn a_job_that_goes_on_past_its_end_is_not_waited_for() {
        let pool = Pool::new(1);
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let result = pool.admit().unwrap().run(Instant::now(), (), move || receiver.recv()).await;
        assert_eq!(result, Err(Error::TimeUp));
        drop(sender);
        // Its thread is free again when the job has ended.
        assert_eq!(pool.admit().unwrap().run(soon(), (), || 1).await, Ok(1));
    }

    #[tokio::test]
    async fn waiting_ends_with_the_deadline() {
        let pool = Pool::new(1);
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let (started, has_started) = tokio::sync::oneshot::channel();
        let place = pool.admit().unwrap();
        let busy = place.run(soon(), (), move || {
            let _ = started.send(());
            receiver.recv()
        });
        let late = async {
            has_started.await.unwrap();
            let result = pool.admit().unwrap().run(Instant::now(), (), || 1).await;
            drop(sender);
            result
        };
        let (_, result) = tokio::join!(busy, late);
        assert_eq!(result, Err(Error::TimeUp));
    }
}
