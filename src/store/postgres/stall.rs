//! A switch that keeps callers from waiting for a database that accepts connections and does not
//! answer.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time to wait for an answer: a little longer than the database works on a statement.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(7);
/// Time in which a database that did not answer is not asked again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Set while the database does not answer: requests fail at once, except for one at a time that
/// tries again after a pause.
#[derive(Debug, Default)]
pub(super) struct StallSwitch(Mutex<Option<Instant>>);

impl StallSwitch {
    /// Records that no answer arrived.
    pub(super) fn note(&self) {
        *self.lock() = Some(Instant::now() + RETRY_PAUSE);
    }

    pub(super) fn clear(&self) {
        *self.lock() = None;
    }

    pub(super) fn may_ask(&self) -> bool {
        let now = Instant::now();
        let mut until = self.lock();
        match *until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                *until = Some(now + ANSWER_TIMEOUT);
                true
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_asks_a_database_that_did_not_answer() {
        let stall = StallSwitch::default();
        assert!(stall.may_ask() && stall.may_ask());
        stall.note();
        assert!(!stall.may_ask());
        *stall.lock() = Some(Instant::now());
        assert!(stall.may_ask(), "the pause is over");
        assert!(!stall.may_ask(), "somebody asks already");
        stall.clear();
        assert!(stall.may_ask());
    }
}
