//! Logs, figures and traces hold no message text, memory value or secret, at no level: marked texts are sent
//! through every route, and looked for.

use std::fs::File;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::support::receiver::{Mode, Receiver};
use crate::support::{ServerProcess, database, pack};

/// The mark: letters that nothing else holds.
const MARK: &str = "KqzwMARK";

/// A text with the mark, a different one each time.
fn marked(about: &str) -> String {
    format!("{about} {MARK}{about} the invoice of March is 4711")
}

fn valid(hook: &str) -> Vec<(&'static str, &'static str, Value)> {
    let messages = json!([
        {"role": "system", "content": marked("system")},
        {"role": "user", "content": marked("user")},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
            "function": {"name": "read", "arguments": json!({"path": marked("path")}).to_string()}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": format!("{}\n", marked("result")).repeat(400)},
        {"role": "user", "content": marked("last")},
    ]);
    let observe = json!({"id": "watch", "point": "memory_changed", "kind": "observe", "url": hook,
        "headers": {"authorization": format!("Bearer {MARK}header")}});
    let provide = json!({"id": "rag", "point": "before_compile", "kind": "provide", "url": hook});
    let compile = json!({"messages": messages, "session_id": "chat", "memory": true,
        "record": "full", "dynamic_state": {"state": marked("state")},
        "budget": {"context_window": 6000, "reserve_output": 500},
        "implicit_context": marked("implicit")});
    let calls = json!({"session_id": "chat", "calls": [{"id": "call_2", "type": "function",
        "function": {"name": "create_memory",
            "arguments": json!({"key": "note", "value": marked("written")}).to_string()}}]});
    vec![
        ("POST", "/hooks", observe),
        ("POST", "/hooks", provide),
        (
            "PUT",
            "/memory/language",
            json!({"value": marked("value"), "description": marked("why")}),
        ),
        ("POST", "/memory", json!({"action": "add", "content": marked("act")})),
        ("POST", "/memory/recall", json!({"query": marked("query")})),
        ("POST", "/memory-candidates", json!({"value": marked("fact"), "class": "preference"})),
        (
            "PUT",
            "/skills/review",
            json!({"description": marked("skill"), "instructions": marked("how")}),
        ),
        ("PUT", "/adapters/ledger", json!({"detect": {"regex": MARK}})),
        ("POST", "/adapters/ledger/test", json!({"text": marked("table")})),
        ("POST", "/sessions", json!({"id": "other", "defaults": {"system": marked("default")}})),
        ("POST", "/compile", compile),
        ("POST", "/compress", json!({"text": format!("{}\n", marked("log")).repeat(500)})),
        ("POST", "/tokens", json!({"text": marked("count")})),
        ("POST", "/artifacts", json!({"text": format!("{}\n", marked("artifact")).repeat(500)})),
        ("POST", "/tools/calls", calls),
        (
            "POST",
            "/tools/results",
            json!({"results": [{"id": "call_3", "content": marked("raw")}]}),
        ),
        (
            "POST",
            "/sessions/chat/turns",
            json!({"append": [{"role": "user", "content": marked("turn")}]}),
        ),
        (
            "POST",
            "/mcp",
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "memory_create", "arguments": {"key": "said", "value": marked("mcp")}}}),
        ),
        ("POST", "/sessions/chat/snapshots", json!({"label": marked("label")})),
        (
            "POST",
            "/sessions/chat/delegations",
            json!({"agent_name": "a", "task": marked("task"), "result": marked("done")}),
        ),
        (
            "POST",
            "/policy/evaluate",
            json!({"rule": {"==": [{"var": "a"}, MARK]}, "data": {"a": MARK}}),
        ),
        ("POST", "/packs", pack::minimal()),
        ("POST", "/v1/compress", json!({"messages": messages})),
        ("GET", "/memory", Value::Null),
        ("GET", "/compilations", Value::Null),
    ]
}

async fn leaks(database: &str) -> String {
    let log = tempfile::NamedTempFile::new().expect("a file");
    let file: File = log.reopen().expect("the file");
    let receiver =
        Receiver::spawn(Mode::Answer(json!({"content": marked("provided")}).to_string())).await;
    let mut command = ServerProcess::command();
    command.args(["serve", "--listen", "127.0.0.1:0", "--dev", "--log-level", "trace"]);
    command.args(["--log-format", "json", "--database-url", database]);
    let collector = Receiver::spawn(Mode::Answer("{}".into())).await;
    if cfg!(feature = "otlp") {
        command.args(["--otlp-endpoint", &format!("http://{}", collector.address)]);
    }
    let mut server = ServerProcess::logging_to(command, Stdio::from(file));
    let client = Client::new();
    let count = AtomicUsize::new(0);
    let send = async |method: &str, path: &str, body: &Value| {
        let url = format!("http://{}{path}", server.address);
        let request = client.request(Method::from_bytes(method.as_bytes()).unwrap(), url);
        // Neither what authorises nor what names a request is logged.
        let number = count.fetch_add(1, Ordering::Relaxed);
        let request = request.header("idempotency-key", format!("{MARK}key{number}"));
        let request = if body.is_null() { request } else { request.json(body) };
        let answer = request.send().await.expect("an answer");
        (answer.status().as_u16(), answer.text().await.expect("a body"))
    };
    for (method, path, body) in valid(&receiver.url()) {
        let (status, text) = send(method, path, &body).await;
        assert!((200..300).contains(&status), "{method} {path}: {status} {text}");
    }
    // What is wrong is named to its sender, and to nobody else.
    let document = serde_json::to_value(contexture::http::openapi()).expect("JSON");
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for method in methods.as_object().expect("methods").keys() {
            let path = path.replace(['{', '}'], MARK);
            if path == "/events" {
                continue;
            }
            let query = format!("{path}?{MARK}=1");
            send(&method.to_uppercase(), &query, &json!({MARK: marked("unknown")})).await;
        }
    }
    let (_, figures) = send("GET", "/metrics", &Value::Null).await;
    assert!(!figures.contains(MARK), "{figures}");
    server.signal("TERM");
    server.exit().await;
    let traces = collector.requests();
    assert_eq!(traces.is_empty(), !cfg!(feature = "otlp"));
    assert!(!traces.concat().contains(MARK), "{traces:?}");
    std::fs::read_to_string(log.path()).expect("a log")
}

fn check(log: &str) {
    assert!(log.lines().count() > 100, "at `trace` much is told: {log}");
    let told: Vec<&str> = log.lines().filter(|line| line.contains(MARK)).take(5).collect();
    assert!(told.is_empty(), "logged: {told:#?}");
}

#[tokio::test]
async fn nothing_that_was_said_is_logged() {
    check(&leaks("memory:").await);
}

#[tokio::test]
async fn nothing_that_was_said_is_logged_with_postgresql() {
    let Some(database) = database::postgres() else { return };
    check(&leaks(&database).await);
}
