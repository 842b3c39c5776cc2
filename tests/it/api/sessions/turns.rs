//! One call a turn: appended, carried out, compiled.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, assistant, calling, calling_with, result, user, words};
use crate::support::{Folder, ServerProcess, TestServer, problem};

/// Takes a turn that must succeed: the answer as a compile's, and the results.
async fn take(server: &TestServer, session: &str, body: Value) -> (Compiled, Value) {
    let answer = server.post(&format!("/sessions/{session}/turns"), &body).await;
    let status = answer.status();
    let text = answer.text().await.unwrap();
    assert_eq!(status, 200, "{text}");
    let results = serde_json::from_str::<Value>(&text).unwrap()["results"].clone();
    (Compiled::read(&text), results)
}

fn append(messages: &[Value]) -> Value {
    json!({"append": messages})
}

/// A conversation in three turns.
fn steps() -> Vec<Vec<Value>> {
    vec![
        vec![json!({"role": "system", "content": "Be brief."}), user("Why is the build red?")],
        vec![calling("", &[("c1", "read_log")]), result("c1", "error[E0382]: use of moved value")],
        vec![assistant("A value is used after it was moved."), user("Mend it.")],
    ]
}

#[tokio::test]
async fn turn_by_turn_the_payloads_are_those_of_the_whole_conversation() {
    let server = TestServer::spawn().await;
    let mut all: Vec<Value> = Vec::new();
    for (at, step) in steps().iter().enumerate() {
        all.extend(step.clone());
        let (turn, results) = take(&server, "s", append(step)).await;
        let whole = server.compile(&json!({"messages": all})).await;
        assert_eq!((&turn.text, &results), (&whole.text, &json!([])), "turn {at}");
        if at > 0 {
            assert!(turn.report["cache"]["first_change"].is_null(), "{}", turn.report);
        }
    }
    let session = server.get_json("/sessions/s").await;
    assert_eq!((&session["turns"], &session["messages"]), (&json!(3), &json!(6)));
    // Nothing new is a turn, too.
    let (again, _) = take(&server, "s", json!({})).await;
    assert_eq!(again.text, server.compile(&json!({"messages": all})).await.text);
}

#[tokio::test]
async fn every_provider_s_shape_is_kept() {
    let server = TestServer::spawn().await;
    let anthropic = [
        json!({"role": "user", "content": "Why?"}),
        json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": "t1", "name": "read_log", "input": {}}]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "moved"}]}),
    ];
    let gemini = [
        json!({"role": "user", "parts": [{"text": "Why?"}]}),
        json!({"role": "model", "parts": [{"functionCall": {"name": "read_log", "args": {}}}]}),
        json!({"role": "user", "parts": [
            {"functionResponse": {"name": "read_log", "response": {"output": "moved"}}}]}),
    ];
    let responses = [
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Why?"}]}),
        json!({"type": "function_call", "call_id": "c1", "name": "read_log", "arguments": "{}"}),
        json!({"type": "function_call_output", "call_id": "c1", "output": "moved"}),
    ];
    let rows: [(&str, &str, &[Value]); 3] = [
        ("anthropic", "messages", &anthropic),
        ("gemini", "contents", &gemini),
        ("openai_responses", "input", &responses),
    ];
    for (target, key, list) in rows {
        let first = json!({"append": list[..1], "target": target, "source": target});
        take(&server, target, first).await;
        let (turn, _) = take(&server, target, json!({"append": list[1..], "target": target})).await;
        let whole = json!({key: list, "target": target, "source": target});
        assert_eq!(turn.text, server.compile(&whole).await.text, "{target}");
    }
    let other = json!({"append": [user("x")], "source": "openai"});
    let refused = server.post("/sessions/gemini/turns", &other).await;
    let refused = problem(refused, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/source");
}

#[tokio::test]
async fn calls_of_our_tools_are_carried_out_and_seen_in_the_same_payload() {
    let server = TestServer::spawn().await;
    let memory = json!({"memory": true});
    server.post_ok("/sessions", &json!({"id": "s", "defaults": memory})).await;
    take(&server, "s", append(&[user("Remember that I write Rust.")])).await;
    let call = calling_with(
        "",
        &[
            ("c1", "create_memory", r#"{"key": "language", "value": "Rust"}"#),
            ("c2", "read_log", "{}"),
            ("c3", "modify_memory", r#"{"key": "nothing", "action": "delete"}"#),
        ],
    );
    let (turn, results) = take(&server, "s", append(&[call, result("c2", "all green")])).await;
    assert_eq!(turn.report["memory"]["injected"], json!(["language"]));
    assert_eq!(results.as_array().unwrap().len(), 2, "{results}");
    assert_eq!((&results[0]["id"], &results[0]["decision"]), (&json!("c1"), &json!("allow")));
    assert_eq!((&results[1]["id"], &results[1]["decision"]), (&json!("c3"), &json!("deny")));
    assert!(turn.report["repairs"].as_array().unwrap().is_empty(), "{}", turn.report);
    let ids: Vec<&str> =
        turn.list().iter().filter_map(|message| message["tool_call_id"].as_str()).collect();
    assert_eq!(ids.len(), 3, "{ids:?}");
    let entry = server.get_json("/memory/language?session_id=s").await;
    assert_eq!((&entry["value"], &entry["version"]), (&json!("Rust"), &json!(1)));
    // What was answered is answered.
    let (_, results) = take(&server, "s", append(&[assistant("Done."), user("Thanks.")])).await;
    assert_eq!(results, json!([]));
    assert_eq!(server.get_json("/memory/language?session_id=s").await["version"], 1);
    let events = server.get_json("/events?format=json&after=0&limit=1000").await;
    let kinds: Vec<&str> = events["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    let changed = kinds.iter().filter(|kind| **kind == "memory:changed").count();
    assert_eq!(changed, 1, "{kinds:?}");
}

#[tokio::test]
async fn a_result_that_came_along_is_not_made_again() {
    let server = TestServer::spawn().await;
    let call = calling_with("", &[("c1", "create_memory", r#"{"key": "k", "value": "v"}"#)]);
    let mut body = append(&[user("x"), call, result("c1", "Remembered under \"k\".")]);
    body["memory"] = json!(true);
    let (_, results) = take(&server, "s", body).await;
    assert_eq!(results, json!([]));
    problem(server.get("/memory/k?session_id=s").await, 404, "not_found").await;
}

#[tokio::test]
async fn a_turn_that_fails_leaves_nothing() {
    let server = TestServer::spawn().await;
    take(&server, "s", append(&[user("first")])).await;
    let before = server.get_json("/sessions/s").await;
    let call = calling_with("", &[("c1", "create_memory", r#"{"key": "k", "value": "v"}"#)]);
    for (mut body, pointer) in [
        (append(std::slice::from_ref(&call)), "/target"),
        (append(&[json!({"role": "nobody", "content": "x"})]), "/append/0/role"),
        (json!({"append": 7}), "/append"),
        (json!({"messages": []}), "/messages"),
        (json!({"session_id": "t"}), "/session_id"),
        (json!({"apend": []}), "/apend"),
    ] {
        if pointer == "/target" {
            body["target"] = json!("nobody");
            body["memory"] = json!(true);
        }
        let answer = server.post("/sessions/s/turns", &body).await;
        let refused = problem(answer, 422, "invalid_request").await;
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
    }
    let mut body = append(&[call, user(&words("m", 5000))]);
    body["memory"] = json!(true);
    body["model"] = json!("bytes4");
    body["budget"] = json!({"context_window": 100, "on_overflow": "fail"});
    problem(server.post("/sessions/s/turns", &body).await, 422, "over_budget").await;
    assert_eq!(server.get_json("/sessions/s").await, before);
    problem(server.get("/memory/k?session_id=s").await, 404, "not_found").await;
}

#[tokio::test]
async fn a_turn_that_comes_again_is_taken_once() {
    let server = TestServer::spawn().await;
    let send = || {
        let request = server.build("POST", "/sessions/s/turns").header("idempotency-key", "k");
        request.json(&append(&[user("hello")])).send()
    };
    let first = send().await.unwrap();
    assert_eq!(first.status(), 200);
    let first = first.text().await.unwrap();
    let second = send().await.unwrap();
    assert_eq!(second.headers()["idempotency-replayed"], "true");
    assert_eq!(second.text().await.unwrap(), first);
    let session = server.get_json("/sessions/s").await;
    assert_eq!((&session["turns"], &session["messages"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn turns_at_once_stand_one_behind_the_other() {
    let server = TestServer::spawn().await;
    let turns = (0..6).map(|at| take(&server, "s", append(&[user(&format!("m{at}"))])));
    let all = futures_util::future::join_all(turns).await;
    let session = server.get_json("/sessions/s").await;
    assert_eq!((&session["turns"], &session["messages"]), (&json!(6), &json!(6)));
    let mut lengths: Vec<usize> =
        all.iter().map(|(turn, _)| turn.said(turn.list().len() - 1).len()).collect();
    lengths.sort_unstable();
    let (last, _) = take(&server, "s", json!({})).await;
    for at in 0..6 {
        assert!(last.text.contains(&format!("m{at}")), "{}", last.text);
    }
}

#[tokio::test]
async fn a_snapshot_takes_the_messages_along_and_a_restore_brings_them_back() {
    let server = TestServer::spawn().await;
    let steps = steps();
    take(&server, "s", append(&steps[0])).await;
    let (wanted, _) = take(&server, "s", append(&steps[1])).await;
    let taken = server.post_ok("/sessions/s/snapshots", &json!({})).await;
    assert_eq!(taken["messages"], 4);
    take(&server, "s", append(&steps[2])).await;
    server.post_ok("/sessions/s/fork", &json!({"new_session_id": "f"})).await;
    server.post_ok("/sessions/s/restore", &json!({"snapshot_id": taken["id"]})).await;
    assert_eq!(take(&server, "s", json!({})).await.0.text, wanted.text);
    assert_eq!(server.get_json("/sessions/f").await["messages"], 6);
    // Elsewhere, and on another way from there.
    let there = TestServer::spawn().await;
    let path = format!("/snapshots/{}", taken["id"].as_str().unwrap());
    let snapshot = server.get_json(&path).await;
    assert_eq!((&snapshot["source"], &snapshot["messages"][3]), (&json!("openai"), &steps[1][1]));
    there.post_ok("/sessions/t/restore", &json!({"snapshot": snapshot})).await;
    assert_eq!(take(&there, "t", json!({})).await.0.text, wanted.text);
    take(&server, "s", append(&[user("Another way.")])).await;
    server.post_ok("/sessions/s/restore", &json!({"snapshot_id": taken["id"]})).await;
    assert_eq!(take(&server, "s", json!({})).await.0.text, wanted.text);
}

#[tokio::test]
async fn turns_are_there_after_a_kill() {
    let folder = Folder::new();
    let url = folder.url();
    let flags = ["--database-url", url.as_str()];
    let whole = TestServer::spawn().await;
    let mut process = ServerProcess::start(&flags);
    for step in steps() {
        let (wanted, _) = take(&whole, "s", append(&step)).await;
        let path = format!("http://{}/sessions/s/turns", process.address);
        let answer = reqwest::Client::new().post(path).json(&append(&step)).send().await.unwrap();
        let found = Compiled::read(&answer.text().await.unwrap());
        assert_eq!(found.text, wanted.text);
        assert_eq!(found.report["cache"], wanted.report["cache"]);
        process.signal("KILL");
        process.exit().await;
        process = ServerProcess::start(&flags);
    }
}

#[tokio::test]
async fn a_turn_and_a_compile_are_of_one_session() {
    let server = TestServer::spawn().await;
    take(&server, "s", append(&[user("hello")])).await;
    let compiled = server.compile_in("s", json!({"messages": [user("hello")]})).await;
    assert!(compiled.report["cache"]["first_change"].is_null());
    assert_eq!(server.get_json("/sessions/s").await["turns"], 2);
}

#[tokio::test]
async fn what_cannot_name_a_session_begins_none() {
    let server = TestServer::spawn().await;
    for id in ["%01", "a%0Ab", &"x".repeat(257)] {
        for (end, body) in [("turns", json!({})), ("restore", json!({"snapshot_id": "x"}))] {
            let refused = server.post(&format!("/sessions/{id}/{end}"), &body).await;
            let refused = problem(refused, 422, "invalid_request").await;
            let detail = refused["errors"][0]["detail"].as_str().unwrap();
            assert!(detail.contains("1 to 256 bytes"), "{id} {end}: {detail}");
        }
    }
}
