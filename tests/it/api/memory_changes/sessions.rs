//! Entries of sessions that are deleted, reset, switched, forked and restored: one event each.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::receiver::answers;
use crate::support::wait::until_within;
use crate::support::{TestServer, problem};

/// Changes of entries after the first `skipped`: session, key, type and origin.
async fn changes(server: &TestServer, skipped: usize) -> Vec<String> {
    let events = server.events_of("memory:changed").await;
    let line = |data: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let session = text(&data["scope"]["session_id"]);
        [session, text(&data["key"]), text(&data["type"]), text(&data["origin"])].join(" ")
    };
    events.iter().skip(skipped).map(line).collect()
}

async fn server_with_memory() -> TestServer {
    let server = TestServer::dev().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    server.remember_in("s", "a", "1").await;
    server.remember_in("s", "b", "2").await;
    server
}

#[tokio::test]
async fn a_deleted_session_tells_of_its_memory() {
    let server = server_with_memory().await;
    let told = answers(&json!(null)).await;
    let observer = json!({"id": "o", "point": "memory_changed", "kind": "observe",
        "url": told.url(), "delivery": "sync"});
    server.register(&observer).await;
    assert_eq!(server.delete("/sessions/s").await.status(), 204);
    assert_eq!(changes(&server, 2).await, ["s a delete session", "s b delete session"]);
    let inputs = told.inputs();
    assert_eq!(inputs.len(), 2);
    assert_eq!(
        [&inputs[0]["memory_id"], &inputs[0]["origin"], &inputs[0]["old_value"]],
        [&json!("a?session_id=s"), &json!("session"), &json!("1")]
    );
    assert_eq!(inputs[0]["scope"]["session_id"], "s");
}

/// Each transaction erases some entries only.
#[tokio::test]
async fn a_deleted_session_with_many_entries_is_gone_when_that_is_answered() {
    let server = TestServer::dev().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    for number in 0..45 {
        server.remember_in("s", &format!("k{number:02}"), "1").await;
    }
    server.remember_in("other", "a", "1").await;
    assert_eq!(server.delete("/sessions/s").await.status(), 204);
    let deleted: Vec<String> =
        (0..45).map(|number| format!("s k{number:02} delete session")).collect();
    assert_eq!(changes(&server, 46).await, deleted);
    let left = server.get_json("/memory?limit=100").await;
    assert_eq!(left["items"].as_array().map(Vec::len), Some(1), "{left}");
    problem(server.delete("/sessions/s").await, 404, "not_found").await;
    // Its id is free.
    server.post_ok("/sessions", &json!({"id": "s"})).await;
}

#[tokio::test]
async fn an_expired_session_tells_of_its_memory() {
    let server = TestServer::with(&["--cleanup-interval-ms", "20"]).await;
    server.post_ok("/sessions", &json!({"id": "s", "ttl": {"seconds": 1}})).await;
    server.remember_in("s", "a", "1").await;
    let told = async || {
        let changes = changes(&server, 1).await;
        (!changes.is_empty()).then_some(changes)
    };
    let changes = until_within(Duration::from_secs(30), "the session does not expire", told).await;
    assert_eq!(changes, ["s a delete session"]);
}

#[tokio::test]
async fn a_switch_tells_of_what_it_moves() {
    let server = server_with_memory().await;
    server.post_ok("/sessions/s/switch", &json!({"new_session_id": "new"})).await;
    let moved = changes(&server, 2).await;
    assert_eq!(
        moved,
        [
            "new a restore session",
            "new b restore session",
            "s a delete session",
            "s b delete session"
        ]
    );
    // Into a session that is there, and that has an entry of its own.
    server.post_ok("/sessions", &json!({"id": "old"})).await;
    server.remember_in("old", "b", "3").await;
    server.post_ok("/sessions/new/switch", &json!({"new_session_id": "old"})).await;
    let moved = changes(&server, 7).await;
    assert_eq!(moved, ["new a delete session", "old a set session", "new b delete session"]);
    assert_eq!(server.get_json("/memory/b?session_id=old").await["value"], "3");
}

#[tokio::test]
async fn a_reset_and_a_fork_tell_of_their_memory() {
    let server = server_with_memory().await;
    server.post_ok("/sessions/s/fork", &json!({"new_session_id": "copy"})).await;
    assert_eq!(changes(&server, 2).await, ["copy a restore session", "copy b restore session"]);
    server.post_ok("/sessions/s/switch", &json!({"new_session_id": "copy", "reset": true})).await;
    assert_eq!(changes(&server, 4).await, ["copy a delete session", "copy b delete session"]);
    assert_eq!(server.get_json("/memory?session_id=s").await["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_session_takes_its_hook_order_with_it() {
    let server = server_with_memory().await;
    let order = json!({"points": {"tool_result": ["x"]}});
    let path = "/hook-order?session_id=s";
    let revision = server.put(path, &order).await;
    assert_eq!(revision.status(), 200);
    assert_eq!(server.put("/hook-order", &order).await.status(), 200);
    assert_eq!(server.delete("/sessions/s").await.status(), 204);
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    assert_eq!(server.get_json(path).await["revision"], 0);
    // The order of all sessions stays, and an empty id is not that of all.
    assert_eq!(server.get_json("/hook-order").await["revision"], 1);
    let empty = server.put("/hook-order?session_id=", &json!({"points": {}})).await;
    problem(empty, 422, "invalid_request").await;
    assert_eq!(server.get_json("/hook-order").await["revision"], 1);
}
