//! Claims due deliveries of all tenants and sends them, and publishes how many calls of a hook were
//! deleted because too many were queued.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::DeliverySender;
use super::attempt::attempt;
use super::relay::relay;
use crate::domain::{EventKind, NewEvent};
use crate::service::event_data::{HookLostData, to_raw};
use crate::service::pool::Pool;
use crate::service::{Services, StoreError};
use crate::store::{AttemptOutcome, BusyCalls, ClaimedDelivery, Claims};
use crate::telemetry::Metrics;
use crate::webhook::MAX_CONCURRENT_CALLS;

/// Calls under way at once.
const MAX_CALLS: usize = 64;
/// Half of the calls, so that retries at a dead endpoint do not delay first attempts.
const MAX_RETRIES: usize = MAX_CALLS / 2;
/// Calls of one tenant under way at once, so that receivers of one tenant that let their callers
/// wait do not delay those of others.
const MAX_TENANT_CALLS: usize = MAX_CALLS / 2;
/// Calls under way in addition, of tenants with fewer than [`FEW_TENANT_CALLS`]: receivers of other
/// tenants that let their callers wait do not delay them.
const EXTRA_CALLS: usize = MAX_CALLS / 2;
const FEW_TENANT_CALLS: usize = 4;
/// Time for which a delivery belongs to the worker that claimed it, longer than any call may take.
const LEASE: Duration = Duration::from_secs(40);
/// Interval at which the queue is read for deliveries of other nodes, and for due ones.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The least time between two reads of the queue for calls whose time has come, and after calls that
/// failed: many hooks that fail share a read.
const MIN_READ_PAUSE: Duration = Duration::from_millis(20);
/// Time for which a stopping worker still sends due deliveries.
const GRACE: Duration = Duration::from_secs(5);

/// Sends queued calls. Several workers, also on other nodes, share the work.
pub struct Worker {
    services: Services,
    pool: Pool,
    sender: Arc<dyn DeliverySender>,
    under_way: FuturesUnordered<BoxFuture<'static, EndedCall>>,
    metrics: Option<Metrics>,
    busy: BusyCalls,
    /// The last tenant whose events were queued; empty if none was.
    relayed: Arc<str>,
    /// When losses were looked for.
    losses_read: Option<Instant>,
}

/// A call that is no longer under way.
struct EndedCall {
    claimed: ClaimedDelivery,
    /// None if it could not be stored.
    outcome: Option<AttemptOutcome>,
}

impl EndedCall {
    /// Whether the next call of its line may be due.
    fn frees_line(&self) -> bool {
        self.outcome.is_none_or(AttemptOutcome::is_final)
    }
}

impl Worker {
    pub fn new(services: Services, pool: Pool, sender: Arc<dyn DeliverySender>) -> Self {
        let (under_way, busy) = (FuturesUnordered::new(), BusyCalls::default());
        Self {
            services,
            pool,
            sender,
            under_way,
            metrics: None,
            busy,
            relayed: "".into(),
            losses_read: None,
        }
    }

    /// Creates a worker that uses the network; none if this process calls no hooks.
    pub fn over_network(services: Services, pool: Pool, metrics: Metrics) -> Option<Self> {
        let sender = Arc::new(services.webhooks()?.clone());
        Some(Self { metrics: Some(metrics), ..Self::new(services, pool, sender) })
    }

    /// Works until `stop`, then still sends due deliveries for a moment. The others are sent after
    /// the next start, or by another node.
    pub async fn run(mut self, stop: CancellationToken) {
        self.free().await;
        while !stop.is_cancelled() {
            let pause = self.claim().await;
            if pause.is_zero() {
                continue;
            }
            self.pause(pause, &stop).await;
        }
        // Deliveries that do not end in time are claimed again after their lease.
        let _ = tokio::time::timeout_at(Instant::now() + GRACE, self.drain()).await;
    }

    /// Waits until the queue is to be read again: for `pause` at most, and shorter if a call is
    /// queued or ends.
    async fn pause(&mut self, pause: Duration, stop: &CancellationToken) {
        let store = self.services.inner.store.clone();
        let begun = Instant::now();
        let mut until = begun + pause;
        loop {
            tokio::select! {
                Some(ended) = self.under_way.next(), if !self.under_way.is_empty() => {
                    self.busy.end(&ended.claimed);
                    if ended.frees_line() {
                        return;
                    }
                    until = until.min(begun + MIN_READ_PAUSE);
                }
                () = store.queued() => return,
                () = tokio::time::sleep_until(until) => return,
                () = stop.cancelled() => return,
            }
        }
    }

    /// Frees deliveries that an earlier process had claimed.
    async fn free(&mut self) {
        let services = self.services.clone();
        let freed = self.pool.deliver(move || services.inner.store.free_deliveries()).await;
        let error: Box<dyn std::error::Error> = match freed {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.into(),
            Err(error) => error.into(),
        };
        tracing::warn!(
            error,
            "deliveries that an earlier process had claimed could not be freed; they are sent \
             after their claims expire"
        );
    }

    /// Sends until no delivery is due and no call is under way.
    pub async fn drain(&mut self) {
        loop {
            if self.claim().await.is_zero() {
                continue;
            }
            match self.under_way.next().await {
                Some(ended) => self.busy.end(&ended.claimed),
                None => return,
            }
        }
    }

    /// Claims as many deliveries as there is room for, while calls go on. Returns the time until
    /// the queue is to be read again, which is zero if there was something to do.
    async fn claim(&mut self) -> Duration {
        if self.under_way.len() >= MAX_CALLS + EXTRA_CALLS {
            return POLL_INTERVAL;
        }
        let (services, after, busy) =
            (self.services.clone(), Arc::clone(&self.relayed), self.busy.clone());
        let tells_losses = self.losses_read.is_none_or(|read| read.elapsed() >= POLL_INTERVAL);
        if tells_losses {
            self.losses_read = Some(Instant::now());
        }
        let mut reading = Box::pin(self.pool.deliver(move || {
            if tells_losses {
                publish_losses(&services)?;
            }
            read_queue(&services, &after, busy)
        }));
        let mut any_ended = false;
        let read = loop {
            tokio::select! {
                read = &mut reading => break read,
                Some(ended) = self.under_way.next(), if !self.under_way.is_empty() => {
                    self.busy.end(&ended.claimed);
                    any_ended |= ended.frees_line();
                }
            }
        };
        drop(reading);
        let QueueRead { claimed, relayed, next } = match read {
            Ok(Ok(read)) => read,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the queue of hook deliveries could not be read, retrying");
                return POLL_INTERVAL;
            }
            Err(error) => {
                tracing::debug!(%error, "the queue of hook deliveries could not be read, retrying");
                return POLL_INTERVAL;
            }
        };
        self.relayed = relayed.unwrap_or_else(|| "".into());
        for claimed in claimed {
            self.start(claimed);
        }
        // A call that ended meanwhile may have made the next one of its line due.
        if any_ended { Duration::ZERO } else { next }
    }

    fn start(&mut self, claimed: ClaimedDelivery) {
        self.busy.begin(&claimed);
        let (services, pool) = (self.services.clone(), self.pool.clone());
        let attempt = attempt(services, pool, Arc::clone(&self.sender), claimed.clone());
        let metrics = self.metrics.clone();
        self.under_way.push(Box::pin(async move {
            let outcome = attempt.await;
            if let (Some(outcome), Some(metrics)) = (outcome, metrics) {
                metrics.record_delivery(outcome.as_str());
            }
            EndedCall { claimed, outcome }
        }));
    }
}

/// Result of a look at the queue.
struct QueueRead {
    claimed: Vec<ClaimedDelivery>,
    /// The last tenant whose events were queued, if any were.
    relayed: Option<Arc<str>>,
    /// The time until the queue is to be read again, unless a delivery is queued meanwhile.
    next: Duration,
}

/// Queues events as calls, of tenants after the tenant `after` first, and claims due deliveries.
fn read_queue(services: &Services, after: &str, busy: BusyCalls) -> Result<QueueRead, StoreError> {
    let relayed = relay(services, after)?;
    let store = &services.inner.store;
    let claimed = store.claim_deliveries(&Claims {
        calls: MAX_CALLS,
        retries: MAX_RETRIES,
        extra: EXTRA_CALLS,
        few: FEW_TENANT_CALLS,
        lease: LEASE,
        per_hook: MAX_CONCURRENT_CALLS,
        per_tenant: MAX_TENANT_CALLS,
        busy,
    })?;
    if relayed.is_some() || claimed.iter().any(|call| !call.is_retry()) {
        return Ok(QueueRead { claimed, relayed, next: Duration::ZERO });
    }
    if !claimed.is_empty() {
        return Ok(QueueRead { claimed, relayed, next: MIN_READ_PAUSE });
    }
    // A due delivery that was not claimed waits for a call that is under way.
    let next = store.next_delivery()?.map(|next| next.since(store.now()));
    let next = next
        .filter(|next| !next.is_zero())
        .map_or(POLL_INTERVAL, |next| next.clamp(MIN_READ_PAUSE, POLL_INTERVAL));
    Ok(QueueRead { claimed, relayed, next })
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("under_way", &self.under_way.len()).finish_non_exhaustive()
    }
}

/// Hooks whose losses one pass publishes.
const MAX_LOSS_HOOKS: usize = 32;

/// Publishes `hook:lost` for hooks that have lost calls since the last such event.
fn publish_losses(services: &Services) -> Result<(), StoreError> {
    let store = &services.inner.store;
    for (tenant, hook) in store.hooks_with_losses(MAX_LOSS_HOOKS)? {
        store.tenant(&tenant).write(move |tx| {
            // Another node may have published it by now.
            let Some(count) = tx.take_losses(&hook)? else { return Ok(()) };
            let data = HookLostData { hook: &hook, count };
            tx.publish(&NewEvent {
                kind: EventKind::HookLost,
                session_id: None,
                compilation_id: None,
                data: to_raw(&data),
                at: None,
            })
            .map(drop)
        })?;
    }
    Ok(())
}
