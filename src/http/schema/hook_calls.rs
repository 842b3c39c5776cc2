//! Schemas of the calls that hooks get, and of what they return.

use serde_json::Value;
use utoipa::ToSchema;

/// The hook that is called.
#[derive(Debug, ToSchema)]
pub struct CalledHook {
    /// The id of the hook.
    #[schema(example = "redact")]
    pub id: String,
    /// From 1, one more with each change of the hook.
    pub revision: u64,
}

/// The compile or the session that a call is about; what does not apply is null.
#[derive(Debug, ToSchema)]
pub struct HookCallScope {
    /// The tenant of the request.
    #[schema(example = "default")]
    pub tenant: String,
    /// The id of the compile.
    pub compilation_id: Option<String>,
    /// The id of the session.
    pub session_id: Option<String>,
    /// The agent whose request it is.
    pub agent: Option<String>,
    /// The turn of the session.
    pub turn: Option<u64>,
}

/// The attempt to deliver a call.
#[derive(Debug, ToSchema)]
pub struct HookCallDelivery {
    /// From 1; each attempt has the same `webhook-id`.
    pub attempt: u32,
    /// When it was sent: RFC 3339, in UTC.
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub sent_at: String,
    /// Whether a record is run again.
    pub replay: bool,
    /// Whether it is a trial of `POST /hooks/test` or `POST /hooks/{id}/test`.
    pub test: bool,
}

/// The outcome of a hook, as a record keeps it; what does not apply is null.
#[derive(Debug, ToSchema)]
pub struct HookRecord {
    /// The id of the hook.
    #[schema(example = "redact")]
    pub hook: String,
    /// The point of the call.
    #[schema(example = "tool_result")]
    pub point: String,
    /// What the hook may do.
    #[schema(example = "transform")]
    pub kind: String,
    /// As in a report; of a hook with `mode: "audit"`, what an enforced one would have done.
    #[schema(example = "applied")]
    pub outcome: String,
    /// Why a guard denied.
    pub reason: Option<String>,
    /// The code that a guard gave.
    pub code: Option<String>,
    /// Why the hook was skipped.
    pub skip: Option<String>,
    /// The failure in a word.
    pub cause: Option<String>,
    /// The failure in a sentence.
    pub detail: Option<String>,
    /// The hash of what was sent.
    pub request_digest: Option<String>,
    /// In a record in full, the JSON text of the member `input` that was sent; null if nothing was sent, as to
    /// a built-in hook, or if it is no longer kept.
    pub input: Option<String>,
    /// The text that the hook returned.
    pub answer: Option<String>,
    /// In a record in full, the newest attempt of a queued call; null before the first one.
    pub delivery: Option<RecordedDelivery>,
    /// The revision of the hook.
    pub revision: u64,
    /// From 0, one more with each call of the hook at the point.
    pub occurrence: u64,
    /// The status of the hook's response; 0 if there was none.
    pub status: u16,
    /// Microseconds that the call took.
    pub took_us: u64,
    /// Tries over the network.
    pub attempts: u32,
    /// Tokens that what it provided takes.
    pub tokens: u64,
    /// 1 if nothing of the outcome was applied, because the hook has `mode: "audit"`; otherwise 0.
    pub audit: u8,
    /// 1 if some of what it provided did not fit its cap; otherwise 0.
    pub clipped: u8,
}

/// The newest attempt of a queued call that a record in full lists.
#[derive(Debug, ToSchema)]
pub struct RecordedDelivery {
    /// The id of the call, as in `GET /hooks/{id}/deliveries`.
    #[schema(example = "msg_01993f6b2c0a7d3e8f1a2b3c4d5e6f70")]
    pub id: String,
    /// From 1.
    pub attempt: u32,
    /// When it was made.
    pub at: String,
    /// The status of the response; null if there was none.
    pub status: Option<u16>,
    /// The text of a response with a status of 200 to 299, its first 4 KiB; null if it did not arrive, is no text,
    /// or repeats a secret of the hook.
    pub response: Option<String>,
}

/// What a guard returns.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"decision": "deny", "reason": "the command deletes files"}))]
pub struct GuardAnswer {
    /// `allow` or `deny`.
    pub decision: GuardVerdict,
    /// Why it is denied: part of the problem document that the caller gets.
    pub reason: Option<String>,
    /// A word for programs.
    pub code: Option<String>,
}

/// Whether a guard lets the request go on.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum GuardVerdict {
    Allow,
    Deny,
}

/// What a transform returns; `null` changes nothing.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"action": "merge_patch", "patch": {"priority": "high"}}))]
pub struct TransformAnswer {
    /// How the input changes.
    pub action: TransformAction,
    /// With `replace`: the new value.
    pub payload: Option<Value>,
    /// With `merge_patch` an object (RFC 7396), with `json_patch` a list of operations (RFC 6902).
    pub patch: Option<Value>,
}

/// How a transform changes its input.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum TransformAction {
    Unchanged,
    Replace,
    MergePatch,
    JsonPatch,
}

/// What a provider returns; `null` adds nothing. The members that count depend on the point
/// (`GET /hook-points`).
#[derive(Debug, ToSchema)]
#[schema(example = json!({"content": "The build runs on Debian 12."}))]
pub struct ProvideAnswer {
    /// A text to add; at `summarize` the summary.
    pub content: Option<String>,
    /// Several texts to add.
    pub fragments: Option<Vec<Value>>,
    /// At `before_compress`: `summary_input` for the summariser or `verbatim` for the payload.
    pub include: Option<String>,
    /// At `before_compile` under a pack: the bucket of the text.
    pub bucket: Option<String>,
    /// At `compress_format`: the shorter text.
    pub text: Option<String>,
    /// At `retrieve_evidence`: evidence to admit.
    pub evidence: Option<Vec<Value>>,
    /// At `recall_memory`: keys of entries to show.
    pub keys: Option<Vec<String>>,
    /// At `recall_memory`: entries to show.
    pub entries: Option<Vec<Value>>,
}
