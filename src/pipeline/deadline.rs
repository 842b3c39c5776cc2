//! When a compile must stop: its time is up, or nobody waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Asked between stages and inside long loops; cloning shares the cancellation.
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    at: Option<Instant>,
    cancelled: Arc<AtomicBool>,
}

/// Why a compile stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    #[error("the deadline has passed")]
    TimeUp,
    #[error("the caller has gone away")]
    Cancelled,
}

impl Deadline {
    pub fn at(at: Instant) -> Self {
        Self { at: Some(at), cancelled: Arc::default() }
    }

    /// The same cancellation with an earlier end, if `at` is earlier.
    #[must_use]
    pub fn no_later_than(&self, at: Instant) -> Self {
        let at = self.at.map_or(at, |known| known.min(at));
        Self { at: Some(at), cancelled: Arc::clone(&self.cancelled) }
    }

    /// Makes every clone answer [`Stopped::Cancelled`] from now on.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub fn check(&self) -> Result<(), Stopped> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Stopped::Cancelled);
        }
        match self.at {
            Some(at) if Instant::now() >= at => Err(Stopped::TimeUp),
            _ => Ok(()),
        }
    }
}
