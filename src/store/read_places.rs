//! The places of reads that run at once. Tenants take turns, and one that reads nothing gets an
//! extra place if all are taken.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::{FairPlaces, PlaceLimits, Waiter};

/// Reads beyond the usual number, each of a tenant that has none.
const EXTRA_READS: usize = 4;

/// The places, and the reads that wait for one.
#[derive(Debug)]
pub(super) struct ReadPlaces(Mutex<FairPlaces<WaitingRead>>);

/// A read that waits: its thread is blocked until it gets a place.
#[derive(Debug)]
struct WaitingRead(SyncSender<()>);

impl Waiter for WaitingRead {
    fn is_waiting(&self) -> bool {
        true
    }
}

/// A permit to read, released on drop, also if a read panics.
#[derive(Debug)]
pub(super) struct ReadPermit<'p> {
    places: &'p ReadPlaces,
    tenant: Arc<str>,
}

impl Drop for ReadPermit<'_> {
    fn drop(&mut self) {
        let mut places = self.places.lock();
        places.release(&self.tenant);
        places.end(&self.tenant);
        while let Some(served) = places.serve() {
            // There is room for one message, and no other is sent.
            let _ = served.waiter.0.try_send(());
        }
    }
}

impl ReadPlaces {
    /// Places for so many reads at once, and some in addition.
    pub(super) fn new(reads: usize) -> Self {
        Self(Mutex::new(FairPlaces::new(PlaceLimits::without_away(reads, EXTRA_READS))))
    }

    /// Waits for a place. Reads of no tenant have the empty name.
    pub(super) fn take(&self, tenant: &str) -> ReadPermit<'_> {
        let tenant: Arc<str> = tenant.into();
        let mut places = self.lock();
        if !places.try_begin(&tenant) {
            let (sender, receiver) = sync_channel(1);
            places.wait_to_begin(&tenant, WaitingRead(sender));
            drop(places);
            // The sender is dropped only after it has sent.
            let _ = receiver.recv();
        }
        ReadPermit { places: self, tenant }
    }

    fn lock(&self) -> MutexGuard<'_, FairPlaces<WaitingRead>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_tenant_reads_while_another_has_all_places() {
        let places = ReadPlaces::new(2);
        let (first, second) = (places.take("a"), places.take("a"));
        drop(places.take("b"));
        std::thread::scope(|threads| {
            let (sender, order) = channel();
            for (tenant, count) in [("a", 3), ("b", 1)] {
                for _ in 0..count {
                    let (places, sender) = (&places, sender.clone());
                    threads.spawn(move || {
                        let permit = places.take(tenant);
                        sender.send(tenant).unwrap();
                        drop(permit);
                    });
                }
            }
            assert_eq!(order.recv(), Ok("b"));
            drop((first, second));
            assert_eq!(order.iter().take(3).collect::<String>(), "aaa");
        });
        assert_eq!(places.lock().taken(), 0);
    }
}
