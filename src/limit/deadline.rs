//! When a request must stop: its time is up, the caller has gone, or it asks for too much.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::{Allowance, AllowanceExceeded};

/// Asked between stages and inside long loops; cloning shares the cancellation and the allowance.
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    at: Option<Instant>,
    /// The latest end that the request may ask for; none if `at` is the latest.
    latest: Option<Instant>,
    shared: Arc<SharedDeadline>,
    allowance: Allowance,
}

/// What clones of a deadline share.
#[derive(Debug, Default)]
struct SharedDeadline {
    is_cancelled: AtomicBool,
    notify: Notify,
    /// The end that the request has asked for.
    asked: Mutex<Option<Instant>>,
}

/// Why a request stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StopReason {
    #[error("the deadline has passed")]
    TimeUp,
    #[error("the caller has gone away")]
    Cancelled,
    #[error(transparent)]
    TooMuchText(#[from] AllowanceExceeded),
}

impl Deadline {
    pub fn at(at: Instant) -> Self {
        Self { at: Some(at), ..Self::default() }
    }

    /// The same with the allowance of a request.
    #[must_use]
    pub fn allowing(self, allowance: &Allowance) -> Self {
        Self { allowance: allowance.clone(), ..self }
    }

    /// The limit on text that the request may still make.
    pub fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    /// The same for a request that may ask for a later end, up to `latest`.
    #[must_use]
    pub fn extensible_to(self, latest: Instant) -> Self {
        Self { latest: Some(latest), ..self }
    }

    /// The same with the end that the request asks for by a time limit from `start`, if it has one.
    #[must_use]
    pub fn asked_within(&self, start: Instant, limit: Option<Duration>) -> Self {
        limit.map_or_else(|| self.clone(), |limit| self.asked_for(start + limit))
    }

    /// The same cancellation with the end that the request asks for, as far as it may. From then on
    /// it may only ask for an earlier one.
    #[must_use]
    fn asked_for(&self, at: Instant) -> Self {
        let most = self.latest.or(self.at);
        let at = most.map_or(at, |most| most.min(at));
        *self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
        Self { at: Some(at), latest: None, ..self.clone() }
    }

    /// The end of the request: what a clone has asked for, if one has and it is later than this end.
    pub fn request_end(&self) -> Option<Instant> {
        let asked = *self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner);
        self.at.map(|at| asked.map_or(at, |asked| asked.max(at)))
    }

    /// Makes every clone answer [`StopReason::Cancelled`] from now on.
    pub fn cancel(&self) {
        self.shared.is_cancelled.store(true, Ordering::SeqCst);
        self.shared.notify.notify_waiters();
    }

    /// Whether the work is cancelled: its caller has gone, or no longer waits.
    pub fn is_cancelled(&self) -> bool {
        self.shared.is_cancelled.load(Ordering::Relaxed)
    }

    /// The time of the deadline; none if it has none.
    pub fn end(&self) -> Option<Instant> {
        self.at
    }

    /// Ends when the work is cancelled.
    pub async fn cancelled(&self) {
        let mut notified = std::pin::pin!(self.shared.notify.notified());
        // From here on no call of `cancel` is missed.
        notified.as_mut().enable();
        if !self.shared.is_cancelled.load(Ordering::SeqCst) {
            notified.await;
        }
    }

    pub fn check(&self) -> Result<(), StopReason> {
        if self.shared.is_cancelled.load(Ordering::Relaxed) {
            return Err(StopReason::Cancelled);
        }
        self.allowance.check()?;
        match self.at {
            Some(at) if Instant::now() >= at => Err(StopReason::TimeUp),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_may_ask_for_a_later_end_within_its_limit() {
        let now = Instant::now();
        let at = |seconds| now + Duration::from_secs(seconds);
        let deadline = Deadline::at(at(10)).extensible_to(at(60));
        assert_eq!(deadline.request_end(), Some(at(10)));
        assert_eq!(deadline.asked_for(at(20)).end(), Some(at(20)));
        assert_eq!((deadline.end(), deadline.request_end()), (Some(at(10)), Some(at(20))));
        assert_eq!(deadline.asked_for(at(90)).end(), Some(at(60)));
        // A shorter end is the work's own: the request still has its time.
        assert_eq!(deadline.asked_for(at(1)).end(), Some(at(1)));
        assert_eq!(deadline.request_end(), Some(at(10)));
    }

    #[test]
    fn without_leave_only_an_earlier_end_can_be_asked_for() {
        let now = Instant::now();
        let at = |seconds| now + Duration::from_secs(seconds);
        assert_eq!(Deadline::at(at(10)).asked_for(at(20)).end(), Some(at(10)));
        assert_eq!(Deadline::at(at(10)).asked_for(at(5)).end(), Some(at(5)));
        assert_eq!(Deadline::default().asked_for(at(5)).end(), Some(at(5)));
    }
}
