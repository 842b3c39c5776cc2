//! `report.cost`: what a payload costs, by the prices of the catalogue.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::user;

fn request(model: &str, messages: &[Value]) -> Value {
    json!({"messages": messages, "target": "anthropic", "model": model, "cache": {"ttl": "5m"}})
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value}"))
}

#[tokio::test]
async fn a_warm_prefix_costs_less_than_a_cold_one() {
    let server = TestServer::spawn().await;
    let words =
        |from: usize| (from..from + 3_000).map(|at| format!("w{at}")).collect::<Vec<_>>().join(" ");
    let mut messages = vec![user(&words(0))];
    let mut body = request("claude-sonnet-4-5", &messages);
    body["session_id"] = json!("s");
    let cold = server.post_ok("/compile", &body).await;
    let cost = &cold["report"]["cost"];
    let tokens = number(&cold["report"]["tokens_after"]);
    assert_eq!(cost["cache"]["assumed"], "cold");
    // 3.75 dollars a million to write; the few tokens before the reply are behind the last mark.
    assert!((number(&cost["payload_micros"]) - tokens * 375 / 100).abs() < 20, "{cost}");
    assert_eq!(cost["saved_micros"], 0);

    messages.extend([json!({"role": "assistant", "content": "Yes."}), user("And now?")]);
    let mut body = request("claude-sonnet-4-5", &messages);
    body["session_id"] = json!("s");
    let warm = server.post_ok("/compile", &body).await;
    let cost = &warm["report"]["cost"];
    assert_eq!(cost["cache"]["assumed"], "warm");
    // 0.3 dollars a million to read what was there before.
    assert!((number(&cost["cache"]["read_tokens"]) - tokens).abs() < 40, "{cost} {tokens}");
    assert!((number(&cost["payload_micros"]) - tokens * 3 / 10).abs() < 200, "{cost}");
}

#[tokio::test]
async fn unknown_prices_are_null_and_a_long_request_is_dearer() {
    let server = TestServer::spawn().await;
    let unknown = server.post_ok("/compile", &request("house-model", &[user("Hi")])).await;
    assert_eq!(unknown["report"]["cost"], Value::Null);
    let long = "one two three four five six seven eight nine ten ".repeat(30_000);
    let body = json!({"messages": [user(&long)], "model": "gpt-5.6"});
    let long = server.post_ok("/compile", &body).await;
    let (cost, tokens) = (&long["report"]["cost"], number(&long["report"]["tokens_after"]));
    assert!(tokens > 272_000, "{tokens}");
    // 5 dollars a million to write to the cache, twice that above 272,000 tokens.
    assert_eq!(number(&cost["payload_micros"]), tokens * 10);
}
