//! What is edited of a request, and what is not.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use reqwest::Response;
use serde_json::{Value, json};

use super::agent::{Agent, AgentWire, log, rows, seen_messages};
use super::front;
use crate::support::TestServer;
use crate::support::provider::Provider;

/// A provider and a server in front of it, for all wire formats.
pub async fn pair(flags: &[&str]) -> (Provider, TestServer) {
    let provider = Provider::plain().await;
    let server = front(&provider, &AgentWire::UPSTREAMS, flags).await;
    (provider, server)
}

fn saved(response: &Response) -> u64 {
    let value = response.headers().get("x-contexture-saved-tokens");
    value.map_or(0, |value| value.to_str().unwrap().parse().unwrap())
}

fn skipped(response: &Response) -> Option<&str> {
    response.headers().get("x-contexture-skipped").map(|value| value.to_str().unwrap())
}

/// The longest common beginning and end of two bodies.
fn common_ends(a: &[u8], b: &[u8]) -> (usize, usize) {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (start, end)
}

#[tokio::test]
async fn a_result_takes_its_form_and_all_other_bytes_stay() {
    let (provider, server) = pair(&[]).await;
    for wire in AgentWire::ALL {
        let mut agent = Agent::new(wire);
        agent.query(&rows(1, 40));
        let response = agent.send(&server, &[]).await;
        assert!(saved(&response) > 300, "{wire:?}: {}", saved(&response));
        assert_eq!(skipped(&response), None);
        let (came, sent) = (agent.body(), provider.last());
        let (start, end) = common_ends(came.as_bytes(), &sent.body);
        let table = serde_json::to_string(&rows(1, 40)).unwrap();
        let at = came.find(&table).expect("the result in the body");
        assert!(start > at && came.len() - end < at + table.len(), "{wire:?}: {start} {end}");
        assert!(sent.body.len() * 3 < came.len() * 2, "{wire:?}");
        assert_eq!(sent.header("content-length"), Some(&*sent.body.len().to_string()));
        // Every value is still there as it was written.
        let text = String::from_utf8(sent.body.to_vec()).unwrap();
        for at in 0..40 {
            assert!(text.contains(&format!("customer {}", at * 7919 + 1)), "{wire:?} {at}");
        }
    }
}

#[tokio::test]
async fn what_nothing_is_edited_in_is_sent_byte_for_byte() {
    let (provider, server) = pair(&[]).await;
    for wire in AgentWire::ALL {
        let mut agent = Agent::new(wire);
        agent.query("{\"n\": 1.50}");
        let response = agent.send(&server, &[]).await;
        assert_eq!((saved(&response), skipped(&response)), (0, None));
        assert_eq!(provider.last().body, agent.body(), "{wire:?}");
    }
}

#[tokio::test]
async fn results_that_are_exact_by_contract_stay() {
    let (provider, server) = pair(&["--gateway-protect", "mcp__own__*,other"]).await;
    for tool in ["Read", "str_replace_based_edit_tool", "memory", "mcp__own__x", "other"] {
        let mut agent = Agent::new(AgentWire::Anthropic);
        agent.call(tool, &rows(1, 40));
        agent.send(&server, &[]).await;
        assert_eq!(provider.last().body, agent.body(), "{tool}");
    }
    let mut agent = Agent::new(AgentWire::Anthropic);
    agent.call("mcp__owner__x", &rows(1, 40));
    assert!(saved(&agent.send(&server, &[]).await) > 0);
}

#[tokio::test]
async fn errors_and_results_that_a_program_reads_stay() {
    let (provider, server) = pair(&[]).await;
    for change in [
        (2, "/content/0/is_error", json!(true)),
        (1, "/content/1/caller", json!({"type": "code_execution_20250825", "tool_id": "t"})),
    ] {
        let mut agent = Agent::new(AgentWire::Anthropic);
        agent.query(&rows(1, 40));
        let (index, pointer, value) = change;
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        agent.messages[index].pointer_mut(parent).unwrap()[key] = value;
        agent.send(&server, &[]).await;
        assert_eq!(provider.last().body, agent.body(), "{pointer}");
    }
}

#[tokio::test]
async fn long_machine_output_of_the_user_is_edited_and_words_are_not() {
    let (provider, server) = pair(&[]).await;
    let words = "Please look at this and tell me what you think about it. ".repeat(60);
    for (text, is_edited) in [
        (format!("Here it is:\n\n{}\n\nWhat is wrong?", rows(1, 40)), true),
        (format!("Here it is:\n\n{}", rows(1, 3)), false),
        (words, false),
    ] {
        let mut agent = Agent::new(AgentWire::Anthropic);
        agent.messages = vec![agent.wire.words(&text)];
        let response = agent.send(&server, &[]).await;
        assert_eq!(saved(&response) > 0, is_edited, "{text:.40}");
        let sent = String::from_utf8(provider.last().body.to_vec()).unwrap();
        assert!(sent.contains("Here it is:") || !is_edited);
        assert!(sent.contains("What is wrong?") || !is_edited);
    }
}

#[tokio::test]
async fn a_second_reading_of_the_same_refers_to_the_first() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    agent.query(&log());
    agent.send(&server, &[]).await;
    let alone = provider.last().json()["messages"][2]["content"].clone();
    agent.query(&log());
    let response = agent.send(&server, &[]).await;
    assert!(saved(&response) > 300, "{}", saved(&response));
    let second = provider.last().json()["messages"][4]["content"].clone();
    assert!(second.as_str().unwrap().len() * 4 < log().len(), "{second}");
    // The client clears the first one: nothing refers to it any more.
    agent.messages[2]["content"] = "[cleared]".into();
    agent.messages.push(agent.wire.words("Go on."));
    agent.send(&server, &[]).await;
    assert_eq!(provider.last().json()["messages"][4]["content"], alone);
}

#[tokio::test]
async fn nothing_refers_to_what_the_provider_takes_out() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    agent.query(&log());
    agent.send(&server, &[]).await;
    let alone = provider.last().json()["messages"][2]["content"][0]["content"].clone();
    agent.query(&log());
    let mut body: Value = serde_json::from_str(&agent.body()).unwrap();
    body["context_management"] = json!({"edits": [{"type": "clear_tool_uses_20250919"}]});
    let request = server.build("POST", "/v1/messages").json(&body);
    assert_eq!(request.send().await.unwrap().status(), 200);
    assert_eq!(provider.last().json()["messages"][4]["content"][0]["content"], alone);
}

#[tokio::test]
async fn a_request_for_a_summary_is_left_alone_and_its_prefix_stays() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::after(AgentWire::Anthropic, 1);
    agent.send(&server, &[]).await;
    let earlier = seen_messages(AgentWire::Anthropic, &provider.last());
    agent.query(&rows(5, 40));
    let ask = "Your task is to create a detailed summary of the conversation so far.";
    agent.messages.push(agent.wire.words(ask));
    let response = agent.send(&server, &[]).await;
    assert_eq!(skipped(&response), None);
    let seen = seen_messages(AgentWire::Anthropic, &provider.last());
    assert_eq!(seen[..3], earlier[..]);
    assert_eq!(seen[4], agent.messages[4].to_string());
}

#[tokio::test]
async fn counting_tokens_and_embedding_are_relayed_unread() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    agent.query(&rows(1, 40));
    for path in ["/v1/messages/count_tokens", "/v1/embeddings", "/v1/responses/compact"] {
        let request = server.build_json("POST", path).body(agent.body());
        assert_eq!(request.send().await.unwrap().status(), 200);
        assert_eq!(provider.last().body, agent.body(), "{path}");
    }
}

#[tokio::test]
async fn a_mode_is_named_for_one_request() {
    let (provider, server) = pair(&[]).await;
    for mode in ["off", "observe"] {
        let mut agent = Agent::new(AgentWire::Chat);
        agent.query(&rows(mode.len() as u64, 40));
        let response = agent.send(&server, &[("x-contexture-mode", mode)]).await;
        assert_eq!(saved(&response), 0);
        assert_eq!(provider.last().body, agent.body(), "{mode}");
        assert_eq!(provider.last().header("x-contexture-mode"), None);
    }
    for mode in ["shrink", "sessions", "", "Compress"] {
        let request = server.build_json("POST", "/v1/messages").body("{}");
        let response = request.header("x-contexture-mode", mode).send().await.unwrap();
        assert_eq!(response.status(), 400, "{mode}");
        let body: Value = response.json().await.unwrap();
        let message = body["error"]["message"].as_str().unwrap();
        assert!(message.contains("off, observe, compress, fit, session"), "{message}");
    }
    assert_eq!(provider.requests().len(), 2);
}

#[tokio::test]
async fn what_would_be_saved_is_counted_in_observe() {
    let (_provider, server) = pair(&["--gateway-mode", "observe"]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    agent.query(&rows(1, 40));
    let response = agent.send(&server, &[]).await;
    let value = response.headers()["x-contexture-observed-tokens"].to_str().unwrap();
    assert!(value.parse::<u64>().unwrap() > 300, "{value}");
}

#[tokio::test]
async fn coded_bodies_are_read_and_sent_uncoded_only_if_they_are_edited() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Responses);
    let small = agent.body();
    agent.query(&rows(1, 40));
    for (name, code) in codings() {
        let post = |body: String| {
            let request = server.build_json("POST", "/v1/responses").body(code(body.as_bytes()));
            request.header("content-encoding", name).send()
        };
        let response = post(agent.body()).await.unwrap();
        assert!(saved(&response) > 300, "{name}");
        let sent = provider.last();
        assert_eq!(sent.header("content-encoding"), None);
        assert_eq!(sent.header("content-length"), Some(&*sent.body.len().to_string()));
        assert_eq!(sent.json()["model"], "claude-sonnet-4-5");
        assert_eq!(post(small.clone()).await.unwrap().status(), 200);
        let sent = provider.last();
        assert_eq!(sent.header("content-encoding"), Some(name));
        assert!(sent.body == code(small.as_bytes()), "{name}");
    }
}

type Code = fn(&[u8]) -> Vec<u8>;

fn codings() -> [(&'static str, Code); 3] {
    [
        ("gzip", gzip),
        ("deflate", deflate),
        ("zstd", |bytes| zstd::bulk::compress(bytes, 3).unwrap()),
    ]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn bombs_and_unknown_codings_are_refused_in_the_format_of_the_wire() {
    let (provider, server) = pair(&["--max-decoded-bytes", "100000"]).await;
    let bomb = vec![b' '; 1_000_000];
    for (name, body, status, kind) in [
        ("gzip", gzip(&bomb), 413, "request_too_large"),
        ("zstd", zstd::bulk::compress(&bomb, 3).unwrap(), 413, "request_too_large"),
        ("gzip", b"nothing".to_vec(), 400, "invalid_request_error"),
        ("compress", b"{}".to_vec(), 415, "invalid_request_error"),
        ("gzip, br", b"{}".to_vec(), 415, "invalid_request_error"),
    ] {
        let request = server.build_json("POST", "/v1/messages").body(body);
        let response = request.header("content-encoding", name).send().await.unwrap();
        assert_eq!(response.status(), status, "{name}");
        let error: Value = response.json().await.unwrap();
        assert_eq!(error["error"]["type"], kind);
    }
    assert!(provider.requests().is_empty());
}

#[tokio::test]
async fn what_cannot_be_read_goes_as_it_came_with_the_reason() {
    let (provider, server) = pair(&["--max-decoded-bytes", "100000"]).await;
    let large = format!("{{\"messages\": [\"{}\"]}}", "x".repeat(200_000));
    for (body, reason) in [
        (b"{\"messages\": [".to_vec(), "unreadable"),
        (b"not JSON".to_vec(), "unreadable"),
        (b"{\"messages\": 1}".to_vec(), "unreadable"),
        (b"{\"a\": 1, \"a\": 2, \"messages\": []}".to_vec(), "unreadable"),
        (vec![b'{', 0xff, b'}'], "unreadable"),
        (Vec::new(), "unreadable"),
        (large.into_bytes(), "too_large"),
    ] {
        let request = server.build_json("POST", "/v1/chat/completions").body(body.clone());
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(skipped(&response), Some(reason));
        assert!(provider.last().body == body);
    }
}

#[tokio::test]
async fn a_signed_request_is_left_alone() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    agent.query(&rows(1, 40));
    let signature = "AWS4-HMAC-SHA256 Credential=x, SignedHeaders=host, Signature=y";
    let response = agent.send(&server, &[("authorization", signature)]).await;
    assert_eq!(skipped(&response), Some("signed"));
    let sent = provider.last();
    assert_eq!(sent.body, agent.body());
    assert_eq!(sent.header("authorization"), Some(signature));
}

#[tokio::test]
async fn figures_tell_what_was_saved_and_what_was_left() {
    let (_provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    agent.query(&rows(1, 40));
    let tokens = saved(&agent.send(&server, &[]).await);
    server.build_json("POST", "/v1/messages").body("x").send().await.unwrap();
    let figures = server.get_text("/metrics").await;
    let line = format!("contexture_gateway_saved_tokens_total{{wire=\"openai\"}} {tokens}");
    assert!(figures.contains(&line), "{figures}");
    assert!(figures.contains("skipped=\"unreadable\"} 1"), "{figures}");
}
