//! Claims due deliveries of all tenants and sends them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Courier;
use super::attempt::attempt;
use super::relay::relay;
use crate::service::Services;
use crate::service::pool::Pool;
use crate::store::{ClaimedDelivery, Claims, HookKey};
use crate::telemetry::Metrics;
use crate::webhook::MAX_CONCURRENT_CALLS;

/// Calls under way at once.
const MAX_CALLS: usize = 32;
/// Half of the calls, so that retries at a dead endpoint do not delay first attempts.
const MAX_RETRIES: usize = MAX_CALLS / 2;
/// Time for which a delivery belongs to the worker that claimed it, longer than any call may take.
const LEASE: Duration = Duration::from_secs(40);
/// Interval at which the queue is read for deliveries of other nodes, and for due ones.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Time for which a stopping worker still sends due deliveries.
const GRACE: Duration = Duration::from_secs(5);

/// A call that has ended, whatever its outcome.
struct EndedCall {
    key: HookKey,
    is_retry: bool,
}

/// Sends queued calls. Several workers, also on other nodes, share the work.
pub struct Worker {
    services: Services,
    pool: Pool,
    courier: Arc<dyn Courier>,
    under_way: FuturesUnordered<BoxFuture<'static, EndedCall>>,
    metrics: Option<Metrics>,
    /// Calls under way by hook.
    busy: HashMap<HookKey, usize>,
    retries: usize,
}

impl Worker {
    pub fn new(services: Services, pool: Pool, courier: Arc<dyn Courier>) -> Self {
        let (under_way, busy) = (FuturesUnordered::new(), HashMap::new());
        Self { services, pool, courier, under_way, metrics: None, busy, retries: 0 }
    }

    /// Creates a worker that uses the network; none if this process calls no hooks.
    pub fn over_network(services: Services, pool: Pool, metrics: Metrics) -> Option<Self> {
        let courier = Arc::new(services.webhooks()?.clone());
        Some(Self { metrics: Some(metrics), ..Self::new(services, pool, courier) })
    }

    /// Works until `stop`, then still sends due deliveries for a moment. The others are sent after
    /// the next start, or by another node.
    pub async fn run(mut self, stop: CancellationToken) {
        self.free().await;
        while !stop.is_cancelled() {
            let found = self.claim().await;
            if found > 0 {
                continue;
            }
            let pause = pause(self.services.clone(), &self.pool).await;
            let store = self.services.inner.store.clone();
            tokio::select! {
                Some(done) = self.under_way.next(), if !self.under_way.is_empty() => {
                    self.release(&done);
                }
                () = store.queued() => {}
                () = tokio::time::sleep(pause) => {}
                () = stop.cancelled() => {}
            }
        }
        // Deliveries that do not end in time are claimed again after their lease.
        let _ = tokio::time::timeout_at(Instant::now() + GRACE, self.drain()).await;
    }

    /// Frees deliveries that an earlier process had claimed.
    async fn free(&mut self) {
        let services = self.services.clone();
        let freed = self.pool.look(move || services.inner.store.free_deliveries()).await;
        let error: Box<dyn std::error::Error> = match freed {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.into(),
            Err(error) => error.into(),
        };
        tracing::warn!(error, "claims of an earlier process could not be freed: they expire");
    }

    /// Sends until no delivery is due and no call is under way.
    pub async fn drain(&mut self) {
        loop {
            self.claim().await;
            match self.under_way.next().await {
                Some(done) => self.release(&done),
                None => return,
            }
        }
    }

    /// Claims as many deliveries as there is room for; returns their number.
    async fn claim(&mut self) -> usize {
        let room = MAX_CALLS.saturating_sub(self.under_way.len());
        if room == 0 {
            return 0;
        }
        let claims = Claims {
            limit: room,
            retries: MAX_RETRIES.saturating_sub(self.retries),
            lease: LEASE,
            per_hook: MAX_CONCURRENT_CALLS,
            busy: self.busy.clone(),
        };
        let services = self.services.clone();
        let found = self.pool.look(move || {
            relay(&services)?;
            services.inner.store.claim_deliveries(&claims)
        });
        let found = match found.await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the queue could not be read");
                return 0;
            }
            Err(error) => {
                tracing::debug!(%error, "the queue could not be read");
                return 0;
            }
        };
        let count = found.len();
        for claimed in found {
            self.start(claimed);
        }
        count
    }

    fn start(&mut self, claimed: ClaimedDelivery) {
        let key = (Arc::clone(&claimed.tenant), Arc::clone(&claimed.hook));
        let is_retry = claimed.tries > 0;
        *self.busy.entry(key.clone()).or_default() += 1;
        self.retries += usize::from(is_retry);
        let (services, pool) = (self.services.clone(), self.pool.clone());
        let attempt = attempt(services, pool, Arc::clone(&self.courier), claimed);
        let metrics = self.metrics.clone();
        self.under_way.push(Box::pin(async move {
            if let (Some(outcome), Some(metrics)) = (attempt.await, metrics) {
                metrics.record_delivery(outcome.as_str());
            }
            EndedCall { key, is_retry }
        }));
    }

    /// Frees the place of a call that has ended.
    fn release(&mut self, done: &EndedCall) {
        let EndedCall { key, is_retry } = done;
        self.retries = self.retries.saturating_sub(usize::from(*is_retry));
        if let Some(calls) = self.busy.get_mut(key) {
            *calls = calls.saturating_sub(1);
            if *calls == 0 {
                self.busy.remove(key);
            }
        }
    }
}

/// Time until a delivery is due, unless one is queued meanwhile.
async fn pause(services: Services, pool: &Pool) -> Duration {
    let next = pool.look(move || {
        let store = &services.inner.store;
        store.next_delivery().map(|next| next.map(|next| next.since(store.now())))
    });
    match next.await {
        // A due delivery that was not claimed waits for a call that is under way.
        Ok(Ok(Some(pause))) if !pause.is_zero() => pause.min(LOOK_EVERY),
        _ => LOOK_EVERY,
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("under_way", &self.under_way.len()).finish_non_exhaustive()
    }
}
