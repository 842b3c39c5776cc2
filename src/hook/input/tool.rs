//! Inputs at the points around tools and their texts, and of a search for evidence.

use serde::Serialize;

use super::{InputMember, PointInput};
use crate::json::JsonText;

const TOOL: InputMember = (
    "tool",
    "`{name, call_id, arguments}`; arguments as an object, those of a free-form call as text",
);

const SAMPLE_CALL: HookedCall<'static> = HookedCall {
    name: Some("Bash"),
    call_id: "call_1",
    arguments: Some(ToolArguments::Json(JsonText::new(r#"{"command":"cargo build"}"#))),
};

/// A call of a tool, as hooks see it; what is not known of it is null.
#[derive(Debug, Clone, Serialize)]
pub struct HookedCall<'a> {
    pub name: Option<&'a str>,
    pub call_id: &'a str,
    pub arguments: Option<ToolArguments<'a>>,
}

/// The arguments of a call.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum ToolArguments<'a> {
    Json(JsonText<'a>),
    /// Arguments of a free-form call, or arguments that are not an object.
    Text(&'a str),
}

/// The input at `tool_call`.
#[derive(Debug, Clone, Serialize)]
pub struct ToolCallInput<'a> {
    pub tool: HookedCall<'a>,
    pub batch: CallBatch,
}

/// The place of a call among the calls of its message.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CallBatch {
    pub index: usize,
    pub size: usize,
}

impl PointInput for ToolCallInput<'_> {
    const SENTENCE: &'static str = "before a tool call is carried out";
    const MEMBERS: &'static [InputMember] =
        &[TOOL, ("batch", "`{index, size}` among the calls of one message")];

    fn sample() -> Self {
        Self { tool: SAMPLE_CALL, batch: CallBatch { index: 0, size: 1 } }
    }
}

/// The input at `tool_result`.
#[derive(Debug, Clone, Serialize)]
pub struct ToolResultInput<'a> {
    pub tool: HookedCall<'a>,
    pub result: HookedResult<'a>,
}

/// The result of a call, as hooks see it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct HookedResult<'a> {
    /// A text, or parts.
    pub content: JsonText<'a>,
    pub is_error: bool,
}

impl PointInput for ToolResultInput<'_> {
    const SENTENCE: &'static str = "a tool's result, when it is first seen";
    const MEMBERS: &'static [InputMember] = &[
        TOOL,
        ("result", "`{content, is_error}`, and `stdout`, `stderr`, `exit_code` where given"),
    ];

    fn sample() -> Self {
        let content = JsonText::new("\"error: linking with cc failed\"");
        Self { tool: SAMPLE_CALL, result: HookedResult { content, is_error: true } }
    }
}

/// The input at `compress_format`.
#[derive(Debug, Clone, Serialize)]
pub struct CompressFormatInput<'a> {
    pub text: &'a str,
    pub tool: Option<&'a str>,
}

impl PointInput for CompressFormatInput<'_> {
    const SENTENCE: &'static str = "shortens a text of a format that only you know";
    const MEMBERS: &'static [InputMember] =
        &[("text", "the text"), ("tool", "the tool that wrote it, or null")];

    fn sample() -> Self {
        Self { text: "a=1\na=2\na=3", tool: None }
    }
}

/// The input at `retrieve_evidence`.
#[derive(Debug, Clone, Serialize)]
pub struct RetrieveEvidenceInput<'a> {
    pub intent_id: &'a str,
    pub query: JsonText<'a>,
}

impl PointInput for RetrieveEvidenceInput<'_> {
    const SENTENCE: &'static str = "finds the evidence that a pack asks for";
    const MEMBERS: &'static [InputMember] =
        &[("intent_id", "the pack's intent"), ("query", "what the caller looks for")];

    fn sample() -> Self {
        Self { intent_id: "answer", query: JsonText::new("\"the build\"") }
    }
}
