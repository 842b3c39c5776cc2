//! Models that bind their signed thinking to everything before it.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::binding::{BindingProvider, ThinkingCount};

const MODEL: &str = "claude-opus-5-5";

fn tools() -> Value {
    json!([{"name": "read_log", "description": "Reads a log.",
        "input_schema": {"type": "object", "properties": {"log": {"type": "string"}}}}])
}

/// A log of so many lines, which a table would shorten.
fn table(id: usize, lines: usize) -> String {
    let line =
        |at: usize| format!("{id:03}-{at:03} GET /orders/{} took {} ms", at * 7919 + id, at % 97);
    (0..lines).map(line).collect::<Vec<_>>().join("\n")
}

/// A log of so many lines that have little in common.
fn log(id: usize, lines: usize) -> String {
    const WORDS: [&str; 7] = ["orders", "retry", "socket", "payment", "cart", "lock", "queue"];
    let line = |at: usize| {
        let number = (id * 1_000_003 + at * 7_919) % 99_991;
        let word = |by: usize| WORDS[(number / by + at) % WORDS.len()];
        format!("{} {number} {} {} {}", word(1), word(3), word(11), number * number % 8_191)
    };
    (0..lines).map(line).collect::<Vec<_>>().join("\n")
}

fn result(call_id: &str, text: &str) -> Value {
    json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": call_id, "content": text}]})
}

/// The members of a turn of the tests, beside what it appends.
fn turn(append: &[Value], window: u64, state: Option<Value>) -> Value {
    let mut body = json!({"append": append, "source": "anthropic", "target": "anthropic",
        "model": MODEL, "tools": tools(), "budget": {"context_window": window}});
    if let Some(state) = state {
        body["dynamic_state"] = state;
    }
    body
}

/// The thinking of all payloads of a session of so many rounds.
struct PlayedSession {
    count: ThinkingCount,
    /// Payloads of which thinking was left out.
    unbound: usize,
    last: Value,
}

async fn play(
    server: &TestServer,
    session: &str,
    window: u64,
    state: impl Fn(usize) -> Option<Value>,
) -> PlayedSession {
    let mut provider = BindingProvider::default();
    let mut append = vec![json!({"role": "user", "content": "Why are orders slow?"})];
    let mut played =
        PlayedSession { count: ThinkingCount::default(), unbound: 0, last: Value::Null };
    for round in 0..24 {
        let path = format!("/sessions/{session}/turns");
        let answer = server.post_ok(&path, &turn(&append, window, state(round))).await;
        let payload = &answer["payload"];
        let count = provider.check(payload);
        played.count.valid += count.valid;
        played.count.refused += count.refused;
        let warnings = answer["report"]["warnings"].as_array().unwrap();
        played.unbound += usize::from(warnings.iter().any(|own| own["code"] == "thinking_unbound"));
        let call = format!("call{round}");
        append = vec![provider.answer(payload, &call), result(&call, &log(round, 40))];
        if round % 7 == 6 {
            append.push(json!({"role": "assistant", "content": "That was it."}));
            append.push(json!({"role": "user", "content": "And the next one?"}));
        }
        played.last = answer;
    }
    played
}

fn changing(round: usize) -> Value {
    json!({"step": round, "open": ["orders", "payments"]})
}

#[tokio::test]
async fn in_a_session_state_stays_where_it_was_put_and_thinking_stays_valid() {
    let server = TestServer::spawn().await;
    let played = play(&server, "long", 1_000_000, |round| Some(changing(round))).await;
    // 0 + 1 + … + 23 blocks are in the payloads of the rounds.
    assert_eq!(played.count, ThinkingCount { valid: 276, refused: 0 });
    assert_eq!(played.unbound, 0);
    let payload = played.last["payload"].to_string();
    assert_eq!(payload.matches("<dynamic_state>").count(), 24);
    assert!(played.last["report"]["cache"]["first_change"].is_null(), "{}", played.last["report"]);
}

#[tokio::test]
async fn thinking_goes_where_a_compaction_point_changes_what_is_before_it() {
    let server = TestServer::spawn().await;
    let played = play(&server, "short", 16_000, |round| Some(changing(round))).await;
    assert_eq!(played.count.refused, 0);
    assert!(played.count.valid > 60, "{:?}", played.count);
    assert!((1..12).contains(&played.unbound), "{}", played.unbound);
    // A compaction point leaves the newest state alone in sight.
    let states = played.last["payload"].to_string().matches("<dynamic_state>").count();
    assert!((1..16).contains(&states), "{states}");
}

#[tokio::test]
async fn a_state_that_does_not_change_is_there_once() {
    let server = TestServer::spawn().await;
    let played = play(&server, "same", 1_000_000, |_| Some(json!({"step": 1}))).await;
    assert_eq!(played.count, ThinkingCount { valid: 276, refused: 0 });
    assert_eq!(played.last["payload"].to_string().matches("<dynamic_state>").count(), 1);
    // What is no longer so is said once, too.
    let played =
        play(&server, "ends", 1_000_000, |round| (round < 3).then(|| json!({"step": round}))).await;
    assert_eq!(played.count.refused, 0);
    assert_eq!(played.last["payload"].to_string().matches("<dynamic_state>").count(), 4);
}

#[tokio::test]
async fn without_a_session_no_thinking_stays_behind_state() {
    let server = TestServer::spawn().await;
    let mut provider = BindingProvider::default();
    let mut messages = vec![json!({"role": "user", "content": "Why are orders slow?"})];
    for round in 0..6 {
        let body = json!({"messages": messages, "source": "anthropic", "target": "anthropic",
            "model": MODEL, "tools": tools(), "dynamic_state": {"step": round}});
        let answer = server.post_ok("/compile", &body).await;
        let payload = &answer["payload"];
        assert_eq!(provider.check(payload), ThinkingCount::default());
        let warnings = answer["report"]["warnings"].to_string();
        assert_eq!(warnings.contains("give a `session_id`"), round > 0, "{warnings}");
        let call = format!("call{round}");
        messages.push(provider.answer(payload, &call));
        messages.push(result(&call, &log(round, 4)));
    }
}

#[tokio::test]
async fn a_caller_who_sends_the_payload_back_keeps_its_blocks() {
    let server = TestServer::spawn().await;
    let mut provider = BindingProvider::default();
    let mut messages = vec![json!({"role": "user", "content": "Why are orders slow?"})];
    for round in 0..8 {
        let body = json!({"messages": messages, "source": "anthropic", "target": "anthropic",
            "model": MODEL, "tools": tools(), "dynamic_state": {"step": round / 2}});
        let answer = server.post_ok("/compile", &body).await;
        let payload = &answer["payload"];
        assert_eq!(provider.check(payload), ThinkingCount { valid: round, refused: 0 });
        let blocks = payload.to_string().matches("<dynamic_state>").count();
        assert_eq!(blocks, round / 2 + 1, "{payload}");
        let call = format!("call{round}");
        messages = payload["messages"].as_array().unwrap().clone();
        messages.push(provider.answer(payload, &call));
        messages.push(result(&call, &table(round, 4)));
    }
}

#[tokio::test]
async fn other_models_have_state_at_the_end_as_before() {
    let server = TestServer::spawn().await;
    let mut provider = BindingProvider::default();
    let mut append = vec![json!({"role": "user", "content": "Why are orders slow?"})];
    let mut refused = 0;
    for round in 0..6 {
        let mut body = turn(&append, 1_000_000, Some(changing(round)));
        body["model"] = json!("claude-opus-5");
        let answer = server.post_ok("/sessions/other/turns", &body).await;
        let payload = &answer["payload"];
        assert_eq!(payload.to_string().matches("<dynamic_state>").count(), 1);
        refused += provider.check(payload).refused;
        let call = format!("call{round}");
        append = vec![provider.answer(payload, &call), result(&call, &log(round, 4))];
    }
    // A provider that bound the thinking of these models would refuse all of it.
    assert_eq!(refused, 15);
}

#[tokio::test]
async fn a_result_that_takes_a_block_is_counted_in_its_short_form() {
    let server = TestServer::spawn().await;
    let row = |at: usize| json!({"order": at, "state": "paid", "lines": [at, at * 7]});
    let rows: Vec<Value> = (0..80).map(row).collect();
    let long = serde_json::to_string_pretty(&rows).unwrap();
    let mut provider = BindingProvider::default();
    let mut payloads = Vec::new();
    for (session, window) in [("wide", 1_000_000), ("narrow", 4_000)] {
        let first = json!({"role": "user", "content": "Why are orders slow?"});
        let mut body = turn(&[first], window, Some(changing(0)));
        body["model"] = json!("claude-sonnet-5-5");
        let path = format!("/sessions/{session}/turns");
        let answer = server.post_ok(&path, &body).await;
        body["append"] = json!([provider.answer(&answer["payload"], "c"), result("c", &long)]);
        body["dynamic_state"] = changing(1);
        let answer = server.post_ok(&path, &body).await;
        let (payload, report) = (&answer["payload"], &answer["report"]);
        let content = &payload["messages"][2]["content"];
        let shown = content[0]["content"].as_str().unwrap();
        assert!(shown.contains("553") && shown.len() < long.len() / 3, "{content}");
        assert!(content[1]["text"].as_str().unwrap().starts_with("<dynamic_state>"), "{content}");
        assert_eq!(report["actions"]["compressed"], 1, "{report}");
        let counting = json!({"messages": payload["messages"], "tools": tools(),
            "source": "anthropic", "target": "anthropic", "model": "claude-sonnet-5-5"});
        let counted = server.post_ok("/tokens", &counting).await;
        let (sent, counted) =
            (report["tokens_after"].as_u64().unwrap(), counted["tokens"].as_u64().unwrap());
        // One rounds each part, the other the sum.
        assert!(sent.abs_diff(counted) <= 1, "{counted}: {report}");
        assert!(counted < 1_200, "{counted}");
        payloads.push(payload["messages"][2].clone());
    }
    // The original has no room in the narrow window, and the short form has.
    assert_eq!(payloads[0], payloads[1]);
}

#[tokio::test]
async fn a_message_that_is_shortened_loses_its_old_block() {
    let server = TestServer::spawn().await;
    let mut body = turn(&[], 6_000, None);
    let (mut shortened, mut states) = (0, 0);
    for round in 0..16 {
        let said = json!({"role": "user", "content": table(round, 30)});
        let answer = json!({"role": "assistant", "content": format!("Read, {round}.")});
        body["append"] = if round == 0 { json!([said]) } else { json!([answer, said]) };
        body["dynamic_state"] = json!({"step": round});
        let turn = server.post_ok("/sessions/words/turns", &body).await;
        let (payload, report) = (&turn["payload"], &turn["report"]);
        let counting = json!({"messages": payload["messages"], "tools": tools(),
            "source": "anthropic", "target": "anthropic", "model": MODEL});
        let counted = server.post_ok("/tokens", &counting).await["tokens"].as_u64().unwrap();
        let reported = report["tokens_after"].as_u64().unwrap();
        // A block may share a token with the text before it.
        assert!(reported.abs_diff(counted) < 12, "{round}: {reported}, {counted}");
        let sent = payload["messages"].as_array().unwrap();
        let short = sent.iter().map(Value::to_string).filter(|own| own.contains('…'));
        let short: Vec<String> = short.collect();
        shortened += short.len();
        states += short.iter().filter(|own| own.contains("<dynamic_state>")).count();
    }
    assert!(shortened > 0);
    // The newest block before a compaction point stays until the next point.
    assert!(states < shortened, "{states} of {shortened}");
}

#[tokio::test]
async fn snapshots_and_forks_keep_what_was_sent() {
    let server = TestServer::spawn().await;
    let mut provider = BindingProvider::default();
    let first = json!({"role": "user", "content": "Why are orders slow?"});
    let answer =
        server.post_ok("/sessions/a/turns", &turn(&[first], 1_000_000, Some(changing(0)))).await;
    let append = [provider.answer(&answer["payload"], "call0"), result("call0", &log(0, 4))];
    let snapshot = server.post_ok("/sessions/a/snapshots", &json!({})).await;
    let id = snapshot["id"].as_str().unwrap();
    let document = server.get_json(&format!("/snapshots/{id}")).await;
    assert_eq!(document["sent"]["blocks"].as_array().unwrap().len(), 1, "{document}");
    let restored = server.post_ok("/sessions/b/restore", &json!({"snapshot": document})).await;
    assert_eq!(restored["id"], "b", "{restored}");
    for session in ["a", "b"] {
        let body = turn(&append, 1_000_000, Some(changing(1)));
        let answer = server.post_ok(&format!("/sessions/{session}/turns"), &body).await;
        let payload = &answer["payload"];
        assert_eq!(provider.check(payload), ThinkingCount { valid: 1, refused: 0 }, "{session}");
        assert_eq!(payload.to_string().matches("<dynamic_state>").count(), 2);
    }
}

#[tokio::test]
async fn a_record_is_replayed_with_what_the_session_had_sent() {
    let server = TestServer::spawn().await;
    let mut provider = BindingProvider::default();
    let mut append = vec![json!({"role": "user", "content": "Why are orders slow?"})];
    let mut id = Value::Null;
    for round in 0..3 {
        let mut body = turn(&append, 1_000_000, Some(changing(round)));
        body["record"] = json!("full");
        let answer = server.post_ok("/sessions/r/turns", &body).await;
        let call = format!("call{round}");
        append = vec![provider.answer(&answer["payload"], &call), result(&call, &log(round, 4))];
        id = answer["id"].clone();
    }
    let path = format!("/compilations/{}/replay", id.as_str().unwrap());
    let replay = server.post_ok(&path, &json!({})).await;
    assert_eq!(replay["status"], "equal", "{replay}");
}

#[tokio::test]
async fn thinking_that_is_left_out_makes_no_room_necessary() {
    let server = TestServer::spawn().await;
    let mut provider = BindingProvider::default();
    let mut append = vec![json!({"role": "user", "content": "Why are orders slow?"})];
    let (mut points, budget) = (Vec::new(), 12_000);
    for round in 0..40 {
        let mut body = turn(&append, budget + 1_000, None);
        body["budget"]["reserve_output"] = json!(1_000);
        let answer = server.post_ok("/sessions/thinks/turns", &body).await;
        let (payload, report) = (&answer["payload"], &answer["report"]);
        assert_eq!(provider.check(payload).refused, 0);
        assert_eq!(report["fits"], true, "{report}");
        if !report["cache"]["first_change"].is_null() {
            points.push(report["tokens_after"].as_u64().unwrap());
        }
        // Half of what a round takes is thinking, which goes with each point.
        let call = format!("call{round}");
        let thinking = provider.think(payload, &log(1_000 + round, 14));
        let text = format!("I read log {call}.");
        append = vec![
            json!({"role": "assistant", "content": [thinking, {"type": "text", "text": text},
                {"type": "tool_use", "id": call, "name": "read_log", "input": {"log": call}}]}),
            result(&call, &log(round, 14)),
        ];
    }
    assert!(points.len() > 1, "{points:?}");
    // Six tenths of the room are left after a point.
    assert!(points.iter().all(|tokens| *tokens > budget * 45 / 100), "{points:?}");
}
