//! Counts usage in memory, and adds it to the store every few seconds.
//!
//! Counts since the last write are lost if the process is killed.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Services, StoreError};
use crate::domain::{Day, Principal, QuotaUse};
use crate::store::Store;
pub use crate::store::{UsageCursor, UsageFilter, UsageRow};

/// The tenant, day, key and model of a count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct UsageKey {
    tenant: Arc<str>,
    day: Day,
    key: Arc<str>,
    model: Arc<str>,
}

#[derive(Debug, Clone, Copy, Default)]
struct UsageCounts {
    requests: u64,
    tokens_before: u64,
    tokens_after: u64,
}

impl UsageCounts {
    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.tokens_before = self.tokens_before.saturating_add(other.tokens_before);
        self.tokens_after = self.tokens_after.saturating_add(other.tokens_after);
    }
}

/// Counts usage until it is stored.
#[derive(Debug, Default)]
pub(super) struct UsageMeter {
    pending: Mutex<BTreeMap<UsageKey, UsageCounts>>,
    /// Tokens of the day by key, of keys that have a limit.
    today: Mutex<HashMap<Arc<str>, (Day, u64)>>,
    /// Locked while counts are moved from memory to the store.
    moving: Mutex<()>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl UsageMeter {
    fn count(&self, slot: UsageKey, used: UsageCounts) {
        if let Some((day, tokens)) = lock(&self.today).get_mut(&slot.key)
            && *day == slot.day
        {
            *tokens = tokens.saturating_add(used.tokens_before);
        }
        lock(&self.pending).entry(slot).or_default().add(used);
    }

    /// Tokens of today's requests with a key; none if the stored count was not read yet.
    pub(super) fn tokens_today(&self, key: &str, today: Day) -> Option<u64> {
        lock(&self.today).get(key).filter(|(day, _)| *day == today).map(|(_, tokens)| *tokens)
    }

    /// Reads the stored count of a key's day, from which [`Self::tokens_today`] goes on.
    pub(super) fn begin_day(
        &self,
        store: &Store,
        principal: &Principal,
        today: Day,
    ) -> Result<(), StoreError> {
        let Some(key) = &principal.key else { return Ok(()) };
        let _still = lock(&self.moving);
        let tenant = store.tenant(&principal.tenant);
        let stored = tenant.read(|tx| tx.tokens_of_day(key, today))?;
        let mut counts = lock(&self.today);
        let pending = lock(&self.pending);
        let waiting = pending.iter().filter(|(slot, _)| slot.key == *key && slot.day == today);
        let waiting: u64 = waiting.map(|(_, used)| used.tokens_before).sum();
        counts
            .entry(Arc::clone(key))
            .and_modify(|(day, tokens)| {
                if *day != today {
                    (*day, *tokens) = (today, stored.saturating_add(waiting));
                }
            })
            .or_insert((today, stored.saturating_add(waiting)));
        Ok(())
    }

    /// Adds the counts to the store; keeps them in memory if that fails.
    pub(super) fn flush(&self, store: &Store) -> Result<(), StoreError> {
        let _alone = lock(&self.moving);
        let mut counted = std::mem::take(&mut *lock(&self.pending));
        while let Some((first, _)) = counted.first_key_value() {
            let tenant = Arc::clone(&first.tenant);
            let others = counted.iter().find(|(slot, _)| slot.tenant != tenant);
            let rest = match others.map(|(slot, _)| slot.clone()) {
                Some(next) => counted.split_off(&next),
                None => BTreeMap::new(),
            };
            let rows: Vec<UsageRow> = counted.iter().map(|(slot, used)| row(slot, *used)).collect();
            let done = store
                .tenant(&tenant)
                .write(move |tx| rows.iter().try_for_each(|row| tx.add_usage(row)));
            if let Err(error) = done {
                let mut pending = lock(&self.pending);
                for (slot, used) in counted.into_iter().chain(rest) {
                    pending.entry(slot).or_default().add(used);
                }
                return Err(error);
            }
            counted = rest;
        }
        Ok(())
    }
}

fn row(slot: &UsageKey, used: UsageCounts) -> UsageRow {
    UsageRow {
        day: slot.day,
        key: (*slot.key).to_owned(),
        model: (*slot.model).to_owned(),
        requests: used.requests,
        tokens_before: used.tokens_before,
        tokens_after: used.tokens_after,
    }
}

/// Counts a compile or a compression for its caller. A model that is not in the table is `other`,
/// so that callers cannot create rows without end.
pub(super) fn count(services: &Services, model: &str, tokens_before: u64, tokens_after: u64) {
    let model = match services.models().find(model) {
        Some(known) => Arc::from(&*known.name),
        None if model.is_empty() => Arc::from(""),
        None => Arc::from("other"),
    };
    let caller = services.caller();
    let slot = UsageKey {
        tenant: Arc::clone(&caller.tenant),
        day: Day::new(services.inner.store.now()),
        key: caller.key.clone().unwrap_or_default(),
        model,
    };
    services.inner.meter.count(slot, UsageCounts { requests: 1, tokens_before, tokens_after });
}

/// Lists at most `limit` rows of a tenant by day, key and model: the first rows, or those after
/// `after`. Stores the current counts first, if the store can be written.
pub fn list(
    services: &Services,
    filter: &UsageFilter,
    after: Option<&UsageCursor>,
    limit: usize,
) -> Result<Vec<UsageRow>, StoreError> {
    if let Err(error) = services.inner.meter.flush(&services.inner.store) {
        tracing::warn!(%error, "usage could not be stored");
    }
    services.tenant().read(|tx| tx.list_usage(filter, after, limit))
}

/// The use of each quota of the tenant.
pub fn quotas(services: &Services) -> Result<Vec<QuotaUse>, StoreError> {
    services.tenant().read(|tx| tx.quota_uses())
}
