//! What models and sessions do to memory: the scopes and keys that a model may write, entries that
//! expire, and entries of sessions that are deleted or copied.

mod expiry;
mod rights;
mod sessions;

use serde_json::{Value, json};

use crate::support::TestServer;

/// A call of a memory tool in the shape of Chat Completions.
fn call(name: &str, arguments: &Value) -> Value {
    json!({"id": "c", "type": "function",
        "function": {"name": name, "arguments": arguments.to_string()}})
}

fn create(key: &str, value: &str) -> Value {
    call("create_memory", &json!({"key": key, "value": value}))
}

fn update(key: &str, value: &str) -> Value {
    call("modify_memory", &json!({"action": "update", "key": key, "value": value}))
}

fn delete(key: &str) -> Value {
    call("modify_memory", &json!({"action": "delete", "key": key}))
}

/// Sends one call with further members of the request; returns the text that the model reads.
async fn tool_call(server: &TestServer, call: Value, more: &Value) -> String {
    let mut body = json!({"calls": [call]});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let answer = server.post_ok("/tools/calls", &body).await;
    answer["results"][0]["message"]["content"].as_str().unwrap().to_owned()
}

/// Sends one call in a turn of a session; returns the text that the model reads.
async fn turn_call(server: &TestServer, session: &str, call: Value, more: &Value) -> String {
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let mut body = json!({"append": [{"role": "user", "content": "Go on"}, message]});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let answer = server.post_ok(&format!("/sessions/{session}/turns"), &body).await;
    answer["results"][0]["message"]["content"].as_str().unwrap().to_owned()
}
