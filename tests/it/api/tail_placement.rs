//! `tail_placement`: whether state, context and memory data of earlier payloads stay where they were.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::{calling, result, user, with, words};
use crate::support::valid::check;

/// Targets with a model of each that does not bind its thinking.
const TARGETS: [(&str, &str); 5] = [
    ("openai", "gpt-5.5"),
    ("openai_responses", "gpt-5.6"),
    ("anthropic", "claude-sonnet-4-5"),
    ("gemini", "gemini-2.5-pro"),
    ("neutral", "gpt-4o"),
];

fn turn(append: &[Value], round: usize, more: &Value) -> Value {
    let tools = json!([{"type": "function", "function": {"name": "read",
        "parameters": {"type": "object", "properties": {}}}}]);
    let body = json!({"append": append, "source": "openai", "tools": tools,
        "dynamic_state": {"step": round}, "implicit_context": format!("Found {round}.")});
    with(body, more)
}

/// The answers of so many rounds of tool calls after one message of the user.
async fn play(server: &TestServer, session: &str, rounds: usize, more: &Value) -> Vec<Value> {
    let mut append = vec![user("Why are orders slow?")];
    let mut answers = Vec::new();
    for round in 0..rounds {
        let path = format!("/sessions/{session}/turns");
        answers.push(server.post_ok(&path, &turn(&append, round, more)).await);
        let id = format!("c{round}");
        append = vec![calling("", &[(&id, "read")]), result(&id, &words(&id, 300))];
    }
    answers
}

fn blocks(answer: &Value) -> usize {
    answer["payload"].to_string().matches("<dynamic_state>").count()
}

#[tokio::test]
async fn blocks_that_stay_change_nothing_that_was_sent() {
    let server = TestServer::spawn().await;
    for (target, model) in TARGETS {
        let more = json!({"target": target, "model": model, "tail_placement": "stay"});
        let answers = play(&server, &format!("stay-{target}"), 6, &more).await;
        for (round, answer) in answers.iter().enumerate() {
            assert_eq!(blocks(answer), round + 1, "{target}");
            assert!(answer["report"]["cache"]["first_change"].is_null(), "{}", answer["report"]);
            check(target, &answer["payload"]).unwrap_or_else(|fault| panic!("{target}: {fault}"));
        }
        let last = answers[5]["payload"].to_string();
        let state = last.rfind("<dynamic_state>").unwrap();
        assert!(state > last.rfind("c4 lorem").unwrap(), "{target}: {last}");
    }
}

#[tokio::test]
async fn blocks_that_move_are_there_once() {
    let server = TestServer::spawn().await;
    for (target, model) in TARGETS {
        for (session, placement) in
            [("none", json!({})), ("move", json!({"tail_placement": "move"}))]
        {
            let more = with(json!({"target": target, "model": model}), &placement);
            let answers = play(&server, &format!("{session}-{target}"), 3, &more).await;
            assert!(answers.iter().all(|answer| blocks(answer) == 1), "{target}");
            assert_eq!(answers[2]["report"]["cache"]["first_change"]["why"], "state_changed");
        }
    }
}

#[tokio::test]
async fn a_caller_who_sends_the_payload_back_keeps_the_blocks_without_a_session() {
    let server = TestServer::spawn().await;
    let mut messages = vec![user("Why are orders slow?")];
    for round in 0..4 {
        let body = with(
            turn(&[], round, &json!({"tail_placement": "stay"})),
            &json!({
            "messages": messages, "target": "openai", "model": "gpt-5.5"}),
        );
        let mut body = body;
        body.as_object_mut().unwrap().remove("append");
        let answer = server.post_ok("/compile", &body).await;
        // What is only in the first payload is not known to stay: it moves once.
        assert_eq!(blocks(&answer), round + 1, "{}", answer["payload"]);
        messages = answer["payload"]["messages"].as_array().unwrap().clone();
        let id = format!("c{round}");
        messages.extend([calling("", &[(&id, "read")]), result(&id, &words(&id, 30))]);
    }
}

#[tokio::test]
async fn a_compaction_point_leaves_the_newest_block_and_a_record_is_replayed() {
    let server = TestServer::spawn().await;
    let more = json!({"target": "openai", "model": "gpt-5.5", "tail_placement": "stay",
        "record": "full", "budget": {"context_window": 8_000, "reserve_output": 1_000}});
    let answers = play(&server, "long", 24, &more).await;
    let most = answers.iter().map(blocks).max().unwrap();
    assert!((3..24).contains(&most), "{most}");
    let points = answers.iter().filter(|answer| {
        let change = &answer["report"]["cache"]["first_change"];
        assert!(change.is_null() || change["why"] == "compaction", "{change}");
        !change.is_null()
    });
    assert!((1..6).contains(&points.count()));
    assert!(answers.iter().all(|answer| answer["report"]["fits"] == true));
    let id = answers[23]["id"].as_str().unwrap();
    let replay = server.post_ok(&format!("/compilations/{id}/replay"), &json!({})).await;
    assert_eq!(replay["status"], "equal", "{replay}");
}

#[tokio::test]
async fn a_model_that_binds_its_thinking_may_have_blocks_that_move() {
    let server = TestServer::spawn().await;
    let more = json!({"target": "anthropic", "model": "claude-opus-5-5"});
    let answers = play(&server, "stays", 3, &more).await;
    assert_eq!(answers.iter().map(blocks).collect::<Vec<_>>(), [1, 2, 3]);
    let more = with(more, &json!({"tail_placement": "move"}));
    let answers = play(&server, "moves", 3, &more).await;
    assert_eq!(answers.iter().map(blocks).collect::<Vec<_>>(), [1, 1, 1]);
}
