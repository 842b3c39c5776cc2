//! The memory for request bodies and for responses that clients have not read yet, shared among
//! callers.
//!
//! A tenant may hold at most three times as much as is free, and a key at most twice as much as is
//! free. So one tenant gets three quarters of the memory and two get three sevenths each, one key
//! gets two thirds, and some memory always stays free for callers that hold nothing. (The rule is
//! that of dynamic thresholds in shared packet buffers, Choudhury and Hahne 1998.)

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::holder::Holder;
use super::problem::{Kind, Problem};
use crate::domain::Principal;

/// Memory for bodies and responses of all requests of this node.
const MAX_MEMORY_BYTES: usize = 256 << 20;
/// The memory that a request needs from when its body is whole until its response is made, as a
/// multiple of the body's bytes.
const WORK_BYTES_PER_BODY_BYTE: usize = 6;
/// Bytes that a tenant may hold for each byte that is free.
const MAX_TENANT_BYTES_PER_FREE_BYTE: usize = 3;
/// Bytes that a key may hold for each byte that is free.
const MAX_KEY_BYTES_PER_FREE_BYTE: usize = 2;

/// The memory that all requests of a node share. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct BodyMemory {
    accounts: Arc<Mutex<MemoryAccounts>>,
}

#[derive(Debug, Default)]
struct MemoryAccounts {
    held_bytes: usize,
    by_holder: HashMap<Holder, usize>,
}

/// The memory that is reserved for one request or response; released on drop.
#[derive(Debug)]
pub(super) struct MemoryPermit {
    memory: BodyMemory,
    tenant: Holder,
    /// None if the caller has no key.
    key: Option<Holder>,
    held_bytes: usize,
}

impl BodyMemory {
    /// Starts a permit of a caller, which holds nothing yet.
    pub(super) fn permit(&self, caller: &Principal) -> MemoryPermit {
        let tenant = Holder::tenant_of(caller);
        let key = caller.key.is_some().then(|| Holder::caller(caller));
        MemoryPermit { memory: self.clone(), tenant, key, held_bytes: 0 }
    }

    fn lock(&self) -> MutexGuard<'_, MemoryAccounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryAccounts {
    /// Checks whether a holder may take `more` bytes. A permit that is the only one of its holder
    /// may take all that is free, so that a large body is served on an idle node.
    fn admits(&self, holder: &Holder, permit_bytes: usize, more: usize, share: usize) -> bool {
        let free = MAX_MEMORY_BYTES.saturating_sub(self.held_bytes);
        let held = self.by_holder.get(holder).copied().unwrap_or_default();
        let left = free.saturating_sub(more);
        more <= free && (held == permit_bytes || held + more <= left.saturating_mul(share))
    }

    fn add(&mut self, permit: &MemoryPermit, bytes: usize) {
        self.held_bytes += bytes;
        for holder in permit.holders() {
            *self.by_holder.entry(holder.clone()).or_default() += bytes;
        }
    }

    fn remove(&mut self, permit: &MemoryPermit, bytes: usize) {
        self.held_bytes = self.held_bytes.saturating_sub(bytes);
        for holder in permit.holders() {
            if let Some(held) = self.by_holder.get_mut(holder) {
                *held = held.saturating_sub(bytes);
                if *held == 0 {
                    self.by_holder.remove(holder);
                }
            }
        }
    }
}

impl MemoryPermit {
    /// Reserves memory for `bytes` of a body that is still arriving, or of a response. Fails at
    /// once if the caller's share, or the memory, does not have them.
    pub(super) fn grow_to(&mut self, bytes: usize) -> Result<(), Problem> {
        // The sizes of bodies and responses are limited elsewhere.
        let wanted = bytes.min(MAX_MEMORY_BYTES);
        let more = wanted.saturating_sub(self.held_bytes);
        if more == 0 {
            return Ok(());
        }
        let memory = self.memory.clone();
        let mut accounts = memory.lock();
        let may = |holder: &Holder, share| accounts.admits(holder, self.held_bytes, more, share);
        let is_admitted = may(&self.tenant, MAX_TENANT_BYTES_PER_FREE_BYTE)
            && self.key.as_ref().is_none_or(|key| may(key, MAX_KEY_BYTES_PER_FREE_BYTE));
        if !is_admitted {
            return Err(Problem::with_detail(Kind::Overloaded, "too many bytes in flight"));
        }
        accounts.add(self, more);
        self.held_bytes = wanted;
        Ok(())
    }

    /// Reserves the memory for work on a body of `bytes` that has arrived.
    pub(super) fn grow_to_work(&mut self, bytes: usize) -> Result<(), Problem> {
        self.grow_to(bytes.saturating_mul(WORK_BYTES_PER_BODY_BYTE))
    }

    /// Counts `bytes` even if there is no memory for them: for a response to a request whose
    /// effects are stored, which must not fail any more. The next requests are refused instead.
    pub(super) fn force_to(&mut self, bytes: usize) {
        let more = bytes.saturating_sub(self.held_bytes);
        self.memory.clone().lock().add(self, more);
        self.held_bytes += more;
    }

    fn holders(&self) -> impl Iterator<Item = &Holder> {
        std::iter::once(&self.tenant).chain(&self.key)
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        self.memory.clone().lock().remove(self, self.held_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn caller(tenant: &str, key: Option<&str>) -> Principal {
        Principal { key: key.map(Arc::from), ..Principal::of_tenant(tenant.into()) }
    }

    #[test]
    fn a_body_takes_what_has_arrived_and_its_work_once_it_is_whole() {
        let memory = BodyMemory::default();
        let mut permit = memory.permit(&caller("a", None));
        permit.grow_to(16 * MIB).unwrap();
        assert_eq!(memory.lock().held_bytes, 16 * MIB);
        permit.grow_to_work(16 * MIB).unwrap();
        assert_eq!(memory.lock().held_bytes, 96 * MIB);
        drop(permit);
        assert_eq!(memory.lock().held_bytes, 0);
        assert!(memory.lock().by_holder.is_empty());
    }

    #[test]
    fn one_body_alone_always_passes() {
        let memory = BodyMemory::default();
        memory.permit(&caller("a", Some("k"))).grow_to_work(usize::MAX).unwrap();
    }

    /// However many bodies a key or tenant begins, another finds room.
    #[test]
    fn a_caller_cannot_take_what_others_need() {
        let memory = BodyMemory::default();
        let fill = |caller: &Principal| {
            let permits: Vec<MemoryPermit> = std::iter::repeat_with(|| memory.permit(caller))
                .map_while(|mut permit| permit.grow_to(MIB).is_ok().then_some(permit))
                .collect();
            permits
        };
        let one_key = fill(&caller("a", Some("1")));
        assert_eq!(one_key.len(), 170);
        let same_tenant = fill(&caller("a", Some("2")));
        assert_eq!(one_key.len() + same_tenant.len(), 192);
        assert!(memory.permit(&caller("a", Some("1"))).grow_to(MIB).is_err());
        let other = fill(&caller("b", None));
        assert_eq!(other.len(), 48);
        memory.permit(&caller("c", None)).grow_to(10 * MIB).unwrap();
        drop(one_key);
        memory.permit(&caller("a", Some("1"))).grow_to(60 * MIB).unwrap();
    }

    #[test]
    fn a_forced_response_is_counted_beyond_the_memory() {
        let memory = BodyMemory::default();
        let mut permit = memory.permit(&caller("a", None));
        permit.force_to(300 * MIB);
        assert!(memory.permit(&caller("b", None)).grow_to(1).is_err());
        drop(permit);
        memory.permit(&caller("b", None)).grow_to(1).unwrap();
    }
}
