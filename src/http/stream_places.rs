//! Places for open event streams: so many on a node, and so many for one caller.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::holder::Holder;
use super::problem::{Kind, Problem};
use crate::domain::Principal;

/// Event streams that may be open at once.
const MAX_STREAMS: usize = 4_096;
/// Event streams that one key may have open; without keys, one tenant.
const MAX_STREAMS_PER_CALLER: usize = 256;

/// Counts the open streams of a node. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamPlaces {
    taken: Arc<Mutex<HashMap<Holder, usize>>>,
}

/// The place of one open stream, given back on drop.
#[derive(Debug)]
pub(super) struct StreamPlace {
    places: StreamPlaces,
    holder: Holder,
}

impl StreamPlaces {
    /// Takes a place for a stream of `caller`.
    pub(super) fn take(&self, caller: &Principal) -> Result<StreamPlace, Problem> {
        let holder = Holder::caller(caller);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = taken.values().sum();
        let own = taken.entry(holder.clone()).or_default();
        if all >= MAX_STREAMS || *own >= MAX_STREAMS_PER_CALLER {
            if *own == 0 {
                taken.remove(&holder);
            }
            return Err(Problem::with_detail(Kind::Overloaded, "too many open streams"));
        }
        *own += 1;
        Ok(StreamPlace { places: self.clone(), holder })
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.holder) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_has_so_many_streams_and_a_node_too() {
        let places = StreamPlaces::default();
        let open = |tenant: String| {
            let caller = Principal::of_tenant(tenant.into());
            let open: Vec<_> = std::iter::repeat_with(|| places.take(&caller))
                .map_while(Result::ok)
                .take(MAX_STREAMS)
                .collect();
            open
        };
        let first = open("first".to_owned());
        assert_eq!(first.len(), MAX_STREAMS_PER_CALLER);
        let others: Vec<_> = (0..15).map(|nth| open(nth.to_string())).collect();
        assert_eq!(others.iter().map(Vec::len).sum::<usize>(), 15 * MAX_STREAMS_PER_CALLER);
        assert!(open("late".to_owned()).is_empty());
        drop(first);
        assert_eq!(open("late".to_owned()).len(), MAX_STREAMS_PER_CALLER);
        drop(others);
        assert!(places.taken.lock().unwrap().is_empty());
    }
}
