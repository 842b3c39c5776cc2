//! Schemas of `/tools`.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{Scope, Shape};
use crate::domain::RawJson;
use crate::pipeline::Report;
use crate::service::compress::KeptOriginal;
use crate::service::hooks::HookReport;
use crate::service::tools::{CallOutcome, CallResults, HandledCall, ResultOutcome, ToolAnswer};

/// Tools as they are given.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = ToolsInput)]
pub enum ToolsGiven {
    /// The provider's array.
    List(Vec<Value>),
    Options(ToolOptions),
}

/// Which tools a model gets, and how.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolOptions {
    /// The provider's array. An entry may have `tags`, which are not sent.
    pub list: Option<Vec<Value>>,
    /// Which tools are left out, and by what.
    pub prune: Option<ToolPruning>,
    /// Groups that the model sees as one tool each, with `action` and `args`.
    pub namespaces: Option<Vec<ToolGroup>>,
    /// Groups that the model sees once it has called `load_toolkit`; until then it sees what they
    /// are called.
    pub toolkits: Option<Vec<ToolGroup>>,
    /// Names whose calls `POST /tools/calls` denies; the payload stays the same.
    pub blocked: Option<Vec<String>>,
    /// Whether schemas lose what says nothing.
    pub minify: Option<bool>,
}

/// Which tools of the list stay.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolPruning {
    /// Stays what has no tags, or whose name or tag occurs in this text.
    pub task: Option<String>,
    /// Stays what is named here, in any case of its letters.
    pub allow: Option<Vec<String>>,
    /// Where both are given: `union` (when absent) keeps what either keeps, `intersection` what
    /// both do.
    #[schema(default = "union")]
    pub strategy: Option<String>,
}

/// Tools that belong together.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolGroup {
    /// The name of the group.
    #[schema(example = "file_ops")]
    pub name: String,
    /// What the tools of the group are for, for the model.
    pub description: Option<String>,
    /// An array; with Gemini's tools one object will do.
    pub tools: Value,
}

/// The calls of one assistant message.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"calls": [{"id": "call_1", "type": "function", "function": {
    "name": "create_memory", "arguments": "{\"key\": \"language\", \"value\": \"TypeScript\"}"}}]}))]
#[schema(as = ToolCallsRequest)]
pub struct CallsRequest {
    /// As the provider gave them: `tool_calls` of `OpenAI` Chat, `tool_use` blocks of Anthropic,
    /// `functionCall` parts of Gemini, `function_call` items of `OpenAI` Responses.
    pub calls: Vec<Value>,
    /// The shape that they are in; recognised when absent.
    pub source: Option<Shape>,
    /// The session of the calls. Its defaults and those of the key give `tools`, and the scope, the
    /// keys and the life of what the model writes, as in a compile.
    pub session_id: Option<String>,
    /// The scope that the model writes to, as `memory.scope` of the compile. If it is absent: that
    /// of the defaults, or else the session.
    pub scope: Option<Scope>,
    /// The keys that the model may write, as `memory.allowed_keys` of the compile. It can narrow the
    /// list of the defaults, not widen it.
    pub allowed_keys: Option<Vec<String>>,
    /// As the compile had them: an array, or an object with `list`, `namespaces`, `toolkits` and
    /// `blocked`. With them arguments are held to the schema (draft 2020-12), and tools that are
    /// not there are denied. If Anthropic's memory tool (`memory_20250818`) is among them, its calls
    /// are carried out on stored memory.
    pub tools: Option<ToolsGiven>,
}

/// What becomes of each call, in their order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ToolCallsResponse)]
pub struct CallsAnswer {
    /// A result or a refusal for each call, in the order of the calls.
    pub results: Vec<CallResult>,
    /// The outcomes of the hooks at `tool_call`, a line each; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<HookReport<'_>>)]
    pub hooks: Vec<Box<RawValue>>,
}

/// What becomes of a call.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ToolCallResult)]
pub struct CallResult {
    /// The id of the call.
    pub id: String,
    /// The tool that is meant: of a namespace, its action.
    #[schema(example = "create_memory")]
    pub name: String,
    /// The namespace that it was called through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Who runs it: `service` where that is done, else `caller`.
    #[serde(rename = "for")]
    #[schema(rename = "for", example = "service")]
    pub whose: &'static str,
    /// `allow` or `deny`.
    #[schema(example = "allow")]
    pub decision: &'static str,
    /// For the caller: what the tool is to be run with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub arguments: Option<Box<RawValue>>,
    /// Why it is denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The result to append, in the shape of the calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub message: Option<Box<RawValue>>,
}

impl From<CallResults> for CallsAnswer {
    fn from(carried: CallResults) -> Self {
        Self { hooks: carried.hook_lines(), results: call_results(carried.results) }
    }
}

/// The outcomes of calls.
pub fn call_results(handled: Vec<HandledCall>) -> Vec<CallResult> {
    handled.into_iter().map(Into::into).collect()
}

impl From<HandledCall> for CallResult {
    fn from(handled: HandledCall) -> Self {
        let raw = |json: &RawJson| RawValue::from_string(json.as_str().to_owned()).ok();
        let mut result = Self {
            id: handled.id.to_string(),
            name: handled.name.to_string(),
            namespace: handled.namespace.map(|name| name.to_string()),
            whose: "caller",
            decision: "allow",
            arguments: None,
            reason: None,
            message: None,
        };
        match handled.outcome {
            CallOutcome::Caller { arguments } => result.arguments = raw(&arguments),
            CallOutcome::Denied { reason, message } => {
                result.decision = "deny";
                result.reason = Some(reason);
                result.message = raw(&message);
            }
            CallOutcome::Service { answer, message } => {
                result.whose = "service";
                result.message = raw(&message);
                if let ToolAnswer::Refused(reason) = answer {
                    result.decision = "deny";
                    result.reason = Some(reason);
                }
            }
        }
        result
    }
}

/// What tools have answered.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"results": [{"id": "call_1", "name": "read_log", "content": "…"}],
    "truncate": {"threshold": 5000, "tail_chars": 1000, "store": true}}))]
#[schema(as = ToolResultsRequest)]
pub struct ResultsRequest {
    /// The results of the tools.
    pub results: Vec<RawResult>,
    /// The shape of the messages that are wanted; `openai` when absent.
    pub source: Option<Shape>,
    /// Decides the tokenizer.
    pub model: Option<String>,
    /// Limits above which a result is stored and shown in part.
    pub truncate: Option<TruncationOptions>,
    /// `off`, `lossless` (when absent) or `reversible`, which shortens what a format's adapter
    /// knows.
    pub compression: Option<String>,
    /// How lossless forms may show values: `plain`, each as it was written; `computed`, some derived
    /// from others; or `none`, only what keeps the format of the original. When absent,
    /// `compression.notations` of the defaults of the session, or of the key if the session's have no
    /// `compression`; else `plain`.
    pub notations: Option<String>,
    /// Whether what is shortened names its artifact for the tool `context_read`.
    pub read_tool: Option<bool>,
    /// The session, for its hooks and for `compression.notations` of its defaults.
    pub session_id: Option<String>,
}

/// What one tool has answered.
#[derive(Debug, ToSchema)]
#[schema(as = RawToolResult)]
pub struct RawResult {
    /// The call that it answers.
    pub id: String,
    /// The name of the tool.
    pub name: Option<String>,
    /// What the tool was run with, for hooks at `tool_result`.
    pub arguments: Option<Value>,
    /// A text; anything else is shown as its JSON.
    pub content: Value,
    /// Whether the tool failed.
    pub is_error: Option<bool>,
    /// The `caller` of the call, as the provider wrote it. If it is a program (`code_execution_…`,
    /// `program`), the result keeps its bytes: the program reads it, and no model.
    pub caller: Option<Value>,
}

/// How long results are cut; in UTF-16 units.
#[derive(Debug, ToSchema)]
#[schema(as = TruncateOptions)]
pub struct TruncationOptions {
    /// Results of at most so many stay whole.
    #[schema(default = 5000)]
    pub threshold: Option<u64>,
    /// Units of the beginning that stay.
    #[schema(default = 0)]
    pub head_chars: Option<u64>,
    /// Units of the end that stay.
    #[schema(default = 1000)]
    pub tail_chars: Option<u64>,
    /// Whether the whole of what is cut is kept as an artifact, which the cut text names.
    pub store: Option<bool>,
    /// A tool's name: never cut. `{"name", "threshold"?, "head_chars"?, "tail_chars"?}`: cut so. The
    /// last of a name counts.
    pub per_tool: Option<Vec<Value>>,
}

/// The messages to append.
#[derive(Debug, ToSchema)]
#[schema(as = ToolResultsResponse)]
pub struct ResultsAnswer {
    /// The results in the shape of the target.
    pub messages: Vec<Value>,
    /// The outcome for each result, in their order.
    pub results: Vec<ResultOutcome>,
    /// What the caller should know of.
    pub warnings: Vec<String>,
    /// What compression did.
    pub report: Report,
    /// The originals that were stored.
    pub artifacts: Vec<KeptOriginal>,
}
