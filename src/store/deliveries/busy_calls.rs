//! Counts the calls that a process has under way, by hook and tenant.

use std::collections::HashMap;
use std::sync::Arc;

use super::{ClaimedDelivery, HookKey};

/// Calls under way. Cheap to copy: they are few.
#[derive(Debug, Clone, Default)]
pub struct BusyCalls {
    hooks: HashMap<HookKey, usize>,
    tenants: HashMap<Arc<str>, TenantCalls>,
    all: TenantCalls,
}

/// Calls of a tenant, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TenantCalls {
    pub calls: usize,
    /// Retries among them, and calls of hooks that fail.
    pub retries: usize,
}

impl BusyCalls {
    /// Notes that a call begins.
    pub fn begin(&mut self, call: &ClaimedDelivery) {
        *self.hooks.entry(call.hook_key()).or_default() += 1;
        let tenant = self.tenants.entry(Arc::clone(&call.tenant)).or_default();
        for count in [tenant, &mut self.all] {
            count.calls += 1;
            count.retries += usize::from(call.is_retry());
        }
    }

    /// Notes that a call has ended.
    pub fn end(&mut self, call: &ClaimedDelivery) {
        let key = call.hook_key();
        if let Some(calls) = self.hooks.get_mut(&key) {
            *calls = calls.saturating_sub(1);
            if *calls == 0 {
                self.hooks.remove(&key);
            }
        }
        let retry = usize::from(call.is_retry());
        self.all.calls = self.all.calls.saturating_sub(1);
        self.all.retries = self.all.retries.saturating_sub(retry);
        if let Some(tenant) = self.tenants.get_mut(&call.tenant) {
            tenant.calls = tenant.calls.saturating_sub(1);
            tenant.retries = tenant.retries.saturating_sub(retry);
            if tenant.calls == 0 {
                self.tenants.remove(&call.tenant);
            }
        }
    }

    pub fn all(&self) -> TenantCalls {
        self.all
    }

    pub fn of_tenant(&self, tenant: &str) -> TenantCalls {
        self.tenants.get(tenant).copied().unwrap_or_default()
    }

    /// The calls of a tenant by hook.
    pub(super) fn hooks_of(&self, tenant: &str) -> HashMap<Arc<str>, usize> {
        let of_tenant = self.hooks.iter().filter(|((owner, _), _)| **owner == *tenant);
        of_tenant.map(|((_, hook), calls)| (Arc::clone(hook), *calls)).collect()
    }
}
