//! Around a history that shrinks: `before_compress` and `after_compress`.

use serde_json::{Value, json};

use super::outcomes;
use crate::support::TestServer;
use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, answers, hook};

const GUARD: (&str, &str) = ("before_compress", "guard");
const TRANSFORM: (&str, &str) = ("before_compress", "transform");
const PROVIDE: (&str, &str) = ("before_compress", "provide");
const AFTER: (&str, &str) = ("after_compress", "observe");

/// A history that is about three times its window.
fn long(window: u64) -> Value {
    let mut messages = vec![json!({"role": "system", "content": "Be brief."})];
    for turn in 0..24 {
        let text = format!("Turn {turn}. {}", "Words about nothing in particular. ".repeat(8));
        messages.push(user(&text));
        messages.push(json!({"role": "assistant", "content": text}));
    }
    messages.push(user("And now?"));
    json!({"messages": messages, "model": "gpt-4o", "budget": {"context_window": window}})
}

fn with(mut body: Value, hooks: &Value) -> Value {
    body["hooks"] = hooks.clone();
    body
}

/// The last messages of what a hook was shown.
fn last(call: &Value, count: usize) -> Value {
    let history = call["input"]["history"].as_array().unwrap();
    history[history.len() - count..].into()
}

#[tokio::test]
async fn it_is_shown_what_shrinks_and_why_and_nothing_is_asked_where_nothing_does() {
    let receiver = answers(&json!({"action": "unchanged"})).await;
    let told = answers(&json!(null)).await;
    let server = TestServer::dev().await;
    let hooks =
        json!([hook("t", TRANSFORM, &receiver, &json!({})), hook("a", AFTER, &told, &json!({}))]);
    let plain = server.compile(&long(1500)).await;
    let done = server.compile(&with(long(1500), &hooks)).await;
    assert_eq!(done.text, plain.text);
    let call = &receiver.bodies()[0]["input"];
    let history = call["history"].as_array().unwrap();
    assert_eq!((history.len(), call["system"].as_array().unwrap().len()), (49, 1));
    let tokens = &call["tokens"];
    assert_eq!(tokens["limit"], 1500);
    assert_eq!(tokens["current"], done.number("tokens_before"));
    assert_eq!(call["trigger"], "over_limit");
    let (from, to) = (&call["to_compress"]["from"], &call["to_compress"]["to"]);
    let gone = done.action("summarized") + done.action("dropped");
    assert_eq!((from.as_u64(), to.as_u64()), (Some(0), Some(gone)));
    // Afterwards.
    let after = &told.bodies()[0]["input"];
    assert_eq!(after["truncated_count"], gone);
    let covered = after["compressed_messages"].as_array().unwrap();
    assert_eq!(covered.as_slice(), &history[..covered.len()]);
    assert_eq!(after["summary"].as_str(), Some(done.said(1).as_str()));
    assert_eq!(after["tokens"]["before"], tokens["current"]);
    assert_eq!(after["tokens"]["after"], done.number("tokens_after"));
    // Where all of it fits, nobody is asked and nobody told.
    server.compile(&with(long(60_000), &hooks)).await;
    assert_eq!((receiver.requests().len(), told.requests().len()), (1, 1));
}

#[tokio::test]
async fn a_history_that_fits_then_is_sent_as_it_was_given() {
    let server = TestServer::dev().await;
    let probe = answers(&json!({"action": "unchanged"})).await;
    let hooks = json!([hook("t", TRANSFORM, &probe, &json!({}))]);
    server.compile(&with(long(1500), &hooks)).await;
    let two = last(&probe.bodies()[0], 2);
    let receiver = answers(&json!({"action": "replace", "payload": two})).await;
    let told = answers(&json!(null)).await;
    let hooks =
        json!([hook("t", TRANSFORM, &receiver, &json!({})), hook("a", AFTER, &told, &json!({}))]);
    let done = server.compile(&with(long(1500), &hooks)).await;
    assert_eq!(done.roles(), ["system", "assistant", "user"]);
    assert_eq!(done.said(2), "And now?");
    assert_eq!(told.requests().len(), 0);
    assert_eq!(done.action("summarized") + done.action("dropped"), 0);
    let events = server.get_json("/events?format=json&after=0").await;
    let rows = events["items"].as_array().unwrap();
    assert_eq!(rows.iter().filter(|row| row["type"] == "compress").count(), 1);
}

#[tokio::test]
async fn a_history_that_is_still_too_long_shrinks() {
    let server = TestServer::dev().await;
    let receiver = answers(&json!({"action": "json_patch", "patch": [
        {"op": "replace", "path": "/history/0/parts/0/text", "value": "The first of all."}]}))
    .await;
    let told = answers(&json!(null)).await;
    let hooks =
        json!([hook("t", TRANSFORM, &receiver, &json!({})), hook("a", AFTER, &told, &json!({}))]);
    let done = server.compile(&with(long(1500), &hooks)).await;
    assert_eq!(done.report["fits"], true);
    let covered = &told.bodies()[0]["input"]["compressed_messages"];
    assert_eq!(covered[0]["parts"][0]["text"], "The first of all.");
    assert_eq!((receiver.requests().len(), told.requests().len()), (1, 1));
}

#[tokio::test]
async fn a_hook_that_fails_or_is_no_list_is_passed_over() {
    let server = TestServer::dev().await;
    let plain = server.compile(&long(1500)).await;
    for mode in [
        Mode::Status(500, String::new(), String::new()),
        Mode::Answer(r#"{"action":"replace","payload":[]}"#.to_owned()),
        Mode::Answer(r#"{"action":"replace","payload":"gone"}"#.to_owned()),
    ] {
        let receiver = Receiver::spawn(mode).await;
        for at in [TRANSFORM, GUARD] {
            let hooks = json!([hook("h", at, &receiver, &json!({}))]);
            let done = server.compile(&with(long(1500), &hooks)).await;
            assert_eq!(done.text, plain.text);
            assert!(outcomes(&done)[0].starts_with("h failed"), "{:?}", outcomes(&done));
        }
    }
}

#[tokio::test]
async fn a_guard_that_denies_leaves_the_history_as_it_is() {
    let server = TestServer::dev().await;
    let receiver = answers(&json!({"decision": "deny", "reason": "later", "code": "wait"})).await;
    let told = answers(&json!(null)).await;
    let hooks =
        json!([hook("g", GUARD, &receiver, &json!({})), hook("a", AFTER, &told, &json!({}))]);
    let mut body = with(long(1500), &hooks);
    let done = server.compile(&body).await;
    assert_eq!(done.list().len(), 50);
    assert_eq!(done.report["fits"], false);
    assert_eq!(done.codes("warnings"), ["compression_denied"]);
    assert_eq!(told.requests().len(), 0);
    body["budget"]["on_overflow"] = "fail".into();
    crate::support::problem(server.post("/compile", &body).await, 422, "over_budget").await;
}

#[tokio::test]
async fn what_a_hook_provides_reaches_the_summary() {
    let server = TestServer::dev().await;
    let input = answers(&json!({"content": "FACT-7 holds."})).await;
    let verbatim = answers(&json!({"content": "FACT-8 holds.", "include": "verbatim"})).await;
    let hooks =
        json!([hook("i", PROVIDE, &input, &json!({})), hook("v", PROVIDE, &verbatim, &json!({}))]);
    let done = server.compile(&with(long(2500), &hooks)).await;
    assert_eq!(done.report["fits"], true);
    let summary = done.said(1);
    assert!(summary.starts_with("<history_summary>"), "{summary}");
    let (first, second) = (summary.find("FACT-7 holds."), summary.find("FACT-8 holds."));
    assert!(first.is_some() && first < second, "{summary}");
    let (_, behind) = summary.split_once("FACT-8 holds.").unwrap();
    assert!(behind.starts_with("\n\nGo on from the messages that follow"), "{summary}");
    // Nothing to add: nothing changes.
    let plain = server.compile(&long(2500)).await;
    for mode in
        [Mode::Status(204, String::new(), String::new()), Mode::Answer(r#"{"content":""}"#.into())]
    {
        let receiver = Receiver::spawn(mode).await;
        let hooks = json!([hook("i", PROVIDE, &receiver, &json!({}))]);
        assert_eq!(server.compile(&with(long(2500), &hooks)).await.text, plain.text);
    }
}

#[tokio::test]
async fn who_is_told_afterwards_changes_nothing_by_failing() {
    let server = TestServer::dev().await;
    let plain = server.compile(&long(1500)).await;
    let receiver = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    let hooks = json!([hook("a", AFTER, &receiver, &json!({}))]);
    let done = server.compile(&with(long(1500), &hooks)).await;
    assert_eq!(done.text, plain.text);
    assert_eq!(outcomes(&done), ["a failed status"]);
}
