//! Sessions that were just switched to: while observe hooks with `delivery: "sync"` hear of it, what
//! is written to the session waits. It waits on the node that carries the switch out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::{Services, StoreError};
use crate::hook::{DeliveryMode, HookKind, MAX_ROUND_TIME, Point};
use crate::store::Tx;

/// Tenant and session.
type SwitchKey = (Arc<str>, Arc<str>);

/// How often each session is being told of now.
#[derive(Debug, Default)]
pub(super) struct SessionSwitches {
    told: Mutex<BTreeMap<SwitchKey, usize>>,
    ended: Notify,
}

/// A switch that is being told, until this is dropped.
struct SwitchGuard<'s> {
    switching: &'s SessionSwitches,
    of: SwitchKey,
}

impl SessionSwitches {
    fn begin(&self, of: SwitchKey) -> SwitchGuard<'_> {
        *self.lock().entry(of.clone()).or_default() += 1;
        SwitchGuard { switching: self, of }
    }

    fn is_told(&self, of: &SwitchKey) -> bool {
        self.lock().contains_key(of)
    }

    /// Ends when nobody is told of the session.
    async fn ended(&self, of: &SwitchKey) {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            // From here on no end is missed.
            ended.as_mut().enable();
            if !self.is_told(of) {
                return;
            }
            ended.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SwitchKey, usize>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SwitchGuard<'_> {
    fn drop(&mut self) {
        let mut told = self.switching.lock();
        let left = told.get_mut(&self.of).map(|count| {
            *count -= 1;
            *count
        });
        if left == Some(0) {
            told.remove(&self.of);
        }
        drop(told);
        self.switching.ended.notify_waiters();
    }
}

impl Services {
    /// Stores what `write` does, tells of it, and lets nothing else be written to the session until
    /// those who are told at once have heard.
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
        let is_heard = observers.any(|hook| hook.delivery == DeliveryMode::Sync);
        let of = (Arc::clone(&self.caller().tenant), Arc::clone(session));
        let _telling = is_heard.then(|| self.inner.switching.begin(of));
        self.write_and_tell(Some(session), write)
    }

    /// Waits while others are told that the session was switched to. Whoever writes because he is
    /// told waits for nobody: his request names the one that he was called by.
    pub(super) fn await_switch(&self, session: Option<&Arc<str>>) {
        let (Some(session), Some(seat), 0) = (session, self.seat(), self.hops()) else { return };
        let of = (Arc::clone(&self.caller().tenant), Arc::clone(session));
        if self.inner.switching.is_told(&of) {
            // No longer than hooks may take.
            let end = Instant::now() + MAX_ROUND_TIME.saturating_add(Duration::from_secs(1));
            let ended = self.inner.switching.ended(&of);
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
        let of: SwitchKey = ("t".into(), "s".into());
        assert!(switching.ended(&of).now_or_never().is_some());
        let (first, second) = (switching.begin(of.clone()), switching.begin(of.clone()));
        let mut ended = Box::pin(switching.ended(&of));
        assert!((&mut ended).now_or_never().is_none());
        drop(first);
        assert!((&mut ended).now_or_never().is_none());
        assert!(switching.ended(&("t".into(), "other".into())).now_or_never().is_some());
        drop(second);
        ended.await;
        assert!(switching.lock().is_empty());
    }
}
