//! Counts usage in memory, and adds it to the store every few seconds.
//!
//! Counts since the last write are lost if the process is killed.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Services, StoreError};
use crate::domain::{
    CostTotals, Day, DurationBucket, PayloadCost, Principal, QuotaUse, ReportedCost, UsageKey,
};
use crate::pipeline::Report;
use crate::store::Store;
pub use crate::store::{UsageCursor, UsageFilter, UsageRow};

/// Counts in memory beyond which those of further sessions share one row.
const MAX_PENDING_SLOTS: usize = 20_000;

/// The tenant of a count, its row, and the session that it is a share of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct UsageSlot {
    tenant: Arc<str>,
    row: UsageKey,
    session: Option<Arc<str>>,
}

/// The tenant and the day of a compile, and how long it took.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct DurationSlot {
    tenant: Arc<str>,
    day: Day,
    bucket: DurationBucket,
}

#[derive(Debug, Clone, Copy, Default)]
struct UsageCounts {
    requests: u64,
    tokens_before: u64,
    tokens_after: u64,
    unique_saved_tokens: u64,
    cost: CostTotals,
}

impl UsageCounts {
    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.tokens_before = self.tokens_before.saturating_add(other.tokens_before);
        self.tokens_after = self.tokens_after.saturating_add(other.tokens_after);
        self.unique_saved_tokens =
            self.unique_saved_tokens.saturating_add(other.unique_saved_tokens);
        self.cost.add(other.cost);
    }
}

/// A request whose usage is counted.
#[derive(Debug, Clone)]
pub(super) struct CountedRequest<'r> {
    pub(super) model: &'r str,
    pub(super) session: Option<&'r Arc<str>>,
    pub(super) tokens_before: u64,
    pub(super) tokens_after: u64,
    /// Tokens that were left out for the first time.
    pub(super) unique_saved_tokens: u64,
    /// The cost of what is sent, if it is known.
    pub(super) cost: Option<PayloadCost>,
    /// How long a compile took; none for other requests.
    pub(super) duration: Option<Duration>,
}

impl<'r> CountedRequest<'r> {
    /// A request that sends nothing to a provider, by its report.
    pub(super) fn unsent(model: &'r str, report: &Report) -> Self {
        Self {
            model,
            session: None,
            tokens_before: report.tokens_before,
            tokens_after: report.tokens_after,
            unique_saved_tokens: report.unique_saved_tokens,
            cost: None,
            duration: None,
        }
    }
}

/// Counts usage until it is stored.
#[derive(Debug, Default)]
pub(super) struct UsageMeter {
    pending: Mutex<BTreeMap<UsageSlot, UsageCounts>>,
    /// Compiles by how long they took.
    durations: Mutex<BTreeMap<DurationSlot, u64>>,
    /// Tokens of the day by key, of keys that have a limit.
    today: Mutex<HashMap<Arc<str>, (Day, u64)>>,
    /// Locked while counts are moved from memory to the store.
    moving: Mutex<()>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl UsageMeter {
    fn count(&self, slot: UsageSlot, used: UsageCounts) {
        if let Some((day, tokens)) = lock(&self.today).get_mut(&slot.row.key)
            && *day == slot.row.day
        {
            *tokens = tokens.saturating_add(used.tokens_before);
        }
        let mut pending = lock(&self.pending);
        // While the store cannot be written, sessions would take memory without end.
        let is_full = pending.len() >= MAX_PENDING_SLOTS && !pending.contains_key(&slot);
        let slot = if is_full { UsageSlot { session: None, ..slot } } else { slot };
        pending.entry(slot).or_default().add(used);
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
        let waiting =
            pending.iter().filter(|(slot, _)| slot.row.key == *key && slot.row.day == today);
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
            let times = self.take_durations(&tenant);
            let stored = times.clone();
            let done = store.tenant(&tenant).write(move |tx| {
                rows.iter().try_for_each(|row| tx.add_usage(row))?;
                stored.iter().try_for_each(|(slot, requests)| {
                    tx.add_durations(slot.day, slot.bucket, *requests)
                })
            });
            if let Err(error) = done {
                let mut durations = lock(&self.durations);
                for (slot, requests) in times {
                    *durations.entry(slot).or_default() += requests;
                }
                drop(durations);
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

    /// Takes the counted durations of a tenant, whose requests are counted in [`Self::pending`] too.
    fn take_durations(&self, tenant: &Arc<str>) -> BTreeMap<DurationSlot, u64> {
        let mut durations = lock(&self.durations);
        let (own, others) = std::mem::take(&mut *durations)
            .into_iter()
            .partition(|(slot, _)| slot.tenant == *tenant);
        *durations = others;
        own
    }
}

fn row(slot: &UsageSlot, used: UsageCounts) -> UsageRow {
    UsageRow {
        day: slot.row.day,
        hour: slot.row.hour,
        session: slot.session.as_deref().map(str::to_owned),
        key: (*slot.row.key).to_owned(),
        model: (*slot.row.model).to_owned(),
        requests: used.requests,
        tokens_before: used.tokens_before,
        tokens_after: used.tokens_after,
        unique_saved_tokens: used.unique_saved_tokens,
        cost: used.cost,
    }
}

/// The row in which a request of the caller for a model is counted. A model that is not in the table
/// is `other`, so that callers cannot create rows without end.
pub(super) fn row_of(services: &Services, model: &str) -> UsageKey {
    let model = match services.models().find(model) {
        Some(known) => Arc::from(&*known.name),
        None if model.is_empty() => Arc::from(""),
        None => Arc::from("other"),
    };
    let now = services.inner.store.now();
    UsageKey {
        day: Day::new(now),
        hour: Some(Day::hour_of(now)),
        key: services.caller().key.clone().unwrap_or_default(),
        model,
    }
}

/// Counts a compile or a compression for its caller.
pub(super) fn count(services: &Services, request: &CountedRequest<'_>) {
    let slot = UsageSlot {
        tenant: Arc::clone(&services.caller().tenant),
        row: row_of(services, request.model),
        session: request.session.cloned(),
    };
    let counts = UsageCounts {
        requests: 1,
        tokens_before: request.tokens_before,
        tokens_after: request.tokens_after,
        unique_saved_tokens: request.unique_saved_tokens,
        cost: request
            .cost
            .map(|cost| CostTotals::of(&cost, request.tokens_after))
            .unwrap_or_default(),
    };
    if let Some(duration) = request.duration {
        let bucket = DurationBucket::of(duration);
        let of = DurationSlot { tenant: Arc::clone(&slot.tenant), day: slot.row.day, bucket };
        *lock(&services.inner.meter.durations).entry(of).or_default() += 1;
    }
    services.inner.meter.count(slot, counts);
}

/// Corrects the counted cost of a payload of a session by the usage that was reported.
pub(super) fn count_reported(services: &Services, session: &Arc<str>, reported: &ReportedCost) {
    let slot = UsageSlot {
        tenant: Arc::clone(&services.caller().tenant),
        row: reported.row.clone(),
        session: Some(Arc::clone(session)),
    };
    let cost = CostTotals::change(reported);
    if cost != CostTotals::default() {
        services.inner.meter.count(slot, UsageCounts { cost, ..UsageCounts::default() });
    }
}

/// The rows of a list of usage.
#[derive(Debug, Clone)]
pub enum UsageScope {
    /// All requests of the tenant.
    Tenant,
    /// The same by hour, for hours of the last month.
    Hours,
    /// Those of sessions, each session by itself; of one session if it is named.
    Sessions(Option<String>),
}

/// Sums of usage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageSums {
    pub requests: u64,
    /// Requests by model.
    pub by_model: BTreeMap<String, u64>,
    pub tokens_before: u64,
    pub tokens_after: u64,
}

/// The sums of the caller's key since the beginning of the day.
pub fn sums_of_today(services: &Services) -> Result<UsageSums, StoreError> {
    let today = Day::new(services.inner.store.now());
    let key = services.caller().key.as_deref().unwrap_or_default().to_owned();
    let filter = UsageFilter { key: Some(key), from: Some(today), to: Some(today), model: None };
    // A row for each model that is in the table, and no more.
    let most = services.models().rows().len() + 2;
    let mut sums = UsageSums::default();
    for row in list(services, &UsageScope::Tenant, &filter, None, most)? {
        sums.requests = sums.requests.saturating_add(row.requests);
        sums.tokens_before = sums.tokens_before.saturating_add(row.tokens_before);
        sums.tokens_after = sums.tokens_after.saturating_add(row.tokens_after);
        if !row.model.is_empty() {
            *sums.by_model.entry(row.model).or_default() += row.requests;
        }
    }
    Ok(sums)
}

/// Lists at most `limit` rows by session, day, key and model: the first rows, or those after
/// `after`. Stores the current counts first, if the store can be written.
pub fn list(
    services: &Services,
    scope: &UsageScope,
    filter: &UsageFilter,
    after: Option<&UsageCursor>,
    limit: usize,
) -> Result<Vec<UsageRow>, StoreError> {
    if let Err(error) = services.inner.meter.flush(&services.inner.store) {
        tracing::warn!(
            %error,
            "usage could not be stored; it stays in memory until the next attempt"
        );
    }
    services.tenant().read(|tx| match scope {
        UsageScope::Tenant => tx.list_usage(filter, after, limit),
        UsageScope::Hours => tx.list_hour_usage(filter, after, limit),
        UsageScope::Sessions(session) => {
            tx.list_session_usage(session.as_deref(), filter, after, limit)
        }
    })
}

/// How long the tenant's compiles of some days took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageDurations {
    pub requests: u64,
    pub p50: Duration,
    pub p90: Duration,
    pub p99: Duration,
}

/// The durations of the days from `from` to `to`; none if none was measured.
pub fn durations(
    services: &Services,
    from: Option<Day>,
    to: Option<Day>,
) -> Result<Option<UsageDurations>, StoreError> {
    let counts = services.tenant().read(|tx| tx.list_durations(from, to))?;
    let at = |per_thousand| DurationBucket::quantile(&counts, per_thousand);
    let requests = counts.iter().map(|(_, requests)| requests).sum();
    let (Some(p50), Some(p90), Some(p99)) = (at(500), at(900), at(990)) else { return Ok(None) };
    Ok(Some(UsageDurations { requests, p50, p90, p99 }))
}

/// The use of each quota of the tenant.
pub fn quotas(services: &Services) -> Result<Vec<QuotaUse>, StoreError> {
    services.tenant().read(|tx| tx.quota_uses())
}
