//! Publishes how many queued calls of a hook were deleted because too many were queued.

use serde_json::json;

use crate::domain::{EventKind, NewEvent, RawJson};
use crate::service::{Services, StoreError};

/// Hooks that one pass serves.
const MAX_HOOKS: usize = 32;

/// Publishes `hook:lost` for hooks that have lost calls since the last such event.
pub(super) fn publish_losses(services: &Services) -> Result<(), StoreError> {
    let store = &services.inner.store;
    for (tenant, hook) in store.hooks_with_losses(MAX_HOOKS)? {
        store.tenant(&tenant).write(move |tx| {
            // Another node may have published it by now.
            let Some(count) = tx.take_losses(&hook)? else { return Ok(()) };
            let data = json!({"hook": hook, "count": count});
            tx.publish(&NewEvent {
                kind: EventKind::HookLost,
                session_id: None,
                compilation_id: None,
                data: RawJson::new(data.to_string()),
                at: None,
            })
            .map(drop)
        })?;
    }
    Ok(())
}
