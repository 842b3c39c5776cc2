//! Sessions over HTTP.

mod entry;
mod lasting;
mod lineage;
mod snapshots;
mod turn_calls;
mod turns;
mod usage;

use reqwest::Response;
use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::Compiled;

async fn read(server: &TestServer, path: &str) -> Value {
    let answer = server.get(path).await;
    assert_eq!(answer.status(), 200, "{path}: {}", answer.text().await.unwrap());
    answer.json().await.unwrap()
}

/// Does what must succeed, and gives its answer.
async fn done(server: &TestServer, path: &str, body: &Value) -> Value {
    let answer = server.post(path, body).await;
    let status = answer.status();
    let text = answer.text().await.unwrap();
    assert!(status.is_success(), "{path} {status}: {text}");
    serde_json::from_str(&text).unwrap()
}

async fn patch(server: &TestServer, id: &str, body: &Value) -> Response {
    server.build("PATCH", &format!("/sessions/{id}")).json(body).send().await.unwrap()
}

async fn delete(server: &TestServer, id: &str) -> Response {
    server.build("DELETE", &format!("/sessions/{id}")).send().await.unwrap()
}

/// Compiles in a session.
async fn compile(server: &TestServer, session: &str, mut body: Value) -> Compiled {
    body["session_id"] = json!(session);
    let answer = server.post("/compile", &body).await;
    let status = answer.status();
    let text = answer.text().await.unwrap();
    assert_eq!(status, 200, "{text}");
    Compiled::read(&text)
}
