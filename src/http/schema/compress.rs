//! Schemas of `POST /compress` and `POST /expand`.

use serde_json::Value;
use utoipa::ToSchema;

use super::{ClearChoice, ConversationMessage, ExplainMode, OnDeadline, ProtectOptions, Shape};
use crate::pipeline::Report;
use crate::service::compress::KeptOriginal;
use crate::service::expansion::ExpandReport;

/// Messages or a text to compress: one of `text`, `messages`, `input` and `contents`.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "messages": [
        {"role": "user", "content": "Where does the build fail?"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function",
             "function": {"name": "read_log", "arguments": "{\"lines\": 200}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "1\tfn main() {\n2\t    run();\n3\t}\n4\t"}
    ]
}))]
pub struct CompressRequest {
    /// A text, in place of a conversation.
    pub text: Option<String>,
    /// Messages in the shape of `OpenAI` Chat, Anthropic or neutral; at most 10,000.
    #[schema(value_type = Option<Vec<ConversationMessage>>)]
    pub messages: Option<Vec<Value>>,
    /// Items of an `OpenAI` Responses request.
    pub input: Option<Value>,
    /// The conversation of a Gemini request.
    pub contents: Option<Vec<Value>>,
    /// Counted and left as it is, like the three below and the tools.
    pub system: Option<Value>,
    /// System text of a Gemini request.
    #[schema(rename = "systemInstruction")]
    pub system_instruction: Option<Value>,
    /// The same, as the provider's Python library spells it.
    #[schema(rename = "system_instruction")]
    pub system_instruction_snake: Option<Value>,
    /// System text of an `OpenAI` Responses request.
    pub instructions: Option<String>,
    /// The provider's array of tools; counted and left as it is.
    pub tools: Option<Value>,
    /// The shape that the conversation is in; recognised when absent.
    pub source: Option<Shape>,
    /// `lossless`, `reversible`, `summary` or `drop`; each allows what the ones before do.
    /// `lossless` when absent, `summary` where there is a budget. Without a budget every edit of
    /// the level is made outside of the newest turns; with one, as many as it takes.
    pub level: Option<String>,
    /// How lossless forms may show values: `plain`, each as it was written; `computed`, some derived
    /// from others; or `none`, only what keeps the format of the original.
    #[schema(default = "plain")]
    pub notations: Option<String>,
    /// Tokens that the answer may take, framing included.
    pub budget_tokens: Option<u64>,
    /// Decides the tokenizer.
    pub model: Option<String>,
    /// Newest turns that are shielded from all but lossless edits.
    #[schema(default = 4)]
    pub keep_recent_turns: Option<u64>,
    /// What a summary is to hold, in your words; at most 8,192 bytes.
    pub summary_instructions: Option<String>,
    /// Which old results become one line, and which stay.
    pub clear: Option<ClearChoice>,
    /// Format adapters in the order in which texts are offered to them: names, or definitions.
    /// When absent all of ours, a stored one of the same name in the place of each.
    #[schema(max_items = 64)]
    pub adapters: Option<Vec<Value>>,
    /// Messages that stay word for word.
    pub protect: Option<ProtectOptions>,
    /// `store` keeps the originals as artifacts, `return` hands them over as `originals` and
    /// keeps ids and hashes only, `none` allows only what decodes from the shown text.
    #[schema(default = "store")]
    pub originals: Option<String>,
    /// `strict` refuses malformed tool arguments, `lenient` keeps them as they are.
    #[schema(default = "strict")]
    pub repair: Option<String>,
    /// `full` adds `decisions` to the report.
    pub explain: Option<ExplainMode>,
    /// Milliseconds that it may take, 10,000 if absent.
    #[schema(minimum = 1, maximum = 60_000)]
    pub deadline_ms: Option<u64>,
    /// `pass`, when absent: when time is up the input is returned as it came.
    pub on_deadline: Option<OnDeadline>,
}

/// The result, under the key it came in.
#[derive(Debug, ToSchema)]
pub struct CompressResponse {
    /// The id of the response.
    #[schema(example = "cpr_8d2c41f09b7e")]
    pub id: String,
    /// The messages in the shape in which they came; absent for a text.
    #[schema(value_type = Option<Vec<Object>>)]
    pub messages: Option<Vec<Value>>,
    /// The text; absent for messages.
    pub text: Option<String>,
    /// What was done, and why.
    pub report: Report,
    /// The originals of what is not shown in full.
    pub artifacts: Vec<KeptOriginal>,
    /// Their texts by id, with `originals: "return"`.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    pub originals: Option<Value>,
}

/// What to give back: one of the messages, a `text`, an answer's `id`, or an `artifact`.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"artifact": "9f2c41d07be8a3556c1d90aa"}))]
pub struct ExpandRequest {
    /// Messages as they were returned, in their shape; newer ones may follow.
    #[schema(value_type = Option<Vec<ConversationMessage>>)]
    pub messages: Option<Vec<Value>>,
    /// Items of an `OpenAI` Responses request.
    pub input: Option<Vec<Value>>,
    /// The conversation of a Gemini request.
    pub contents: Option<Vec<Value>>,
    /// A text as it was returned: its original, if that is known here; else it is
    /// decoded from its own notations.
    pub text: Option<String>,
    /// Originals that the caller kept, by id. Where nothing else is known of a text, the one that
    /// equals what it decodes to, but for what `equivalent` edits leave out, is taken.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    pub originals: Option<Value>,
    /// The id of an answer of `/compress`.
    pub id: Option<String>,
    /// The id of an artifact.
    pub artifact: Option<String>,
}

/// The originals, under the key that the messages came in.
#[derive(Debug, ToSchema)]
pub struct ExpandedList {
    /// The messages with their original texts.
    #[schema(value_type = Option<Vec<Object>>)]
    pub messages: Option<Vec<Value>>,
    /// The original text.
    pub text: Option<String>,
    #[schema(inline)]
    #[serde(flatten)]
    pub done: ExpandReport,
}
