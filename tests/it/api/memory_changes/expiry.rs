//! Entries that expire while others write them or see them expired, too.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::{create, turn_call};
use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, answers, hook, patient};
use crate::support::{Folder, TestServer};

fn compile_body() -> Value {
    json!({"messages": [user("Hello")], "session_id": "s", "memory": true})
}

/// A server on which `plan` in the session `s` has expired and is still stored, and a hook of which
/// the next compile waits until a second party comes to the barrier.
async fn server_with_expired() -> (TestServer, Receiver, Arc<Barrier>) {
    let server = TestServer::dev().await;
    let body = json!({"value": "old", "ttl": {"turns": 1}, "scope": {"session_id": "s"}});
    assert_eq!(server.put_memory("plan", &body).await.status(), 201);
    server.compile(&compile_body()).await;
    let barrier = Arc::new(Barrier::new(2));
    let receiver = Receiver::spawn(Mode::Together(Arc::clone(&barrier), "null".to_owned())).await;
    server.register(&hook("h", ("before_compile", "provide"), &receiver, &patient())).await;
    (server, receiver, barrier)
}

#[tokio::test]
async fn a_compile_does_not_remove_what_was_written_while_it_ran() {
    for write in ["put", "store", "model"] {
        let (server, receiver, barrier) = server_with_expired().await;
        let body = compile_body();
        let compile = server.compile(&body);
        let writing = async {
            receiver.reached(1).await;
            let scope = json!({"session_id": "s"});
            match write {
                "put" => {
                    let body = json!({"value": "new", "scope": scope});
                    assert_eq!(server.put_memory("plan", &body).await.status(), 201);
                }
                "store" => {
                    let body =
                        json!({"action": "add", "key": "plan", "content": "new", "scope": scope});
                    assert_eq!(server.post("/memory", &body).await.status(), 201);
                }
                _ => {
                    let more = json!({"session_id": "s"});
                    let said = super::tool_call(&server, create("plan", "new"), &more).await;
                    assert!(said.starts_with("Remembered"), "{said}");
                }
            }
            barrier.wait().await;
        };
        let (compiled, ()) = tokio::join!(compile, writing);
        assert_eq!(compiled.report["memory"]["expired"], json!(["plan"]), "{write}");
        let entry = server.get_json("/memory/plan?session_id=s").await;
        assert_eq!((&entry["value"], &entry["version"]), (&json!("new"), &json!(1)), "{write}");
    }
}

#[tokio::test]
async fn an_expiry_is_told_once_however_many_compiles_see_it() {
    const COMPILES: usize = 8;
    let told = answers(&json!(null)).await;
    let server = TestServer::dev().await;
    let observer = json!({"id": "o", "points": ["memory_expired", "memory_changed"],
        "kind": "observe", "url": told.url()});
    server.register(&observer).await;
    let body = json!({"value": "old", "ttl": {"turns": 1}, "scope": {"session_id": "s"}});
    assert_eq!(server.put_memory("plan", &body).await.status(), 201);
    server.compile(&compile_body()).await;
    // All compiles have seen the expired entry before the first of them is stored.
    let barrier = Arc::new(Barrier::new(COMPILES));
    let receiver = Receiver::spawn(Mode::Together(barrier, "null".to_owned())).await;
    server.register(&hook("h", ("before_compile", "provide"), &receiver, &patient())).await;
    let body = compile_body();
    let compiles = (0..COMPILES).map(|_| server.compile(&body));
    for compiled in futures_util::future::join_all(compiles).await {
        assert_eq!(compiled.report["memory"]["expired"], json!(["plan"]));
    }
    assert_eq!(server.events_of("memory:expired").await.len(), 1);
    let expiries = server.events_of("memory:changed").await;
    let expiries = expiries.iter().filter(|data| data["origin"] == "expiry").count();
    assert_eq!(expiries, 1);
    // The set, the expiry and its change; whatever is told twice would come before this write.
    assert_eq!(server.put_memory("last", &json!({"value": 1})).await.status(), 201);
    told.reached(4).await;
    let points: Vec<Value> = told.bodies().iter().map(|body| body["point"].clone()).collect();
    let wanted = ["memory_changed", "memory_expired", "memory_changed", "memory_changed"];
    assert_eq!(points, wanted);
    assert_eq!(told.inputs()[3]["key"], "last");
}

#[tokio::test]
async fn a_turn_tells_of_an_expiry_after_its_own_writes() {
    let server = TestServer::spawn().await;
    let body = json!({"value": "old", "ttl": {"turns": 1}, "scope": {"session_id": "s"}});
    assert_eq!(server.put_memory("plan", &body).await.status(), 201);
    let more = json!({"memory": true});
    turn_call(&server, "s", create("first", "1"), &more).await;
    turn_call(&server, "s", create("second", "2"), &more).await;
    let changes = server.events_of("memory:changed").await;
    let changes: Vec<[&Value; 2]> =
        changes.iter().map(|data| [&data["key"], &data["type"]]).collect();
    assert_eq!(
        changes,
        [
            [&json!("plan"), &json!("set")],
            [&json!("first"), &json!("set")],
            [&json!("second"), &json!("set")],
            [&json!("plan"), &json!("expire")],
        ]
    );
    assert_eq!(server.get("/memory/plan?session_id=s").await.status(), 404);
}

#[tokio::test]
async fn a_cleanup_queues_calls_of_all_observers() {
    let told = answers(&json!(null)).await;
    let folder = Folder::new();
    let url = folder.url();
    let flags = ["--dev", "--cleanup-interval-ms", "50", "--database-url", &url];
    let server = TestServer::with(&flags).await;
    for delivery in ["sync", "async"] {
        let observer = json!({"id": delivery, "points": ["memory_expired", "memory_changed"],
            "kind": "observe", "url": told.url(), "delivery": delivery});
        server.register(&observer).await;
    }
    let body = json!({"value": "old", "ttl": {"seconds": 3_600}});
    assert_eq!(server.put_memory("plan", &body).await.status(), 201);
    // It has expired longer ago than an entry stays for a compile to see that.
    let database = rusqlite::Connection::open(folder.database()).unwrap();
    let age = "UPDATE memory SET created_at = created_at - ?1, updated_at = updated_at - ?1,
        expires_at = expires_at - ?1";
    database.execute(age, [3 * 3_600_000_000_i64]).unwrap();
    // Each is told of the write, the expiry and the change by it; no compile sees the entry.
    told.reached(6).await;
    let bodies = told.bodies();
    for delivery in ["sync", "async"] {
        let own = bodies.iter().filter(|body| body["hook"]["id"] == delivery);
        let points: Vec<&str> = own.map(|body| body["point"].as_str().unwrap()).collect();
        assert_eq!(points, ["memory_changed", "memory_expired", "memory_changed"], "{delivery}");
    }
    assert_eq!(server.get("/memory/plan").await.status(), 404);
}
