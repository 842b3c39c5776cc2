//! Steps of a tool loop: calls whose results come in a later turn.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, assistant, calling, calling_with, result, user, words};
use crate::support::receiver::{answers, hook};
use crate::support::{TestServer, problem};

/// Takes a turn that must succeed.
async fn take(server: &TestServer, session: &str, body: &Value) -> Value {
    server.post_ok(&format!("/sessions/{session}/turns"), body).await
}

/// Takes a turn with a payload.
async fn compile(server: &TestServer, append: &[Value]) -> Compiled {
    Compiled::read(&take(server, "s", &json!({"append": append})).await.to_string())
}

#[tokio::test]
async fn a_payload_without_the_results_is_neither_repaired_nor_compared_with() {
    let server = TestServer::spawn().await;
    compile(&server, &[user("Why is the build red?")]).await;
    for at in 0..3 {
        let (one, two) = (format!("a{at}"), format!("b{at}"));
        let calls = calling("", &[(&one, "read_log"), (&two, "read_file")]);
        let open = compile(&server, &[calls]).await;
        assert!(open.codes("repairs").is_empty(), "{}", open.report);
        assert_eq!(open.said(open.list().len() - 1), "[No tool result available]");
        assert_eq!(open.report["cache"]["first_change"], Value::Null);
        // One of two results is not all of them, either.
        let half = compile(&server, &[result(&one, "moved")]).await;
        assert_eq!(half.report["cache"]["first_change"], Value::Null);
        let whole = compile(&server, &[result(&two, "fn main() {}")]).await;
        assert_eq!(whole.report["cache"]["first_change"], Value::Null, "step {at}");
        assert!(whole.codes("repairs").is_empty());
    }
    // A change of what was sent is one all the same.
    let changed = json!({"append": [assistant("Done.")], "tools": [{"type": "function",
        "function": {"name": "read_log", "parameters": {"type": "object"}}}]});
    let changed = take(&server, "s", &changed).await;
    assert_eq!(changed["report"]["cache"]["first_change"]["why"], "tools_changed");
}

#[tokio::test]
async fn a_call_that_the_conversation_went_on_from_is_repaired_and_its_payload_is_sent() {
    let server = TestServer::spawn().await;
    compile(&server, &[user("Why is the build red?")]).await;
    compile(&server, &[calling("", &[("c1", "read_log")])]).await;
    let on = compile(&server, &[user("Never mind."), calling("", &[("c2", "ls")])]).await;
    // That of the last message is not told: it is about to run.
    assert_eq!(on.codes("repairs"), ["unanswered_call"]);
    assert_eq!(on.report["repairs"][0]["pointer"], "/messages/1");
    let next = compile(&server, &[result("c2", "src")]).await;
    assert_eq!(next.codes("repairs"), ["unanswered_call"]);
    assert_eq!(next.report["cache"]["first_change"], Value::Null);
    // The stand-in is part of what was sent: a late result is a change of it.
    let late = compile(&server, &[result("c1", "moved")]).await;
    assert_eq!(late.report["cache"]["first_change"]["pointer"], "/messages/2");
}

#[tokio::test]
async fn a_compile_of_an_unfinished_list_is_repaired_and_not_compared_with() {
    let server = TestServer::spawn().await;
    let mut list = vec![user("Why?"), calling("", &[("c1", "read_log")])];
    let body = |list: &[Value]| json!({"messages": list, "session_id": "s"});
    server.compile(&body(&list[..1])).await;
    let open = server.compile(&body(&list)).await;
    assert_eq!(open.codes("repairs"), ["unanswered_call"]);
    list.push(result("c1", "moved"));
    let whole = server.compile(&body(&list)).await;
    assert_eq!(whole.report["cache"]["first_change"], Value::Null);
}

#[tokio::test]
async fn usage_is_of_the_last_payload_that_was_complete() {
    let server = TestServer::spawn().await;
    let counted = json!({"model": "bytes4", "target": "neutral"});
    server.post_ok("/sessions", &json!({"id": "s", "defaults": counted})).await;
    compile(&server, &[user(&words("m", 2000))]).await;
    let arguments = format!("{{\"text\": \"{}\"}}", words("a", 4000));
    compile(&server, &[calling_with("", &[("c1", "write", &arguments)])]).await;
    let usage = json!({"usage": {"prompt_tokens": 2200}});
    let session = server.post_ok("/sessions/s/usage", &usage).await;
    assert_eq!(
        (&session["warnings"], &session["calibration"][0]["factor"]),
        (&json!([]), &json!(1.1))
    );
}

#[tokio::test]
async fn a_turn_without_a_compile_appends_and_judges_and_no_more() {
    let server = TestServer::spawn().await;
    let defaults = json!({"memory": true, "tools": [
        {"type": "function", "function": {"name": "read_log", "parameters": {"type": "object"}}}]});
    server.post_ok("/sessions", &json!({"id": "s", "defaults": defaults})).await;
    let sent = compile(&server, &[user("Why is the build red?")]).await;
    let before = server.get_json("/sessions/s").await;
    let (usage, events) = (server.get_json("/usage").await, server.events().await.len());

    let call = calling_with(
        "",
        &[
            ("c1", "read_log", "{}"),
            ("c2", "create_memory", r#"{"key": "language", "value": "Rust"}"#),
            ("c3", "rm", "{}"),
        ],
    );
    let appended = take(&server, "s", &json!({"append": [call], "compile": false})).await;
    let keys: Vec<&str> = appended.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["results", "messages", "warnings"]);
    // What ours gave and what was denied is in the session; the caller's is to come.
    assert_eq!((&appended["messages"], &appended["warnings"]), (&json!(4), &json!([])));
    let judged = appended["results"].as_array().unwrap().iter();
    let judged: Vec<_> = judged.map(|one| (&one["decision"], &one["for"])).collect();
    let (allow, deny) = (&json!("allow"), &json!("deny"));
    let (caller, service) = (&json!("caller"), &json!("service"));
    assert_eq!(judged, [(allow, caller), (allow, service), (deny, caller)]);
    let entry = server.get_json("/memory/language?session_id=s").await;
    assert_eq!(entry["value"], "Rust");

    let after = server.get_json("/sessions/s").await;
    for key in ["turns", "last_compilation_id", "calibration", "version"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_eq!(after["messages"], 4);
    assert_eq!(server.get_json("/usage").await["items"], usage["items"]);
    let told: Vec<Value> = server.events().await.split_off(events);
    assert!(told.iter().all(|event| event["type"] == "memory:changed"), "{told:?}");
    assert_eq!(told.len(), 1);
    let records = server.get_json("/compilations?session_id=s").await;
    assert_eq!(records["items"].as_array().unwrap().len(), 1);
    assert_eq!(records["items"][0]["id"], sent.id);

    let next = compile(&server, &[result("c1", "all green")]).await;
    // It comes after the results that were there at once, and moves before them.
    assert_eq!(next.codes("repairs"), ["result_order"]);
    assert_eq!(next.report["memory"]["injected"], json!(["language"]));
    let ids: Vec<&str> =
        next.list().iter().filter_map(|message| message["tool_call_id"].as_str()).collect();
    assert_eq!(ids, ["c1", "c2", "c3"]);
    assert_eq!(server.get_json("/sessions/s").await["turns"], 2);
}

#[tokio::test]
async fn a_turn_without_a_compile_is_done_once_and_asks_guards() {
    let guard = answers(&json!({"decision": "deny", "reason": "not now"})).await;
    let server = TestServer::dev().await;
    let mut denies = hook("g", ("tool_call", "guard"), &guard, &json!({}));
    denies.as_object_mut().unwrap().remove("id");
    server.register(&denies).await;
    let body = json!({"append": [user("Go."), calling("", &[("c1", "ls")])], "compile": false,
        "tools": [{"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}]});
    let send = || {
        let request = server.build("POST", "/sessions/s/turns").header("idempotency-key", "k");
        request.json(&body).send()
    };
    let first = send().await.unwrap();
    assert_eq!(first.status(), 200);
    let first = first.text().await.unwrap();
    let again = send().await.unwrap();
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!(again.text().await.unwrap(), first);
    let first: Value = serde_json::from_str(&first).unwrap();
    assert_eq!((&first["messages"], &first["results"][0]["decision"]), (&json!(3), &json!("deny")));
    assert_eq!(guard.bodies().len(), 1);
    let session = server.get_json("/sessions/s").await;
    assert_eq!((&session["messages"], &session["turns"]), (&json!(3), &json!(0)));
    assert_eq!(session["last_compilation_id"], Value::Null);
}

#[tokio::test]
async fn a_turn_without_a_compile_learns_from_usage() {
    let server = TestServer::spawn().await;
    let counted = json!({"model": "bytes4", "target": "neutral"});
    server.post_ok("/sessions", &json!({"id": "s", "defaults": counted})).await;
    let mut body = json!({"append": [user(&words("m", 2000))], "compile": false,
        "usage": {"prompt_tokens": 2200}});
    let early = take(&server, "s", &body).await;
    assert_eq!(early["warnings"][0]["code"], "usage_unmatched");
    compile(&server, &[]).await;
    body["append"] = json!([assistant("Well.")]);
    assert_eq!(take(&server, "s", &body).await["warnings"], json!([]));
    let session = server.get_json("/sessions/s").await;
    assert_eq!(session["calibration"][0]["factor"], 1.1);
    body["usage"]["prompt_tokens"] = 22_000.into();
    assert_eq!(take(&server, "s", &body).await["warnings"][0]["code"], "usage_implausible");
}

#[tokio::test]
async fn a_faulty_turn_without_a_compile_appends_nothing() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    for (more, pointer) in [
        (json!({"compile": "no"}), "/compile"),
        (json!({"compile": false, "budget": "5"}), "/budget"),
        (json!({"compile": false, "usage": {}}), "/usage"),
        (json!({"compile": false, "append": [5]}), "/append/0"),
    ] {
        let mut body = json!({"append": [user("x")]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let refused = server.post("/sessions/s/turns", &body).await;
        let refused = problem(refused, 422, "invalid_request").await;
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
    }
    assert_eq!(server.get_json("/sessions/s").await["messages"], 0);
}
