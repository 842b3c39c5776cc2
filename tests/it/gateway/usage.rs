//! The usage in responses: read while they pass, and counted.

use std::io::Write as _;

use serde_json::{Value, json};

use super::agent::{Agent, AgentWire, rows};
use super::front;
use crate::support::TestServer;
use crate::support::provider::{Provider, ProviderReply};
use crate::support::wait::until;

/// The row of a model in `GET /usage`, once it is there.
async fn usage_of(server: &TestServer, model: &str) -> Value {
    until(async || {
        let page = server.get_json("/usage").await;
        let items = page["items"].as_array().expect("a list").clone();
        items.into_iter().find(|row| row["model"] == model)
    })
    .await
}

async fn figures(server: &TestServer) -> String {
    server.get_text("/metrics").await
}

fn tokens(kind: &str, wire: &str, count: u64) -> String {
    format!("contexture_gateway_tokens_total{{wire=\"{wire}\",kind=\"{kind}\"}} {count}")
}

#[tokio::test]
async fn usage_of_a_stream_is_counted_with_what_was_saved() {
    let events = "event: message_start\n\
        data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":100,\
        \"cache_creation_input_tokens\":2000,\"cache_read_input_tokens\":10000,\"output_tokens\":1}}}\n\n\
        event: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":50}}\n\n";
    let provider = Provider::spawn(move |_| ProviderReply::whole(200, "text/event-stream", events));
    let provider = provider.await;
    let server = front(&provider, &["anthropic"], &[]).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    agent.query(&rows(1, 40));
    let response = agent.send(&server, &[]).await;
    let saved: u64 =
        response.headers()["x-contexture-saved-tokens"].to_str().unwrap().parse().unwrap();
    assert_eq!(response.text().await.unwrap(), events);
    let row = usage_of(&server, "claude-sonnet-4-5").await;
    assert_eq!(row["tokens_after"], 12_100, "{row}");
    assert_eq!(row["tokens_before"], 12_100 + saved, "{row}");
    assert_eq!(row["requests"], 1);
    let figures = figures(&server).await;
    for (kind, count) in [("uncached", 100), ("read", 10_000), ("written", 2_000), ("output", 50)] {
        assert!(figures.contains(&tokens(kind, "anthropic", count)), "{kind}: {figures}");
    }
    // 0.3 for reads, 3.75 for writes, 3 for the rest; what was saved would have been written.
    let cost = "contexture_gateway_cost_micros_total{wire=\"anthropic\"} 10800";
    assert!(figures.contains(cost), "{figures}");
}

#[tokio::test]
async fn usage_of_each_wire_is_read() {
    let replies = [
        (
            AgentWire::Chat,
            json!({"choices": [], "usage": {"prompt_tokens": 20,
            "prompt_tokens_details": {"cached_tokens": 15}, "completion_tokens": 3}}),
        ),
        (
            AgentWire::Responses,
            json!({"output": [], "usage": {"input_tokens": 20,
            "input_tokens_details": {"cached_tokens": 15}, "output_tokens": 3}}),
        ),
        (
            AgentWire::Gemini,
            json!({"candidates": [], "usageMetadata": {"promptTokenCount": 20,
            "cachedContentTokenCount": 15, "candidatesTokenCount": 1, "thoughtsTokenCount": 2}}),
        ),
    ];
    for (wire, reply) in replies {
        let provider = Provider::spawn(move |_| ProviderReply::json(200, &reply)).await;
        let server = front(&provider, &AgentWire::UPSTREAMS, &[]).await;
        let response = Agent::new(wire).send(&server, &[]).await;
        response.bytes().await.unwrap();
        let name = if wire == AgentWire::Gemini { "gemini" } else { "openai" };
        let figures = figures(&server).await;
        for (kind, count) in [("uncached", 5), ("read", 15), ("output", 3)] {
            assert!(figures.contains(&tokens(kind, name, count)), "{wire:?} {kind}: {figures}");
        }
    }
}

#[tokio::test]
async fn a_coded_response_is_read_and_relayed_as_coded() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(br#"{"usage": {"prompt_tokens": 20}}"#).unwrap();
    let coded = gzip.finish().unwrap();
    let sent = coded.clone();
    let provider = Provider::spawn(move |_| {
        let reply = ProviderReply::whole(200, "application/json", sent.clone());
        reply.with("content-encoding", "gzip")
    })
    .await;
    let server = front(&provider, &["openai"], &[]).await;
    let agent = Agent::new(AgentWire::Chat);
    let response = agent.send(&server, &[("accept-encoding", "gzip, dcb, br")]).await;
    assert_eq!(provider.last().header("accept-encoding"), Some("gzip, br"));
    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert!(response.bytes().await.unwrap() == coded);
    assert!(figures(&server).await.contains(&tokens("uncached", "openai", 20)));
}

#[tokio::test]
async fn errors_and_responses_without_usage_count_nothing() {
    let provider = Provider::spawn(|request| {
        let status = if request.target.contains("responses") { 429 } else { 200 };
        ProviderReply::json(status, &json!({"error": {"usage": {"input_tokens": 5}}}))
    })
    .await;
    let server = front(&provider, &["openai", "anthropic"], &[]).await;
    let body = json!({"model": "gpt-4o", "input": "x"});
    assert_eq!(server.post("/v1/responses", &body).await.status(), 429);
    let reply = server.post("/v1/embeddings", &body).await;
    assert_eq!(reply.status(), 200);
    reply.bytes().await.unwrap();
    let figures = figures(&server).await;
    assert!(!figures.contains("contexture_gateway_tokens_total{"), "{figures}");
}
