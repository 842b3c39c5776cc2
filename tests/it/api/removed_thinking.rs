//! `first_change` for thinking that is no longer sent.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::words;

/// A round of a model that reasons before it calls a tool.
fn round(at: usize) -> [Value; 3] {
    let call_id = format!("call_{at}");
    [
        json!({"type": "reasoning", "id": format!("rs_{at}"), "summary": [],
            "encrypted_content": format!("sealed{at}")}),
        json!({"type": "function_call", "id": format!("fc_{at}"), "call_id": call_id,
            "name": "read", "arguments": format!("{{\"page\":{at}}}")}),
        json!({"type": "function_call_output", "call_id": call_id,
            "output": words(&format!("page{at}"), 300)}),
    ]
}

fn items(rounds: std::ops::Range<usize>) -> Vec<Value> {
    let question = json!({"role": "user", "content": "Read all pages."});
    std::iter::once(question).chain(rounds.flat_map(round)).collect()
}

#[tokio::test]
async fn reasoning_that_leaves_with_cleared_results_is_a_compaction() {
    let server = TestServer::spawn().await;
    let mut before = Value::Null;
    let mut points = 0;
    for rounds in 1..24 {
        let mut body = json!({"input": items(0..rounds), "target": "openai_responses",
            "model": "gpt-5", "budget": {"context_window": 4_000}});
        if !before.is_null() {
            body["cache"] = json!({"previous": before});
        }
        let done = server.compile(&body).await;
        let change = &done.report["cache"]["first_change"];
        if !change.is_null() {
            assert_eq!(change["why"], "compaction", "{rounds}: {change}");
            points += 1;
        }
        before = done.payload;
    }
    assert!(points > 0, "a point was passed");
}

#[tokio::test]
async fn thinking_that_is_left_out_alone_is_named() {
    let server = TestServer::spawn().await;
    let with = items(0..2);
    let without: Vec<Value> = with.iter().filter(|item| item["id"] != "rs_0").cloned().collect();
    let blocks = |is_thinking: bool| {
        let thinking = json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"});
        let text = json!({"type": "text", "text": "Four."});
        let content = if is_thinking { json!([thinking, text]) } else { json!([text]) };
        json!([{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": content},
            {"role": "user", "content": "And 3 + 3?"}])
    };
    let cases = [
        ("openai_responses", "input", json!(with), json!(without), "/input/1"),
        ("anthropic", "messages", blocks(true), blocks(false), "/messages/1"),
    ];
    for (target, key, before, now, pointer) in cases {
        let first = server.compile(&json!({key: before, "target": target})).await;
        let cache = json!({"previous": first.payload});
        let next = server.compile(&json!({key: now, "target": target, "cache": cache})).await;
        let change = &next.report["cache"]["first_change"];
        assert_eq!(change["why"], "thinking_removed", "{target}: {change}");
        assert_eq!(change["pointer"], pointer, "{target}");
    }
}
