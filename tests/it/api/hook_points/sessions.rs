//! `delegation` and `session_switch`: what is reported of a conversation, and where it goes on.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::receiver::{Mode, Receiver, answers, hook};

const SYNC: &str = "sync";

#[tokio::test]
async fn a_delegation_is_told_once_on_every_path() {
    let (server, receiver) = (TestServer::dev().await, answers(&json!(null)).await);
    let observe = ("delegation", "observe");
    server.register(&hook("d", observe, &receiver, &json!({"delivery": SYNC}))).await;
    assert_eq!(server.post("/sessions", &json!({"id": "s"})).await.status(), 201);
    for path in ["sync", "async", "tool", "parallel", "typed"] {
        let body = json!({"task": "t", "result": "", "agent_name": "a", "status": "success",
            "path": path, "metadata": {"handoff_depth": 1, "more": {"n": 1.50}}});
        assert_eq!(server.post("/sessions/s/delegations", &body).await.status(), 201, "{path}");
    }
    let inputs = receiver.inputs();
    assert_eq!(inputs.len(), 5);
    for (input, path) in inputs.iter().zip(["sync", "async", "tool", "parallel", "typed"]) {
        let wanted = json!({"task": "t", "result": "", "agent_name": "a", "status": "success",
            "path": path, "metadata": {"handoff_depth": 1, "more": {"n": 1.50}}});
        assert_eq!(*input, wanted);
    }
    assert_eq!(receiver.bodies()[0]["scope"]["session_id"], "s");
    // Reported once more with the same key, it is one delegation.
    let body = json!({"task": "t", "result": "r", "agent_name": "a"});
    for _ in 0..2 {
        let again = server
            .build("POST", "/sessions/s/delegations")
            .header("Idempotency-Key", "one")
            .json(&body)
            .send();
        assert_eq!(again.await.unwrap().status(), 201);
    }
    assert_eq!(receiver.requests().len(), 6);
    assert_eq!(server.post("/sessions/gone/delegations", &body).await.status(), 404);
    assert_eq!(receiver.requests().len(), 6);
}

#[tokio::test]
async fn how_a_delegation_ended_and_whose_it_was_is_matched() {
    let server = TestServer::dev().await;
    let (usual, failures) = (answers(&json!(null)).await, answers(&json!(null)).await);
    let of = answers(&json!(null)).await;
    let observe = ("delegation", "observe");
    server.register(&hook("u", observe, &usual, &json!({"delivery": SYNC}))).await;
    let wants = json!({"delivery": SYNC, "match": {"status": ["failed", "depth"]}});
    server.register(&hook("f", observe, &failures, &wants)).await;
    let wants = json!({"delivery": SYNC, "match": {"agents": ["b"]}});
    server.register(&hook("b", observe, &of, &wants)).await;
    assert_eq!(server.post("/sessions", &json!({"id": "s"})).await.status(), 201);
    for status in ["failed", "timeout", "cycle", "depth", "success"] {
        let agent = if status == "success" { "b" } else { "a" };
        let body = json!({"task": "t", "result": "r", "agent_name": agent, "status": status});
        assert_eq!(server.post("/sessions/s/delegations", &body).await.status(), 201);
    }
    let statuses = |receiver: &Receiver| {
        let inputs: Vec<Value> = receiver.inputs();
        inputs.iter().map(|input| input["status"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(statuses(&usual), ["success"]);
    assert_eq!(statuses(&failures), ["failed", "depth"]);
    assert_eq!(statuses(&of), ["success"]);
}

#[tokio::test]
async fn a_switch_is_told_with_where_it_comes_from_and_a_fork_is_one() {
    let (server, receiver) = (TestServer::dev().await, answers(&json!(null)).await);
    let observe = ("session_switch", "observe");
    server.register(&hook("s", observe, &receiver, &json!({"delivery": SYNC}))).await;
    assert_eq!(server.post("/sessions", &json!({"id": "s1"})).await.status(), 201);
    // It is there: nothing is opened.
    assert_eq!(server.post("/sessions", &json!({"id": "s1"})).await.status(), 200);
    let switch = json!({"new_session_id": "s2"});
    assert_eq!(server.post("/sessions/s1/switch", &switch).await.status(), 201);
    let reset = json!({"new_session_id": "s3", "reset": true});
    assert_eq!(server.post("/sessions/s1/switch", &reset).await.status(), 201);
    assert_eq!(
        server.post("/sessions/s1/fork", &json!({"new_session_id": "s4"})).await.status(),
        201
    );
    let row = |new: &str, parent: &str, reset: bool, reason: &str| {
        json!({"new_session_id": new, "parent_session_id": parent, "reset": reset,
            "reason": reason})
    };
    assert_eq!(
        receiver.inputs(),
        [
            row("s1", "", false, "new"),
            row("s2", "s1", false, "new"),
            row("s3", "s1", true, "reset"),
            row("s4", "s1", false, "fork"),
        ]
    );
}

#[tokio::test]
async fn a_receiver_that_fails_keeps_nothing_from_happening() {
    let server = TestServer::dev().await;
    let broken = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    for (id, point) in [("d", "delegation"), ("s", "session_switch")] {
        let more = json!({"delivery": SYNC});
        server.register(&hook(id, (point, "observe"), &broken, &more)).await;
    }
    assert_eq!(server.post("/sessions", &json!({"id": "s"})).await.status(), 201);
    let body = json!({"task": "t", "result": "r", "agent_name": "a"});
    assert_eq!(server.post("/sessions/s/delegations", &body).await.status(), 201);
    assert_eq!(broken.requests().len(), 2);
    let page = server.get_json("/events?format=json&after=0").await;
    let failed = page["items"].as_array().unwrap().iter();
    assert_eq!(failed.filter(|row| row["type"] == "hook:failed").count(), 2);
}
