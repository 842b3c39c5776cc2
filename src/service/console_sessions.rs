//! Sessions of the console: sign a browser in without giving it a key to keep.
//!
//! The store has the hash of a session's token next to those of tickets, hashed in another way, so
//! neither can be used as the other. A session ends when its key does.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;

use super::keys::random_bytes;
use super::{Services, StoreError, auth};
use crate::domain::{ContentHash, Principal};

/// Time for which a browser stays signed in.
pub const CONSOLE_SESSION_TTL: Duration = Duration::from_hours(12);

/// Opens a session for the caller and returns its token; none if there are too many.
pub fn open(services: &Services) -> Result<Option<String>, StoreError> {
    let token = URL_SAFE_NO_PAD.encode(random_bytes::<32>()?);
    let (digest, key) = (digest_of(&token), services.caller().key.clone());
    let opened = services.tenant().write(move |tx| {
        tx.put_ticket(&digest, key.as_deref(), tx.now().after(CONSOLE_SESSION_TTL))
    })?;
    Ok(opened.then_some(token))
}

/// Returns the caller of a session; none if it is over. Blocks the thread.
pub fn find(services: &Services, token: &str) -> Result<Option<Arc<Principal>>, StoreError> {
    let digest = digest_of(token);
    let Some(tenant) = services.inner.store.find_ticket(&digest)? else { return Ok(None) };
    let of_tenant = services.inner.store.tenant(&tenant);
    match of_tenant.read(|tx| tx.read_ticket(&digest))? {
        Some(key) => auth::holder(services, key.as_deref()),
        None => Ok(None),
    }
}

/// Ends a session of the caller's tenant.
pub fn close(services: &Services, token: &str) -> Result<(), StoreError> {
    let digest = digest_of(token);
    services.tenant().write(move |tx| tx.take_ticket(&digest)).map(drop)
}

fn digest_of(token: &str) -> ContentHash {
    ContentHash::of(&format!("console:{token}"))
}
