//! What is told of sessions, in the transaction of the fact.
//!
//! The events hold ids and counts; whoever observes the hook points `session_switch` and
//! `delegation` is told from here too, since nothing else knows of the fact.

use std::sync::Arc;

use serde_json::json;

use crate::domain::{EventKind, NewEvent, RawJson, Session};
use crate::service::StoreError;
use crate::store::Tx;

/// A session was opened, or goes on from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::service) struct Switched {
    /// The session that is used from now on.
    pub(in crate::service) session: Arc<str>,
    /// The one before it; empty where there was none.
    pub(in crate::service) parent: Arc<str>,
    /// Whether it begins with nothing of its parent's.
    pub(in crate::service) reset: bool,
    pub(in crate::service) reason: &'static str,
}

impl Switched {
    pub(super) fn opened(session: &Session) -> Self {
        Self { session: Arc::clone(&session.id), parent: "".into(), reset: false, reason: "new" }
    }
}

/// Tells that a session was switched.
pub(super) fn switched(tx: &Tx<'_>, switched: &Switched) -> Result<(), StoreError> {
    let data = json!({
        "new_session_id": switched.session,
        "parent_session_id": switched.parent,
        "reset": switched.reset,
        "reason": switched.reason,
    });
    tx.publish(&NewEvent {
        kind: EventKind::SessionSwitched,
        session_id: Some(Arc::clone(&switched.session)),
        compilation_id: None,
        data: RawJson::new(data.to_string()),
    })
    .map(drop)
}
