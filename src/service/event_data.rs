//! The `data` of events: what readers of `GET /events` and hooks at `event` get, by type.
//!
//! The fields are the members on the wire, in their order. Events have ids and counts, never
//! content.

use std::collections::BTreeSet;

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::{Actions, PayloadCost, RawJson};
use crate::hook::ScopeInput;
use crate::json::to_text;
use crate::pipeline::{FirstChange, PartTokens};

/// Writes the data of an event as it is on the wire.
pub(crate) fn to_raw(data: &impl Serialize) -> RawJson {
    RawJson::new(to_text(data))
}

/// A compile begins; all are null if the request is not valid.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompileStartData<'a> {
    /// The shape to produce.
    #[schema(example = "anthropic")]
    pub target: Option<&'static str>,
    /// The model, as the request names it.
    pub model: Option<&'a str>,
    /// Messages of the conversation.
    pub messages: Option<usize>,
}

/// A compile has a payload.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompileDoneData<'a> {
    /// The shape of the payload.
    #[schema(example = "anthropic")]
    pub target: Option<&'static str>,
    /// The model, as the request names it.
    pub model: Option<&'a str>,
    /// As in the report.
    pub tokens_before: u64,
    /// As in the report.
    pub tokens_after: u64,
    /// Whether the payload is within the budget.
    pub fits: bool,
    /// Tokens by part.
    pub parts: PartTokens,
    /// Messages by what happened to them.
    pub actions: Actions,
    /// Tokens that this compile left out and no earlier compile of the session did.
    pub unique_saved_tokens: u64,
    /// What the payload costs; null if the prices are not known.
    pub cost: Option<PayloadCost>,
    /// The cost of the session's last payload, by the usage that came with the request.
    pub reported_cost: Option<PayloadCost>,
    /// The id of the caller's key, or null.
    pub key: Option<&'a str>,
    /// The hash of the payload, in hex.
    pub payload_hash: String,
    /// Where the payload leaves the one before; null if it does not, or if there is none.
    pub first_change: Option<&'a FirstChange>,
    /// Milliseconds from the request to the payload.
    pub duration_ms: u64,
    /// How much of the compile is recorded, as the request asked: `none`, `hashes` or `full`.
    pub record: &'static str,
}

/// A compile has no payload.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompileFailedData {
    /// The code of the problem.
    #[schema(example = "invalid_request")]
    pub code: &'static str,
    /// Milliseconds from the request to the problem.
    pub duration_ms: u64,
}

/// Tokens of a request, as the provider counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct GatewayTokens {
    /// Tokens of the input that the cache had no part in.
    pub uncached: u64,
    /// Tokens that were read from the cache.
    pub read: u64,
    /// Tokens that were written to the cache.
    pub written: u64,
    /// Tokens of the response; null if it did not say.
    pub output: Option<u64>,
}

/// A request for a model through the gateway has ended.
#[derive(Debug, Serialize, ToSchema)]
pub struct GatewayRequestData<'a> {
    /// `anthropic`, `openai` or `gemini`.
    #[schema(example = "anthropic")]
    pub wire: &'static str,
    /// `messages`, `chat_completions`, `responses` or `generate_content`.
    #[schema(example = "messages")]
    pub endpoint: &'static str,
    /// The name of the upstream.
    pub upstream: &'a str,
    /// The model, as the request names it.
    pub model: Option<&'a str>,
    /// `observe`, `compress`, `fit` or `session`.
    #[schema(example = "compress")]
    pub mode: &'static str,
    /// Why something stayed as it came; null if nothing did.
    pub skipped: Option<&'static str>,
    /// Tokens that the request has less than it came with.
    pub saved_tokens: u64,
    /// The part of `saved_tokens` in the newest messages.
    pub unique_saved_tokens: u64,
    /// Whether the request passed a compaction point.
    pub compacted: bool,
    /// In mode `observe`: what `compress` would have saved of the newest messages.
    pub observed_tokens: u64,
    /// Tokens of the blocks that mode `session` added.
    pub added_tokens: u64,
    /// What the provider counted; null if the response did not say.
    pub tokens: Option<GatewayTokens>,
    /// What the request costs by the provider's count; null if that or the prices are not known.
    pub cost: Option<PayloadCost>,
    /// The id of the caller's key, or null.
    pub key: Option<&'a str>,
    /// The hash of the body that was sent; null if the body was not read.
    pub payload_hash: Option<String>,
    /// The status of the response.
    pub status: u16,
    /// The code of an error of this service, or null.
    pub code: Option<&'static str>,
    /// Milliseconds from the request to the end of the response.
    pub duration_ms: u64,
    /// How much of the request is recorded: `none`, `hashes` or `full`.
    pub record: &'static str,
}

/// The history of a compile shrank.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompressData {
    /// Tokens of the payload without this.
    pub tokens_before: u64,
    /// Tokens of the payload.
    pub tokens_after: u64,
    /// Messages by what happened to them.
    pub actions: Actions,
}

/// Memory, state or context is in the payload.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContextInjectedData<'a> {
    /// Entries of memory.
    pub memory_entries: usize,
    /// Whether `dynamic_state` is in it.
    pub dynamic_state: bool,
    /// Whether `implicit_context` or the text of a hook is in it.
    pub implicit_context: bool,
    /// The hooks whose text is in it.
    pub hooks: BTreeSet<&'a str>,
}

/// A memory entry has changed, or has expired.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoryEventData<'a> {
    /// The key of the entry.
    #[schema(example = "language")]
    pub key: &'a str,
    /// Who sees the entry.
    #[schema(value_type = MemoryEventScope)]
    pub scope: ScopeInput<'a>,
    /// What happened: `set`, `retract`, `supersede`, `restore`, `promote`, `delete` or `expire`.
    #[serde(rename = "type")]
    #[schema(rename = "type", example = "set")]
    pub action: &'static str,
    /// `direct`, `model`, `review`, `session` or `expiry`.
    #[schema(example = "direct")]
    pub origin: &'static str,
    /// The version of the entry.
    pub version: u64,
    /// How often the entry was written.
    pub update_count: u64,
    /// `public`, `internal`, `confidential` or `restricted`.
    #[schema(example = "internal")]
    pub classification: &'static str,
    /// The status of the entry.
    #[schema(example = "promoted")]
    pub status: &'static str,
}

/// The scope of a memory entry: null is any.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes `ScopeInput`, which hooks get too")]
pub struct MemoryEventScope {
    /// The subject, such as a user.
    subject: Option<String>,
    /// The session.
    session_id: Option<String>,
    /// The agent.
    agent: Option<String>,
    /// The tenant of a pack; absent if the entry is shared.
    pack_tenant: Option<String>,
}

/// A model may not write a memory entry. `hook`, `point` and `code` are absent unless a hook denied it.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoryDeniedData<'a> {
    /// The key of the entry.
    pub key: &'a str,
    /// `hook`, `key_not_allowed`, `write_off`, `shared_entry` or `not_current`.
    #[schema(example = "key_not_allowed")]
    pub reason: &'a str,
    /// Always `model`.
    #[schema(example = "model")]
    pub origin: &'static str,
    /// The id of the hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<&'a str>,
    /// The point of the hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<&'static str>,
    /// The code that the hook gave, or null.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub code: Option<Option<&'a str>>,
}

/// A guard denied a call of the model.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolDeniedData<'a> {
    /// The id of the call.
    pub call_id: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The id of the hook.
    pub hook: &'a str,
    /// The code that the hook gave, or null.
    pub code: Option<&'a str>,
}

/// A hook gave no answer. `kind` and `status` are of a call in a request, `delivery` and `attempts` of
/// one from the queue.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct HookFailedData<'a> {
    /// The id of the hook.
    pub hook: &'a str,
    /// The point of the call.
    #[schema(example = "before_compile")]
    pub point: &'a str,
    /// What the hook may do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// The failure in a word.
    #[schema(example = "timeout")]
    pub cause: Option<&'a str>,
    /// The status of the hook's response; null if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u16>)]
    pub status: Option<Option<u16>>,
    /// The id of the queued call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<&'a str>,
    /// How often the queued call was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
}

/// A hook's no ended a compile or a request through the gateway.
#[derive(Debug, Serialize, ToSchema)]
pub struct HookDeniedData<'a> {
    /// The id of the hook.
    pub hook: &'a str,
    /// The point of the call.
    #[schema(example = "transform_context")]
    pub point: &'static str,
    /// The code that the hook gave, or null.
    pub code: Option<&'a str>,
}

/// The hand-over of a task to another agent was reported.
#[derive(Debug, Serialize, ToSchema)]
pub struct DelegationRecordedData<'a> {
    /// The id of the delegation.
    pub delegation_id: &'a str,
    /// The agent that got the task.
    pub agent_name: &'a str,
    /// How the delegation ended, as `status` of `POST /sessions/{id}/delegations`.
    pub status: &'static str,
    /// How the task was handed over, as `path` of `POST /sessions/{id}/delegations`.
    pub path: &'static str,
    /// `metadata.handoff_depth`, if it is a number.
    pub handoff_depth: Option<u64>,
    /// Bytes of the task.
    pub task_bytes: usize,
    /// Bytes of the result.
    pub result_bytes: usize,
}

/// A session was opened, forked or switched.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionSwitchedData<'a> {
    /// The session that is used from now on.
    pub new_session_id: &'a str,
    /// The session before it; empty if there was none.
    pub parent_session_id: &'a str,
    /// Whether the session begins without the state of its parent.
    pub reset: bool,
    /// `new`, `fork`, `reset`, `rotation` or `resume`.
    #[schema(example = "new")]
    pub reason: &'a str,
}

/// The prefix of a session is about to run out in its provider's cache.
#[derive(Debug, Serialize, ToSchema)]
pub struct CacheExpiringData<'a> {
    /// The model.
    pub model: &'a str,
    /// SHA-256 of the payload's text up to the end of its last marked block.
    pub prefix_hash: &'a str,
    /// Tokens of the prefix.
    pub prefix_tokens: u64,
    /// Micro-dollars that writing the prefix again costs more than reading it, or null.
    pub rewrite_micros: Option<u64>,
    /// When the prefix runs out: RFC 3339, in UTC.
    pub expires_at: &'a str,
}

/// The service disabled a hook.
#[derive(Debug, Serialize, ToSchema)]
pub struct HookDisabledData<'a> {
    /// The id of the hook.
    pub hook: &'a str,
    /// `gone` or `failing`.
    #[schema(example = "gone")]
    pub because: &'static str,
}

/// Queued calls of a hook were deleted, because too many were queued.
#[derive(Debug, Serialize, ToSchema)]
pub struct HookLostData<'a> {
    /// The id of the hook.
    pub hook: &'a str,
    /// Calls that were deleted since the last such event.
    pub count: u64,
}

/// To one reader: events are no longer kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct StreamGapData {
    /// The first number that is missing.
    pub from: u64,
    /// The last number that is missing.
    pub to: u64,
}

/// To one reader: it was too slow, and the stream ends.
#[derive(Debug, Serialize, ToSchema)]
pub struct StreamOverflowData {
    /// Events that the reader has not read.
    pub behind: u64,
}
