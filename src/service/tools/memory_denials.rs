//! The events of memory writes that a model may not make.

use crate::domain::{EventKind, MemoryScope, NewEvent};
use crate::hook::Denial;
use crate::service::event_data::{MemoryDeniedData, to_raw};

/// The event of a denied write. Of a guard it lacks the reason, which may quote what was denied.
pub(super) fn denied_event(
    scope: &MemoryScope,
    key: &str,
    reason: &str,
    denial: Option<&Denial>,
) -> NewEvent {
    let data = MemoryDeniedData {
        key,
        reason,
        origin: "model",
        hook: denial.map(|denial| &*denial.hook),
        point: denial.map(|denial| denial.point.as_str()),
        code: denial.map(|denial| denial.code.as_deref()),
    };
    NewEvent {
        kind: EventKind::MemoryDenied,
        session_id: scope.session_id.clone(),
        compilation_id: None,
        data: to_raw(&data),
        at: None,
    }
}
