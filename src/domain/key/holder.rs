//! Who holds what the requests of a node share.

use std::sync::Arc;

use super::Principal;

/// A tenant, or a key of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Holder {
    tenant: Arc<str>,
    /// None for the tenant as a whole.
    key: Option<Arc<str>>,
}

impl Holder {
    /// The tenant of a caller.
    pub fn tenant_of(caller: &Principal) -> Self {
        Self { tenant: Arc::clone(&caller.tenant), key: None }
    }

    /// The key of a caller, or its tenant if it has none.
    pub fn caller(caller: &Principal) -> Self {
        Self { key: caller.key.clone(), ..Self::tenant_of(caller) }
    }
}
