//! The events of memory writes that a model may not make.

use serde_json::json;

use crate::domain::{EventKind, MemoryScope, NewEvent, RawJson};
use crate::hook::Denial;

/// The event of a denied write. Of a guard it lacks the reason, which may quote what was denied.
pub(super) fn denied_event(
    scope: &MemoryScope,
    key: &str,
    reason: &str,
    denial: Option<&Denial>,
) -> NewEvent {
    let data = match denial {
        None => json!({"key": key, "reason": reason, "origin": "model"}),
        Some(Denial { hook, point, code, .. }) => json!({"key": key, "reason": reason,
            "origin": "model", "hook": hook, "point": point.as_str(), "code": code}),
    };
    NewEvent {
        kind: EventKind::MemoryDenied,
        session_id: scope.session_id.clone(),
        compilation_id: None,
        data: RawJson::new(data.to_string()),
        at: None,
    }
}
