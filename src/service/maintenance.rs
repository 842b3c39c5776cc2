//! Background work of the server, and the state of the store that the server needs to stop.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Services, StoreCondition, StoreError, hooks, memory, sessions};
use crate::store::DueWork;

impl Services {
    /// Stores the usage counts. Blocks the thread; the server calls it in the background.
    pub fn flush_usage(&self) -> Result<(), StoreError> {
        self.inner.meter.flush(&self.inner.store)
    }

    /// Publishes the prefixes of sessions that run out in their providers' caches within `lead`.
    /// Blocks the thread; the server calls it in the background.
    pub fn publish_expiring_caches(&self, lead: Duration) -> Result<(), StoreError> {
        sessions::publish_expiring(self, lead)
    }

    /// Whether the store can be written, as the last write found it.
    pub fn condition(&self) -> StoreCondition {
        self.inner.store.condition()
    }

    /// Tests the store if it could not be written. Blocks the thread; the server calls it in the
    /// background.
    pub fn probe(&self) {
        if self.condition() != StoreCondition::Good
            && let Err(error) = self.inner.store.probe()
        {
            tracing::debug!(%error, "the database still cannot be written, retrying");
        }
    }

    /// Whether other servers may use the store too.
    pub fn is_shared(&self) -> bool {
        self.inner.store.is_shared()
    }

    /// Passes events of other servers to the readers on this one. Blocks the thread; the server
    /// calls it in the background.
    pub fn follow(&self) {
        if let Err(error) = self.inner.store.follow() {
            tracing::debug!(%error, "events of other nodes could not be read");
        }
    }

    /// Calls `call` when the disk of the store has lost data that was written to it.
    pub fn on_store_lost(&self, call: impl FnOnce() + Send + 'static) {
        self.inner.store.on_lost(call);
    }

    /// Cancelled when the store is closed: when no clone of these services is left.
    pub fn store_closed(&self) -> CancellationToken {
        self.inner.store.closed()
    }

    /// Loads the hooks. Otherwise the first request would wait for them, or go without if the store
    /// is unavailable by then. Blocks the thread; the server calls it in the background once it
    /// listens.
    pub fn warm(&self) {
        if let Err(error) = self.hook_set(None, &[]) {
            tracing::debug!(%error, "hooks could not be read from the database, retrying");
        }
    }

    /// Removes expired and excess data from the store. Blocks the thread; the server calls it in
    /// the background.
    pub fn clean(&self) -> Result<(), StoreError> {
        let due = self.inner.store.due_tenants()?;
        for of in &due {
            let services = self.for_tenant(&of.name.as_str().into());
            if of.has(DueWork::Memory) {
                memory::expire_all(&services)?;
            }
            if of.has(DueWork::Sessions) {
                sessions::expire_all(&services)?;
            }
            if of.has(DueWork::Outcomes) {
                hooks::forget_gone(&services)?;
            }
            if of.has(DueWork::Hooks) {
                hooks::seal_urls(&services)?;
            }
        }
        self.inner.store.clean_tenants(&due)
    }
}
