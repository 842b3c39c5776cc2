//! Places for open event streams: so many on a node, and a share of them for a tenant and a key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::problem::{Kind, Problem};
use crate::domain::{Holder, Principal};

/// Event streams that may be open at once.
const MAX_STREAMS: usize = 4_096;
/// Event streams that one key may have open; without keys, one tenant.
const MAX_STREAMS_PER_CALLER: usize = 256;
/// Streams that a tenant may have open for each place that is free: some stay free, however many keys
/// a tenant has.
const TENANT_STREAMS_PER_FREE_PLACE: usize = 3;

/// Counts the open streams of a node. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamPlaces {
    taken: Arc<Mutex<TakenPlaces>>,
}

/// Open streams, of keys and of tenants.
#[derive(Debug, Default)]
struct TakenPlaces {
    all: usize,
    by_holder: HashMap<Holder, usize>,
}

impl TakenPlaces {
    fn count(&self, holder: &Holder) -> usize {
        self.by_holder.get(holder).copied().unwrap_or_default()
    }

    fn give_back(&mut self, holder: &Holder) {
        if let Some(own) = self.by_holder.get_mut(holder) {
            *own -= 1;
            if *own == 0 {
                self.by_holder.remove(holder);
            }
        }
    }
}

/// The place of one open stream, given back on drop.
#[derive(Debug)]
pub(super) struct StreamPlace {
    places: StreamPlaces,
    caller: Holder,
    tenant: Holder,
}

impl StreamPlaces {
    /// Takes a place for a stream of `caller`.
    pub(super) fn take(&self, caller: &Principal) -> Result<StreamPlace, Problem> {
        let tenant = Holder::tenant_of(caller);
        let caller = Holder::caller(caller);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let free = MAX_STREAMS.saturating_sub(taken.all);
        let is_full = taken.count(&caller) >= MAX_STREAMS_PER_CALLER
            || taken.count(&tenant) >= TENANT_STREAMS_PER_FREE_PLACE * free;
        if is_full {
            return Err(Problem::with_detail(Kind::Overloaded, "too many open streams"));
        }
        taken.all += 1;
        *taken.by_holder.entry(tenant.clone()).or_default() += 1;
        // Without keys, the caller is the tenant.
        if caller != tenant {
            *taken.by_holder.entry(caller.clone()).or_default() += 1;
        }
        Ok(StreamPlace { places: self.clone(), caller, tenant })
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all -= 1;
        taken.give_back(&self.tenant);
        if self.caller != self.tenant {
            taken.give_back(&self.caller);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_and_a_tenant_have_a_share_of_the_streams() {
        let places = StreamPlaces::default();
        let open = |tenant: &str, key: Option<String>| {
            let caller = Principal {
                key: key.map(Into::into),
                ..Principal::of_tenant(tenant.to_owned().into())
            };
            let open: Vec<_> = std::iter::repeat_with(|| places.take(&caller))
                .map_while(Result::ok)
                .take(MAX_STREAMS)
                .collect();
            open
        };
        let first = open("first", None);
        assert_eq!(first.len(), MAX_STREAMS_PER_CALLER);
        // A tenant with many keys leaves a quarter of what was free.
        let keys: Vec<_> = (0..100).map(|nth| open("many", Some(nth.to_string()))).collect();
        let many = keys.iter().map(Vec::len).sum::<usize>();
        assert_eq!(many, (MAX_STREAMS - MAX_STREAMS_PER_CALLER) / 4 * 3);
        assert_eq!(open("late", None).len(), MAX_STREAMS_PER_CALLER);
        drop((first, keys));
        let taken = places.taken.lock().unwrap();
        assert!(taken.all == 0 && taken.by_holder.is_empty());
    }
}
