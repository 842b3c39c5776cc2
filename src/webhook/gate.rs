//! Limits how many calls of one hook run at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::breaker::BreakerKey;
pub use crate::hook::MAX_CONCURRENT_CALLS;

/// The number of gates at which unused ones are removed.
const MAX_UNSWEPT_GATES: usize = 1024;

/// The gates of all hooks of this process. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Gates(Arc<Mutex<HashMap<BreakerKey, Weak<Semaphore>>>>);

impl Gates {
    /// Waits until a call may be made. The call is over when the returned permit is dropped.
    pub(super) async fn pass(&self, key: &BreakerKey) -> Option<OwnedSemaphorePermit> {
        self.gate(key).acquire_owned().await.ok()
    }

    fn gate(&self, key: &BreakerKey) -> Arc<Semaphore> {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gate) = gates.get(key).and_then(Weak::upgrade) {
            return gate;
        }
        if gates.len() >= MAX_UNSWEPT_GATES {
            gates.retain(|_, gate| gate.strong_count() > 0);
        }
        let gate = Arc::new(Semaphore::new(MAX_CONCURRENT_CALLS));
        gates.insert(key.clone(), Arc::downgrade(&gate));
        gate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn eight_calls_pass_and_the_ninth_waits_for_one_of_them() {
        let gates = Gates::default();
        let key = BreakerKey::from_name("h");
        let mut under_way = Vec::new();
        for _ in 0..MAX_CONCURRENT_CALLS {
            under_way.push(gates.pass(&key).await.unwrap());
        }
        assert!(gates.pass(&BreakerKey::from_name("other")).await.is_some());
        assert_eq!(gates.gate(&key).available_permits(), 0);
        under_way.pop();
        assert!(gates.pass(&key).await.is_some());
        drop(under_way);
        assert_eq!(gates.gate(&key).available_permits(), MAX_CONCURRENT_CALLS);
    }

    #[test]
    fn gates_that_nobody_uses_are_forgotten() {
        let gates = Gates::default();
        for number in 0..10 * MAX_UNSWEPT_GATES {
            gates.gate(&BreakerKey::from_name(&number.to_string()));
        }
        assert!(gates.0.lock().unwrap().len() <= MAX_UNSWEPT_GATES);
    }
}
