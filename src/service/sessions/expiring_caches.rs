//! Publishes that prefixes of sessions are about to run out in their providers' caches.

use std::time::Duration;

use crate::domain::{EventKind, NewEvent};
use crate::hook::{CacheExpiringInput, Point, PointInput as _};
use crate::service::event_data::{CacheExpiringData, to_raw};
use crate::service::{Services, StoreError};
use crate::store::{CachedPrefix, ObservedFact, Tx};

/// Publishes each prefix that runs out within `lead`, once for all nodes. Prefixes that have run out
/// already, because no server was running, are passed over.
pub(crate) fn publish_expiring(services: &Services, lead: Duration) -> Result<(), StoreError> {
    /// Tenants of one run, and sessions of each: the next run goes on.
    const MAX_TENANTS: usize = 200;
    const MAX_SESSIONS: usize = 200;
    let by = services.now().after(lead);
    for tenant in services.inner.store.tenants_with_expiring_caches(by, MAX_TENANTS)? {
        let services = services.for_tenant(&tenant);
        for prefix in services.tenant().read(|tx| tx.expiring_caches(by, MAX_SESSIONS))? {
            let of = prefix.session.clone();
            services.write_and_queue(Some(&of), move |tx| publish(tx, &prefix))?;
        }
    }
    Ok(())
}

/// Publishes `cache:expiring`, and notes the fact for observe hooks, unless another node has done so.
fn publish(tx: &Tx<'_>, prefix: &CachedPrefix) -> Result<(), StoreError> {
    if !tx.claim_expiring_cache(prefix)? || prefix.expires_at <= tx.now() {
        return Ok(());
    }
    let (hash, expires_at) = (prefix.hash.to_string(), prefix.expires_at.to_string());
    let input = CacheExpiringInput {
        model: &prefix.model,
        compilation_id: &prefix.compilation,
        prefix_hash: &hash,
        prefix_tokens: prefix.tokens,
        rewrite_micros: prefix.rewrite_micros,
        expires_at: &expires_at,
    };
    tx.observe_fact(ObservedFact::new(Point::CacheExpiring.as_str(), input.to_json()));
    let data = CacheExpiringData {
        model: input.model,
        prefix_hash: input.prefix_hash,
        prefix_tokens: input.prefix_tokens,
        rewrite_micros: input.rewrite_micros,
        expires_at: input.expires_at,
    };
    tx.publish(&NewEvent {
        kind: EventKind::CacheExpiring,
        session_id: Some(prefix.session.clone()),
        compilation_id: Some(prefix.compilation.clone()),
        data: to_raw(&data),
        at: None,
    })
    .map(drop)
}
