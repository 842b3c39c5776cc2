//! Anthropic's memory tool, whose commands are carried out on stored memory.

mod commands;
mod rights;
mod writes;

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::user;

/// The result of a command.
#[derive(Debug, PartialEq)]
struct Said {
    text: String,
    is_error: bool,
}

fn tools() -> Value {
    json!([{"type": "memory_20250818", "name": "memory"}])
}

/// A command as a call of Anthropic's.
fn command(id: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": "memory", "input": input})
}

fn said(result: &Value) -> Said {
    assert_eq!(result["for"], "service", "{result}");
    let block = &result["message"]["content"][0];
    assert_eq!((&block["type"], &block["tool_use_id"]), (&json!("tool_result"), &result["id"]));
    let text = block["content"].as_str().or(block["content"][0]["text"].as_str());
    let is_error = block["is_error"] == true;
    assert_eq!(result["decision"], if is_error { "deny" } else { "allow" }, "{result}");
    Said { text: text.expect("a text").to_owned(), is_error }
}

/// Sends commands in one request, with more members of it.
async fn run_all(server: &TestServer, inputs: &[Value], more: &Value) -> Vec<Said> {
    let named = inputs.iter().enumerate();
    let calls: Vec<Value> = named.map(|(at, input)| command(&format!("c{at}"), input)).collect();
    let mut body = json!({"calls": calls, "tools": tools()});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let answer = server.post_ok("/tools/calls", &body).await;
    let results: Vec<Said> = answer["results"].as_array().unwrap().iter().map(said).collect();
    assert_eq!(results.len(), inputs.len());
    results
}

/// Sends a command, which must succeed; returns its text.
async fn run(server: &TestServer, input: Value) -> String {
    let Said { text, is_error } = run_all(server, &[input], &json!({})).await.remove(0);
    assert!(!is_error, "{text}");
    text
}

/// Sends a command, which must be refused; returns the reason.
async fn refused(server: &TestServer, input: Value) -> String {
    let Said { text, is_error } = run_all(server, &[input], &json!({})).await.remove(0);
    assert!(is_error, "{text}");
    text
}

/// Sends a command in a turn of a session, with more members of the request.
async fn turn(server: &TestServer, session: &str, input: Value, more: &Value) -> Value {
    let call = json!({"role": "assistant", "content": [command("c", &input)]});
    let mut body =
        json!({"append": [user("Go on"), call], "source": "anthropic", "tools": tools()});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let answer = server.post_ok(&format!("/sessions/{session}/turns"), &body).await;
    answer["results"][0].clone()
}

fn create(path: &str, text: &str) -> Value {
    json!({"command": "create", "path": path, "file_text": text})
}

fn view(path: &str) -> Value {
    json!({"command": "view", "path": path})
}

fn delete(path: &str) -> Value {
    json!({"command": "delete", "path": path})
}

fn rename(from: &str, to: &str) -> Value {
    json!({"command": "rename", "old_path": from, "new_path": to})
}

fn replace(path: &str, old: &str, new: &str) -> Value {
    json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new})
}

fn insert(path: &str, line: i64, text: &str) -> Value {
    json!({"command": "insert", "path": path, "insert_line": line, "insert_text": text})
}

/// The keys of all entries.
async fn keys(server: &TestServer) -> Vec<String> {
    let list = server.get_json("/memory").await;
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["key"].as_str().unwrap().to_owned()).collect()
}
