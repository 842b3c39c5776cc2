//! What the server calls in the background, and what it must know of the store to stop.

use tokio_util::sync::CancellationToken;

use super::{Services, StoreCondition, StoreError, hooks, memory, sessions};
use crate::domain::TokenizerName;

impl Services {
    /// Stores what was counted. Takes the thread; the server calls it in the background.
    pub fn flush_usage(&self) -> Result<(), StoreError> {
        self.inner.meter.flush(&self.inner.store)
    }

    /// Whether the store can be written, as the last write found it.
    pub fn condition(&self) -> StoreCondition {
        self.inner.store.condition()
    }

    /// Tries the store where it could not be written. Takes the thread; the server calls it in the
    /// background.
    pub fn probe(&self) {
        if self.condition() != StoreCondition::Good
            && let Err(error) = self.inner.store.probe()
        {
            tracing::debug!(%error, "the store still cannot be written");
        }
    }

    /// Whether other servers may use the store, too.
    pub fn is_shared(&self) -> bool {
        self.inner.store.is_shared()
    }

    /// Hands what other servers told to those who read it here. Takes the thread; the server calls
    /// it in the background.
    pub fn follow(&self) {
        if let Err(error) = self.inner.store.follow() {
            tracing::debug!(%error, "what other nodes told is not known");
        }
    }

    /// Has `call` called when the store's disk did not keep what was handed to it.
    pub fn on_store_lost(&self, call: impl FnOnce() + Send + 'static) {
        self.inner.store.on_lost(call);
    }

    /// Cancelled when the store is closed: when no clone of these services is left.
    pub fn store_closed(&self) -> CancellationToken {
        self.inner.store.closed()
    }

    /// Loads what the first request would otherwise wait for, or miss where the store is gone by
    /// then: the hooks, and the token dictionary that most models need. Takes the thread; the server
    /// calls it in the background once it listens.
    pub fn warm(&self) {
        if let Err(error) = self.hook_set(None, &[]) {
            tracing::debug!(%error, "the hooks are not known yet");
        }
        self.inner.pipeline.counter.warm(TokenizerName::O200kBase);
    }

    /// Removes from the store what is too old or too much. Takes the thread; the server calls it
    /// in the background.
    pub fn clean(&self) -> Result<(), StoreError> {
        for tenant in self.inner.store.tenants()? {
            let services = self.for_tenant(&tenant.into());
            memory::expire_all(&services)?;
            sessions::expire_all(&services)?;
            hooks::forget_gone(&services)?;
            hooks::seal_urls(&services)?;
        }
        self.inner.store.clean()
    }
}
