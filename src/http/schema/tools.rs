//! The shapes of `/tools`.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{Scope, Shape};
use crate::domain::RawJson;
use crate::service::tools::{Answer, Handled, Outcome};

/// The calls of one assistant message.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"calls": [{"id": "call_1", "type": "function", "function": {
    "name": "create_memory", "arguments": "{\"key\": \"language\", \"value\": \"TypeScript\"}"}}]}))]
pub struct CallsRequest {
    /// As the provider gave them: `tool_calls` of `OpenAI` Chat, `tool_use` blocks of Anthropic,
    /// `functionCall` parts of Gemini, `function_call` items of `OpenAI` Responses.
    pub calls: Vec<Value>,
    /// The shape that they are in; recognised when absent.
    pub source: Option<Shape>,
    /// The session in which the model writes, where `scope` names none.
    pub session_id: Option<String>,
    /// Whose entries the model writes.
    pub scope: Option<Scope>,
    /// The keys that the model may write, as `memory.allowed_keys` of the compile had them.
    pub allowed_keys: Option<Vec<String>>,
}

/// What becomes of each call, in their order.
#[derive(Debug, Serialize, ToSchema)]
pub struct CallsAnswer {
    pub results: Vec<CallResult>,
}

/// What becomes of a call.
#[derive(Debug, Serialize, ToSchema)]
pub struct CallResult {
    pub id: String,
    #[schema(example = "create_memory")]
    pub name: String,
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

impl From<Vec<Handled>> for CallsAnswer {
    fn from(handled: Vec<Handled>) -> Self {
        Self { results: handled.into_iter().map(Into::into).collect() }
    }
}

impl From<Handled> for CallResult {
    fn from(handled: Handled) -> Self {
        let raw = |json: &RawJson| RawValue::from_string(json.as_str().to_owned()).ok();
        let mut result = Self {
            id: handled.id.to_string(),
            name: handled.name.to_string(),
            whose: "caller",
            decision: "allow",
            arguments: None,
            reason: None,
            message: None,
        };
        match handled.outcome {
            Outcome::Caller { arguments } => result.arguments = raw(&arguments),
            Outcome::Service { answer, message } => {
                result.whose = "service";
                result.message = raw(&message);
                if let Answer::Refused(reason) = answer {
                    result.decision = "deny";
                    result.reason = Some(reason);
                }
            }
        }
        result
    }
}
