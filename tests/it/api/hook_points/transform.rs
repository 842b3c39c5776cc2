//! `transform_context`: the complete list of messages, and the last word on it.

use serde_json::{Value, json};

use super::outcomes;
use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, answers, hook};
use crate::support::{TestServer, problem};

const TRANSFORM: (&str, &str) = ("transform_context", "transform");
const GUARD: (&str, &str) = ("transform_context", "guard");

#[tokio::test]
async fn a_transform_sees_the_whole_sandwich_and_its_answer_is_what_is_sent() {
    let receiver = answers(&json!({"action": "json_patch", "patch": [
        {"op": "replace", "path": "/messages/1/parts/0/text", "value": "Goodbye"}]}))
    .await;
    let server = TestServer::dev().await;
    let body = json!({"messages": [{"role": "system", "content": "Be brief."}, user("Hello")],
        "implicit_context": "context", "model": "gpt-4o",
        "hooks": [hook("t", TRANSFORM, &receiver, &json!({}))]});
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.said(1), "Goodbye");
    assert_eq!(outcomes(&compiled), ["t applied"]);
    let call = &receiver.bodies()[0];
    let input = &call["input"];
    assert_eq!((&input["target"], &input["model"]), (&json!("openai"), &json!("gpt-4o")));
    let said = input["messages"][1]["parts"][0]["text"].as_str().unwrap();
    assert!(said.starts_with("Hello") && said.contains("<implicit_context>\ncontext\n"), "{said}");
    // Counted anew.
    let plain = json!({"messages": [{"role": "system", "content": "Be brief."}, user("Goodbye")],
        "model": "gpt-4o"});
    let plain = server.compile(&plain).await;
    assert_eq!(compiled.number("tokens_after"), plain.number("tokens_after"));
    assert_eq!(compiled.text, plain.text);
}

#[tokio::test]
async fn what_comes_back_as_it_was_shown_is_as_it_was() {
    let server = TestServer::dev().await;
    let call = json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "sig"},
        {"type": "tool_use", "id": "c1", "name": "ls", "input": {"b": 1, "a": 2}}]});
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1",
        "content": "x", "cache_control": {"type": "ephemeral"}}]});
    let mut body = json!({"messages": [user("Hello"), call, result], "target": "anthropic",
        "source": "anthropic"});
    let plain = server.compile(&body).await;
    let probe = answers(&json!({"action": "unchanged"})).await;
    body["hooks"] = json!([hook("t", TRANSFORM, &probe, &json!({}))]);
    server.compile(&body).await;
    let mut shown = probe.bodies()[0]["input"]["messages"].clone();
    let whole = json!({"action": "replace", "payload": shown});
    // Written anew, with other white space.
    let echo = Receiver::spawn(Mode::Answer(format!("{whole:#}"))).await;
    body["hooks"] = json!([hook("t", TRANSFORM, &echo, &json!({}))]);
    assert_eq!(server.compile(&body).await.text, plain.text);
    // One message more leaves the others as they were.
    shown
        .as_array_mut()
        .unwrap()
        .push(json!({"role": "user", "parts": [{"type": "text", "text": "more"}]}));
    let more = answers(&json!({"action": "replace", "payload": shown})).await;
    body["hooks"] = json!([hook("t", TRANSFORM, &more, &json!({}))]);
    let with_more = server.compile(&body).await;
    let first = |text: &str| serde_json::from_str::<Value>(text).unwrap()["messages"][1].clone();
    assert_eq!(first(&with_more.text), first(&plain.text));
    assert!(with_more.text.contains("more"));
}

#[tokio::test]
async fn what_is_no_list_of_messages_is_a_failure_and_nothing_is_sent() {
    let server = TestServer::dev().await;
    let sealed = json!([{"role": "assistant", "parts": [
        {"type": "thinking", "text": "made up", "signature": "forged"}]}]);
    let bad = [
        json!({"action": "replace", "payload": null}),
        json!({"action": "replace", "payload": []}),
        json!({"action": "replace", "payload": "Hello"}),
        json!({"action": "replace", "payload": [{"role": "nobody", "parts": []}]}),
        json!({"action": "replace", "payload": sealed}),
        json!({"action": "json_patch", "patch": [{"op": "remove", "path": "/target"}]}),
    ];
    for answer in bad {
        let receiver = answers(&answer).await;
        let mut body = json!({"messages": [user("Hello")],
            "hooks": [hook("t", TRANSFORM, &receiver, &json!({}))]});
        problem(server.post("/compile", &body).await, 502, "hook_failed").await;
        body["hooks"][0]["on_failure"] = "skip".into();
        let compiled = server.compile(&body).await;
        assert_eq!(compiled.said(0), "Hello");
        assert!(outcomes(&compiled)[0].starts_with("t failed "), "{answer}");
    }
}

#[tokio::test]
async fn calls_without_results_are_mended_as_in_a_request() {
    let list = json!([{"role": "user", "parts": [{"type": "text", "text": "Go"}]},
        {"role": "assistant", "parts": [
            {"type": "tool_call", "id": "c9", "name": "ls", "arguments": "{}"}]}]);
    let receiver = answers(&json!({"action": "replace", "payload": list})).await;
    let server = TestServer::dev().await;
    let body = json!({"messages": [user("Hello")],
        "hooks": [hook("t", TRANSFORM, &receiver, &json!({}))]});
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.roles(), ["user", "assistant", "tool"]);
    assert_eq!(compiled.codes("repairs"), ["unanswered_call"]);
}

#[tokio::test]
async fn guards_come_last_and_see_what_would_be_sent() {
    let transform = answers(&json!({"action": "replace",
        "payload": [{"role": "user", "parts": [{"type": "text", "text": "secret"}]}]}))
    .await;
    let guard = answers(&json!({"decision": "deny", "reason": "no secrets", "code": "dlp"})).await;
    let watcher = answers(&json!(null)).await;
    let server = TestServer::dev().await;
    let observe = ("transform_context", "observe");
    let body = json!({"messages": [user("Hello")], "hooks": [
        hook("g", GUARD, &guard, &json!({})), hook("t", TRANSFORM, &transform, &json!({})),
        hook("w", observe, &watcher, &json!({}))]});
    let told = problem(server.post("/compile", &body).await, 403, "hook_denied").await;
    let detail = told["detail"].as_str().unwrap();
    assert!(detail.contains("`g`") && detail.contains("no secrets"), "{detail}");
    let said = |call: &Value| call["input"]["messages"][0]["parts"][0]["text"].clone();
    assert_eq!(said(&guard.bodies()[0]), "secret");
    let heard = &watcher.bodies()[0];
    assert_eq!(heard["input"]["decision"], "deny");
    assert_eq!(said(heard), "Hello");
}

#[tokio::test]
async fn a_list_above_the_budget_shrinks_once_more_and_nobody_is_asked_again() {
    let server = TestServer::dev().await;
    let mut messages = Vec::new();
    for turn in 0..30 {
        let text = format!("Turn {turn}. {}", "Words about nothing in particular. ".repeat(6));
        messages.push(user(&text));
        messages.push(json!({"role": "assistant", "content": text}));
    }
    messages.push(user("And now?"));
    let big = "Filler text of no use. ".repeat(150);
    let receiver = answers(&json!({"action": "json_patch", "patch": [
        {"op": "add", "path": "/messages/-", "value":
            {"role": "assistant", "parts": [{"type": "text", "text": "Listen."}]}},
        {"op": "add", "path": "/messages/-", "value":
            {"role": "user", "parts": [{"type": "text", "text": big}]}}]}))
    .await;
    let body = json!({"messages": messages, "model": "gpt-4o", "explain": "full",
        "budget": {"context_window": 3200},
        "hooks": [hook("t", TRANSFORM, &receiver, &json!({}))]});
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.report["fits"], true, "{}", compiled.report["summary"]);
    assert!(compiled.number("tokens_after") <= 3200);
    assert!(compiled.text.contains("Filler text of no use."));
    assert_eq!(receiver.requests().len(), 1);
    let gone = compiled.action("summarized") + compiled.action("dropped");
    assert!(gone > 0, "{}", compiled.report["actions"]);
    let decisions = compiled.report["decisions"].as_array().unwrap();
    let listed =
        decisions.iter().filter(|row| row["action"] == "summarized" || row["action"] == "dropped");
    assert_eq!(listed.count() as u64, gone);
}

#[tokio::test]
async fn built_in_hooks_work_without_a_receiver() {
    let server = TestServer::dev().await;
    let redact = json!({"id": "r", "point": "transform_context", "kind": "transform",
        "builtin": "redact", "config": {"patterns": ["[0-9]{4}-[0-9]{4}"]}});
    let scan = json!({"id": "s", "point": "transform_context", "kind": "guard",
        "builtin": "secret_scan"});
    let mut body = json!({"messages": [user("Card 1234-5678, please.")], "hooks": [redact, scan]});
    let done = server.compile(&body).await;
    assert_eq!(done.said(0), "Card [REDACTED], please.");
    assert_eq!(outcomes(&done), ["r applied", "s allowed"]);
    // In two pieces, so that nobody takes it for one.
    let key = ["sk-ant-", "a1b2c3d4e5f6a7b8c9"].concat();
    body["messages"][0]["content"] = key.into();
    problem(server.post("/compile", &body).await, 403, "hook_denied").await;
}
