//! Tickets: one stream of events for a reader that cannot send headers, such as a browser's.
//!
//! A ticket stands for the caller who asked for it, once and for a moment: an address ends up in
//! logs, where a key must not. What is stored is its hash, so it is good at every node.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;

use super::keys::chance;
use super::{Services, StoreError, auth};
use crate::domain::{ContentHash, Principal};

/// How long a ticket is good for.
pub const GOOD_FOR: Duration = Duration::from_secs(30);

/// A new ticket of the caller; none where too many are out.
pub fn give(services: &Services) -> Result<Option<String>, StoreError> {
    let ticket = URL_SAFE_NO_PAD.encode(chance::<24>()?);
    let (digest, key) = (ContentHash::of(&ticket), services.caller().key.clone());
    let given = services
        .tenant()
        .write(move |tx| tx.put_ticket(&digest, key.as_deref(), tx.now().after(GOOD_FOR)))?;
    Ok(given.then_some(ticket))
}

/// Whose ticket it is; from then on it is nobody's. Takes the thread.
pub fn take(services: &Services, ticket: &str) -> Result<Option<Arc<Principal>>, StoreError> {
    let digest = ContentHash::of(ticket);
    let Some(tenant) = services.inner.store.find_ticket(&digest)? else { return Ok(None) };
    let of_tenant = services.inner.store.tenant(&tenant);
    match of_tenant.write(move |tx| tx.take_ticket(&digest))? {
        Some(key) => auth::holder(services, key.as_deref()),
        None => Ok(None),
    }
}
