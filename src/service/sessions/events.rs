//! Events and facts of sessions, written in the transaction that changes the session.
//!
//! Events contain ids and counts. Facts for observe hooks at `session_switch` and `delegation` are
//! noted here too.

use std::sync::Arc;

use crate::domain::{
    Delegation, DelegationPath, DelegationStatus, EventKind, NewEvent, RawJson, Session, word_of,
};
use crate::hook::{DelegationInput, Point, PointInput as _, SessionSwitchInput};
use crate::json::JsonText;
use crate::service::StoreError;
use crate::service::event_data::{DelegationRecordedData, SessionSwitchedData, to_raw};
use crate::store::{ObservedFact, Tx};

/// A session was opened, or continues another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionSwitch {
    /// The session that is used from now on.
    pub(crate) session: Arc<str>,
    /// The session before it; empty if there was none.
    pub(crate) parent: Arc<str>,
    /// Whether the session begins without the state of its parent.
    pub(crate) reset: bool,
    pub(crate) reason: &'static str,
}

impl SessionSwitch {
    pub(super) fn opened(session: &Session) -> Self {
        Self { session: Arc::clone(&session.id), parent: "".into(), reset: false, reason: "new" }
    }
}

/// Publishes `session:switched`, and notes the fact for observe hooks.
pub(super) fn switched(tx: &Tx<'_>, switched: &SessionSwitch) -> Result<(), StoreError> {
    let input = SessionSwitchInput {
        new_session_id: &switched.session,
        parent_session_id: &switched.parent,
        reset: switched.reset,
        reason: switched.reason,
    };
    tx.observe_fact(ObservedFact::new(Point::SessionSwitch.as_str(), input.to_json()));
    let data = SessionSwitchedData {
        new_session_id: input.new_session_id,
        parent_session_id: input.parent_session_id,
        reset: input.reset,
        reason: input.reason,
    };
    tx.publish(&NewEvent {
        kind: EventKind::SessionSwitched,
        session_id: Some(Arc::clone(&switched.session)),
        compilation_id: None,
        data: to_raw(&data),
        at: None,
    })
    .map(drop)
}

/// Publishes `delegation:recorded`, and notes the fact for observe hooks.
pub(super) fn delegated(tx: &Tx<'_>, delegation: &Delegation) -> Result<(), StoreError> {
    let metadata = delegation.metadata.as_ref().map_or("{}", RawJson::as_str);
    tx.observe_fact(ObservedFact {
        agent: Some(Arc::clone(&delegation.agent)),
        status: Some(word_of(DelegationStatus::WORDS, delegation.status)),
        ..ObservedFact::new(Point::Delegation.as_str(), input(delegation, metadata))
    });
    let metadata: serde_json::Value = serde_json::from_str(metadata).unwrap_or_default();
    let data = DelegationRecordedData {
        delegation_id: &delegation.id,
        agent_name: &delegation.agent,
        status: word_of(DelegationStatus::WORDS, delegation.status),
        path: word_of(DelegationPath::WORDS, delegation.path),
        handoff_depth: metadata.get("handoff_depth").and_then(serde_json::Value::as_u64),
        task_bytes: delegation.task.len(),
        result_bytes: delegation.result.len(),
    };
    tx.publish(&NewEvent {
        kind: EventKind::DelegationRecorded,
        session_id: Some(Arc::clone(&delegation.session)),
        compilation_id: None,
        data: to_raw(&data),
        at: None,
    })
    .map(drop)
}

/// Writes the input of hooks at `delegation`. `metadata` keeps the bytes of the request.
fn input(delegation: &Delegation, metadata: &str) -> String {
    DelegationInput {
        task: &delegation.task,
        result: &delegation.result,
        agent_name: &delegation.agent,
        metadata: JsonText::new(metadata),
        status: word_of(DelegationStatus::WORDS, delegation.status),
        path: word_of(DelegationPath::WORDS, delegation.path),
    }
    .to_json()
}
