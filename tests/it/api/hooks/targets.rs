//! Addresses that a hook may not call, at every door of a running server: none is accepted, and
//! nothing is sent to any of them.

use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::server;
use crate::support::receiver::{Mode, Receiver};
use crate::support::{TestServer, problem};

const DENIED: &str = include_str!("../../fixtures/denied_targets.json");

fn denied() -> Vec<String> {
    serde_json::from_str(DENIED).expect("a JSON array")
}

/// The same with the port of somebody who listens, where it names a host and nothing else.
fn with_port(url: &str, port: u16) -> Option<String> {
    let host = url.strip_prefix("https://")?.strip_suffix('/')?;
    let is_bare = !host.contains(['/', '@', '#', '\\', '\t']) && !host.is_empty();
    let has_port = host.rsplit_once(':').is_some_and(|(head, _)| !head.contains(':'));
    (is_bare && !has_port).then(|| format!("https://{host}:{port}/"))
}

async fn refused(server: &TestServer, path: &str, body: &Value, url: &str) {
    let refused = problem(server.post(path, body).await, 422, "invalid_request").await;
    let pointer = refused["errors"][0]["pointer"].as_str().expect("a pointer");
    assert!(pointer.ends_with("/url"), "{path} {url:?}: {refused}");
}

#[tokio::test]
async fn no_spelling_gets_through_any_door() {
    let canary = Receiver::spawn(Mode::Answer("null".to_owned())).await;
    let port = canary.address.port();
    let six = TcpListener::bind(("::1", port)).await.ok();
    let six = six.map(|listener| Receiver::on(listener, |_| Mode::Answer("null".to_owned())));
    let server = server(&[]).await;
    let denied = denied();
    assert!(denied.len() >= 120, "{}", denied.len());
    let aimed: Vec<String> = denied.iter().filter_map(|url| with_port(url, port)).collect();
    assert!(aimed.len() >= 100, "{}", aimed.len());
    for url in denied.iter().chain(&aimed) {
        let hook = json!({"id": "h", "point": "before_compile", "kind": "provide", "url": url});
        refused(&server, "/hooks", &hook, url).await;
        refused(&server, "/hooks/test", &json!({"hook": hook}), url).await;
        let body = json!({"messages": [{"role": "user", "content": "Hi"}], "hooks": [hook]});
        refused(&server, "/compile", &body, url).await;
    }
    let none = server.get_json("/hooks").await;
    assert_eq!(none["items"], json!([]));
    assert_eq!(canary.connections(), 0);
    assert_eq!(six.map_or(0, |six| six.connections()), 0);
}

#[tokio::test]
async fn a_change_opens_no_door_either() {
    let canary = Receiver::spawn(Mode::Answer("null".to_owned())).await;
    let server = server(&[]).await;
    let hook = json!({"id": "h", "point": "before_compile", "kind": "provide",
        "url": "https://hooks.example.com/"});
    assert_eq!(server.post("/hooks", &hook).await.status(), 201);
    for url in denied() {
        let change = server.build("PATCH", "/hooks/h").json(&json!({"url": url})).send().await;
        let answer = problem(change.expect("an answer"), 422, "invalid_request").await;
        assert_eq!(answer["errors"][0]["pointer"], "/url", "{url:?}");
    }
    let stands = server.get_json("/hooks/h").await;
    assert_eq!(stands["url"], "https://hooks.example.com/");
    assert_eq!(canary.connections(), 0);
}
