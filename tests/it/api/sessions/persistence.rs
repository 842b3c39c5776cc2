//! What a session holds beyond a compile, and beyond a stop.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, assistant, user, words};
use crate::support::wait::until_within;
use crate::support::{Folder, ServerProcess, TestServer, problem};

fn list(count: usize) -> Vec<Value> {
    (0..count)
        .map(|at| {
            let text = words(&format!("m{at}"), 500);
            if at % 2 == 0 { user(&text) } else { assistant(&text) }
        })
        .collect()
}

fn body(count: usize, state: Option<&str>) -> Value {
    let mut body = json!({"messages": list(count), "model": "bytes4", "target": "neutral",
        "budget": {"context_window": 10_000}});
    if let Some(state) = state {
        body["cache"] = json!({"state": state, "ttl": "off"});
    }
    body
}

#[tokio::test]
async fn a_cold_cache_is_a_compaction_point_from_then_on() {
    let server = TestServer::spawn().await;
    // Within the room: 15 messages of 500 are 7,500 of 10,000, and more than 0.6 of it.
    let whole = server.compile_in("s", body(15, Some("warm"))).await;
    assert_eq!((whole.action("kept"), whole.codes("warnings").len()), (15, 0));
    let cold = server.compile_in("s", body(15, Some("cold"))).await;
    assert!(cold.action("summarized") > 0, "{}", cold.report);
    assert!(cold.number("tokens_after") <= 6000, "{}", cold.report);
    assert_eq!(cold.report["cache"]["first_change"]["why"], "compaction");
    assert_eq!(server.get_json("/sessions/s").await["compaction_points"], json!([15]));
    // What follows grows on it.
    let next = server.compile_in("s", body(16, None)).await;
    assert_eq!(next.report["cache"]["first_change"], Value::Null);
    assert_eq!(next.list()[..cold.list().len()], *cold.list());
    // The same list is the same payload, once more cold or not; a shorter one never came to it.
    assert_eq!(server.compile_in("s", body(15, Some("cold"))).await.text, cold.text);
    assert_eq!(server.compile_in("s", body(15, None)).await.text, cold.text);
    assert_eq!(server.compile_in("s", body(14, None)).await.action("kept"), 14);
    assert_eq!(server.get_json("/sessions/s").await["compaction_points"], json!([15]));
    // Another session knows nothing of it, and without one it only warns.
    assert_eq!(server.compile_in("t", body(15, None)).await.text, whole.text);
    let alone = server.compile(&body(15, Some("cold"))).await;
    assert_eq!((alone.codes("warnings"), &alone.text), (vec!["cold_needs_session"], &whole.text));
}

#[tokio::test]
async fn what_is_small_enough_already_stays_whole_at_a_cold_point() {
    let server = TestServer::spawn().await;
    let cold = server.compile_in("s", body(11, Some("cold"))).await;
    assert_eq!(cold.action("kept"), 11);
    assert_eq!(cold.text, server.compile(&body(11, None)).await.text);
}

#[tokio::test]
async fn first_change_is_told_after_a_kill_as_without_one() {
    let folder = Folder::new();
    let url = folder.url();
    let flags = ["--database-url", url.as_str()];
    let steps: Vec<Value> = vec![
        body(3, None),
        {
            let mut body = body(5, None);
            body["dynamic_state"] = json!({"branch": "main", "n": 1.50});
            body["tools"] = json!([{"type": "function", "function": {"name": "t",
                "parameters": {"type": "object"}}}]);
            body
        },
        {
            let mut body = body(5, None);
            body["messages"][1]["content"] = json!("edited \u{e4} \"\n");
            body
        },
        body(7, Some("cold")),
        body(7, None),
    ];
    let whole = TestServer::spawn().await;
    let mut process = ServerProcess::start(&flags);
    for (at, step) in steps.iter().enumerate() {
        let wanted = whole.compile_in("s", step.clone()).await;
        let mut step = step.clone();
        step["session_id"] = json!("s");
        let answer = reqwest::Client::new()
            .post(format!("http://{}/compile", process.address))
            .json(&step)
            .send()
            .await
            .unwrap();
        let found = Compiled::read(&answer.text().await.unwrap());
        assert_eq!(found.text, wanted.text, "step {at}");
        assert_eq!(found.report["cache"], wanted.report["cache"], "step {at}");
        process.signal("KILL");
        process.exit().await;
        process = ServerProcess::start(&flags);
    }
    let client = reqwest::Client::new();
    let url = format!("http://{}/sessions/s", process.address);
    let mut session: Value = client.get(&url).send().await.unwrap().json().await.unwrap();
    let mut wanted = whole.get_json("/sessions/s").await;
    assert_eq!((&session["turns"], &session["compaction_points"]), (&json!(5), &json!([7])));
    for key in ["last_compilation_id", "created_at", "updated_at", "used_at", "expires_at"] {
        session.as_object_mut().unwrap().remove(key);
        wanted.as_object_mut().unwrap().remove(key);
    }
    assert_eq!(session, wanted);
}

#[tokio::test]
async fn a_session_is_kept_from_its_last_use_on_and_goes_whole() {
    let server = TestServer::with(&["--cleanup-interval-ms", "20"]).await;
    server.post_ok("/sessions", &json!({"id": "s", "ttl": {"seconds": 3}})).await;
    let entry = json!({"value": "a secret", "scope": {"session_id": "s"}});
    server.put("/memory/k", &entry).await;
    until_within(std::time::Duration::from_mins(1), "the entry does not go", async || {
        (server.get("/memory/k?session_id=s").await.status() == 404).then_some(())
    })
    .await;
    // The session has gone before it, or with it.
    problem(server.get("/sessions/s").await, 404, "not_found").await;
}
