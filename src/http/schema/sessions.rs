//! Schemas of `/sessions`.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::domain::{self, Note, PayloadCost, RawJson};
use crate::service::sessions::ReportedUsage;

/// What a session is to be.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "id": "chat-17", "ttl": {"seconds": 604_800},
    "defaults": {"target": "anthropic", "model": "claude-sonnet-4-5", "memory": true}
}))]
pub struct CreateSession {
    /// 1 to 256 bytes without control characters; one is made up when absent.
    #[schema(min_length = 1, max_length = 256)]
    pub id: Option<String>,
    /// Any keys of `/compile` but messages and `session_id`: they are used for keys that a
    /// request does not have, before those of the caller's key. `hooks`, in any form, need the scope
    /// `hooks:write`.
    #[schema(value_type = Option<Object>)]
    pub defaults: Option<Value>,
    /// How long the session stays after its last use.
    pub ttl: Option<SessionTtl>,
}

/// What of a session is to be otherwise.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"defaults": {"model": "claude-opus-4-1", "memory": null}}))]
pub struct ChangeSession {
    /// Merged into those that are there (RFC 7396); null takes all of them away.
    #[schema(value_type = Option<Object>)]
    pub defaults: Option<Value>,
    /// Null: as long as is usual.
    pub ttl: Option<SessionTtl>,
}

/// How long a session is kept after its last use.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct SessionTtl {
    /// Seconds after the last use.
    #[schema(minimum = 1, example = 604_800)]
    pub seconds: u64,
}

/// A session.
#[derive(Debug, Serialize, ToSchema)]
pub struct Session {
    /// The id of the session.
    #[schema(example = "chat-17")]
    pub id: String,
    /// From 1, one more with each change that was asked for; also the `ETag`. Compiles leave it.
    pub version: u64,
    /// The session that it goes on from.
    pub parent_session_id: Option<String>,
    /// Members of compiles that are used if a request has none; null if there are none.
    #[schema(value_type = Option<Object>)]
    pub defaults: Option<Box<RawValue>>,
    /// How long it stays after its last use.
    pub ttl: Option<SessionTtl>,
    /// Compiles that it has had.
    pub turns: u64,
    /// How many messages it holds: those that came by `/sessions/{id}/turns`.
    pub messages: u64,
    /// Lengths of the message list at which the history was shrunk because the cache was cold.
    pub compaction_points: Vec<u64>,
    /// What the provider's counts have shown.
    pub calibration: Vec<Calibration>,
    /// Its last compile.
    pub last_compilation_id: Option<String>,
    /// What its last payload cost, by the provider's usage if it was reported; null if that is not
    /// known.
    pub last_cost: Option<PayloadCost>,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub created_at: String,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub updated_at: String,
    /// When it was last used: RFC 3339, in UTC.
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub used_at: String,
    #[schema(example = "2027-01-30T23:59:59Z")]
    pub expires_at: String,
}

/// How a provider's count of a model's payloads stands to ours.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TokenCalibration)]
pub struct Calibration {
    /// The model, or the target where requests name no model.
    #[schema(example = "claude-sonnet-4-5")]
    pub model: String,
    /// The number by which a count is multiplied: the median of the last five reports. Null until a
    /// report was learnt from.
    #[schema(example = 1.173)]
    pub factor: Option<f64>,
    /// The number of reports that were learnt from.
    pub reports: u64,
}

impl From<&domain::Session> for Session {
    fn from(session: &domain::Session) -> Self {
        let raw = |json: &RawJson| RawValue::from_string(json.as_str().to_owned()).ok();
        let text = |text: &Option<std::sync::Arc<str>>| text.as_deref().map(str::to_owned);
        Self {
            id: session.id.to_string(),
            version: session.version,
            parent_session_id: text(&session.parent),
            defaults: session.defaults.as_ref().and_then(raw),
            ttl: session.ttl.map(|seconds| SessionTtl { seconds }),
            turns: session.turns,
            messages: session.messages,
            compaction_points: session.points.clone(),
            calibration: session.measured.iter().map(Into::into).collect(),
            last_compilation_id: text(&session.compilation),
            last_cost: session.costs.last().copied(),
            created_at: session.created_at.to_string(),
            updated_at: session.updated_at.to_string(),
            used_at: session.used_at.to_string(),
            expires_at: session.expires_at.to_string(),
        }
    }
}

impl From<&domain::ModelCalibration> for Calibration {
    fn from(measured: &domain::ModelCalibration) -> Self {
        Self {
            model: measured.model.to_string(),
            factor: measured.factor_milli.map(|milli| f64::from(milli) / 1000.0),
            reports: measured.reports,
        }
    }
}

/// What a provider counted of the last payload.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"usage": {
    "input_tokens": 50, "cache_creation_input_tokens": 248, "cache_read_input_tokens": 18_000,
    "output_tokens": 503}}))]
pub struct SessionUsage {
    /// The provider's `usage` object, as it came.
    #[schema(value_type = Object)]
    pub usage: Value,
    /// The model that it was for; the one that was compiled for last when absent.
    pub model: Option<String>,
    /// The provider's list of blocks that it took out of the request, as it came.
    pub input_transformations: Option<Vec<Value>>,
    /// The provider's diagnostics of its cache, as they came.
    #[schema(value_type = Option<Object>)]
    pub diagnostics: Option<Value>,
    /// The same without the object around it: a word, or `{"type", "cache_missed_input_tokens"}`.
    #[schema(value_type = Option<Object>)]
    pub cache_miss_reason: Option<Value>,
}

/// The session after a report of usage.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UsageResponse)]
pub struct UsageAnswer {
    #[serde(flatten)]
    pub session: Session,
    /// The cost of the payload by the report, in place of the assumed one; null if the prices or the
    /// payload's own cost are not known, or if the report is implausible.
    pub cost: Option<PayloadCost>,
    /// `usage_implausible`: the report was not learnt from. `thinking_dropped_by_provider` and
    /// `cache_missed`: what the diagnostics say.
    pub warnings: Vec<Note>,
}

impl From<&ReportedUsage> for UsageAnswer {
    fn from(reported: &ReportedUsage) -> Self {
        let ReportedUsage { session, cost, warnings } = reported;
        Self { session: session.into(), cost: *cost, warnings: warnings.clone() }
    }
}

/// Some sessions.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionList {
    pub items: Vec<Session>,
    /// For the next request; null at the end.
    pub next_cursor: Option<String>,
}
