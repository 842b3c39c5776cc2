//! Forks, switches and delegations.

use serde_json::{Value, json};

use crate::support::compile::user;
use crate::support::{TestServer, problem};

async fn keys(server: &TestServer, session: &str) -> Vec<String> {
    let list = server.get_json(&format!("/memory?session_id={session}")).await;
    let items = list["items"].as_array().unwrap();
    items
        .iter()
        .map(|one| format!("{}={}", one["key"].as_str().unwrap(), one["value"].as_str().unwrap()))
        .collect()
}

/// What was told of sessions and delegations.
async fn told(server: &TestServer) -> Vec<Value> {
    let mut events = server.events().await;
    let kinds = ["session:switched", "delegation:recorded"];
    events.retain(|one| kinds.contains(&one["type"].as_str().unwrap()));
    events
}

#[tokio::test]
async fn a_fork_goes_on_from_its_parent_and_each_by_itself() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s", "defaults": {"model": "bytes4"}})).await;
    server.remember_in("s", "k", "old").await;
    server.compile_in("s", json!({"messages": [user("a")], "cache": {"state": "cold"}})).await;
    let taken = server.post_ok("/sessions/s/snapshots", &json!({})).await;
    server.remember_in("s", "k", "new").await;
    let fork = server.post_ok("/sessions/s/fork", &json!({"new_session_id": "f"})).await;
    let past = json!({"new_session_id": "p", "snapshot_id": taken["id"]});
    let past = server.post_ok("/sessions/s/fork", &past).await;
    for (session, value) in [(&fork, "k=new"), (&past, "k=old")] {
        assert_eq!((&session["parent_session_id"], &session["version"]), (&json!("s"), &json!(1)));
        assert_eq!((&session["turns"], &session["compaction_points"]), (&json!(1), &json!([1])));
        assert_eq!(session["defaults"], json!({"model": "bytes4"}));
        assert_eq!(keys(&server, session["id"].as_str().unwrap()).await, [value]);
    }
    server.remember_in("f", "k", "fork").await;
    assert_eq!(keys(&server, "s").await, ["k=new"]);
    let children = server.get_json("/sessions?parent_session_id=s").await;
    let ids: Vec<_> = children["items"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, ["f", "p"]);
    let again = server.post("/sessions/s/fork", &json!({"new_session_id": "f"})).await;
    problem(again, 409, "conflict").await;
    problem(server.post("/sessions/x/fork", &json!({})).await, 404, "not_found").await;
    let unknown = server.post("/sessions/s/fork", &json!({"snapshot_id": "x"})).await;
    problem(unknown, 404, "not_found").await;
}

#[tokio::test]
async fn a_switch_to_a_session_that_is_there_takes_the_memory_and_keeps_the_rest() {
    let server = TestServer::spawn().await;
    for session in ["a", "b"] {
        let defaults = json!({"model": session});
        server.post_ok("/sessions", &json!({"id": session, "defaults": defaults})).await;
    }
    server.remember_in("a", "both", "of a").await;
    server.remember_in("b", "both", "of b, later").await;
    server.remember_in("b", "own", "b").await;
    server.remember_in("a", "moved", "a").await;
    let session =
        server.post_json("/sessions/a/switch", 200, &json!({"new_session_id": "b"})).await;
    assert_eq!((&session["id"], &session["defaults"]["model"]), (&json!("b"), &json!("b")));
    assert_eq!(keys(&server, "b").await, ["both=of b, later", "moved=a", "own=b"]);
    assert_eq!(keys(&server, "a").await, [""; 0]);
    // With a reset it begins anew.
    let reset = json!({"new_session_id": "b", "reset": true});
    assert_eq!(server.post("/sessions/a/switch", &reset).await.status(), 200);
    assert_eq!(keys(&server, "b").await, [""; 0]);
    let reasons: Vec<Value> =
        told(&server).await.iter().map(|one| one["data"]["reason"].clone()).collect();
    assert_eq!(reasons, ["new", "new", "resume", "reset"]);
}

#[tokio::test]
async fn a_request_that_comes_again_switches_once() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    let send = || {
        let request = server.build("POST", "/sessions/s/switch");
        request.header("idempotency-key", "k").json(&json!({})).send()
    };
    let first: Value = send().await.unwrap().json().await.unwrap();
    let second = send().await.unwrap();
    assert_eq!(second.status(), 201);
    assert_eq!(second.json::<Value>().await.unwrap(), first);
    assert_eq!(told(&server).await.len(), 2);
}

#[tokio::test]
async fn faults_of_a_switch_and_of_a_delegation_are_named() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    for (path, bad, pointer) in [
        ("switch", json!({"new_session_id": "s"}), "/new_session_id"),
        ("switch", json!({"reset": 1}), "/reset"),
        ("switch", json!({"reason": "whim"}), "/reason"),
        ("fork", json!({"new_session_id": ""}), "/new_session_id"),
        ("delegations", json!({"task": "t"}), "/agent_name"),
        ("delegations", json!({"agent_name": "a"}), "/task"),
        ("delegations", json!({"agent_name": "a", "task": "t", "status": "x"}), "/status"),
        ("delegations", json!({"agent_name": "a", "task": "t", "metadata": 1}), "/metadata"),
    ] {
        let answer = server.post(&format!("/sessions/s/{path}"), &bad).await;
        let refused = problem(answer, 422, "invalid_request").await;
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{bad}");
    }
    let report = json!({"agent_name": "a", "task": "t"});
    problem(server.post("/sessions/x/delegations", &report).await, 404, "not_found").await;
    problem(server.post("/sessions/x/switch", &json!({})).await, 404, "not_found").await;
    assert_eq!(told(&server).await.len(), 1);
}

#[tokio::test]
async fn a_fork_and_a_switch_are_held_to_what_their_parent_was_sent_last() {
    let server = TestServer::spawn().await;
    let said = |text: &str| json!({"messages": [user("a"), user(text)]});
    server.compile_in("s", said("b")).await;
    server.post_ok("/sessions/s/fork", &json!({"new_session_id": "f"})).await;
    server.post_ok("/sessions/s/switch", &json!({"new_session_id": "t"})).await;
    for session in ["f", "t"] {
        let same = server.compile_in(session, said("b")).await;
        assert!(same.report["cache"]["first_change"].is_null(), "{session}: {}", same.report);
        let other = server.compile_in(session, said("c")).await;
        let change = &other.report["cache"]["first_change"];
        assert_eq!(change["pointer"], "/messages/1", "{session}: {change}");
    }
    // One that begins anew has nothing to be held to.
    server.post_ok("/sessions/s/switch", &json!({"new_session_id": "r", "reset": true})).await;
    let compiled = server.compile_in("r", said("c")).await;
    assert!(compiled.report["cache"]["first_change"].is_null(), "{}", compiled.report);
    // Directly behind the fork, a change is one against the parent.
    server.post_ok("/sessions/s/fork", &json!({"new_session_id": "g"})).await;
    let other = server.compile_in("g", said("c")).await;
    assert_eq!(other.report["cache"]["first_change"]["pointer"], "/messages/1");
}

#[tokio::test]
async fn a_body_of_which_nothing_is_needed_may_be_left_out() {
    let server = TestServer::spawn().await;
    let bare = async |path: &str| {
        let answer = server.build("POST", path).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, answer.json::<Value>().await.unwrap())
    };
    let (status, session) = bare("/sessions").await;
    assert_eq!(status, 201, "{session}");
    let id = session["id"].as_str().unwrap();
    for end in ["snapshots", "fork", "switch"] {
        let (status, answer) = bare(&format!("/sessions/{id}/{end}")).await;
        assert_eq!(status, 201, "{end}: {answer}");
    }
    let put = server.put("/memory/k", &json!({"value": 1})).await;
    assert_eq!(put.status(), 201);
    let (status, entry) = bare("/memory/k/retract").await;
    assert_eq!((status, &entry["status"]), (200, &json!("retracted")));
}
