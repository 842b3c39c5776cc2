//! A delivery that one process has claimed.

use std::sync::Arc;

use crate::domain::Timestamp;

/// The tenant and the id of a hook.
pub type HookKey = (Arc<str>, Arc<str>);

/// A claimed delivery, to be made now.
#[derive(Debug, Clone)]
pub struct ClaimedDelivery {
    pub tenant: Arc<str>,
    pub id: Arc<str>,
    pub hook: Arc<str>,
    pub point: Arc<str>,
    pub session_id: Option<Arc<str>>,
    pub compilation_id: Option<Arc<str>>,
    pub agent: Option<Arc<str>>,
    pub turn: Option<u64>,
    pub hops: u8,
    pub occurrence: u32,
    /// JSON text.
    pub input: Arc<str>,
    /// Attempts that were made before.
    pub attempts: u32,
    /// Attempts since it was last queued.
    pub tries: u32,
    pub created_at: Timestamp,
    pub(super) fence: u64,
    /// Whether the call tries if a failing hook works again.
    pub(super) is_probe: bool,
}

impl ClaimedDelivery {
    pub fn hook_key(&self) -> HookKey {
        (Arc::clone(&self.tenant), Arc::clone(&self.hook))
    }

    /// Whether it counts as a retry: the call was tried before, or its hook fails.
    pub fn is_retry(&self) -> bool {
        self.tries > 0 || self.is_probe
    }
}
