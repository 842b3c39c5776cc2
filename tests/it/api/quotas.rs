//! What a tenant may keep: shown, refused beyond, and given back.

use serde_json::{Value, json};

use crate::support::compile::user;
use crate::support::{TestServer, problem};

/// The use of a quota by `GET /usage`.
async fn used(server: &TestServer, quota: &str) -> u64 {
    let usage = server.get_json("/usage").await;
    let rows = usage["quotas"].as_array().unwrap();
    rows.iter().find(|row| row["quota"] == quota).unwrap()["used"].as_u64().unwrap()
}

fn turn(text: &str) -> Value {
    json!({"append": [user(text)], "target": "openai"})
}

async fn take_turn(server: &TestServer, session: &str, text: &str) {
    server.post_json(&format!("/sessions/{session}/turns"), 200, &turn(text)).await;
}

fn proposal() -> Value {
    json!({"value": "tea", "class": "preference"})
}

/// A request that takes one of each quota that counts, and the path that gives it back.
#[tokio::test]
async fn beyond_a_quota_nothing_grows_and_all_else_goes_on() {
    let server = TestServer::with(&[
        "--tenant-max-sessions",
        "1",
        "--tenant-max-memory-entries",
        "1",
        "--tenant-max-skills",
        "1",
        "--tenant-max-candidates",
        "1",
    ])
    .await;
    let skill = json!({"description": "d", "instructions": "i"});
    let entry = json!({"value": 1});
    let candidate = server.post_json("/memory-candidates", 201, &proposal()).await;
    let candidate = format!("/memory-candidates/{}", candidate["id"].as_str().unwrap());
    let rows = [
        ("sessions", "POST", "/sessions", json!({"id": "one"}), "/sessions/one"),
        ("memory_entries", "PUT", "/memory/one", entry.clone(), "/memory/one"),
        ("skills", "PUT", "/skills/one", skill.clone(), "/skills/one"),
    ];
    for (_, method, path, body, _) in &rows {
        assert_eq!(server.send(method, path, body).await.status(), 201, "{path}");
    }
    let other = json!({"value": "coffee", "class": "preference"});
    let beyond = [
        ("sessions", "POST", "/sessions", json!({"id": "two"}), "/sessions/one"),
        ("memory_entries", "PUT", "/memory/two", entry, "/memory/one"),
        ("skills", "PUT", "/skills/two", skill, "/skills/one"),
        ("candidates", "POST", "/memory-candidates", other, &candidate),
    ];
    for (quota, method, path, body, first) in &beyond {
        let refused = problem(server.send(method, path, body).await, 507, "quota_exceeded").await;
        assert_eq!(refused["details"], json!({"quota": quota, "used": 1, "max": 1}));
        assert_eq!(used(&server, quota).await, 1);
        assert_eq!(server.get(first).await.status(), 200, "reading goes on");
    }
    // What is there may change.
    let changed = server.send("PUT", "/memory/one", &json!({"value": 2})).await;
    assert_eq!(changed.status(), 200);
    take_turn(&server, "one", "hi").await;
    for (quota, method, path, body, first) in &beyond {
        server.delete_ok(first).await;
        assert_eq!(used(&server, quota).await, 0, "{quota}");
        assert_eq!(server.send(method, path, body).await.status(), 201, "{path}");
    }
}

#[tokio::test]
async fn messages_count_once_for_all_forks() {
    let server = TestServer::with(&["--tenant-max-turn-bytes", "3000"]).await;
    // Texts that do not compress well.
    let text = |name: u64| {
        let mut state = name;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            format!("{:08x} ", state >> 32)
        })
        .take(150)
        .collect::<String>()
    };
    take_turn(&server, "one", &text(1)).await;
    let once = used(&server, "turn_bytes").await;
    assert!((500..1_500).contains(&once), "{once}");
    server.post_json("/sessions/one/fork", 201, &json!({"new_session_id": "two"})).await;
    server.post_json("/sessions/one/fork", 201, &json!({"new_session_id": "three"})).await;
    assert_eq!(used(&server, "turn_bytes").await, once);
    take_turn(&server, "two", &text(2)).await;
    assert!(used(&server, "turn_bytes").await > once);
    let path = "/sessions/three/turns";
    let mut refused = 200;
    for name in 3..9 {
        refused = server.post(path, &turn(&text(name))).await.status().as_u16();
        if refused != 200 {
            break;
        }
    }
    assert_eq!(refused, 507);
    server.delete_ok("/sessions/one").await;
    // The fork has its messages still.
    let state = server.get_json("/sessions/two").await;
    assert_eq!(state["messages"], 2, "{state}");
    take_turn(&server, "two", "and on").await;
    server.delete_ok("/sessions/two").await;
    server.delete_ok("/sessions/three").await;
    assert_eq!(used(&server, "turn_bytes").await, 0);
    assert_eq!(used(&server, "sessions").await, 0);
}

#[tokio::test]
async fn records_count_until_they_go() {
    let server = TestServer::with(&["--tenant-max-compilation-bytes", "20000"]).await;
    let body = |text: &str| json!({"messages": [user(text)], "target": "openai", "session_id": "s", "record": "full"});
    server.post_json("/compile", 200, &body("hello")).await;
    let one = used(&server, "compilation_bytes").await;
    assert!(one > 0);
    let mut refused = None;
    for number in 0..50 {
        let answer = server.post("/compile", &body(&format!("hello {number}"))).await;
        if answer.status() != 200 {
            refused = Some(answer);
            break;
        }
    }
    let refused = problem(refused.expect("a refusal"), 507, "quota_exceeded").await;
    assert_eq!(refused["details"]["quota"], "compilation_bytes");
    let plain = json!({"messages": [user("hello")], "target": "openai", "record": "none"});
    server.post_json("/compile", 200, &plain).await;
    server.delete_ok("/sessions/s").await;
    assert_eq!(used(&server, "compilation_bytes").await, 0);
    server.post_json("/compile", 200, &body("hello")).await;
    assert_eq!(used(&server, "compilation_bytes").await, one);
}

#[tokio::test]
async fn a_candidate_that_is_deleted_leaves_a_log_that_verifies() {
    let server = TestServer::spawn().await;
    let secret = json!({"value": "the word is swordfish", "class": "preference"});
    let candidate = server.post_json("/memory-candidates", 201, &secret).await;
    let path = format!("/memory-candidates/{}", candidate["id"].as_str().unwrap());
    let stale = server.build("DELETE", &path).header("if-match", "\"9\"").send().await.unwrap();
    problem(stale, 412, "precondition_failed").await;
    server.delete_ok(&path).await;
    problem(server.get(&path).await, 404, "not_found").await;
    let again = server.build("DELETE", &path).send().await.unwrap();
    problem(again, 404, "not_found").await;
    let log = server.get_json("/memory-candidates/events?verify=1").await;
    let items = log["items"].as_array().unwrap();
    let last = &items.last().unwrap()["event"];
    assert_eq!(
        (&last["action"], &last["candidate"]),
        (&json!("deleted"), &candidate["id"]),
        "{last}"
    );
    assert!(!log.to_string().contains("swordfish"));
    for name in ["events", "captures"] {
        assert_eq!(log["verified"][name]["ok"], true, "{log}");
    }
    // The same fact may be proposed again.
    server.post_json("/memory-candidates", 201, &secret).await;
}
