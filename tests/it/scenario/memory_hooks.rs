//! Scenarios H23 to H40: what hooks hear of memory.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver};
use crate::support::{Folder, TestServer, problem};

async fn receiver(mode: Mode) -> (TestServer, Receiver) {
    (TestServer::dev().await, Receiver::spawn(mode).await)
}

async fn register(server: &TestServer, point: &str, kind: &str, to: &Receiver, more: Value) {
    let mut hook = json!({"id": kind, "point": point, "kind": kind, "url": to.url()});
    hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    assert_eq!(server.post("/hooks", &hook).await.status(), 201);
}

fn told() -> Mode {
    Mode::Answer("null".to_owned())
}

#[tokio::test]
async fn an_addition_without_metadata_says_so_and_its_removal_names_it() {
    let (server, receiver) = receiver(told()).await;
    let sync = json!({"delivery": "sync"});
    register(&server, "memory_changed", "observe", &receiver, sync).await;
    let add = json!({"action": "add", "type": "long_term", "content": "x"});
    let added = server.post_ok("/memory", &add).await;
    let id = added["memory_id"].as_str().unwrap();
    assert_eq!(server.delete(&format!("/memory/{id}")).await.status(), 204);
    let [first, second] = &receiver.inputs()[..] else { panic!("two are told") };
    let said = ["action", "target", "content"].map(|name| first[name].as_str().unwrap());
    assert_eq!(said, ["add", "long_term", "x"]);
    assert_eq!(first.get("metadata"), Some(&Value::Null), "it is there, and null");
    assert_eq!((&first["memory_id"], &second["memory_id"]), (&json!(id), &json!(id)));
    assert_eq!(second["action"], "remove");
}

#[tokio::test]
async fn a_replacement_is_carried_out_and_told() {
    let (server, receiver) = receiver(told()).await;
    let sync = json!({"delivery": "sync"});
    register(&server, "memory_changed", "observe", &receiver, sync).await;
    let add = json!({"action": "add", "type": "long_term", "content": "x", "key": "k"});
    assert_eq!(server.post("/memory", &add).await.status(), 201);
    let replace = json!({"action": "replace", "type": "long_term", "content": "y", "key": "k"});
    assert_eq!(server.post("/memory", &replace).await.status(), 200);
    let entry = server.get_json("/memory/k").await;
    assert_eq!(entry["value"], "y");
    assert_eq!(receiver.inputs()[1]["action"], "replace");
}

#[tokio::test]
async fn what_is_refused_is_stored_nowhere_and_told_to_nobody() {
    let (server, receiver) = receiver(told()).await;
    let sync = json!({"delivery": "sync"});
    register(&server, "memory_changed", "observe", &receiver, sync).await;
    let merge = json!({"action": "merge", "type": "long_term", "content": "x"});
    let said =
        problem(server.post("/memory", &merge).await, 422, "memory_action_unsupported").await;
    let text = said.to_string();
    assert!(["add", "replace", "remove"].iter().all(|word| text.contains(word)), "{text}");
    let working = json!({"action": "add", "type": "working", "content": "x"});
    problem(server.post("/memory", &working).await, 422, "memory_type_unsupported").await;
    let list = server.get_json("/memory").await;
    assert_eq!((list["items"].as_array().unwrap().len(), receiver.connections()), (0, 0));
}

#[tokio::test]
async fn a_store_that_fails_is_told_to_the_caller_and_to_nobody_else() {
    let folder = Folder::new();
    let (file, url) = (folder.database(), folder.url());
    let server = TestServer::with(&["--dev", "--database-url", &url]).await;
    let receiver = Receiver::spawn(told()).await;
    let sync = json!({"delivery": "sync"});
    register(&server, "memory_changed", "observe", &receiver, sync).await;
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let add = json!({"action": "add", "type": "long_term", "content": "x"});
    problem(server.post("/memory", &add).await, 503, "store_unavailable").await;
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn a_slow_observer_of_the_queue_holds_up_no_write_and_hears_once() {
    let server = TestServer::dev().await;
    let slow = std::sync::Arc::new(tokio::sync::Barrier::new(2));
    let receiver = Receiver::spawn(Mode::Together(slow.clone(), "null".to_owned())).await;
    register(&server, "memory_changed", "observe", &receiver, json!({"timeout_ms": 20_000})).await;
    let started = Instant::now();
    let add = json!({"action": "add", "type": "long_term", "content": "x"});
    assert_eq!(server.post("/memory", &add).await.status(), 201);
    assert!(started.elapsed() < Duration::from_secs(10), "it does not wait for who hears");
    // The receiver answers once this is here, too.
    tokio::time::timeout(Duration::from_secs(20), slow.wait()).await.expect("it hears");
    let path = "/hooks/observe/deliveries?state=delivered";
    let delivered = async {
        loop {
            let list = server.get_json(path).await;
            if !list["items"].as_array().unwrap().is_empty() {
                return list;
            }
        }
    };
    let list = tokio::time::timeout(Duration::from_secs(20), delivered).await.expect("in the end");
    assert_eq!(list["items"][0]["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(receiver.requests().len(), 1);
}

#[tokio::test]
async fn a_key_that_is_not_allowed_is_nobody_elses_question() {
    let (server, receiver) = receiver(told()).await;
    register(&server, "memory_update", "guard", &receiver, json!({})).await;
    register(&server, "memory_changed", "observe", &receiver, json!({"delivery": "sync"})).await;
    let rogue = json!({"key": "rogue", "value": "v"}).to_string();
    let calls = json!({"allowed_keys": ["lang"], "calls": [{"id": "1", "type": "function",
        "function": {"name": "create_memory", "arguments": rogue}}]});
    let answer = server.post_ok("/tools/calls", &calls).await;
    assert_eq!(answer["results"][0]["decision"], "deny");
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn entries_whose_time_is_up_go_one_after_the_other() {
    let server = TestServer::spawn().await;
    for key in ["a", "b"] {
        let body = json!({"value": "old", "ttl": {"turns": 1}, "scope": {"session_id": "s"}});
        let put = server.put(&format!("/memory/{key}"), &body).await;
        assert_eq!(put.status(), 201);
    }
    let body = json!({"messages": [user("hi")], "target": "neutral", "memory": true,
        "session_id": "s"});
    server.compile(&body).await;
    let second = server.compile(&body).await;
    assert_eq!(second.report["memory"]["expired"], json!(["a", "b"]));
    assert_eq!(second.report["memory"]["injected"], json!([]));
    let page = server.get_json("/events?format=json&after=0").await;
    let told: Vec<String> = page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            let kind = event["type"].as_str().unwrap();
            let key = event["data"]["key"].as_str().unwrap_or_default();
            match event["data"]["type"].as_str().filter(|_| kind == "memory:changed") {
                Some(why) => format!("{kind} {key} {why}"),
                None => format!("{kind} {key}"),
            }
        })
        .collect();
    let from = told.iter().position(|line| line.starts_with("memory:expired")).unwrap();
    let expired: Vec<&str> = told[from..from + 4].iter().map(String::as_str).collect();
    let wanted = [
        "memory:expired a",
        "memory:changed a expire",
        "memory:expired b",
        "memory:changed b expire",
    ];
    assert_eq!(expired, wanted);
    assert!(told[from + 4..].iter().any(|line| line.starts_with("compile:done")), "{told:?}");
}
