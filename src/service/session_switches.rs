//! Delays writes to a session that was just switched to, until observe hooks with `delivery:
//! "sync"` have been notified. Writes wait on the node that carries the switch out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::{Services, StoreError};
use crate::hook::{DeliveryMode, HookKind, MAX_ROUND_TIME, Point};
use crate::store::Tx;

/// Tenant and session.
type SwitchKey = (Arc<str>, Arc<str>);

/// Number of running notifications for each session.
#[derive(Debug, Default)]
pub(super) struct SessionSwitches {
    running: Mutex<BTreeMap<SwitchKey, usize>>,
    ended: Notify,
}

/// A running notification of a switch, which ends when this is dropped.
struct SwitchGuard<'s> {
    switching: &'s SessionSwitches,
    key: SwitchKey,
}

impl SessionSwitches {
    fn begin(&self, key: SwitchKey) -> SwitchGuard<'_> {
        *self.lock().entry(key.clone()).or_default() += 1;
        SwitchGuard { switching: self, key }
    }

    fn is_running(&self, key: &SwitchKey) -> bool {
        self.lock().contains_key(key)
    }

    /// Waits until no notification for the session is running.
    async fn wait_until_ended(&self, key: &SwitchKey) {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            // The end of a notification is not missed from here on.
            ended.as_mut().enable();
            if !self.is_running(key) {
                return;
            }
            ended.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SwitchKey, usize>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SwitchGuard<'_> {
    fn drop(&mut self) {
        let mut running = self.switching.lock();
        let left = running.get_mut(&self.key).map(|count| {
            *count -= 1;
            *count
        });
        if left == Some(0) {
            running.remove(&self.key);
        }
        drop(running);
        self.switching.ended.notify_waiters();
    }
}

impl Services {
    /// Runs `write` in a transaction, and notifies observe hooks of its facts. Nothing else is
    /// written to the session until the hooks with `delivery: "sync"` have returned.
    pub(super) fn write_switch<T, E>(
        &self,
        session: &Arc<str>,
        write: impl FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.await_switch(Some(session));
        let set = self.hook_set(Some(session), &[])?;
        let mut observers = set.hooks_of_kind(Point::SessionSwitch, HookKind::Observe);
        let has_sync = observers.any(|hook| hook.delivery == DeliveryMode::Sync);
        let key = (Arc::clone(&self.caller().tenant), Arc::clone(session));
        let _notifying = has_sync.then(|| self.inner.switching.begin(key));
        self.write_and_observe(Some(session), write)
    }

    /// Waits while hooks are notified that the session was switched to. A request that came from
    /// such a hook does not wait, since the hook waits for it: its hops are not zero.
    pub(super) fn await_switch(&self, session: Option<&Arc<str>>) {
        let (Some(session), Some(seat), 0) = (session, self.seat(), self.hops()) else { return };
        let key = (Arc::clone(&self.caller().tenant), Arc::clone(session));
        if self.inner.switching.is_running(&key) {
            // Not longer than hooks may take.
            let end = Instant::now() + MAX_ROUND_TIME.saturating_add(Duration::from_secs(1));
            let ended = self.inner.switching.wait_until_ended(&key);
            let _ = seat.wait(Some(end), tokio::time::timeout_at(end.into(), ended));
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn what_waits_goes_on_when_the_last_one_has_ended() {
        let switching = SessionSwitches::default();
        let key: SwitchKey = ("t".into(), "s".into());
        assert!(switching.wait_until_ended(&key).now_or_never().is_some());
        let (first, second) = (switching.begin(key.clone()), switching.begin(key.clone()));
        let mut ended = Box::pin(switching.wait_until_ended(&key));
        assert!((&mut ended).now_or_never().is_none());
        drop(first);
        assert!((&mut ended).now_or_never().is_none());
        assert!(switching.wait_until_ended(&("t".into(), "other".into())).now_or_never().is_some());
        drop(second);
        ended.await;
        assert!(switching.lock().is_empty());
    }
}
