//! Tickets: authenticate one stream of events for a client that cannot send headers, such as a
//! browser.
//!
//! A ticket identifies the caller that requested it, once and for a short time: URLs are written to
//! logs, which must not contain keys. The store has the hash of the ticket, so it is valid on every
//! node.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;

use super::keys::random_bytes;
use super::{Services, StoreError, auth};
use crate::domain::{ContentHash, Principal};

/// Time for which a ticket is valid.
pub const TICKET_TTL: Duration = Duration::from_secs(30);

/// Creates a ticket of the caller; returns none if there are too many.
pub fn give(services: &Services) -> Result<Option<String>, StoreError> {
    let ticket = URL_SAFE_NO_PAD.encode(random_bytes::<24>()?);
    let (digest, key) = (ContentHash::of(&ticket), services.caller().key.clone());
    let given = services
        .tenant()
        .write(move |tx| tx.put_ticket(&digest, key.as_deref(), tx.now().after(TICKET_TTL)))?;
    Ok(given.then_some(ticket))
}

/// Redeems a ticket: returns its caller, and makes the ticket invalid. Blocks the thread.
pub fn take(services: &Services, ticket: &str) -> Result<Option<Arc<Principal>>, StoreError> {
    let digest = ContentHash::of(ticket);
    let Some(tenant) = services.inner.store.find_ticket(&digest)? else { return Ok(None) };
    let of_tenant = services.inner.store.tenant(&tenant);
    match of_tenant.write(move |tx| tx.take_ticket(&digest))? {
        Some(key) => auth::holder(services, key.as_deref()),
        None => Ok(None),
    }
}
