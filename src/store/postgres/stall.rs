//! What is known of a database that takes connections and does not answer.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::connect::PATIENCE;

/// How long nobody asks a database that did not answer.
const PAUSE: Duration = Duration::from_secs(1);

/// Whether the database is known not to answer: then nobody waits for it but one, now and then, who
/// finds out whether it does again.
#[derive(Debug, Default)]
pub(super) struct StallSwitch(Mutex<Option<Instant>>);

impl StallSwitch {
    /// Notes that no answer came.
    pub(super) fn note(&self) {
        *self.until() = Some(Instant::now() + PAUSE);
    }

    pub(super) fn clear(&self) {
        *self.until() = None;
    }

    pub(super) fn may_ask(&self) -> bool {
        let now = Instant::now();
        let mut until = self.until();
        match *until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                *until = Some(now + PATIENCE);
                true
            }
        }
    }

    fn until(&self) -> MutexGuard<'_, Option<Instant>> {
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
        *stall.until() = Some(Instant::now());
        assert!(stall.may_ask(), "the pause is over");
        assert!(!stall.may_ask(), "somebody asks already");
        stall.clear();
        assert!(stall.may_ask());
    }
}
