//! Who may go now, who waits, and who is sent away at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Error;

/// Places for jobs of one kind, and a queue before them, first come first served.
///
/// How long the queue may be is told by time: whoever would wait longer than [`PATIENCE`], by what
/// the jobs before him took, is refused before he waits at all. A caller that is told so can go
/// elsewhere; one that waits in a long queue times out after the work was done.
#[derive(Debug)]
pub(super) struct Lane {
    places: Arc<Semaphore>,
    width: u64,
    waiting: AtomicUsize,
    /// What a job takes, in nanoseconds: a mean in which the latest ones count most.
    mean: AtomicU64,
    /// How long a job waits where the expectation was wrong.
    longest_wait: Duration,
}

/// How long a queue may be expected to take.
const PATIENCE: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Jobs that may wait for each place however long others took.
const ALWAYS: u64 = 4;
/// Jobs that may wait, however short they are.
const MOST_WAITING: usize = 4_096;
/// The share of the latest job in the mean is one in so many.
const MEMORY: u64 = 16;

/// Part in the queue, given back on drop.
#[derive(Debug)]
pub(super) struct QueueTicket(Arc<Lane>);

impl Drop for QueueTicket {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lane {
    pub(super) fn new(width: usize) -> Self {
        let width = width.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(width)),
            width: u64::try_from(width).unwrap_or(u64::MAX),
            waiting: AtomicUsize::new(0),
            mean: AtomicU64::new(0),
            longest_wait: LONGEST_WAIT,
        }
    }

    /// Takes part in the queue, or says at once that it is too long.
    pub(super) fn queue(self: &Arc<Self>) -> Result<QueueTicket, Error> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = QueueTicket(Arc::clone(self));
        if before >= MOST_WAITING || self.expected(before) > PATIENCE {
            return Err(Error::Full);
        }
        Ok(waiting)
    }

    /// How long somebody waits who has so many before him; nothing where they are few.
    fn expected(&self, before: usize) -> Duration {
        let before = u64::try_from(before).unwrap_or(u64::MAX);
        if before < self.width.saturating_mul(ALWAYS) {
            return Duration::ZERO;
        }
        let mean = self.mean.load(Ordering::Relaxed);
        Duration::from_nanos(mean.saturating_mul(before) / self.width)
    }

    /// A place, once there is one: at the latest at `end`, or when the wait has become too long.
    pub(super) async fn place(
        &self,
        waiting: QueueTicket,
        end: Instant,
    ) -> Result<OwnedSemaphorePermit, Error> {
        let patience = Instant::now() + self.longest_wait;
        let (until, late) =
            if end < patience { (end, Error::TimeUp) } else { (patience, Error::Full) };
        let place = tokio::time::timeout_at(until.into(), self.any_place()).await;
        drop(waiting);
        place.map_err(|_| late)?
    }

    /// A place, however long it takes.
    pub(super) async fn any_place(&self) -> Result<OwnedSemaphorePermit, Error> {
        Arc::clone(&self.places).acquire_owned().await.map_err(|_| Error::Full)
    }

    /// Notes how long a job had its place.
    pub(super) fn took(&self, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        // Where two note at once, one of them may be lost.
        let mean = self.mean.load(Ordering::Relaxed);
        self.mean.store(mean - mean / MEMORY + time / MEMORY, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(super) fn free(&self) -> (usize, usize) {
        (self.places.available_permits(), self.waiting.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queued(lane: &Arc<Lane>) -> Vec<QueueTicket> {
        std::iter::from_fn(|| lane.queue().ok()).take(2 * MOST_WAITING).collect()
    }

    #[test]
    fn a_queue_is_as_long_as_its_jobs_are_short() {
        let lane = Arc::new(Lane::new(2));
        lane.took(Duration::from_secs(1));
        assert_eq!(queued(&lane).len(), 65, "one that was slow is not the rule");
        for _ in 0..1_000 {
            lane.took(Duration::from_millis(10));
        }
        let most = queued(&lane).len();
        assert!((395..=405).contains(&most), "two places do {most} of them in two seconds");
        assert_eq!(lane.free(), (2, 0), "who goes away leaves no trace");
        for _ in 0..1_000 {
            lane.took(Duration::from_secs(1));
        }
        assert_eq!(queued(&lane).len(), 2 * 4, "a few may always wait");
        for _ in 0..1_000 {
            lane.took(Duration::ZERO);
        }
        assert_eq!(queued(&lane).len(), MOST_WAITING);
    }

    #[tokio::test]
    async fn a_wait_that_becomes_too_long_ends() {
        let lane = Lane { longest_wait: Duration::from_millis(20), ..Lane::new(1) };
        let lane = Arc::new(lane);
        let held = lane.any_place().await.unwrap();
        let (first, second) = (lane.queue().unwrap(), lane.queue().unwrap());
        let end = Instant::now() + Duration::from_mins(1);
        assert_eq!(lane.place(first, end).await.unwrap_err(), Error::Full);
        assert_eq!(lane.place(second, Instant::now()).await.unwrap_err(), Error::TimeUp);
        assert_eq!(lane.free(), (0, 0));
        drop(held);
        let waiting = lane.queue().unwrap();
        assert!(lane.place(waiting, end).await.is_ok());
    }
}
