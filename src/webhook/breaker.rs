//! Stops calling what fails again and again, and tries it again after a while.
//!
//! After five failures in a row a hook is not called for ten seconds; then one call may try. An
//! open breaker is a failure like any other, so it never lets pass what a guard should judge.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::domain::Timestamp;
use crate::hook::Hook;

/// Failures in a row that open it.
pub const MAX_FAILURES: u32 = 5;
/// Time until one call may try.
pub const OPEN_PAUSE: Duration = Duration::from_secs(10);
/// Breakers that are kept; a hook without failures has none.
const MAX_BREAKERS: usize = 10_000;

/// Identifies a breaker and a gate. Hooks with the same id share neither if their URLs differ, or if
/// requests with different API keys contain them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct BreakerKey {
    tenant: Arc<str>,
    hook: Arc<str>,
    /// A hash, because URLs may contain secrets.
    url: [u8; 32],
    inline_owner: Option<Arc<str>>,
    is_trial: bool,
}

impl BreakerKey {
    pub(super) fn new(tenant: &Arc<str>, hook: &Hook) -> Self {
        let url = hook.endpoint().map_or("", |endpoint| &endpoint.url);
        Self {
            tenant: Arc::clone(tenant),
            hook: Arc::clone(&hook.id),
            url: Sha256::digest(url).into(),
            inline_owner: hook.inline_owner.clone(),
            is_trial: false,
        }
    }

    /// The key of something that is not a hook.
    pub(super) fn from_name(name: &str) -> Self {
        let (tenant, hook) = ("".into(), name.into());
        Self { tenant, hook, url: [0; 32], inline_owner: None, is_trial: false }
    }

    pub(super) fn is_trial(&self) -> bool {
        self.is_trial
    }

    /// The key for trials of the hook: trials and other calls do not wait for each other.
    pub(super) fn for_trial(self) -> Self {
        Self { is_trial: true, ..self }
    }
}

/// The breakers of all hooks of this process. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Breakers {
    states: Arc<Mutex<HashMap<BreakerKey, BreakerState>>>,
    /// Failures in a row that open one.
    failures: u32,
    /// Time until one call may try.
    pause: Duration,
}

impl Default for Breakers {
    fn default() -> Self {
        Self::new(MAX_FAILURES, OPEN_PAUSE)
    }
}

#[derive(Debug, Clone, Copy)]
struct BreakerState {
    failures: u32,
    failed_at: Timestamp,
    /// Whether a call is trying.
    probing: bool,
}

/// Leave to call once. Dropped without a word it has learnt nothing, as when a caller went away.
#[derive(Debug)]
pub(super) struct Permit {
    breakers: Breakers,
    key: BreakerKey,
    is_probe: bool,
}

impl Breakers {
    pub(super) fn new(failures: u32, pause: Duration) -> Self {
        Self { states: Arc::default(), failures, pause }
    }

    /// Leave to call, unless the breaker is open.
    pub(super) fn admit(&self, key: &BreakerKey, now: Timestamp) -> Option<Permit> {
        let mut states = self.states();
        let mut is_probe = false;
        if let Some(state) = states.get_mut(key).filter(|state| state.failures >= self.failures) {
            // A clock that was set back must not stop calls for longer.
            let is_early = now >= state.failed_at && now.since(state.failed_at) < self.pause;
            if state.probing || is_early {
                return None;
            }
            state.probing = true;
            is_probe = true;
        }
        Some(Permit { breakers: self.clone(), key: key.clone(), is_probe })
    }

    /// Whether calls are stopped; for displays, it admits no trial call.
    pub(super) fn is_open(&self, key: &BreakerKey) -> bool {
        self.states().get(key).is_some_and(|state| state.failures >= self.failures)
    }

    fn states(&self) -> MutexGuard<'_, HashMap<BreakerKey, BreakerState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    pub(super) fn succeeded(self) {
        self.breakers.states().remove(&self.key);
    }

    /// Whether the breaker opened with this failure.
    pub(super) fn failed(mut self, now: Timestamp) -> bool {
        let is_probe = std::mem::take(&mut self.is_probe);
        let most = self.breakers.failures;
        let mut states = self.breakers.states();
        if states.len() >= MAX_BREAKERS && !states.contains_key(&self.key) {
            states.retain(|_, state| state.failures >= most);
            if states.len() >= MAX_BREAKERS {
                states.clear();
            }
        }
        let state = states.entry(self.key.clone()).or_insert(BreakerState {
            failures: 0,
            failed_at: now,
            probing: false,
        });
        state.failures = state.failures.saturating_add(1);
        state.failed_at = now;
        if is_probe {
            state.probing = false;
        }
        state.failures == most
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.is_probe
            && let Some(state) = self.breakers.states().get_mut(&self.key)
        {
            state.probing = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: &str) -> BreakerKey {
        BreakerKey::from_name(id)
    }

    #[test]
    fn it_opens_after_five_failures_in_a_row_and_tries_again_once() {
        let (breakers, start) = (Breakers::default(), Timestamp::from_micros(1 << 50));
        let fail = |at| breakers.admit(&key("a"), at).unwrap().failed(at);
        assert!((0..4).all(|_| !fail(start)));
        breakers.admit(&key("a"), start).unwrap().succeeded();
        assert!((0..4).all(|_| !fail(start)) && fail(start));
        assert!(breakers.is_open(&key("a")) && !breakers.is_open(&key("b")));
        assert!(breakers.admit(&key("a"), start.after(Duration::from_secs(9))).is_none());
        assert!(breakers.admit(&key("b"), start).is_some());

        let later = start.after(OPEN_PAUSE);
        let probe = breakers.admit(&key("a"), later).unwrap();
        assert!(breakers.admit(&key("a"), later).is_none());
        drop(probe);
        assert!(!breakers.admit(&key("a"), later).unwrap().failed(later));
        assert!(breakers.admit(&key("a"), later.after(Duration::from_secs(9))).is_none());
        let set_back = Timestamp::from_micros(1);
        drop(breakers.admit(&key("a"), set_back).unwrap());
        breakers.admit(&key("a"), later.after(OPEN_PAUSE)).unwrap().succeeded();
        assert!(!breakers.is_open(&key("a")) && breakers.admit(&key("a"), later).is_some());
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (breakers, now) = (Breakers::default(), Timestamp::from_micros(1 << 50));
        for number in 0..=MAX_BREAKERS {
            breakers.admit(&key(&number.to_string()), now).unwrap().failed(now);
        }
        assert!(breakers.states().len() <= MAX_BREAKERS);
    }
}
