//! The Model Context Protocol: what a model may do here, as tools of a server that its host
//! connects to.
//!
//! A message comes in, at most one goes out; there are no sessions and nothing is sent unasked.
//! How messages travel is not known here.

mod call;
mod tools;

use serde_json::{Map, Value, json};

use super::Services;
use crate::pipeline::Deadline;

/// Versions of the protocol whose messages are understood, the newest first.
pub const VERSIONS: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];

const PARSE: i64 = -32_700;
const INVALID: i64 = -32_600;
const UNKNOWN_METHOD: i64 = -32_601;
const PARAMS: i64 = -32_602;
const INTERNAL: i64 = -32_603;

const INSTRUCTIONS: &str = "Reads back originals that were taken out of a conversation \
    (context_read), keeps what matters beyond it (memory_*), and makes texts and messages shorter \
    and whole again (compress, expand).";

/// Why a request has no result.
struct Failure {
    code: i64,
    message: String,
}

/// Answers a message; none where it asks for no answer. Takes the thread until it is done.
pub fn answer(services: &Services, message: &str, deadline: &Deadline) -> Option<String> {
    let parsed: Value = match serde_json::from_str(message) {
        Ok(parsed) => parsed,
        Err(error) => {
            return Some(told(&Value::Null, Err(failure(PARSE, &error.to_string()))));
        }
    };
    let Some(members) = parsed.as_object() else {
        let detail = "a message must be one object";
        return Some(told(&Value::Null, Err(failure(INVALID, detail))));
    };
    let id = members.get("id").cloned();
    let Some(method) = members.get("method").and_then(Value::as_str) else {
        // An answer of the host's, to something that was never asked.
        let is_answer = members.contains_key("result") || members.contains_key("error");
        let fault = || failure(INVALID, "a request must name its method");
        return (!is_answer).then(|| told(&id.unwrap_or_default(), Err(fault())));
    };
    // What has no id is a notification.
    let id = id?;
    let none = Map::new();
    let params = members.get("params").and_then(Value::as_object).unwrap_or(&none);
    Some(told(&id, request(services, method, params, deadline)))
}

fn request(
    services: &Services,
    method: &str,
    params: &Map<String, Value>,
    deadline: &Deadline,
) -> Result<Value, Failure> {
    match method {
        "initialize" => Ok(initialize(params)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": tools::list(services)})),
        "tools/call" => {
            let name = params.get("name").and_then(Value::as_str);
            let name = name.ok_or_else(|| failure(PARAMS, "`name` must be a string"))?;
            if !tools::may_call(services, name) {
                return Err(failure(PARAMS, &format!("unknown tool: {name}")));
            }
            let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
            if !arguments.is_object() {
                return Err(failure(PARAMS, "`arguments` must be an object"));
            }
            match call::carry_out(services, name, &arguments, deadline) {
                Ok(said) => Ok(said.result()),
                Err(error) => {
                    tracing::error!(%error, tool = name, "a tool failed");
                    Err(failure(INTERNAL, "the server could not do it"))
                }
            }
        }
        _ => Err(failure(UNKNOWN_METHOD, &format!("there is no method {method}"))),
    }
}

/// The version that is asked for where it is known, else the newest.
fn initialize(params: &Map<String, Value>) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let known = VERSIONS.iter().find(|known| asked == Some(**known));
    let version = known.or_else(|| VERSIONS.first());
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": false}},
        "serverInfo": {"name": "contexture", "version": env!("CARGO_PKG_VERSION")},
        "instructions": INSTRUCTIONS,
    })
}

fn failure(code: i64, message: &str) -> Failure {
    Failure { code, message: message.to_owned() }
}

fn told(id: &Value, outcome: Result<Value, Failure>) -> String {
    let message = match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(Failure { code, message }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    };
    message.to_string()
}
