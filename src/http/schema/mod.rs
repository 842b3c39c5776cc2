//! The schemas of requests and responses in `openapi.yaml`.
//!
//! Most requests are read by `request/` and many responses are written by `service/` without these
//! types, because a conversation must keep its bytes, and a response is written in one pass. Such a
//! type is only the description of its fields.

mod adapters;
mod artifacts;
mod budget;
mod cache;
mod candidate_events;
mod candidates;
mod compilations;
mod compress;
mod compression;
mod console;
mod constant;
mod diff_step;
mod events;
mod gateway;
mod golden;
mod hook_calls;
mod hooks;
mod keys;
mod memory;
mod packs;
mod payloads;
mod recall;
mod sessions;
mod settings;
mod skills;
mod snapshots;
mod timeline;
mod tools;
mod turns;

pub use adapters::{
    Adapter, AdapterDefinition, AdapterList, AdapterRow, AdapterTest, AdapterTestRequest,
};
pub use artifacts::{CleanupRequest, OffloadAnswer, OffloadRequest};
pub use budget::{Budget, BudgetInput, OnOverflow, PriceStepRule};
pub use cache::{CacheInput, CacheOptions};
pub use candidate_events::*;
pub use candidates::*;
pub use compilations::*;
pub use compress::{CompressRequest, CompressResponse, ExpandRequest, ExpandedList};
pub use compression::{ClearChoice, Compression, CompressionInput};
pub use console::ConsoleSession;
pub(super) use constant::constant;
pub use keys::{
    ChangeKey, CreateKey, Key, KeyKind, KeyLimits, KeyList, NewKey, QuotaRow, UsageCost,
    UsageDurations, UsageList, UsageRow,
};

pub use diff_step::DiffStep;
pub use events::{EventGap, EventList, EventRow, EventTicket};
pub use gateway::{
    GatewayAnswer, GatewayConfig, GatewayHealth, GatewayRequest, GatewayStats, RetrieveRequest,
};
pub use golden::{GoldenCase, GoldenList, GoldenRequest, GoldenRow, GoldenRun, GoldenRunRequest};
pub use hook_calls::*;
pub use hooks::{
    Delivery, DeliveryAttempt, DeliveryList, HookChange, HookDefinition, HookDiff, HookList,
    HookOrder, HookOrderRequest, HookPoint, HookPointKind, HookPoints, HookRegistration, HookShown,
    HookTried, NewHook, RotateSecret, TryHook, TryNewHook,
};
pub use memory::*;
pub use packs::{
    LintAnswer, LintRow, Pack, PackChange, PackDiff, PackDiffRequest, PackDocument, PackLayerDiff,
    PackList, PackPublished, PackRow, PackVersions, RuleDoubt, RuleRequest, RuleValue,
};
pub use payloads::*;
pub use recall::*;
use serde::Serialize;
use serde_json::Value;
pub use sessions::{
    Calibration, ChangeSession, CreateSession, Session, SessionList, SessionTtl, SessionUsage,
    UsageAnswer,
};
pub use settings::{SettingList, SettingRow};
pub use skills::{RenderSkill, RenderedSkill, Skill, SkillDefinition, SkillError, SkillList};
pub use snapshots::{
    Delegation, DelegationRow, ForkSession, RestoreSession, Snapshot, SnapshotList, SnapshotRow,
    SwitchSession, TakeSnapshot,
};
pub use timeline::*;
pub use tools::{
    CallResult, CallsAnswer, CallsRequest, RawResult, ResultsAnswer, ResultsRequest, ToolGroup,
    ToolOptions, ToolPruning, ToolsGiven, call_results,
};
pub use turns::{SessionTurn, TurnAnswer, TurnAppended, TurnPayload};
use utoipa::ToSchema;

use crate::domain::ModelRow;
use crate::pipeline::Report;

/// A conversation and what to make of it. Only a conversation and `target` are needed; an
/// unknown key is refused with the name of the nearest known one.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "target": "anthropic",
    "model": "claude-sonnet-4-5",
    "messages": [
        {"role": "system", "content": "You are a careful assistant."},
        {"role": "user", "content": "Where does the build fail?"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function",
             "function": {"name": "read_log", "arguments": "{\"lines\": 200}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "error[E0382]: use of moved value"}
    ],
    "budget": {"context_window": 128_000, "reserve_output": 4096}
}))]
pub struct CompileRequest {
    /// Messages in the shape of `OpenAI` Chat, Anthropic or neutral; at most 10,000. Under a pack they
    /// may be absent: `input.message` of the request is then the conversation.
    #[schema(value_type = Option<Vec<ConversationMessage>>)]
    pub messages: Option<Vec<Value>>,
    /// The conversation of an `OpenAI` Responses request: a text or a list of items.
    pub input: Option<Value>,
    /// The conversation of a Gemini request.
    pub contents: Option<Vec<Value>>,
    /// System text of an Anthropic request: a text or a list of text blocks.
    pub system: Option<Value>,
    /// System text of a Gemini request.
    #[schema(rename = "systemInstruction")]
    pub system_instruction: Option<Value>,
    /// The same, as the provider's Python library spells it.
    #[schema(rename = "system_instruction")]
    pub system_instruction_snake: Option<Value>,
    /// System text of an `OpenAI` Responses request.
    pub instructions: Option<String>,
    /// The provider's array of tools, at most 1,000, or the array as `list` with options next to it.
    pub tools: Option<ToolsGiven>,
    /// The shape that the conversation is in; recognised when absent.
    pub source: Option<Shape>,
    /// The shape to produce; `openai` when absent.
    pub target: Option<Shape>,
    /// Decides window, largest answer and tokenizer (`GET /models`). One that is not in the
    /// table gets 128,000 tokens and a warning.
    pub model: Option<String>,
    /// The size that the payload may have.
    pub budget: Option<BudgetInput>,
    /// How far the history is shortened, and by what.
    pub compression: Option<CompressionInput>,
    /// Messages that stay word for word.
    pub protect: Option<ProtectOptions>,
    /// How the provider's prompt cache is used.
    pub cache: Option<CacheInput>,
    /// Anthropic's member: the provider itself marks the last block. It takes one of the four places.
    #[schema(value_type = Option<Object>)]
    pub cache_control: Option<Value>,
    /// Member of `OpenAI`; without it, a session with marks of ours has a key of its own.
    pub prompt_cache_key: Option<String>,
    /// Member of `OpenAI` for GPT-5.6 and later: `mode` and `ttl`.
    #[schema(value_type = Option<Object>)]
    pub prompt_cache_options: Option<Value>,
    /// Member of `OpenAI` for models before GPT-5.6.
    pub prompt_cache_retention: Option<String>,
    /// Gemini's member: the name of stored content, which has to contain system text and tools.
    #[schema(rename = "cachedContent")]
    pub cached_content: Option<String>,
    /// The same, as the provider's Python library spells it.
    #[schema(rename = "cached_content")]
    pub cached_content_snake: Option<String>,
    /// Any object; placed as XML, the same bytes for the same object.
    #[schema(value_type = Option<Object>)]
    pub dynamic_state: Option<Value>,
    /// Where the state is placed: at the end of the last user message if absent.
    pub dynamic_state_placement: Option<StatePlacement>,
    /// Whether a sentence after the state at the tail says that it is current: true if absent.
    pub dynamic_state_anchor: Option<bool>,
    /// `move`: state, context and memory data are at the end of the last user message, once. `stay`:
    /// they stay where earlier payloads had them, and newer ones follow at the end of the list. If
    /// absent, `stay` for models that bind their thinking, `move` for others.
    pub tail_placement: Option<String>,
    /// Text for this turn only, placed at the tail of the last user message.
    pub implicit_context: Option<String>,
    /// What the model's response looks like.
    pub output: Option<Output>,
    /// Whether members of the provider's own request, such as `temperature`, `max_tokens` or `stream`, are
    /// given back in `payload`, if the target's API has them. Without it they are refused.
    pub passthrough: Option<bool>,
    /// Memory to place, and what the model may write.
    pub memory: Option<MemoryGiven>,
    /// Instructions after the system text.
    pub skill: Option<SkillGiven>,
    /// Compiles of one session are compared with each other in `report.cache.first_change`.
    #[schema(max_length = 256)]
    pub session_id: Option<String>,
    /// Hooks of this request alone, at most 32, or `false` for none but the mandatory ones. A hook with a
    /// `url` needs the scope `hooks:write`.
    pub hooks: Option<Value>,
    /// The provider's `usage` object of the session's last payload, as it came: it calibrates how
    /// tokens are counted.
    #[schema(value_type = Option<Object>)]
    pub usage: Option<Value>,
    /// The pack that governs the compile (`docs/packs.md`): `id@version`, a document, or `{"ref" |
    /// "document", "run_context", "request", "memory"?, "blocks"?}`.
    pub pack: Option<Value>,
    /// Under a pack: who acts, for whom, and how far; where it is not inside of `pack`.
    #[schema(value_type = Option<Object>)]
    pub run_context: Option<Value>,
    /// Under a pack: what is to be done; where it is not inside of `pack`.
    #[schema(value_type = Option<Object>)]
    pub request: Option<Value>,
    /// Under a pack: evidence that may be shown, at most 1,000.
    pub evidence: Option<Vec<Value>>,
    /// `strict` refuses malformed tool arguments, `lenient` keeps them as they are.
    #[schema(default = "strict")]
    pub repair: Option<String>,
    /// What is kept of this compile. `hashes`: figures and the hashes of its stages. `full`: request
    /// and payload, too. `none`: nothing, and no later compile finds it as the one before.
    #[schema(default = "hashes")]
    pub record: Option<String>,
    /// Milliseconds that the compile may take, 10,000 when absent. The smaller of this and the
    /// header `Contexture-Deadline-Ms` counts.
    #[schema(minimum = 1, maximum = 60_000)]
    pub deadline_ms: Option<u64>,
    /// What to do when the time is up: an error, or the input re-encoded for the target.
    pub on_deadline: Option<OnDeadline>,
    /// `full` adds `decisions` to the report.
    pub explain: Option<ExplainMode>,
}

/// The shapes that a conversation comes in and goes out.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
#[schema(as = ConversationShape)]
pub enum Shape {
    Openai,
    OpenaiResponses,
    Anthropic,
    Gemini,
    Neutral,
}

#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum OnDeadline {
    Fail,
    Pass,
}

#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum ExplainMode {
    Summary,
    Full,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum StatePlacement {
    LastUser,
    System,
}

/// What stays word for word.
#[derive(Debug, ToSchema)]
pub struct ProtectOptions {
    /// Ids or indices of messages.
    pub messages: Option<Vec<Value>>,
    /// Messages of these roles.
    pub roles: Option<Vec<String>>,
    /// Tools whose results stay.
    pub tools: Option<Vec<String>>,
    /// Texts that match stay: `{"regex", "label"}`.
    #[schema(value_type = Option<Vec<Object>>)]
    pub patterns: Option<Vec<Value>>,
    /// The newest turns, by number.
    pub recent_turns: Option<u64>,
    /// The newest messages, by number.
    pub recent_messages: Option<u64>,
}

/// Instructions that follow the system text: the name of a skill, or more about it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = SkillInput)]
pub enum SkillGiven {
    Name(String),
    Choice(SkillChoice),
}

/// A skill with what is put into it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillChoice {
    /// The name of the skill.
    #[schema(example = "review")]
    pub name: String,
    /// In the place of those that are known under the name.
    pub instructions: Option<String>,
    /// One text, whose words are the arguments.
    pub args: Option<String>,
    /// The value of `${NAME}`.
    #[schema(value_type = Option<Object>, example = json!({"BRANCH": "main"}))]
    pub vars: Option<Value>,
}

/// What is asked of the model's answer.
#[derive(Debug, ToSchema)]
#[schema(as = OutputOptions)]
pub struct Output {
    /// The answer is asked for inside this XML tag.
    pub tag: Option<String>,
    /// The beginning of the answer, put into the model's mouth.
    pub prefill: Option<String>,
}

/// A compiled conversation.
#[derive(Debug, ToSchema)]
pub struct Compilation {
    /// The id of the record.
    #[schema(example = "cmp_8d2c41f09b7e")]
    pub id: String,
    /// Spread it into the provider's call: `create(model=..., **payload)`.
    #[schema(value_type = CompilePayload)]
    pub payload: Value,
    /// What was done, and why.
    pub report: Report,
    /// Under a pack: what was compiled, with manifests, controls, budget and ledger.
    #[schema(value_type = Option<Object>)]
    pub compiled_context: Option<Value>,
    /// SHA-256 of the canonical JSON (RFC 8785) of `compiled_context`.
    pub compiled_context_hash: Option<String>,
    /// Under a pack: what belongs to this one call, and is hashed nowhere.
    #[schema(value_type = Option<Object>)]
    pub meta: Option<Value>,
}

/// What to count: one of `text`, `messages` and `tools`.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"text": "How many tokens is this?", "model": "gpt-4o"}))]
pub struct TokensRequest {
    /// A text.
    pub text: Option<String>,
    /// Messages in any shape that `/compile` takes, under its keys.
    #[schema(value_type = Option<Vec<ConversationMessage>>)]
    pub messages: Option<Vec<Value>>,
    /// The provider's array of tools.
    #[schema(value_type = Option<Vec<Object>>)]
    pub tools: Option<Vec<Value>>,
    /// The shape of the messages; recognised if absent.
    pub source: Option<Shape>,
    /// The shape to count them in.
    pub target: Option<Shape>,
    /// Decides the tokenizer and the factor; `o200k_base` when absent.
    pub model: Option<String>,
}

/// The table of models.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelList {
    pub items: Vec<ModelRow>,
    /// Always null: the table comes whole.
    pub next_cursor: Option<String>,
}
