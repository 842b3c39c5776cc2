//! The place of a running job, which it gives away while it waits for something else.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use super::lane::{Lane, Place};
use crate::limit::{Deadline, StopReason};

/// The place of a running job, which it gives away while it waits for something else. Cheap to
/// clone.
#[derive(Debug, Clone)]
pub struct JobSeat(Arc<SeatState>);

#[derive(Debug)]
struct SeatState {
    lane: Arc<Lane>,
    tenant: Arc<str>,
    runtime: Handle,
    held: Mutex<SeatPlace>,
}

/// The place of a job.
#[derive(Debug)]
struct SeatPlace {
    /// None while the place is given away.
    place: Option<Place>,
    /// Time for which the job had a place before.
    took: Duration,
    /// When the job's wait ends, while it waits without a place.
    wait: Option<Wait>,
    /// Pieces of work that have a place during the wait.
    computing: usize,
}

#[derive(Debug, Clone, Copy)]
struct Wait {
    end: Option<Instant>,
}

impl JobSeat {
    pub(super) fn new(lane: Arc<Lane>, tenant: Arc<str>, runtime: Handle, place: Place) -> Self {
        let (took, wait, computing) = (Duration::ZERO, None, 0);
        let held = Mutex::new(SeatPlace { place: Some(place), took, wait, computing });
        Self(Arc::new(SeatState { lane, tenant, runtime, held }))
    }

    /// Waits for `others` and gives the place away meanwhile, unless they are done at once. The job
    /// gets a place again before it goes on, unless `end` comes first: then it only has to report
    /// that. Work within `others` computes in a `ComputingPlace`.
    pub fn wait<T>(&self, end: Option<Instant>, others: impl Future<Output = T>) -> T {
        self.0.runtime.block_on(async {
            let mut others = pin!(others);
            // What is computed before the first pause is computed with the place.
            let first = poll_fn(|context| Poll::Ready(others.as_mut().poll(context))).await;
            if let Poll::Ready(done) = first {
                return done;
            }
            self.0.lock().wait = Some(Wait { end });
            self.leave();
            let waited = others.await;
            if self.0.lock().place.is_none() {
                let place = self.place_again(end).await;
                self.0.lock().place = place;
            }
            self.0.lock().wait = None;
            waited
        })
    }

    /// The same until a deadline. If the client goes away, `others` is abandoned.
    pub fn wait_within<T>(
        &self,
        deadline: &Deadline,
        others: impl Future<Output = T>,
    ) -> Result<T, StopReason> {
        self.wait(deadline.end(), async {
            tokio::select! {
                biased;
                () = deadline.cancelled() => Err(StopReason::Cancelled),
                output = others => Ok(output),
            }
        })
    }

    /// Gets a place for work within a wait. Returns none if the end of the wait comes first.
    pub async fn compute(&self) -> Option<ComputingPlace> {
        let wait = {
            let mut held = self.0.lock();
            // Outside of a wait, the job has its own place.
            if held.place.is_some() {
                held.computing += 1;
                return Some(ComputingPlace(self.clone()));
            }
            held.wait
        };
        let place = self.place_again(wait.and_then(|wait| wait.end)).await?;
        let mut held = self.0.lock();
        held.place.get_or_insert(place);
        held.computing += 1;
        drop(held);
        Some(ComputingPlace(self.clone()))
    }

    async fn place_again(&self, end: Option<Instant>) -> Option<Place> {
        let place = self.0.lane.place_again(&self.0.tenant);
        let place = match end {
            Some(end) => tokio::time::timeout_at(end.into(), place).await.ok(),
            None => Some(place.await),
        };
        place.and_then(Result::ok)
    }

    /// Gives the place away. Returns how long the job has had one.
    fn leave(&self) -> Duration {
        let mut held = self.0.lock();
        let place = held.place.take();
        if let Some(place) = &place {
            held.took += place.since.elapsed();
        }
        let took = held.took;
        drop(held);
        drop(place);
        took
    }
}

impl SeatState {
    fn lock(&self) -> MutexGuard<'_, SeatPlace> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place for work within a wait, given away again on drop.
#[derive(Debug)]
pub struct ComputingPlace(JobSeat);

impl Drop for ComputingPlace {
    fn drop(&mut self) {
        let mut held = self.0.0.lock();
        held.computing = held.computing.saturating_sub(1);
        let is_last = held.computing == 0 && held.wait.is_some();
        drop(held);
        if is_last {
            self.0.leave();
        }
    }
}

/// Frees the place when the job ends, even if clones of the seat are left.
pub(super) struct SeatGuard(pub(super) JobSeat);

impl Drop for SeatGuard {
    fn drop(&mut self) {
        let took = self.0.leave();
        let SeatState { lane, tenant, .. } = &*self.0.0;
        lane.record_time(tenant, took);
    }
}
