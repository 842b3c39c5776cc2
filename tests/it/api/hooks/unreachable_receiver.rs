//! A hook whose address may not be called, and one at whose address nobody listens, look alike to
//! callers without `hooks:write`.

use serde_json::{Value, json};

use super::MASTER;
use super::scope::key;
use crate::support::wait::until;
use crate::support::{BOOTSTRAP_KEY, Folder, TestServer, problem};

/// An address of this machine at which nobody listens.
fn closed() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/", listener.local_addr().unwrap())
}

/// A server with hooks that call this machine, which only one with `--dev` may.
async fn server(is_dev: bool, files: &Folder) -> TestServer {
    let master = files.write("keys", MASTER);
    let url = format!("sqlite:{}", files.write("db", ""));
    let flags = [
        "--dev",
        "--bootstrap-key",
        BOOTSTRAP_KEY,
        "--database-url",
        &url,
        "--master-key-file",
        &master,
    ];
    let first = TestServer::with(&flags).await;
    for (id, point, kind) in [
        ("guard", "transform_context", "guard"),
        ("failing", "transform_context", "transform"),
        ("log", "event", "observe"),
    ] {
        let hook = json!({"id": id, "point": point, "kind": kind, "url": closed(),
            "enabled": id == "log"});
        first.call_ok(BOOTSTRAP_KEY, "POST", "/hooks", &hook).await;
    }
    first.stop().await;
    TestServer::with(&flags[usize::from(!is_dev)..]).await
}

/// All that a key without `hooks:write` sees of hooks that are not reached; and the causes of a
/// delivery and of a trial as a key with it sees them.
async fn seen(is_dev: bool) -> (Value, Vec<Value>) {
    let files = Folder::new();
    let server = &server(is_dev, &files).await;
    let reader = key(server, &["compile", "hooks:read", "events:read", "metrics:read"]).await;
    let change = async |id: &str, change: Value| {
        server.call_ok(BOOTSTRAP_KEY, "PATCH", &format!("/hooks/{id}"), &change).await;
    };
    let body = json!({"messages": [{"role": "user", "content": "hi"}], "record": "full"});
    change("guard", json!({"enabled": true})).await;
    let denied = server.call(&reader, "POST", "/compile", &body).await;
    let denied = problem(denied, 403, "hook_denied").await;
    change("guard", json!({"enabled": false})).await;
    change("failing", json!({"enabled": true})).await;
    let failed = server.call(&reader, "POST", "/compile", &body).await;
    let failed = problem(failed, 502, "hook_failed").await;
    change("failing", json!({"on_failure": "skip"})).await;
    let compiled = server.call_ok(&reader, "POST", "/compile", &body).await;
    let path = format!("/compilations/{}", compiled["id"].as_str().unwrap());
    let mut record = server.call_ok(&reader, "GET", &path, &Value::Null).await["hooks"].take();
    for run in record.as_array_mut().unwrap() {
        run.as_object_mut().unwrap().remove("took_us");
    }
    let delivery = async |key: &str| {
        let list = server.call_ok(key, "GET", "/hooks/log/deliveries", &Value::Null).await;
        let mut attempts = list["items"].as_array().unwrap().iter();
        let attempt = attempts.find_map(|item| item["attempts"].get(0).cloned())?;
        Some(json!([attempt["cause"], attempt["detail"]]))
    };
    let attempt = until(async || delivery(&reader).await).await;
    let whole = delivery(BOOTSTRAP_KEY).await.unwrap();
    let tried = server.call_ok(BOOTSTRAP_KEY, "POST", "/hooks/failing/test", &json!({})).await;
    let page = server.call_ok(&reader, "GET", "/events?format=json&after=0", &Value::Null).await;
    let items = page["items"].as_array().unwrap().iter();
    let events: Vec<&Value> =
        items.filter(|event| event["type"] == "hook:failed").map(|event| &event["data"]).collect();
    assert!(events.len() >= 3 && !record.as_array().unwrap().is_empty(), "{page} {record}");
    let figures = server.build("GET", "/metrics").bearer_auth(&reader).send().await.unwrap();
    assert!(!figures.text().await.unwrap().contains("blocked_address"));
    let why = &compiled["report"]["hooks"][0]["why"];
    let all = json!([denied["detail"], failed["detail"], why, record, attempt, events]);
    (all, vec![whole[0].clone(), tried["why"].clone()])
}

#[tokio::test]
async fn a_blocked_address_looks_like_one_at_which_nobody_listens() {
    let (nobody, causes) = seen(true).await;
    assert_eq!(causes, ["connect", "connect"]);
    let (blocked, causes) = seen(false).await;
    assert_eq!(causes, ["blocked_address", "blocked_address"]);
    assert_eq!(blocked, nobody);
}
