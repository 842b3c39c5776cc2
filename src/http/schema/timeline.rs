//! Schemas of `/sessions/{id}/timeline`.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::domain::{Actions, Compilation, PayloadCost};
use crate::pipeline::{FirstChange, PartTokens};
use crate::service::compilations::is_current;

/// A page of a session's timeline, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Timeline {
    pub items: Vec<TimelineRow>,
    /// Where the list goes on; null at its end.
    pub next_cursor: Option<String>,
}

/// The outcome of one compile of a session, or of one request through the gateway.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimelineRow {
    /// The id of the record.
    #[schema(example = "cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b")]
    pub compilation_id: String,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub created_at: String,
    /// The model of the request; null if it named none.
    pub model: Option<String>,
    /// `hashes` or `full`.
    pub record: &'static str,
    /// `compiled` or `refused`.
    pub status: &'static str,
    /// Whether this engine would compile the same.
    pub current: bool,
    /// Tokens of the conversation before anything was shortened.
    pub tokens_before: u64,
    /// Tokens of the payload.
    pub tokens_after: u64,
    /// Whether the payload was within the budget.
    pub fits: bool,
    /// Window less reserve; null of a request through the gateway, which has no budget.
    #[schema(value_type = Option<u64>)]
    pub budget: Value,
    /// Tokens by part; null of a request through the gateway.
    #[schema(value_type = Option<PartTokens>)]
    pub parts: Value,
    /// Messages by what happened to them; null of a request through the gateway.
    #[schema(value_type = Option<Actions>)]
    pub actions: Value,
    /// Tokens before the first place that changes with every compile; null of a request through the
    /// gateway.
    #[schema(value_type = Option<u64>)]
    pub stable_tokens: Value,
    /// Tokens that this compile left out and no earlier one of the session did.
    #[schema(value_type = Option<u64>)]
    pub unique_saved_tokens: Value,
    /// Where the payload first differs from the one before, and why; null if only the end is new.
    #[schema(value_type = Option<FirstChange>)]
    pub first_change: Value,
    /// What the payload costs, by assumption or, once that is reported, by the provider's usage.
    #[schema(value_type = Option<PayloadCost>)]
    pub cost: Value,
}

impl From<&Compilation> for TimelineRow {
    fn from(compilation: &Compilation) -> Self {
        let body: Value = serde_json::from_str(compilation.body.as_str()).unwrap_or_default();
        let member = |pointer: &str| body.pointer(pointer).cloned().unwrap_or_default();
        let reported = compilation.reported_cost.as_ref();
        let reported = reported.and_then(|cost| serde_json::from_str(cost.as_str()).ok());
        Self {
            compilation_id: compilation.id.to_string(),
            created_at: compilation.created_at.to_string(),
            model: (!compilation.model.is_empty()).then(|| compilation.model.to_string()),
            record: compilation.level.as_str(),
            status: compilation.status.as_str(),
            current: is_current(compilation),
            tokens_before: compilation.tokens_before,
            tokens_after: compilation.tokens_after,
            fits: compilation.fits,
            budget: member("/report/budget"),
            parts: member("/report/parts"),
            actions: member("/report/actions"),
            stable_tokens: member("/report/cache/stable_tokens"),
            unique_saved_tokens: match member("/report/unique_saved_tokens") {
                Value::Null => member("/gateway/unique_saved_tokens"),
                tokens => tokens,
            },
            first_change: member("/report/cache/first_change"),
            cost: reported.unwrap_or_else(|| member("/report/cost")),
        }
    }
}
