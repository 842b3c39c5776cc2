//! Snapshots: taken, listed, put back here and elsewhere.

use serde_json::{Value, json};

use crate::support::compile::{user, words};
use crate::support::{Folder, ServerProcess, TestServer, problem};

fn remembering(text: &str) -> Value {
    json!({"messages": [user(text)], "memory": true})
}

async fn put(server: &TestServer, session: &str, key: &str, value: &Value, ttl: &Value) {
    let body = json!({"value": value, "ttl": ttl, "scope": {"session_id": session}});
    let put = server.put(&format!("/memory/{key}"), &body).await;
    assert!(put.status().is_success(), "{}", put.text().await.unwrap());
}

/// A session with something in every part of its state.
async fn full(server: &TestServer, session: &str) {
    let defaults = json!({"model": "bytes4", "target": "neutral",
        "budget": {"context_window": 10_000}, "implicit_context": "a \u{e4} 1.50"});
    server.post_ok("/sessions", &json!({"id": session, "defaults": defaults})).await;
    put(server, session, "language", &json!("Rust"), &Value::Null).await;
    put(server, session, "numbers", &json!({"n": 1.5, "list": [null]}), &json!({"turns": 5})).await;
    let mut body = remembering("what was it?");
    body["cache"] = json!({"state": "cold"});
    let sent = server.compile_in(session, body).await.number("tokens_after");
    // A payload of a session of its own is long enough to learn from.
    let usage = json!({"usage": {"prompt_tokens": sent * 3 / 2}});
    let reported = server.post_ok(&format!("/sessions/{session}/usage"), &usage).await;
    assert_eq!(reported["warnings"], json!([]));
}

/// The session and what decides its next compile, times and versions aside.
async fn state(server: &TestServer, session: &str) -> Value {
    let mut shown = server.get_json(&format!("/sessions/{session}")).await;
    for key in [
        "id",
        "version",
        "last_compilation_id",
        "last_cost",
        "created_at",
        "updated_at",
        "used_at",
        "expires_at",
        "parent_session_id",
    ] {
        shown.as_object_mut().unwrap().remove(key);
    }
    shown
}

#[tokio::test]
async fn a_restore_replaces_everything_that_decides_the_next_compile() {
    let server = TestServer::spawn().await;
    full(&server, "s").await;
    let before = state(&server, "s").await;
    let taken = server.post_ok("/sessions/s/snapshots", &json!({"label": "before"})).await;
    assert_eq!((&taken["label"], &taken["session_id"]), (&json!("before"), &json!("s")));
    let wanted = server.compile_in("s", remembering("what was it?")).await;

    // What is done to the session does nothing to the snapshot.
    put(&server, "s", "language", &json!("Go"), &Value::Null).await;
    put(&server, "s", "more", &json!("new"), &Value::Null).await;
    server.delete("/memory/numbers?session_id=s").await;
    let change = json!({"defaults": {"model": "gpt-4o", "output": null}});
    server.patch("/sessions/s", &change).await;
    let mut other = remembering("something else");
    other["cache"] = json!({"state": "cold"});
    other["messages"] = json!([user("a"), user("b"), user("c")]);
    server.compile_in("s", other).await;
    assert_ne!(state(&server, "s").await, before);

    let id = taken["id"].as_str().unwrap();
    let mut told = server.events_of("memory:changed").await.len();
    for entries in [3, 2] {
        let version = server.get_json("/sessions/s").await["version"].as_u64().unwrap();
        let restored = server.post_ok("/sessions/s/restore", &json!({"snapshot_id": id})).await;
        assert_eq!(restored["version"], version + 1);
        assert_eq!(state(&server, "s").await, before);
        problem(server.get("/memory/more?session_id=s").await, 404, "not_found").await;
        let language = server.get_json("/memory/language?session_id=s").await;
        assert_eq!((&language["value"], &language["update_count"]), (&json!("Rust"), &json!(1)));
        assert_eq!(server.get_json("/memory/numbers?session_id=s").await["expires_at_turn"], 5);
        // One event for each entry that is removed or put back.
        let events = server.events_of("memory:changed").await;
        let new = events.get(told..).unwrap();
        assert_eq!(new.len(), entries);
        assert!(new.iter().all(|event| event["origin"] == "session"), "{new:?}");
        told = events.len();
    }
    let again = server.compile_in("s", remembering("what was it?")).await;
    assert_eq!(again.text, wanted.text);
    assert_eq!(again.number("tokens_after"), wanted.number("tokens_after"));
}

#[tokio::test]
async fn a_snapshot_is_plain_json_that_another_server_takes() {
    let (here, there) = (TestServer::spawn().await, TestServer::spawn().await);
    full(&here, "s").await;
    let taken = here.post_ok("/sessions/s/snapshots", &json!({})).await;
    let path = format!("/snapshots/{}", taken["id"].as_str().unwrap());
    let snapshot = here.get_json(&path).await;
    assert_eq!(snapshot["format"], "contexture-session/1");
    assert_eq!((&snapshot["turns"], &snapshot["compaction_points"]), (&json!(1), &json!([1])));
    assert_eq!(snapshot["memory"][0]["key"], "language");
    let wanted = here.compile_in("s", remembering("what was it?")).await;

    let restored = there.post_ok("/sessions/t/restore", &json!({"snapshot": snapshot})).await;
    assert_eq!((&restored["id"], &restored["turns"]), (&json!("t"), &json!(1)));
    let found = there.compile_in("t", remembering("what was it?")).await;
    assert_eq!(found.text, wanted.text);
    assert_eq!(found.number("tokens_after"), wanted.number("tokens_after"));
    // Taken again there, it says the same.
    let restored = there.post_ok("/sessions/u/restore", &json!({"snapshot": snapshot})).await;
    assert_eq!(restored["id"], "u");
    let again = there.post_ok("/sessions/u/snapshots", &json!({})).await;
    let again = there.get_json(&format!("/snapshots/{}", again["id"].as_str().unwrap())).await;
    for key in
        ["turns", "defaults", "compaction_points", "calibration", "memory", "source", "messages"]
    {
        assert_eq!(again[key], snapshot[key], "{key}");
    }
}

#[tokio::test]
async fn snapshots_are_listed_in_order_and_go_with_their_session() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    let mut ids = Vec::new();
    for at in 0..3 {
        let taken =
            server.post_ok("/sessions/s/snapshots", &json!({"label": format!("n{at}")})).await;
        ids.push(taken["id"].as_str().unwrap().to_owned());
    }
    let first = server.get_json("/sessions/s/snapshots?limit=2").await;
    let next = first["next_cursor"].as_str().unwrap();
    let rest = server.get_json(&format!("/sessions/s/snapshots?cursor={next}")).await;
    let items = [&first["items"], &rest["items"]].map(|list| list.as_array().unwrap().clone());
    let found: Vec<_> =
        items.iter().flatten().map(|one| one["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!((&found, &rest["next_cursor"]), (&ids, &Value::Null));
    problem(server.get("/sessions/t/snapshots").await, 404, "not_found").await;
    server.delete("/sessions/s").await;
    problem(server.get(&format!("/snapshots/{}", ids[0])).await, 404, "not_found").await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    let gone = server.post("/sessions/s/restore", &json!({"snapshot_id": ids[0]})).await;
    problem(gone, 404, "not_found").await;
}

#[tokio::test]
async fn a_snapshot_with_faults_restores_nothing() {
    let server = TestServer::spawn().await;
    full(&server, "s").await;
    let before = state(&server, "s").await;
    let good = json!({"format": "contexture-session/1"});
    let with = |key: &str, value: Value| {
        let mut bad = good.clone();
        bad[key] = value;
        json!({"snapshot": bad})
    };
    for (bad, pointer) in [
        (json!({}), ""),
        (json!({"snapshot_id": "x", "snapshot": good}), ""),
        (json!({"snapshot": {}}), "/snapshot/format"),
        (with("format", json!("contexture-session/2")), "/snapshot/format"),
        (with("turns", json!(-1)), "/snapshot/turns"),
        (with("compaction_points", json!([3, 3])), "/snapshot/compaction_points/1"),
        (with("defaults", json!({"target": "nobody"})), "/snapshot/defaults/target"),
        (with("memory", json!([{"key": "k"}])), "/snapshot/memory/0/value"),
        (
            with("memory", json!([{"key": "k", "value": 1}, {"key": "k", "value": 1}])),
            "/snapshot/memory/1/key",
        ),
        (
            with("messages", json!([{"role": "tool", "tool_call_id": "c", "content": "x"}])),
            "/snapshot/source",
        ),
        (with("calibration", json!([{"factor": 2}])), "/snapshot/calibration/0/model"),
        (with("mesages", json!([])), "/snapshot/mesages"),
    ] {
        let refused =
            problem(server.post("/sessions/s/restore", &bad).await, 422, "invalid_request");
        assert_eq!(refused.await["errors"][0]["pointer"], pointer, "{bad}");
    }
    let mut bad = with("messages", json!([{"role": "nobody", "content": "x"}]));
    bad["snapshot"]["source"] = json!("openai");
    let refused =
        problem(server.post("/sessions/s/restore", &bad).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/snapshot/messages/0/role");
    problem(
        server.post("/sessions/s/restore", &json!({"snapshot_id": "x"})).await,
        404,
        "not_found",
    )
    .await;
    assert_eq!(state(&server, "s").await, before);
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_kill() {
    let folder = Folder::new();
    let url = folder.url();
    let flags = ["--database-url", url.as_str()];
    let client = reqwest::Client::new();
    let mut process = ServerProcess::start(&flags);
    let post = async |address, path: &str, body: Value| -> Value {
        let answer =
            client.post(format!("http://{address}{path}")).json(&body).send().await.unwrap();
        let status = answer.status();
        let text = answer.text().await.unwrap();
        assert!(status.is_success(), "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    };
    let defaults = json!({"model": "bytes4", "target": "neutral"});
    post(process.address, "/sessions", json!({"id": "s", "defaults": defaults})).await;
    let long = json!({"messages": [user(&words("m", 1000))], "session_id": "s",
        "cache": {"state": "cold"}});
    post(process.address, "/compile", long).await;
    let usage = json!({"usage": {"prompt_tokens": 1500}});
    let mut session = post(process.address, "/sessions/s/usage", usage).await;
    for of_report in ["cost", "warnings"] {
        session.as_object_mut().unwrap().remove(of_report);
    }
    assert_eq!(session["calibration"][0]["factor"], 1.5);
    process.signal("KILL");
    process.exit().await;
    process = ServerProcess::start(&flags);
    let get = async |address, path: &str| -> Value {
        client.get(format!("http://{address}{path}")).send().await.unwrap().json().await.unwrap()
    };
    assert_eq!(get(process.address, "/sessions/s").await, session);
    let taken = post(process.address, "/sessions/s/snapshots", json!({"label": "l"})).await;
    let forked = post(process.address, "/sessions/s/fork", json!({"new_session_id": "f"})).await;
    process.signal("KILL");
    process.exit().await;
    process = ServerProcess::start(&flags);
    assert_eq!(get(process.address, "/sessions/f").await, forked);
    let path = format!("/snapshots/{}", taken["id"].as_str().unwrap());
    assert_eq!(get(process.address, &path).await["label"], "l");
    let restored =
        post(process.address, "/sessions/t/restore", json!({"snapshot_id": taken["id"]})).await;
    for key in ["defaults", "turns", "calibration", "compaction_points"] {
        assert_eq!(restored[key], session[key], "{key}");
    }
}

/// A document of an earlier release has a model's entries as promoted: nobody has reviewed them.
#[tokio::test]
async fn promoted_entries_of_an_earlier_release_are_captured() {
    let server = TestServer::spawn().await;
    let memory = json!([{"key": "k", "value": "v", "status": "promoted"},
        {"key": "gone", "value": "v", "status": "retracted"}]);
    let mut snapshot = json!({"format": "contexture-session/1", "memory": memory});
    for (has_captured, status) in [(None, "captured"), (Some(true), "promoted")] {
        if let Some(flag) = has_captured {
            snapshot["has_captured"] = json!(flag);
        }
        server.post_ok("/sessions/s/restore", &json!({"snapshot": snapshot})).await;
        assert_eq!(server.get_json("/memory/k?session_id=s").await["status"], status);
        assert_eq!(server.get_json("/memory/gone?session_id=s").await["status"], "retracted");
    }
    let taken = server.post_json("/sessions/s/snapshots", 201, &json!({})).await;
    let id = taken["id"].as_str().unwrap();
    assert_eq!(server.get_json(&format!("/snapshots/{id}")).await["has_captured"], true);
}
