//! Schemas of `/memory-candidates/events`.

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::candidates::raw;
use crate::service::candidates::{Events, LogCheck, LogLine, LogVerification};

/// Part of the log of candidates.
#[derive(Debug, Serialize, ToSchema)]
pub struct CandidateEvents {
    pub items: Vec<CandidateEvent>,
    /// Where the log goes on; null at its end.
    pub next_cursor: Option<String>,
    /// With `verify=1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<VerifiedLogs>,
}

/// A line of the log.
#[derive(Debug, Serialize, ToSchema)]
pub struct CandidateEvent {
    /// From 1, one more with each line.
    pub seq: u64,
    /// 64 zeros for the first.
    pub prev_hash: String,
    /// SHA-256 over the 32 bytes of `prev_hash` and the bytes of `event`, as they stand here.
    pub hash: String,
    /// `{action, at, by, candidate, data?, from?, reason?, seq, to}`; ids and keys, never a value.
    #[schema(value_type = Value, example = json!({
        "action": "submit", "at": "2026-12-31T23:59:59Z",
        "by": {"id": "auto-policy", "kind": "automation"},
        "candidate": "mcd_0199aa2b7c3d7e1f8a90b1c2d3e4f506", "from": "pending", "seq": 2,
        "to": "in_review"
    }))]
    pub event: Box<RawValue>,
}

/// Both logs, followed from end to end.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerifiedLogs {
    /// The log of candidates.
    pub events: VerifiedLog,
    /// The log of proposals.
    pub captures: VerifiedLog,
}

/// What following a log has found.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerifiedLog {
    /// Whether every line is as it was written.
    pub ok: bool,
    /// Lines that are as they were written, from the first on.
    pub lines: u64,
    /// The number of the first line that was changed, or that is gone.
    pub broken_at: Option<u64>,
}

impl From<LogVerification> for VerifiedLog {
    fn from(verified: LogVerification) -> Self {
        let LogVerification { lines, broken_at } = verified;
        Self { ok: broken_at.is_none(), lines, broken_at }
    }
}

impl From<&Events> for CandidateEvents {
    fn from(events: &Events) -> Self {
        let line = |line: &LogLine| CandidateEvent {
            seq: line.link.seq,
            prev_hash: line.link.prev_hash.to_string(),
            hash: line.link.hash.to_string(),
            // Null if the stored text was changed from outside and is not JSON any more.
            event: raw(&line.body).unwrap_or_default(),
        };
        let both = |checked: LogCheck| VerifiedLogs {
            events: checked.transitions.into(),
            captures: checked.captures.into(),
        };
        Self {
            items: events.lines.iter().map(line).collect(),
            next_cursor: events.next.map(|next| next.to_string()),
            verified: events.verified.map(both),
        }
    }
}
