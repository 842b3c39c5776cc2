//! Admission of jobs: which job runs, which waits, and which is refused at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Error;

/// Places for jobs of one kind, and a queue for them, first come first served.
///
/// The length of the queue is limited by time: a job that would wait longer than
/// [`MAX_EXPECTED_WAIT`], by the duration of earlier jobs, is refused at once. A client that is
/// refused can use another node; a client in a long queue would time out after the work was done.
#[derive(Debug)]
pub(super) struct Lane {
    places: Arc<Semaphore>,
    width: u64,
    waiting: AtomicUsize,
    /// Mean duration of a job in nanoseconds, in which the latest jobs count most.
    mean: AtomicU64,
    /// Longest wait of a job if the expectation was wrong.
    longest_wait: Duration,
}

/// Expected wait above which a job is refused.
const MAX_EXPECTED_WAIT: Duration = Duration::from_secs(2);
const MAX_WAIT: Duration = Duration::from_secs(5);
/// Jobs that may wait for each place, however long earlier jobs took.
const MIN_QUEUE_PER_PLACE: u64 = 4;
/// Jobs that may wait, however short they are.
const MAX_WAITING_JOBS: usize = 4_096;
/// The latest job counts for one part in so many of the mean.
const MEAN_PARTS: u64 = 16;

/// A position in the queue, given back on drop.
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
            longest_wait: MAX_WAIT,
        }
    }

    /// Joins the queue, or fails at once if it is too long.
    pub(super) fn queue(self: &Arc<Self>) -> Result<QueueTicket, Error> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = QueueTicket(Arc::clone(self));
        if before >= MAX_WAITING_JOBS || self.expected_wait(before) > MAX_EXPECTED_WAIT {
            return Err(Error::Full);
        }
        Ok(waiting)
    }

    /// Expected wait of a job with `before` jobs in front of it; zero if these are few.
    fn expected_wait(&self, before: usize) -> Duration {
        let before = u64::try_from(before).unwrap_or(u64::MAX);
        if before < self.width.saturating_mul(MIN_QUEUE_PER_PLACE) {
            return Duration::ZERO;
        }
        let mean = self.mean.load(Ordering::Relaxed);
        Duration::from_nanos(mean.saturating_mul(before) / self.width)
    }

    /// Waits for a place: until `end`, or until the wait has become too long.
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

    /// Waits for a place without a limit.
    pub(super) async fn any_place(&self) -> Result<OwnedSemaphorePermit, Error> {
        Arc::clone(&self.places).acquire_owned().await.map_err(|_| Error::Full)
    }

    /// Records how long a job had its place.
    pub(super) fn record_time(&self, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        // If two jobs record at the same time, one of the values may be lost.
        let mean = self.mean.load(Ordering::Relaxed);
        self.mean.store(mean - mean / MEAN_PARTS + time / MEAN_PARTS, Ordering::Relaxed);
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
        std::iter::from_fn(|| lane.queue().ok()).take(2 * MAX_WAITING_JOBS).collect()
    }

    #[test]
    fn a_queue_is_as_long_as_its_jobs_are_short() {
        let lane = Arc::new(Lane::new(2));
        lane.record_time(Duration::from_secs(1));
        assert_eq!(queued(&lane).len(), 65, "one that was slow is not the rule");
        for _ in 0..1_000 {
            lane.record_time(Duration::from_millis(10));
        }
        let most = queued(&lane).len();
        assert!((395..=405).contains(&most), "two places do {most} of them in two seconds");
        assert_eq!(lane.free(), (2, 0), "who goes away leaves no trace");
        for _ in 0..1_000 {
            lane.record_time(Duration::from_secs(1));
        }
        assert_eq!(queued(&lane).len(), 2 * 4, "a few may always wait");
        for _ in 0..1_000 {
            lane.record_time(Duration::ZERO);
        }
        assert_eq!(queued(&lane).len(), MAX_WAITING_JOBS);
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
