//! The bodies of `/sessions/{id}/switch`, `/fork` and `/delegations`.

use std::sync::Arc;

use super::memory::{name, read_metadata};
use super::read_session_id;
use crate::domain::{DelegationPath, DelegationStatus, RawJson};
use crate::json::{Fault, Faults, Fields, Node, Path};

/// Bytes of a task, and of its result.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// The session to switch to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchRequest {
    pub to: Option<Arc<str>>,
    /// Whether it starts without any state of the present session.
    pub reset: bool,
    pub reason: Option<&'static str>,
}

/// Why a session is switched.
pub const SWITCH_REASONS: &[(&str, &str)] = &[
    ("new", "new"),
    ("fork", "fork"),
    ("reset", "reset"),
    ("rotation", "rotation"),
    ("resume", "resume"),
];

/// The point at which a session is forked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkRequest {
    pub to: Option<Arc<str>>,
    /// The snapshot to fork from, instead of the present state.
    pub snapshot: Option<Arc<str>>,
}

/// The report of a delegation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegationRequest {
    pub agent: Arc<str>,
    pub task: Arc<str>,
    pub result: Arc<str>,
    pub status: DelegationStatus,
    pub path: DelegationPath,
    pub metadata: Option<RawJson>,
}

/// Reads the body of a switch of `from`.
pub fn read_switch(body: &Node<'_>, from: &str) -> Result<SwitchRequest, Vec<Fault>> {
    let mut faults = Faults::default();
    let known = &["new_session_id", "reset", "reason"];
    let Some(fields) = Fields::read(body, Path::Root, known, &mut faults) else {
        return Err(faults.into_vec());
    };
    let request = SwitchRequest {
        to: read_session_id(&fields, "new_session_id", &mut faults),
        reset: fields.flag("reset", &mut faults).unwrap_or(false),
        reason: fields.choice("reason", SWITCH_REASONS, &mut faults),
    };
    if request.to.as_deref() == Some(from) {
        fields.fault("new_session_id", "a session is not switched to itself", &mut faults);
    }
    if faults.is_empty() { Ok(request) } else { Err(faults.into_vec()) }
}

/// Reads the body of a fork.
pub fn read_fork(body: &Node<'_>) -> Result<ForkRequest, Vec<Fault>> {
    let mut faults = Faults::default();
    let known = &["new_session_id", "snapshot_id"];
    let Some(fields) = Fields::read(body, Path::Root, known, &mut faults) else {
        return Err(faults.into_vec());
    };
    let request = ForkRequest {
        to: read_session_id(&fields, "new_session_id", &mut faults),
        snapshot: fields.text_without_nul("snapshot_id", &mut faults).map(Into::into),
    };
    if faults.is_empty() { Ok(request) } else { Err(faults.into_vec()) }
}

/// Reads the report of a delegation.
pub fn read_delegation(body: &Node<'_>) -> Result<DelegationRequest, Vec<Fault>> {
    let mut faults = Faults::default();
    let known = &["agent_name", "task", "result", "status", "path", "metadata"];
    let Some(fields) = Fields::read(body, Path::Root, known, &mut faults) else {
        return Err(faults.into_vec());
    };
    for needed in ["agent_name", "task"] {
        if fields.get(needed).is_none() {
            fields.fault(needed, "is missing", &mut faults);
        }
    }
    let request = DelegationRequest {
        agent: name(&fields, "agent_name", &mut faults).unwrap_or_else(|| "".into()),
        task: text(&fields, "task", &mut faults),
        result: text(&fields, "result", &mut faults),
        status: fields
            .choice("status", DelegationStatus::WORDS, &mut faults)
            .unwrap_or(DelegationStatus::Success),
        path: fields
            .choice("path", DelegationPath::WORDS, &mut faults)
            .unwrap_or(DelegationPath::Sync),
        metadata: read_metadata(&fields, &mut faults),
    };
    if faults.is_empty() { Ok(request) } else { Err(faults.into_vec()) }
}

fn text(fields: &Fields<'_, '_>, key: &str, faults: &mut Faults) -> Arc<str> {
    let text = fields.text(key, faults).unwrap_or_default();
    if text.len() > MAX_TEXT_BYTES {
        fields.fault(key, format!("must be at most {MAX_TEXT_BYTES} bytes"), faults);
    }
    text.into()
}
