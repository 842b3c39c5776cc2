//! Hooks that fire: real receivers on real sockets, asked by a real server in the middle of its work.

mod agents;
mod before_compile;
mod before_compress;
mod dry_run;
mod format;
mod gone;
mod memory;
mod once;
mod replay;
mod result;
mod sessions;
mod stops;
mod tool_call;
mod transform;

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::Compiled;
use crate::support::receiver::{Mode, Receiver};

/// A server that may call receivers on this machine.
async fn server() -> TestServer {
    TestServer::with(&["--dev"]).await
}

/// A receiver that gives this answer to every call.
async fn answers(body: &Value) -> Receiver {
    Receiver::spawn(Mode::Answer(body.to_string())).await
}

/// A hook that calls a receiver, with more keys.
fn hook(id: &str, (point, kind): (&str, &str), receiver: &Receiver, more: &Value) -> Value {
    let mut hook = json!({"id": id, "point": point, "kind": kind, "url": receiver.url()});
    merge(&mut hook, more);
    hook
}

fn merge(object: &mut Value, more: &Value) {
    let (Some(object), Some(more)) = (object.as_object_mut(), more.as_object()) else { return };
    object.extend(more.clone());
}

/// The bodies of the calls that a receiver got.
fn calls(receiver: &Receiver) -> Vec<Value> {
    let body = |request: &String| {
        let (_, body) = request.split_once("\r\n\r\n").expect("a head and a body");
        serde_json::from_str(body).expect("JSON")
    };
    receiver.requests().iter().map(body).collect()
}

async fn compiled(server: &TestServer, body: &Value) -> Compiled {
    let response = server.post("/compile", body).await;
    let status = response.status();
    let text = response.text().await.expect("a body");
    assert_eq!(status, 200, "{text}");
    Compiled::read(&text)
}

/// What became of each hook: `id outcome why`.
fn outcomes(compiled: &Compiled) -> Vec<String> {
    let lines = compiled.report["hooks"].as_array().expect("a list");
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    lines
        .iter()
        .map(|line| {
            let text = [word(line, "id"), word(line, "outcome"), word(line, "why")].join(" ");
            text.trim_end().to_owned()
        })
        .collect()
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}
