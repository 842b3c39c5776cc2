//! `tool_result` is asked once of each result, wherever it is first seen, and what came of it stays.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::outcomes;
use crate::support::TestServer;
use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, answers, hook, patient};

const AT: (&str, &str) = ("tool_result", "transform");

fn call(id: &str, command: &str) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function",
        "function": {"name": "Bash", "arguments": json!({"command": command}).to_string()}}]})
}

fn result(id: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content})
}

fn body(results: &[(&str, &str)]) -> Value {
    let mut messages = vec![user("Go")];
    for (id, content) in results {
        messages.extend([call(id, "make"), result(id, content)]);
    }
    json!({"messages": messages, "compression": {"on_arrival": "off"}})
}

/// A receiver that says something else each time.
async fn moody() -> Receiver {
    let says =
        |n| json!({"action": "merge_patch", "patch": {"result": {"content": format!("said {n}")}}});
    Receiver::script(move |n| Mode::Answer(says(n).to_string())).await
}

#[tokio::test]
async fn the_first_outcome_stays_and_a_new_revision_is_for_new_results() {
    let (server, receiver) = (TestServer::dev().await, moody().await);
    server.register(&hook("t", AT, &receiver, &json!({}))).await;
    let first = server.compile(&body(&[("c1", "one")])).await;
    assert_eq!(first.said(2), "said 0");
    // The same call with the same outcome under another id is the same result.
    let second = server.compile(&body(&[("c1", "one"), ("c2", "two"), ("c3", "one")])).await;
    assert_eq!([second.said(2), second.said(4), second.said(6)], ["said 0", "said 1", "said 0"]);
    assert_eq!(outcomes(&second), ["t applied", "t applied", "t applied"]);
    assert_eq!(receiver.requests().len(), 2);
    let changed = server.build("PATCH", "/hooks/t").json(&json!({"timeout_ms": 7000})).send();
    assert_eq!(changed.await.unwrap().status(), 200);
    let third = server.compile(&body(&[("c1", "one"), ("c4", "three")])).await;
    assert_eq!([third.said(2), third.said(4)], ["said 0", "said 2"]);
    assert_eq!(receiver.bodies()[2]["hook"]["revision"], 2);
    // Once the hook is gone, so is what it said.
    let gone = server.delete("/hooks/t").await;
    assert_eq!(gone.status(), 204);
    assert_eq!(server.compile(&body(&[("c1", "one")])).await.said(2), "one");
    server.register(&hook("t", AT, &receiver, &json!({}))).await;
    assert_eq!(server.compile(&body(&[("c1", "one")])).await.said(2), "said 3");
}

#[tokio::test]
async fn an_observe_hook_hears_of_a_result_once_and_a_failed_compile_keeps_nothing() {
    let (server, told) = (TestServer::dev().await, answers(&json!(null)).await);
    let transform = moody().await;
    let deny = answers(&json!({"decision": "deny", "reason": "no"})).await;
    server.register(&hook("t", AT, &transform, &json!({}))).await;
    let more = json!({"delivery": "sync"});
    server.register(&hook("o", ("tool_result", "observe"), &told, &more)).await;
    let mut denied = body(&[("c1", "one")]);
    denied["hooks"] = json!([hook("g", ("transform_context", "guard"), &deny, &json!({}))]);
    assert_eq!(server.post("/compile", &denied).await.status(), 403);
    let wanted = body(&[("c1", "one")]);
    for _ in 0..2 {
        assert_eq!(server.compile(&wanted).await.said(2), "said 1");
    }
    let heard: Vec<Value> =
        told.bodies().iter().map(|call| call["input"]["result"]["content"].clone()).collect();
    assert_eq!(heard, ["said 0", "said 1"]);
}

#[tokio::test]
async fn results_that_were_taken_are_not_asked_about_again() {
    let (server, receiver) = (TestServer::dev().await, moody().await);
    server.register(&hook("t", AT, &receiver, &json!({}))).await;
    let taken = server
        .post_ok(
            "/tools/results",
            &json!({"results": [
            {"id": "c1", "name": "Bash", "arguments": {"command": "make"}, "content": "one"},
            {"id": "c2", "name": "Bash", "content": {"a": 1}, "is_error": true}]}),
        )
        .await;
    // Both are asked about at once.
    let said = [0, 1].map(|at| taken["messages"][at]["content"].as_str().unwrap());
    assert!(matches!(said, ["said 0", "said 1"] | ["said 1", "said 0"]), "{said:?}");
    assert_eq!(taken["results"][0]["bytes_before"], 3);
    assert_eq!(taken["results"][0]["bytes_after"], 6);
    assert_eq!(taken["report"]["hooks"].as_array().unwrap().len(), 2);
    let mut inputs: Vec<Value> = receiver.inputs();
    inputs.sort_by_key(|input| input["tool"]["call_id"].to_string());
    assert_eq!(
        inputs,
        [
            json!({"tool": {"name": "Bash", "call_id": "c1", "arguments": {"command": "make"}},
                "result": {"content": "one", "is_error": false}}),
            json!({"tool": {"name": "Bash", "call_id": "c2", "arguments": null},
                "result": {"content": "{\"a\":1}", "is_error": true}}),
        ]
    );
    // What was answered comes back in a compile, and what was taken may, too.
    let mut next = body(&[("c1", "one"), ("c2", "two")]);
    next["messages"][2] = taken["messages"][0].clone();
    next["messages"][4] = taken["messages"][1].clone();
    let done = server.compile(&next).await;
    assert_eq!([done.said(2), done.said(4)], said);
    assert_eq!(server.compile(&body(&[("c1", "one")])).await.said(2), said[0]);
    assert_eq!(receiver.requests().len(), 2);
}

#[tokio::test]
async fn lists_that_are_made_shorter_are_asked_about_in_every_shape() {
    let (server, receiver) = (TestServer::dev().await, moody().await);
    let told = answers(&json!(null)).await;
    server.register(&hook("t", AT, &receiver, &json!({}))).await;
    server
        .register(&hook("o", ("tool_result", "observe"), &told, &json!({"delivery": "sync"})))
        .await;
    let arguments = json!({"command": "make"});
    let lists = [
        ("messages", json!([user("Go"), call("c1", "make"), result("c1", "openai")]), "/2/content"),
        (
            "messages",
            json!([user("Go"),
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "c1", "name": "Bash", "input": arguments},
                {"type": "tool_use", "id": "c2", "name": "Read", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [
                    {"type": "text", "text": "anthropic", "x": 1.50}]},
                {"type": "text", "text": "and then"}]}]),
            "/2/content/0/content/0/text",
        ),
        (
            "input",
            json!([{"type": "message", "role": "user", "content": "Go"},
            {"type": "function_call", "call_id": "c1", "name": "Bash", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "responses"}]),
            "/2/output",
        ),
        (
            "contents",
            json!([{"role": "user", "parts": [{"text": "Go"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "Bash", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "Bash",
                "response": {"output": "gemini"}}}]}]),
            "/2/parts/0/functionResponse/response/output",
        ),
    ];
    for (at, (key, list, pointer)) in lists.into_iter().enumerate() {
        let answer = server.post_ok("/compress", &json!({key: list})).await;
        let shown = answer[key].pointer(pointer);
        assert_eq!(shown, Some(&json!(format!("said {at}"))), "{answer}");
        let mut wanted = list.clone();
        *wanted.pointer_mut(pointer).unwrap() = shown.unwrap().clone();
        // Nothing else of the list has changed.
        assert_eq!(answer[key], wanted);
        assert_eq!(answer["report"]["hooks"][0]["outcome"], "applied");
        // The answer, sent back, is what it was.
        let again = server.post_ok("/compress", &json!({key: answer[key]})).await;
        assert_eq!(again[key], answer[key]);
    }
    assert_eq!(receiver.requests().len(), 4);
    assert_eq!(told.requests().len(), 4);
    let opened = server.post_ok("/expand", &json!({"messages": [result("c1", "said 0")]})).await;
    assert_eq!(opened["messages"][0]["content"], "said 0");
}

#[tokio::test]
async fn what_has_no_place_in_a_list_is_a_failure() {
    let server = TestServer::dev().await;
    let image = json!([{"type": "media", "media_type": "image/png", "data": "AAAA"}]);
    for payload in [json!({"content": image}), json!({"content": "x", "is_error": true})] {
        let receiver = answers(&json!({"action": "replace", "payload": payload})).await;
        server.register(&hook("t", AT, &receiver, &json!({}))).await;
        let list = json!({"messages": [user("Go"), call("c1", "make"), result("c1", "one")]});
        let failed = server.post("/compress", &list).await;
        crate::support::problem(failed, 502, "hook_failed").await;
        assert_eq!(server.delete("/hooks/t").await.status(), 204);
    }
}

#[tokio::test]
async fn a_session_asks_about_what_is_new() {
    let (server, receiver) = (TestServer::dev().await, moody().await);
    server.register(&hook("t", AT, &receiver, &json!({}))).await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    let turn = |append: Value| json!({"append": append, "compression": {"on_arrival": "off"}});
    let first = json!([user("Go"), call("c1", "make"), result("c1", "one")]);
    let answer = server.post_ok("/sessions/s/turns", &turn(first)).await;
    assert_eq!(answer["payload"]["messages"][2]["content"], "said 0");
    let second = json!([call("c2", "ls"), result("c2", "two")]);
    let answer = server.post_ok("/sessions/s/turns", &turn(second)).await;
    assert_eq!(answer["payload"]["messages"][2]["content"], "said 0");
    assert_eq!(answer["payload"]["messages"][4]["content"], "said 1");
    assert_eq!(receiver.requests().len(), 2);
}

#[tokio::test]
async fn eight_results_are_asked_about_at_once() {
    let server = TestServer::dev().await;
    let all = Arc::new(Barrier::new(8));
    let says = json!({"action": "unchanged"}).to_string();
    let receiver = Receiver::script(move |_| Mode::Together(Arc::clone(&all), says.clone())).await;
    let names: Vec<(String, String)> =
        (0..16).map(|at| (format!("c{at}"), format!("text {at}"))).collect();
    let list: Vec<(&str, &str)> =
        names.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
    let mut body = body(&list);
    body["hooks"] = json!([hook("t", AT, &receiver, &patient())]);
    let done = server.compile(&body).await;
    assert_eq!(outcomes(&done), vec!["t unchanged"; 16]);
    assert_eq!(receiver.requests().len(), 16);
}

#[tokio::test]
async fn a_replay_has_what_was_said_once_of_a_built_in_hook() {
    let server = TestServer::dev().await;
    let cut = |most: u32| json!({"max_bytes": most, "marker": "", "tools": ["*"]});
    server
        .register(
            &json!({"id": "cut", "point": "tool_result", "kind": "transform", "builtin": "truncate",
            "config": cut(3)}),
        )
        .await;
    let mut wanted = body(&[("c1", "abcdef")]);
    wanted["record"] = "full".into();
    assert_eq!(server.compile(&wanted).await.said(2), "abc");
    let changed = server.build("PATCH", "/hooks/cut").json(&json!({"config": cut(2)})).send();
    assert_eq!(changed.await.unwrap().status(), 200);
    let second = server.compile(&wanted).await;
    assert_eq!(second.said(2), "abc");
    assert_eq!(server.compile(&body(&[("c1", "uvwxyz")])).await.said(2), "uv");
    let path = format!("/compilations/{}/replay", second.id);
    let again = server.post_ok(&path, &json!({})).await;
    assert_eq!(again["status"], "equal", "{again}");
}
