//! When a request must stop: its time is up, the caller has gone, or it asks for too much.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tokio::sync::Notify;

use super::{Allowance, AllowanceExceeded};

/// Asked between stages and inside long loops; cloning shares the cancellation and the allowance.
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    at: Option<Instant>,
    cancelled: Arc<CancelFlag>,
    allowance: Allowance,
}

#[derive(Debug, Default)]
struct CancelFlag {
    is_set: AtomicBool,
    notify: Notify,
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

    /// The same cancellation with an earlier end, if `at` is earlier.
    #[must_use]
    pub fn no_later_than(&self, at: Instant) -> Self {
        let at = self.at.map_or(at, |known| known.min(at));
        Self { at: Some(at), ..self.clone() }
    }

    /// Makes every clone answer [`StopReason::Cancelled`] from now on.
    pub fn cancel(&self) {
        self.cancelled.is_set.store(true, Ordering::SeqCst);
        self.cancelled.notify.notify_waiters();
    }

    /// The time of the deadline; none if it has none.
    pub fn end(&self) -> Option<Instant> {
        self.at
    }

    /// Ends when the work is cancelled.
    pub async fn cancelled(&self) {
        let mut notified = std::pin::pin!(self.cancelled.notify.notified());
        // From here on no call of `cancel` is missed.
        notified.as_mut().enable();
        if !self.cancelled.is_set.load(Ordering::SeqCst) {
            notified.await;
        }
    }

    pub fn check(&self) -> Result<(), StopReason> {
        if self.cancelled.is_set.load(Ordering::Relaxed) {
            return Err(StopReason::Cancelled);
        }
        self.allowance.check()?;
        match self.at {
            Some(at) if Instant::now() >= at => Err(StopReason::TimeUp),
            _ => Ok(()),
        }
    }
}
