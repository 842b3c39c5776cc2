//! What hooks around a history that shrinks are told is what is sent.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, user};
use crate::support::receiver::{Receiver, answers, hook};
use crate::support::{TestServer, pack, problem};

const BEFORE: (&str, &str) = ("before_compress", "transform");
const GUARD: (&str, &str) = ("before_compress", "guard");
const RAG: (&str, &str) = ("before_compile", "provide");
const AFTER: (&str, &str) = ("after_compress", "observe");
const LAST: (&str, &str) = ("transform_context", "transform");

/// Messages of one length, the user's and the assistant's in turn; the last is the user's.
fn chat(count: usize) -> Vec<Value> {
    let text =
        |at: usize| format!("Turn {at:03}. {}", "Words about nothing in particular. ".repeat(8));
    let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
    (0..count).map(|at| json!({"role": role(at), "content": text(at)})).collect()
}

fn request(messages: &[Value], window: u64, hooks: &Value) -> Value {
    json!({"messages": messages, "model": "gpt-4o", "budget": {"context_window": window},
        "hooks": hooks})
}

/// The texts of the messages that a hook was shown.
fn shown(input: &Value) -> Vec<String> {
    let history = input["history"].as_array().unwrap();
    let text = |message: &Value| message["parts"][0]["text"].as_str().unwrap().to_owned();
    history.iter().map(text).collect()
}

fn said(compiled: &Compiled) -> Vec<String> {
    (0..compiled.list().len()).map(|at| compiled.said(at)).collect()
}

fn numbers(pair: &Value) -> (u64, u64) {
    (pair["current"].as_u64().unwrap(), pair["limit"].as_u64().unwrap())
}

/// Observers hear the figures of the event, and those of the report.
async fn agree(server: &TestServer, told: &Receiver, compiled: &Compiled) {
    let events = server.events_of("compress").await;
    let (event, input) = (events.last().unwrap(), told.inputs().pop().unwrap());
    assert_eq!(event["actions"], input["actions"]);
    assert_eq!(event["actions"], compiled.report["actions"]);
    assert_eq!(event["tokens_before"], input["tokens"]["before"]);
    assert_eq!(event["tokens_after"], input["tokens"]["after"]);
    assert_eq!(event["tokens_after"], compiled.report["tokens_after"]);
    assert!(event["tokens_before"].as_u64() > event["tokens_after"].as_u64(), "{event}");
}

#[tokio::test]
async fn a_history_with_room_for_what_hooks_provide_is_shown_as_it_is_sent() {
    let server = TestServer::dev().await;
    let before = answers(&json!({"action": "unchanged"})).await;
    let told = answers(&json!(null)).await;
    for answer in [json!({"content": "Found."}), json!(null)] {
        let rag = answers(&answer).await;
        // Far more than the quarter of the budget that is kept free of the history.
        let hooks = json!([
            hook("rag", RAG, &rag, &json!({"max_tokens": 5000})),
            hook("b", BEFORE, &before, &json!({})),
            hook("a", AFTER, &told, &json!({}))
        ]);
        let messages = chat(59);
        let compiled = server.compile(&request(&messages, 6000, &hooks)).await;
        assert_eq!(compiled.list().len(), 59);
        assert_eq!(compiled.action("summarized") + compiled.action("dropped"), 0);
        let given: Vec<String> =
            messages.iter().map(|one| one["content"].as_str().unwrap().to_owned()).collect();
        assert_eq!(shown(&rag.inputs()[0]), given);
        assert_eq!(rag.requests().len(), 1);
    }
    assert_eq!((before.requests().len(), told.requests().len()), (0, 0));
    assert_eq!(server.events_of("compress").await.len(), 0);
}

#[tokio::test]
async fn a_text_that_does_not_fit_makes_the_history_shrink_and_hooks_are_asked_then() {
    let server = TestServer::dev().await;
    let before = answers(&json!({"action": "unchanged"})).await;
    let told = answers(&json!(null)).await;
    let last = answers(&json!({"action": "unchanged"})).await;
    let rag = answers(&json!({"content": "word ".repeat(3500)})).await;
    let rag = hook("rag", RAG, &rag, &json!({"max_tokens": 5000}));
    let hooks = json!([
        rag,
        hook("b", BEFORE, &before, &json!({})),
        hook("a", AFTER, &told, &json!({})),
        hook("l", LAST, &last, &json!({}))
    ]);
    let compiled = server.compile(&request(&chat(59), 6000, &hooks)).await;
    assert_eq!(compiled.report["fits"], true);
    let gone = compiled.action("summarized") + compiled.action("dropped");
    assert!(gone > 0);
    // Asked once, about what really shrinks, with the text counted.
    assert_eq!((before.requests().len(), told.requests().len()), (1, 1));
    let input = &before.inputs()[0];
    let (current, limit) = numbers(&input["tokens"]);
    assert!(current > limit && limit == 6000, "{current} {limit}");
    assert_eq!(input["trigger"], "over_limit");
    assert_eq!(input["to_compress"], json!({"from": 0, "to": gone}));
    assert_eq!(told.inputs()[0]["truncated_count"], gone);
    agree(&server, &told, &compiled).await;
    let sent = last.inputs()[0]["messages"].as_array().unwrap().len();
    assert_eq!(sent, compiled.list().len());

    // A denial leaves the history as it was before the text.
    let guard = answers(&json!({"decision": "deny", "reason": "no"})).await;
    let hooks = json!([rag, hook("g", GUARD, &guard, &json!({}))]);
    let compiled = server.compile(&request(&chat(59), 6000, &hooks)).await;
    assert_eq!((compiled.list().len(), &compiled.report["fits"]), (59, &json!(false)));
    assert_eq!(compiled.codes("warnings"), ["compression_denied"]);
}

#[tokio::test]
async fn a_history_is_told_its_own_limit_and_is_held_to_it() {
    let server = TestServer::dev().await;
    let probe = answers(&json!({"action": "unchanged"})).await;
    let messages = chat(115);
    // The quarter that is kept for state makes the history's limit lower than the budget.
    let body = |hooks: Value| {
        let mut body = request(&messages, 8000, &hooks);
        body["dynamic_state"] = json!({"step": 1});
        body
    };
    server.compile(&body(json!([hook("t", BEFORE, &probe, &json!({}))]))).await;
    let input = &probe.inputs()[0];
    let ((current, limit), payload) =
        (numbers(&input["history_tokens"]), numbers(&input["tokens"]));
    assert!(payload.0 <= payload.1 && payload.1 == 8000, "{payload:?}");
    assert!(current > limit && limit < 8000, "{current} {limit}");
    assert_eq!(input["trigger"], "threshold");
    // As many of the messages as are within the limit stay; a few more do not.
    let each = current.div_ceil(115);
    let fit = usize::try_from(limit / each).unwrap();
    for (count, shrinks) in [(fit, false), (fit + 3, true)] {
        let history = input["history"].as_array().unwrap();
        let part: Value = history[history.len() - count..].into();
        let receiver = answers(&json!({"action": "replace", "payload": part})).await;
        let told = answers(&json!(null)).await;
        let compiled = server
            .compile(&body(json!([
                hook("t", BEFORE, &receiver, &json!({})),
                hook("a", AFTER, &told, &json!({}))
            ])))
            .await;
        let gone = compiled.action("summarized") + compiled.action("dropped");
        assert_eq!((gone > 0, told.requests().len() == 1), (shrinks, shrinks), "{count}");
    }
}

#[tokio::test]
async fn a_history_that_adapters_alone_shorten_is_told() {
    let server = TestServer::dev().await;
    let told = answers(&json!(null)).await;
    let lines: Vec<String> = (0..400)
        .map(|at| format!("2026-01-01T00:00:{:02}Z INFO worker {at}: done in {at} ms", at % 60))
        .collect();
    let log = lines.join("\n");
    let mut messages = vec![
        user("Look."),
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1",
            "type": "function", "function": {"name": "logs", "arguments": "{}"}}]}),
        json!({"role": "tool", "tool_call_id": "c1", "content": log}),
    ];
    messages.push(json!({"role": "assistant", "content": "All is well."}));
    messages.push(user("And now?"));
    let mut body = request(&messages, 200_000, &json!([hook("a", AFTER, &told, &json!({}))]));
    body["compression"] = json!({"on_arrival": "reversible"});
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.action("compressed"), 1);
    assert_eq!(told.inputs()[0]["truncated_count"], 0);
    assert_eq!(told.inputs()[0]["summary"], json!(null));
    let events = server.events_of("compress").await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["actions"], told.inputs()[0]["actions"]);
}

#[tokio::test]
async fn a_history_that_a_transform_makes_shrink_is_told() {
    let server = TestServer::dev().await;
    let told = answers(&json!(null)).await;
    let messages = chat(9);
    let mut all = chat(60);
    all.push(user("And now?"));
    let payload: Vec<Value> = all
        .iter()
        .map(
            |one| json!({"role": one["role"], "parts": [{"type": "text", "text": one["content"]}]}),
        )
        .collect();
    let longer = answers(&json!({"action": "replace", "payload": payload})).await;
    let hooks = json!([hook("l", LAST, &longer, &json!({})), hook("a", AFTER, &told, &json!({}))]);
    let compiled = server.compile(&request(&messages, 3000, &hooks)).await;
    assert_eq!(compiled.report["fits"], true);
    let input = &told.inputs()[0];
    assert!(input["truncated_count"].as_u64().unwrap() > 20, "{input}");
    assert!(input["tokens"]["before"].as_u64().unwrap() > 3000);
    assert!(said(&compiled).iter().any(|text| Some(text.as_str()) == input["summary"].as_str()));
    agree(&server, &told, &compiled).await;
}

#[tokio::test]
async fn a_history_that_a_pack_shrinks_is_told() {
    let server = TestServer::dev().await;
    let told = answers(&json!(null)).await;
    let mut messages = chat(121);
    messages.pop();
    messages.push(user("do it"));
    let mut context = pack::context("tenant_min");
    context["run_budget"] = json!({"bucket_tokens": 15_000});
    let body = json!({"messages": messages, "model": "gpt-4o", "target": "neutral",
        "budget": {"context_window": 20_000},
        "pack": {"document": pack::minimal(), "run_context": context,
            "request": {"request_id": "req_1", "input": {"intent": "x", "message": "do it"}}},
        "hooks": [hook("a", AFTER, &told, &json!({}))]});
    let compiled = server.compile(&body).await;
    let gone = compiled.action("summarized") + compiled.action("dropped");
    assert!(gone > 40, "{}", compiled.report);
    let input = &told.inputs()[0];
    assert_eq!(input["truncated_count"], gone);
    assert_eq!(input["compressed_messages"].as_array().unwrap().len() as u64, gone);
    assert!(input["summary"].is_string());
    agree(&server, &told, &compiled).await;
    let sentence = compiled.report["summary"].as_str().unwrap();
    assert!(sentence.contains("summarized"), "{sentence}");
}

#[tokio::test]
async fn nobody_is_told_of_the_history_of_a_compile_that_fails() {
    let server = TestServer::dev().await;
    let told = answers(&json!(null)).await;
    let deny = answers(&json!({"decision": "deny", "reason": "no"})).await;
    server.register(&hook("a", AFTER, &told, &json!({"delivery": "sync"}))).await;
    let hooks = json!([hook("g", ("transform_context", "guard"), &deny, &json!({}))]);
    let refused = server.post("/compile", &request(&chat(59), 3000, &hooks)).await;
    let told_caller = problem(refused, 403, "hook_denied").await;
    let details = json!({"hook": "g", "point": "transform_context", "code": null, "reason": "no"});
    assert_eq!(told_caller["details"], details);
    let mut over = request(&chat(59), 20, &json!([]));
    over["budget"]["on_overflow"] = "fail".into();
    problem(server.post("/compile", &over).await, 422, "over_budget").await;
    assert_eq!(told.requests().len(), 0);
    let compiled = server.compile(&request(&chat(59), 3000, &json!([]))).await;
    assert_eq!(told.requests().len(), 1);
    assert_eq!(compiled.report["hooks"].as_array().unwrap().len(), 1);
    agree(&server, &told, &compiled).await;
}

#[tokio::test]
async fn a_report_counts_what_hooks_removed_changed_and_added() {
    let server = TestServer::dev().await;
    let messages = chat(5);
    let plain = server.compile(&request(&messages, 6000, &json!([]))).await;
    let neutral =
        |role: &str, text: &str| json!({"role": role, "parts": [{"type": "text", "text": text}]});
    let probe = answers(&json!(null)).await;
    let body = request(&messages, 6000, &json!([hook("l", LAST, &probe, &json!({}))]));
    server.compile(&body).await;
    let seen = probe.inputs()[0]["messages"].as_array().unwrap().clone();
    let mut changed = seen[4].clone();
    changed["parts"][0]["text"] = "Another.".into();
    let payload = json!([seen[2], neutral("assistant", "Mine."), changed]);
    let last = answers(&json!({"action": "replace", "payload": payload})).await;
    let body = request(&messages, 6000, &json!([hook("l", LAST, &last, &json!({}))]));
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.list().len(), 3);
    let actions = &compiled.report["actions"];
    let counts = ["kept", "removed", "changed", "added"].map(|key| actions[key].as_u64().unwrap());
    assert_eq!(counts, [1, 3, 1, 1]);
    assert_eq!(compiled.report["tokens_before"], plain.report["tokens_before"]);
    let sentence = compiled.report["summary"].as_str().unwrap();
    let told = "1 message word for word, 1 message changed by hooks, 3 messages removed by hooks, \
                1 message added by hooks, nothing dropped.";
    assert!(sentence.ends_with(told), "{sentence}");
    // Before a compression, too.
    let long = chat(99);
    server.compile(&request(&long, 3000, &json!([hook("b", BEFORE, &probe, &json!({}))]))).await;
    let seen = probe.inputs().pop().unwrap()["history"].as_array().unwrap().clone();
    let two =
        json!({"action": "replace", "payload": [seen[96], neutral("assistant", "x"), seen[98]]});
    let two = answers(&two).await;
    let body = request(&long, 3000, &json!([hook("b", BEFORE, &two, &json!({}))]));
    let compiled = server.compile(&body).await;
    let actions = &compiled.report["actions"];
    let counts = ["kept", "removed", "added"].map(|key| actions[key].as_u64().unwrap());
    assert_eq!((compiled.list().len(), counts), (3, [2, 97, 1]));
    let plain = server.compile(&request(&long, 3000, &json!([]))).await;
    assert_eq!(compiled.report["tokens_before"], plain.report["tokens_before"]);
}
