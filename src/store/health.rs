//! The condition of the store: whether its last write succeeded.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The expected outcome of the next write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StoreCondition {
    #[default]
    Good,
    /// There is no room.
    Full,
    /// Writing fails: the store is locked or read-only, or its disk fails.
    Unavailable,
    /// The disk could not keep what was handed to it. What the process believes to be stored may
    /// not be there; only a new start reads what is.
    Lost,
}

impl StoreCondition {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Full => "full",
            Self::Unavailable => "unavailable",
            Self::Lost => "lost",
        }
    }
}

type LossCallback = Box<dyn FnOnce() + Send>;

/// The condition, as the writer notes it.
#[derive(Default)]
pub(super) struct ConditionCell {
    state: Mutex<HealthState>,
}

#[derive(Default)]
struct HealthState {
    condition: StoreCondition,
    on_lost: Option<LossCallback>,
}

impl fmt::Debug for ConditionCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Health").field(&self.condition()).finish()
    }
}

impl ConditionCell {
    fn state(&self) -> MutexGuard<'_, HealthState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn condition(&self) -> StoreCondition {
        self.state().condition
    }

    /// A lost store stays lost.
    pub(super) fn note(&self, condition: StoreCondition) {
        let mut state = self.state();
        if state.condition == StoreCondition::Lost || state.condition == condition {
            return;
        }
        if condition == StoreCondition::Good {
            tracing::info!("the database can be written again");
        } else {
            tracing::warn!(
                condition = condition.as_str(),
                "the database cannot be written; requests that store something get status 503 or \
                 507"
            );
        }
        state.condition = condition;
        let call = if condition == StoreCondition::Lost { state.on_lost.take() } else { None };
        drop(state);
        if let Some(call) = call {
            call();
        }
    }

    /// Registers a callback for when durability is lost; it is called at once if that is the case
    /// already.
    pub(super) fn on_lost(&self, call: LossCallback) {
        let mut state = self.state();
        if state.condition == StoreCondition::Lost {
            drop(state);
            call();
        } else {
            state.on_lost = Some(call);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn what_is_lost_is_told_once_and_stays_lost() {
        let health = ConditionCell::default();
        let told = Arc::new(AtomicU32::new(0));
        let count = || {
            let told = Arc::clone(&told);
            Box::new(move || {
                told.fetch_add(1, Ordering::SeqCst);
            })
        };
        health.on_lost(count());
        health.note(StoreCondition::Full);
        health.note(StoreCondition::Good);
        assert_eq!((health.condition(), told.load(Ordering::SeqCst)), (StoreCondition::Good, 0));
        health.note(StoreCondition::Lost);
        health.note(StoreCondition::Lost);
        health.note(StoreCondition::Good);
        assert_eq!((health.condition(), told.load(Ordering::SeqCst)), (StoreCondition::Lost, 1));
        health.on_lost(count());
        assert_eq!(told.load(Ordering::SeqCst), 2);
    }
}
