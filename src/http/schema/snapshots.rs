//! Schemas of snapshots, forks, switches and delegations.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{Calibration, Shape};
use crate::domain::{self, DelegationPath, DelegationStatus, word_of};

/// What a snapshot is called.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"label": "before the migration"}))]
pub struct TakeSnapshot {
    /// For people.
    #[schema(max_length = 256)]
    pub label: Option<String>,
}

/// A snapshot, but for what it holds.
#[derive(Debug, Serialize, ToSchema)]
pub struct SnapshotRow {
    /// The id of the snapshot.
    #[schema(example = "snap_0198c4f2")]
    pub id: String,
    /// The session.
    #[schema(example = "chat-17")]
    pub session_id: String,
    /// The label that was given, or null.
    pub label: Option<String>,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub created_at: String,
    /// How many messages it holds.
    pub messages: u64,
}

impl From<&domain::SnapshotHead> for SnapshotRow {
    fn from(head: &domain::SnapshotHead) -> Self {
        Self {
            id: head.id.to_string(),
            session_id: head.session.to_string(),
            label: head.label.as_deref().map(str::to_owned),
            created_at: head.created_at.to_string(),
            messages: head.messages,
        }
    }
}

/// Some snapshots.
#[derive(Debug, Serialize, ToSchema)]
pub struct SnapshotList {
    pub items: Vec<SnapshotRow>,
    /// For the next request; null at the end.
    pub next_cursor: Option<String>,
}

/// Everything that decides a session's next compile.
#[derive(Debug, ToSchema)]
pub struct Snapshot {
    /// `contexture-session/1`.
    #[schema(example = "contexture-session/1")]
    pub format: String,
    /// The id of the snapshot.
    pub id: Option<String>,
    /// The session that it was taken of.
    pub session_id: Option<String>,
    /// The label that was given, or null.
    pub label: Option<String>,
    pub created_at: Option<String>,
    /// The number of turns.
    pub turns: Option<u64>,
    /// The defaults of the session.
    #[schema(value_type = Option<Object>)]
    pub defaults: Option<Value>,
    /// Where the history was shortened.
    pub compaction_points: Option<Vec<u64>>,
    /// How counts of each model are calibrated.
    pub calibration: Option<Vec<SnapshotCalibration>>,
    /// The entries of its scope, with times in microseconds since 1970.
    #[schema(value_type = Option<Vec<Object>>)]
    pub memory: Option<Vec<Value>>,
    /// True if entries that a model wrote are `captured`. Without it, as in documents of earlier
    /// releases, promoted entries are restored as `captured`.
    pub has_captured: Option<bool>,
    /// The shape of the messages.
    pub source: Option<Shape>,
    /// The messages of the session.
    #[schema(value_type = Option<Vec<Object>>)]
    pub messages: Option<Vec<Value>>,
    /// What was sent to models that bind their thinking to it.
    #[schema(value_type = Option<Object>)]
    pub sent: Option<Value>,
    /// The most tokens that one compile left out, before any factor.
    pub removed_tokens: Option<u64>,
}

/// How a provider's count of a model's payloads stands to ours, with what the next report needs.
#[derive(Debug, ToSchema)]
pub struct SnapshotCalibration {
    #[serde(flatten)]
    pub calibration: Calibration,
    /// The factors of the last five reports, the newest last; absent if there are none.
    pub factors: Option<Vec<f64>>,
    /// Tokens of the last payload, before any factor.
    pub tokens: Option<u64>,
}

/// What a session is restored from: one of both.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"snapshot_id": "snap_0198c4f2"}))]
pub struct RestoreSession {
    /// The id of a stored snapshot.
    pub snapshot_id: Option<String>,
    /// A snapshot as it was returned.
    pub snapshot: Option<Snapshot>,
}

/// Where a session is forked.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"new_session_id": "chat-17-b"}))]
pub struct ForkSession {
    /// One is made up when absent.
    #[schema(min_length = 1, max_length = 256)]
    pub new_session_id: Option<String>,
    /// What it was at that snapshot; what it is when absent.
    pub snapshot_id: Option<String>,
}

/// What a session is switched to.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"new_session_id": "chat-18", "reset": true}))]
pub struct SwitchSession {
    /// One is made up when absent.
    #[schema(min_length = 1, max_length = 256)]
    pub new_session_id: Option<String>,
    /// Whether it begins with nothing of this one's.
    #[schema(default = false)]
    pub reset: Option<bool>,
    /// `new`, `fork`, `reset`, `rotation` or `resume`; it is in the event.
    pub reason: Option<String>,
}

/// A task that was handed to another agent, and its result.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "agent_name": "researcher", "task": "Find the failing test", "result": "tests/pay.rs",
    "metadata": {"handoff_depth": 1}
}))]
pub struct Delegation {
    /// The agent that worked.
    #[schema(min_length = 1, max_length = 256)]
    pub agent_name: String,
    /// What the agent was asked for.
    pub task: String,
    /// May be empty.
    pub result: Option<String>,
    /// `success` when absent, `failed`, `timeout`, `cycle` or `depth`.
    pub status: Option<String>,
    /// `sync` when absent, `async`, `tool`, `parallel` or `typed`.
    pub path: Option<String>,
    /// An object that is carried and not read; at most 16 KiB.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Value>,
}

/// A delegation that was reported.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DelegationReport)]
pub struct DelegationRow {
    /// The id of the delegation.
    #[schema(example = "del_0198c4f2")]
    pub id: String,
    /// The session that delegated.
    pub session_id: String,
    /// The agent that worked.
    pub agent_name: String,
    /// How it ended.
    pub status: &'static str,
    /// How the agent was called.
    pub path: &'static str,
}

impl From<&domain::Delegation> for DelegationRow {
    fn from(delegation: &domain::Delegation) -> Self {
        Self {
            id: delegation.id.to_string(),
            session_id: delegation.session.to_string(),
            agent_name: delegation.agent.to_string(),
            status: word_of(DelegationStatus::WORDS, delegation.status),
            path: word_of(DelegationPath::WORDS, delegation.path),
        }
    }
}
