//! The memory for requests, shared among callers: for bodies, for what use cases read and make, and
//! for responses that clients have not read yet.
//!
//! A tenant may hold at most three times as much as is free, and a key at most twice as much as is
//! free. So one tenant gets three quarters of the memory and two get three sevenths each, one key
//! gets two thirds, and some memory always stays free for callers that hold nothing. (The rule is
//! that of dynamic thresholds in shared packet buffers, Choudhury and Hahne 1998.)
//!
//! Small requests that find no room there have some memory of their own, shared by the same rule.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::{Holder, Principal};

/// Memory for requests of any size.
const MAX_COMMON_BYTES: usize = 256 << 20;
/// Memory for small requests that find no room in the common memory.
const MAX_SMALL_BYTES: usize = 32 << 20;
/// Bytes of the largest request that counts as small.
const MAX_SMALL_PERMIT_BYTES: usize = 1 << 20;
/// The memory that a request needs from when its body is whole until its response is made, as a
/// multiple of the body's bytes.
const WORK_BYTES_PER_BODY_BYTE: usize = 6;
/// Bytes that a tenant may hold for each byte that is free.
const MAX_TENANT_BYTES_PER_FREE_BYTE: usize = 3;
/// Bytes that a key may hold for each byte that is free.
const MAX_KEY_BYTES_PER_FREE_BYTE: usize = 2;

/// The caller's share of the memory for requests, or all of that memory, is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many bytes in flight")]
pub struct MemoryTaken;

/// The memory that all requests of a node share. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RequestMemory {
    accounts: Arc<Mutex<MemoryAccounts>>,
}

#[derive(Debug)]
struct MemoryAccounts {
    common: MemoryAccount,
    small: MemoryAccount,
}

#[derive(Debug)]
struct MemoryAccount {
    capacity_bytes: usize,
    held_bytes: usize,
    by_holder: HashMap<Holder, usize>,
}

/// The memory that is reserved for one request; released with the last clone.
#[derive(Debug, Clone)]
pub struct MemoryPermit(Arc<PermitState>);

#[derive(Debug)]
struct PermitState {
    memory: RequestMemory,
    tenant: Holder,
    /// None if the caller has no key.
    key: Option<Holder>,
    held: Mutex<HeldMemory>,
}

#[derive(Debug, Clone, Copy)]
struct HeldMemory {
    bytes: usize,
    /// Whether they are in the account for small requests.
    is_small: bool,
}

impl Default for RequestMemory {
    fn default() -> Self {
        let accounts = MemoryAccounts {
            common: MemoryAccount::new(MAX_COMMON_BYTES),
            small: MemoryAccount::new(MAX_SMALL_BYTES),
        };
        Self { accounts: Arc::new(Mutex::new(accounts)) }
    }
}

impl RequestMemory {
    /// Starts a permit of a caller, which holds nothing yet.
    pub fn permit(&self, caller: &Principal) -> MemoryPermit {
        let tenant = Holder::tenant_of(caller);
        let key = caller.key.is_some().then(|| Holder::caller(caller));
        let held = Mutex::new(HeldMemory { bytes: 0, is_small: false });
        MemoryPermit(Arc::new(PermitState { memory: self.clone(), tenant, key, held }))
    }

    fn lock(&self) -> MutexGuard<'_, MemoryAccounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryAccounts {
    fn account_mut(&mut self, is_small: bool) -> &mut MemoryAccount {
        if is_small { &mut self.small } else { &mut self.common }
    }
}

impl MemoryAccount {
    fn new(capacity_bytes: usize) -> Self {
        Self { capacity_bytes, held_bytes: 0, by_holder: HashMap::new() }
    }

    /// The most that one permit may hold: what the only tenant may.
    fn largest_permit(&self) -> usize {
        self.capacity_bytes / (MAX_TENANT_BYTES_PER_FREE_BYTE + 1) * MAX_TENANT_BYTES_PER_FREE_BYTE
    }

    /// Checks whether a permit that holds `permit_bytes` of this account may take `more`.
    fn admits(&self, permit: &PermitState, permit_bytes: usize, more: usize) -> bool {
        let free = self.capacity_bytes.saturating_sub(self.held_bytes);
        let may = |holder: &Holder, share: usize| {
            let held = self.by_holder.get(holder).copied().unwrap_or_default();
            // The only permit of a holder may take more than its share, so that a large body is
            // served on an idle node.
            (held == permit_bytes && held + more <= self.largest_permit())
                || held + more <= (free - more).saturating_mul(share)
        };
        more <= free
            && may(&permit.tenant, MAX_TENANT_BYTES_PER_FREE_BYTE)
            && permit.key.as_ref().is_none_or(|key| may(key, MAX_KEY_BYTES_PER_FREE_BYTE))
    }

    fn add(&mut self, permit: &PermitState, bytes: usize) {
        self.held_bytes += bytes;
        for holder in permit.holders() {
            if let Some(held) = self.by_holder.get_mut(holder) {
                *held += bytes;
            } else {
                self.by_holder.insert(holder.clone(), bytes);
            }
        }
    }

    fn remove(&mut self, permit: &PermitState, bytes: usize) {
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

impl PermitState {
    fn holders(&self) -> impl Iterator<Item = &Holder> {
        std::iter::once(&self.tenant).chain(&self.key)
    }

    fn held(&self) -> MutexGuard<'_, HeldMemory> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn grow(&self, held: &mut HeldMemory, bytes: usize) -> Result<(), MemoryTaken> {
        let mut accounts = self.memory.lock();
        // The sizes of bodies and responses are limited elsewhere.
        let wanted = bytes.min(accounts.common.largest_permit());
        let Some(more) = wanted.checked_sub(held.bytes).filter(|more| *more > 0) else {
            return Ok(());
        };
        let account = accounts.account_mut(held.is_small);
        let is_too_large = held.is_small && wanted > MAX_SMALL_PERMIT_BYTES;
        if !is_too_large && account.admits(self, held.bytes, more) {
            account.add(self, more);
            held.bytes = wanted;
            return Ok(());
        }
        let is_small = !held.is_small;
        let may_move = !is_small || wanted <= MAX_SMALL_PERMIT_BYTES;
        if !may_move || !accounts.account_mut(is_small).admits(self, 0, wanted) {
            return Err(MemoryTaken);
        }
        accounts.account_mut(is_small).add(self, wanted);
        accounts.account_mut(held.is_small).remove(self, held.bytes);
        *held = HeldMemory { bytes: wanted, is_small };
        Ok(())
    }
}

impl MemoryPermit {
    /// Lets the permit hold at least `bytes`. Fails at once if the caller's share, or the memory,
    /// does not have them.
    pub fn grow_to(&self, bytes: usize) -> Result<(), MemoryTaken> {
        let mut held = self.0.held();
        self.0.grow(&mut held, bytes)
    }

    /// Lets the permit hold `more` bytes than it does; otherwise like [`Self::grow_to`].
    pub fn grow_by(&self, more: usize) -> Result<(), MemoryTaken> {
        let mut held = self.0.held();
        let bytes = held.bytes.saturating_add(more);
        self.0.grow(&mut held, bytes)
    }

    /// Reserves the memory for work on `bytes` of a body that has arrived, or of stored text.
    pub fn grow_to_work(&self, bytes: usize) -> Result<(), MemoryTaken> {
        self.grow_to(bytes.saturating_mul(WORK_BYTES_PER_BODY_BYTE))
    }

    /// Lets the permit hold the `bytes` of a response that has been made, even if there is no
    /// memory for them: the effects of its request are stored, so it must not fail any more. The
    /// next requests are refused instead. Memory for work is released unless a job still runs,
    /// which happens after the end of its request.
    pub fn settle(&self, bytes: usize) {
        let permit = &*self.0;
        let is_last = Arc::strong_count(&self.0) == 1;
        let mut held = permit.held();
        let mut accounts = permit.memory.lock();
        let account = accounts.account_mut(held.is_small);
        if let Some(more) = bytes.checked_sub(held.bytes) {
            account.add(permit, more);
            held.bytes = bytes;
        } else if is_last {
            account.remove(permit, held.bytes - bytes);
            held.bytes = bytes;
        }
    }
}

impl Drop for PermitState {
    fn drop(&mut self) {
        let HeldMemory { bytes, is_small } = *self.held();
        if bytes > 0 {
            self.memory.clone().lock().account_mut(is_small).remove(self, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn caller(tenant: &str, key: Option<&str>) -> Principal {
        Principal { key: key.map(Arc::from), ..Principal::of_tenant(tenant.into()) }
    }

    fn held(memory: &RequestMemory) -> usize {
        memory.lock().common.held_bytes
    }

    fn held_by_small(memory: &RequestMemory) -> usize {
        memory.lock().small.held_bytes
    }

    /// Permits of 2 MiB, as many as the caller gets.
    fn fill(memory: &RequestMemory, caller: &Principal) -> Vec<MemoryPermit> {
        std::iter::repeat_with(|| memory.permit(caller))
            .map_while(|permit| permit.grow_to(2 * MIB).is_ok().then_some(permit))
            .collect()
    }

    #[test]
    fn a_body_takes_what_has_arrived_and_its_work_once_it_is_whole() {
        let memory = RequestMemory::default();
        let permit = memory.permit(&caller("a", None));
        permit.grow_to(16 * MIB).unwrap();
        assert_eq!(held(&memory), 16 * MIB);
        permit.grow_to_work(16 * MIB).unwrap();
        assert_eq!(held(&memory), 96 * MIB);
        drop(permit);
        assert_eq!(held(&memory), 0);
        assert!(memory.lock().common.by_holder.is_empty());
    }

    #[test]
    fn one_body_alone_always_passes_and_leaves_a_quarter() {
        let memory = RequestMemory::default();
        let permit = memory.permit(&caller("a", Some("k")));
        permit.grow_to_work(usize::MAX).unwrap();
        assert_eq!(held(&memory), 192 * MIB);
    }

    /// However many bodies a key or tenant begins, another finds room.
    #[test]
    fn a_caller_cannot_take_what_others_need() {
        let memory = RequestMemory::default();
        let one_key = fill(&memory, &caller("a", Some("1")));
        assert_eq!(one_key.len(), 85);
        let same_tenant = fill(&memory, &caller("a", Some("2")));
        assert_eq!(one_key.len() + same_tenant.len(), 96);
        assert!(memory.permit(&caller("a", Some("1"))).grow_to(2 * MIB).is_err());
        let other = fill(&memory, &caller("b", None));
        assert_eq!(other.len(), 24);
        memory.permit(&caller("c", None)).grow_to(10 * MIB).unwrap();
        drop(one_key);
        memory.permit(&caller("a", Some("1"))).grow_to(60 * MIB).unwrap();
    }

    #[test]
    fn a_small_request_finds_room_beside_large_ones() {
        let memory = RequestMemory::default();
        let large = fill(&memory, &caller("a", None));
        assert_eq!(large.len(), 96);
        let forced = memory.permit(&caller("a", None));
        forced.settle(200 * MIB);
        let small: Vec<MemoryPermit> = ["a", "b"]
            .map(|tenant| {
                let permit = memory.permit(&caller(tenant, None));
                permit.grow_to(MIB).unwrap();
                assert_eq!(permit.grow_to(MIB + 1), Err(MemoryTaken));
                permit
            })
            .into();
        assert_eq!(held_by_small(&memory), 2 * MIB);
        // With room in the common memory, it moves there as it grows.
        drop((large, forced));
        small[0].grow_to(2 * MIB).unwrap();
        assert_eq!((held_by_small(&memory), held(&memory)), (MIB, 2 * MIB));
        drop(small);
        assert_eq!((held_by_small(&memory), held(&memory)), (0, 0));
    }

    #[test]
    fn a_response_that_must_not_fail_is_counted_beyond_the_memory() {
        let memory = RequestMemory::default();
        let permit = memory.permit(&caller("a", None));
        permit.settle(300 * MIB);
        assert!(memory.permit(&caller("b", None)).grow_to(2 * MIB).is_err());
        drop(permit);
        memory.permit(&caller("b", None)).grow_to(2 * MIB).unwrap();
    }

    #[test]
    fn a_response_gives_the_memory_for_work_back_unless_a_job_still_runs() {
        let memory = RequestMemory::default();
        let permit = memory.permit(&caller("a", None));
        let job = permit.clone();
        permit.grow_to_work(MIB).unwrap();
        permit.settle(100);
        assert_eq!(held(&memory), 6 * MIB);
        drop(job);
        permit.settle(100);
        assert_eq!(held(&memory), 100);
    }
}
