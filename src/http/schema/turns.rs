//! Schemas of `/sessions/{id}/turns`.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{CallResult, CompilePayload, Shape};
use crate::domain::Note;
use crate::pipeline::Report;
use crate::service::hooks::HookReport;

/// What happened since, and any key of `/compile` but the conversation's.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "append": [
        {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
            "function": {"name": "read_log", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "error[E0382]: use of moved value"}],
    "usage": {"prompt_tokens": 1250, "completion_tokens": 31}
}))]
pub struct SessionTurn {
    /// Messages in the shape of the session, at most 1,000: the model's answer, the results of your
    /// tools, what the user says next.
    pub append: Option<Vec<Value>>,
    /// The shape of the messages, where the session has none yet. When absent that of the defaults, else
    /// of the first message that only one shape has.
    pub source: Option<Shape>,
    /// The provider's `usage` object of the payload before, as it came.
    #[schema(value_type = Option<Object>)]
    pub usage: Option<Value>,
    /// Whether the next payload is compiled. Without it messages are appended and calls judged, and
    /// nothing is recorded or counted.
    #[schema(default = true)]
    pub compile: Option<bool>,
}

/// The next payload, or without a compile what was appended.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = TurnResponse)]
pub enum TurnAnswer {
    Compiled(Box<TurnPayload>),
    Appended(TurnAppended),
}

/// A turn without a compile.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AppendedTurn)]
pub struct TurnAppended {
    /// As in a turn with a payload.
    pub results: Vec<CallResult>,
    /// The number of messages in the session.
    pub messages: u64,
    /// A line for each hook that was asked about the calls; absent if none was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<HookReport<'_>>)]
    pub hooks: Vec<serde_json::Value>,
    /// About `usage`.
    pub warnings: Vec<Note>,
}

/// The next payload.
#[derive(Debug, Serialize, ToSchema)]
pub struct TurnPayload {
    /// The id of the record.
    #[schema(example = "cmp_8d2c41f09b7e")]
    pub id: String,
    /// As `/compile` returns it.
    #[schema(value_type = CompilePayload)]
    pub payload: Value,
    /// What was done, and why.
    pub report: Report,
    /// The outcomes of the calls that came without a result, as `POST /tools/calls` has it. What was
    /// denied or ours has its result in the conversation already.
    pub results: Vec<CallResult>,
}
