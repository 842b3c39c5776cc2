//! Scenarios J01 to J33: the history's budget.
//!
//! Sums are done by hand: `bytes4` has no framing, a message of `words(_, 1000)` takes 1,000
//! tokens and stands for the scenarios' message of 10, so every window is a hundred times
//! theirs. Where they keep a share of turns, `compress_to` names the share of the room that
//! remains, the summary's cap (an eighth of the room) included.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, assistant, calling, compile, result, system, user, words};
use crate::support::{TestServer, problem};

/// Five messages of 1,000 tokens: user and assistant in turn.
fn five() -> Vec<Value> {
    (1..=5).map(|at| message(at, 1000)).collect()
}

fn message(at: usize, tokens: usize) -> Value {
    let text = words(&format!("m{at}"), tokens);
    if at % 2 == 1 { user(&text) } else { assistant(&text) }
}

pub fn within(window: u64, messages: &[Value], compression: &Value) -> Value {
    json!({
        "messages": messages,
        "target": "neutral",
        "model": "bytes4",
        "budget": {"context_window": window},
        "compression": compression,
    })
}

/// The first word of every message; `summary` or `marker` for what stands for older ones.
fn names(compiled: &Compiled) -> Vec<String> {
    let name = |at| {
        let text = compiled.said(at);
        match text.strip_prefix("<history_summary>") {
            Some(rest) if rest.contains("history_truncated") => "marker".to_owned(),
            Some(_) => "summary".to_owned(),
            None => text.split(' ').next().unwrap_or_default().to_owned(),
        }
    };
    (0..compiled.list().len()).map(name).collect()
}

#[tokio::test]
async fn what_fits_is_left_alone() {
    let compiled = compile(&within(100_000, &five(), &json!({}))).await;
    assert_eq!(names(&compiled), ["m1", "m2", "m3", "m4", "m5"]);
    assert_eq!(compiled.action("kept"), 5);
    assert_eq!(compiled.number("tokens_after"), 5000);
}

#[tokio::test]
async fn over_the_window_the_oldest_turns_are_summarised() {
    let options = json!({"compress_to": 0.9, "keep_recent_turns": 3});
    let compiled = compile(&within(4000, &five(), &options)).await;
    assert_eq!(names(&compiled), ["summary", "m3", "m4", "m5"]);
    assert_eq!((compiled.action("summarized"), compiled.action("kept")), (2, 3));
    assert!(compiled.number("tokens_after") <= 3500);
    assert_eq!(compiled.report["fits"], true);
}

#[tokio::test]
async fn a_small_share_leaves_the_summary_and_the_newest_message() {
    let options = json!({"compress_to": 0.4, "keep_recent_turns": 1});
    let compiled = compile(&within(4000, &five(), &options)).await;
    assert_eq!(names(&compiled), ["summary", "m5"]);
    assert_eq!(compiled.action("summarized"), 4);
}

#[tokio::test]
async fn exactly_the_window_is_not_over_it() {
    let compiled = compile(&within(5000, &five(), &json!({}))).await;
    assert_eq!(names(&compiled), ["m1", "m2", "m3", "m4", "m5"]);
    assert_eq!(compiled.report["fits"], true);
    let compiled = compile(&within(4999, &five(), &json!({}))).await;
    assert_eq!(names(&compiled)[0], "summary");
}

#[tokio::test]
async fn without_room_for_a_summary_a_marker_says_how_many_are_gone() {
    // An eighth of the room is less than the least summary.
    let messages: Vec<Value> = (1..=5).map(|at| message(at, 150)).collect();
    let options = json!({"compress_to": 0.4, "keep_recent_turns": 1});
    let compiled = compile(&within(700, &messages, &options)).await;
    assert_eq!(names(&compiled), ["marker", "m5"]);
    assert_eq!(compiled.action("dropped"), 4);
    assert_eq!(compiled.roles()[0], "user");
    let marker = compiled.said(0);
    assert!(marker.contains("<ephemeral_message type=\"history_truncated\">4 "), "{marker}");
}

#[tokio::test]
async fn a_summary_is_a_user_message_in_its_own_frame() {
    let options = json!({"compress_to": 0.4, "keep_recent_turns": 1});
    let compiled = compile(&within(4000, &five(), &options)).await;
    assert_eq!(compiled.roles()[0], "user");
    let summary = compiled.said(0);
    assert!(summary.starts_with("<history_summary>\n"), "{summary}");
    assert!(summary.ends_with("\n</history_summary>"), "{summary}");
    assert!(summary.contains("\n\nAsked:\n- m1 "), "{summary}");
}

#[tokio::test]
async fn a_call_and_its_results_stay_together() {
    let messages = [
        user(&words("m1", 1500)),
        calling("", &[("a", "f"), ("b", "f")]),
        result("a", &words("m2", 500)),
        result("b", &words("m3", 500)),
        assistant(&words("m4", 1000)),
        user(&words("m5", 1000)),
    ];
    let options = json!({"compress_to": 0.9, "keep_recent_turns": 3});
    let compiled = compile(&within(4000, &messages, &options)).await;
    assert_eq!(compiled.roles(), ["user", "assistant", "tool", "tool", "assistant", "user"]);
    assert_eq!(names(&compiled)[0], "summary");
    assert_eq!(compiled.action("summarized"), 1);
    assert_eq!(compiled.report["repairs"], json!([]));
}

#[tokio::test]
async fn a_tiny_window_compresses_by_count_without_reported_usage() {
    let messages: Vec<Value> = (1..=5).map(|at| message(at, 2)).collect();
    let compiled = compile(&within(5, &messages, &json!({}))).await;
    assert_eq!(names(&compiled), ["m5"]);
    assert_eq!(compiled.action("dropped"), 4);
    assert_eq!(compiled.report["fits"], true);
}

#[tokio::test]
async fn what_cannot_be_split_is_reported_as_too_big() {
    let compiled = compile(&within(1000, &[message(1, 10_000)], &json!({}))).await;
    assert_eq!(names(&compiled), ["m1"]);
    assert_eq!(compiled.report["fits"], false);
    assert_eq!(
        compiled.report["too_big"],
        json!([{"part": "message", "tokens": 10_000, "pointer": "/messages/0"}])
    );
    let mut body = within(1000, &[message(1, 10_000)], &json!({}));
    body["budget"]["on_overflow"] = json!("fail");
    let server = TestServer::spawn().await;
    let answer = server.post("/compile", &body).await;
    let problem = problem(answer, 422, "over_budget").await;
    assert_eq!(problem["errors"][0]["pointer"], "/messages/0");
}

#[tokio::test]
async fn the_same_long_history_is_short_every_time() {
    let server = TestServer::spawn().await;
    let options = json!({"compress_to": 0.9, "keep_recent_turns": 3});
    let body = within(4000, &five(), &options);
    let first = server.compile(&body).await;
    assert_eq!(first.list().len(), 4);
    for _ in 0..3 {
        assert_eq!(server.compile(&body).await.text, first.text);
    }
}

#[tokio::test]
async fn what_is_summarised_is_the_oldest_and_each_message_has_a_decision() {
    let mut body = within(4000, &five(), &json!({"compress_to": 0.9, "keep_recent_turns": 3}));
    body["explain"] = json!("full");
    let compiled = compile(&body).await;
    let decisions = compiled.report["decisions"].as_array().expect("decisions");
    let found: Vec<(&Value, &Value, &Value)> = decisions
        .iter()
        .map(|each| (&each["index"], &each["action"], &each["tokens_before"]))
        .collect();
    let wanted: Vec<(Value, Value, Value)> = (0..5)
        .map(|at| (json!(at), json!(if at < 2 { "summarized" } else { "kept" }), json!(1000)))
        .collect();
    assert_eq!(found, wanted.iter().map(|(a, b, c)| (a, b, c)).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_summary_holds_no_binary_and_kept_messages_keep_their_media() {
    let data = "QUJD".repeat(200);
    let image = |kind: &str| json!({"mediaType": kind, "data": data, "filename": "photo.png"});
    let mut old = user(&words("m1", 1000));
    old["attachments"] = json!([image("IMAGE/PNG")]);
    let mut new = user(&words("m3", 1000));
    new["attachments"] = json!([image("image/png")]);
    let messages = [old, assistant(&words("m2", 1000)), new];
    let options = json!({"compress_to": 0.7, "keep_recent_turns": 1});
    let compiled = compile(&within(4500, &messages, &options)).await;
    assert_eq!(names(&compiled), ["summary", "m3"]);
    assert_eq!(compiled.text.matches(&data).count(), 1);
    assert!(!compiled.said(0).contains("QUJD"));
    assert_eq!(compiled.list()[1]["parts"][1]["media_type"], "image/png");
}

#[tokio::test]
async fn long_results_enter_a_summary_only_below_the_stub_threshold() {
    let server = TestServer::spawn().await;
    let error = "error: the disk is full\n";
    let long = format!("{error}{}", words("x", 1000));
    let messages = [
        user(&words("m1", 500)),
        calling("", &[("a", "fs_read")]),
        result("a", &long),
        assistant(&words("m2", 1000)),
        user(&words("m3", 1000)),
    ];
    let mut body = within(3000, &messages, &json!({"compress_to": 0.5, "keep_recent_turns": 1}));
    let quoted = server.compile(&body).await;
    assert_eq!(names(&quoted), ["summary", "m3"]);
    assert!(quoted.said(0).contains("error: the disk is full"));
    assert!(quoted.said(0).contains("fs_read({})"));
    body["compression"]["stub_tool_results_over"] = json!(100);
    let stubbed = server.compile(&body).await;
    assert!(!stubbed.said(0).contains("error: the disk is full"));
    assert!(stubbed.said(0).contains("fs_read({})"));
    body["compression"]["stub_tool_results_over"] = json!(1_000_000);
    assert_eq!(server.compile(&body).await.text, quoted.text);
}

/// A user, three calls with results of 1,000 tokens each, an answer.
fn three_results() -> Vec<Value> {
    let mut messages = vec![user("go")];
    for at in 1..=3 {
        let id = format!("c{at}");
        messages.push(calling("", &[(&id, "f")]));
        messages.push(result(&id, &words(&format!("r{at}"), 1000)));
    }
    messages.push(assistant("done"));
    messages
}

#[tokio::test]
async fn old_results_are_cleared_and_recent_ones_stay() {
    let server = TestServer::spawn().await;
    // What the three results may take, beside a few tokens for everything else.
    for (room, keep, cleared) in [(2900, 3, 0), (1900, 2, 1), (900, 0, 2)] {
        let options = json!({"level": "reversible", "keep_recent_turns": keep, "compress_to": 1.0});
        let compiled = server.compile(&within(room, &three_results(), &options)).await;
        let results: Vec<String> = compiled
            .list()
            .iter()
            .filter(|message| message["role"] == "tool")
            .map(|message| message["parts"][0]["content"].as_str().expect("a text").to_owned())
            .collect();
        assert_eq!(results.len(), 3, "{room}");
        for (at, text) in results.iter().enumerate() {
            let wanted = if at < cleared { "[Old" } else { &format!("r{} ", at + 1) };
            assert!(text.starts_with(wanted), "{room}: {at} is {text:.40}");
            // The last of them to be cleared has the room that the others leave.
            assert_eq!(text.contains(" … "), at == cleared, "{room}: {at} is {text}");
        }
        assert_eq!(compiled.action("cleared"), cleared as u64);
        assert_eq!(compiled.action("compressed"), 1);
        assert!(!compiled.text.contains("history_summary"));
    }
}

#[tokio::test]
async fn old_thinking_is_cleared_from_assistants_at_a_compaction_point() {
    let server = TestServer::spawn().await;
    let thinking = |at: usize| {
        json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": words(&format!("t{at}"), 1000), "signature": "s"},
            {"type": "text", "text": format!("a{at}")},
        ]})
    };
    let messages = [user("u1"), thinking(1), user("u2"), thinking(2), user("u3")];
    let mut body = within(
        1500,
        &messages,
        &json!({"level": "reversible", "keep_recent_turns": 2, "compress_to": 1.0}),
    );
    body["source"] = json!("anthropic");
    body["target"] = json!("anthropic");
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.list()[1]["content"], json!([{"type": "text", "text": "a1"}]));
    assert_eq!(compiled.list()[3]["content"][0]["type"], "thinking");
    body["compression"]["thinking"] = json!("keep");
    let kept = server.compile(&body).await;
    assert_eq!(kept.list()[1]["content"][0]["type"], "thinking");
    assert_eq!(kept.report["fits"], false);
}

/// A system text and six turns of a thousand tokens or so; the fourth calls a tool.
pub fn six_turns() -> Vec<Value> {
    vec![
        system("S"),
        user(&words("u1", 1000)),
        assistant(&words("a1", 1000)),
        user(&words("u2", 1000)),
        calling(&words("a2", 300), &[("c", "f")]),
        result("c", &words("t2", 1000)),
        user(&words("u3", 1000)),
        assistant(&words("a3", 1000)),
    ]
}

#[tokio::test]
async fn recent_turns_stay_and_system_text_is_in_neither_part() {
    let server = TestServer::spawn().await;
    for (keep, share, left) in [
        (2, 0.52, &["S", "summary", "u3", "a3"][..]),
        (3, 0.8, &["S", "summary", "a2", "t2", "u3", "a3"]),
    ] {
        let options = json!({"compress_to": share, "keep_recent_turns": keep});
        let compiled = server.compile(&within(5500, &six_turns(), &options)).await;
        let roles = compiled.roles();
        assert_eq!(roles[..2], ["system", "user"]);
        assert_eq!(names(&compiled), left);
    }
    // As many turns as there are: nothing to do while they fit.
    let compiled =
        server.compile(&within(9000, &six_turns(), &json!({"keep_recent_turns": 6}))).await;
    assert_eq!(compiled.action("kept"), 7);
    let faulty = within(9000, &six_turns(), &json!({"keep_recent_turns": -1}));
    let answer = server.post("/compile", &faulty).await;
    let problem = problem(answer, 422, "invalid_request").await;
    assert_eq!(problem["errors"][0]["pointer"], "/compression/keep_recent_turns");
}

#[tokio::test]
async fn a_compacted_history_is_system_text_summary_and_recent_turns() {
    let options = json!({"compress_to": 0.52, "keep_recent_turns": 2});
    let compiled = compile(&within(5500, &six_turns(), &options)).await;
    assert_eq!(compiled.roles(), ["system", "user", "user", "assistant"]);
    let summary = compiled.said(1);
    assert!(summary.contains("\n- u1 ") && summary.contains("\n- u2 "), "{summary}");
    assert!(summary.contains("Found:\n- a1 "), "{summary}");
    assert!(summary.contains("State:\n- f({})"), "{summary}");
    assert!(!summary.contains("u3 "), "{summary}");
}

#[tokio::test]
async fn counts_come_from_a_tokenizer_not_from_an_estimate() {
    let server = TestServer::spawn().await;
    for (text, bytes4, o200k) in [("abcd", 1, 1), ("你好", 2, 1), ("😀", 1, 1), ("", 0, 0)] {
        for (model, tokens) in [("bytes4", bytes4), ("gpt-4o", o200k)] {
            let body =
                server.post_json("/tokens", 200, &json!({"text": text, "model": model})).await;
            assert_eq!(body["tokens"], tokens, "{text} {model}");
            assert_eq!(body["exact"], true);
        }
    }
}

#[tokio::test]
async fn keeping_no_recent_turn_summarises_all_but_the_last_user_message() {
    let options = json!({"compress_to": 0.4, "keep_recent_turns": 0});
    let mut messages = five();
    messages.push(message(6, 10));
    let compiled = compile(&within(4000, &messages, &options)).await;
    assert_eq!(names(&compiled), ["summary", "m5", "m6"]);
    assert_eq!(compiled.action("summarized"), 4);
}

#[tokio::test]
async fn a_window_that_is_none_is_refused_and_a_missing_one_is_the_model_s() {
    let server = TestServer::spawn().await;
    for window in [json!(0), json!(-1), json!(1.5), json!("NaN"), json!([])] {
        let mut body = within(1, &five(), &json!({}));
        body["budget"]["context_window"] = window;
        let answer = server.post("/compile", &body).await;
        let problem = problem(answer, 422, "invalid_request").await;
        assert_eq!(problem["errors"][0]["pointer"], "/budget/context_window");
    }
    let compiled = server.compile(&json!({"messages": five(), "model": "bytes4"})).await;
    assert_eq!(compiled.number("budget"), 128_000 - 8_192);
}
