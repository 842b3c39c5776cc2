//! Seals the URLs of hooks that were stored in plain, once, in the background.

use super::set::open_hook;
use crate::service::{Services, StoreError};
use crate::store::SealedUrl;

/// Seals the URLs of the tenant's hooks that are stored in plain. Without the key that a hook's secrets
/// are sealed with, its URL stays as it is.
pub(crate) fn seal_urls(services: &Services) -> Result<(), StoreError> {
    let (keys, tenant) = (&services.hooks().keys, &services.caller().tenant);
    if keys.is_empty() {
        return Ok(());
    }
    for row in services.tenant().read(|tx| tx.hooks())? {
        let plain = super::set::read_unsealed(&row)?;
        if plain.endpoint().is_none_or(|endpoint| endpoint.is_redacted_url()) {
            continue;
        }
        let hook = open_hook(keys, tenant, &row)?;
        if hook.endpoint().is_some_and(|endpoint| endpoint.secrets.is_locked()) {
            continue;
        }
        let sealed = match keys.seal_hook(tenant, &hook) {
            Ok(Some(sealed)) => sealed,
            Ok(None) => continue,
            Err(error) => {
                tracing::warn!(hook.id = &*row.id, %error, "the URL of a hook could not be sealed");
                continue;
            }
        };
        let (id, revision) = (row.id, row.revision);
        let definition = hook.write_stored().into();
        let new = SealedUrl { id, revision, definition, sealed };
        services.tenant().write(move |tx| tx.seal_hook_url(&new))?;
    }
    Ok(())
}
