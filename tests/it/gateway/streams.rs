//! Responses that come in pieces: each piece at once, and an end at either side ends the other.

use std::io;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;

use super::front;
use crate::support::exchange;
use crate::support::provider::{Provider, ProviderBody, ProviderReply};
use crate::support::wait::until;

type Chunks = Sender<Result<Bytes, io::Error>>;

/// A provider of one stream, and what sends its chunks.
async fn streaming() -> (Provider, Chunks) {
    let (sender, reply) = ProviderReply::stream();
    let reply = Mutex::new(Some(reply));
    let provider = Provider::spawn(move |_| reply.lock().unwrap().take().expect("one request"));
    (provider.await, sender)
}

#[tokio::test]
async fn each_chunk_is_there_before_the_next_is_sent() {
    let (provider, chunks) = streaming().await;
    let server = front(&provider, &["anthropic"], &[]).await;
    let body = json!({"stream": true, "messages": []});
    let mut response = server.post("/v1/messages", &body).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    for chunk in ["event: ping\ndata: {}\n\n", ": comment\n\n", "data: {\"a\"", ":1}\n\n"] {
        chunks.send(Ok(chunk.into())).await.unwrap();
        assert_eq!(response.chunk().await.unwrap().unwrap(), chunk);
    }
    drop(chunks);
    assert_eq!(response.chunk().await.unwrap(), None);
}

#[tokio::test]
async fn a_client_that_leaves_ends_the_call() {
    let (provider, chunks) = streaming().await;
    let server = front(&provider, &["openai"], &[]).await;
    let body = json!({"stream": true, "messages": []});
    let mut response = server.post("/v1/chat/completions", &body).await;
    chunks.send(Ok("data: 1\n\n".into())).await.unwrap();
    assert!(response.chunk().await.unwrap().is_some());
    drop(response);
    chunks.closed().await;
}

#[tokio::test]
async fn a_client_that_leaves_before_the_response_ends_the_call() {
    let provider = Provider::spawn(|_| {
        let reply = ProviderReply::json(200, &json!({}));
        ProviderReply { body: ProviderBody::Silence, ..reply }
    })
    .await;
    let server = front(&provider, &["openai"], &[]).await;
    let body = json!({"messages": []});
    let request = tokio::spawn(server.build("POST", "/v1/chat/completions").json(&body).send());
    provider.reached(1).await;
    request.abort();
    until(async || {
        let figures = server.get_text("/metrics").await;
        figures.contains("contexture_http_requests_abandoned_total 1").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_no_whole_response() {
    let (provider, chunks) = streaming().await;
    let server = front(&provider, &["anthropic"], &[]).await;
    let mut response = server.post("/v1/messages", &json!({"messages": []})).await;
    chunks.send(Ok("event: error\ndata: {\"type\":\"error\"}\n\n".into())).await.unwrap();
    let chunk = response.chunk().await.unwrap().unwrap();
    assert!(chunk.starts_with(b"event: error"));
    chunks.send(Err(io::Error::other("broken"))).await.unwrap();
    assert!(response.chunk().await.is_err());
}

#[tokio::test]
async fn silence_before_the_head_is_a_504_and_within_a_stream_its_end() {
    let silent = Provider::spawn(|_| {
        let reply = ProviderReply::json(200, &json!({}));
        ProviderReply { body: ProviderBody::Silence, ..reply }
    })
    .await;
    let limit = ["--upstream-silence-seconds", "1"];
    let server = front(&silent, &["anthropic"], &limit).await;
    let response = server.post("/v1/messages", &json!({"messages": []})).await;
    assert_eq!(response.status(), 504);
    let (provider, chunks) = streaming().await;
    let server = front(&provider, &["anthropic"], &limit).await;
    let mut response = server.post("/v1/messages", &json!({"messages": []})).await;
    // A stream that goes on may take longer than the limit.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(1_500) {
        chunks.send(Ok(": ping\n\n".into())).await.unwrap();
        assert_eq!(response.chunk().await.unwrap().unwrap(), ": ping\n\n");
    }
    assert!(response.chunk().await.is_err());
    chunks.closed().await;
}

#[tokio::test]
async fn compressed_responses_are_relayed_as_they_are() {
    let coded: &[u8] = &[0x1f, 0x8b, 8, 0, 1, 2, 3];
    let provider = Provider::spawn(move |_| {
        ProviderReply::whole(200, "application/json", coded).with("content-encoding", "gzip")
    })
    .await;
    let server = front(&provider, &["openai"], &[]).await;
    let request = server.build("GET", "/v1/files/f").header("accept-encoding", "gzip, x-other");
    let response = request.send().await.unwrap();
    assert_eq!(provider.last().header("accept-encoding"), Some("gzip, x-other"));
    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert_eq!(response.bytes().await.unwrap(), coded);
}

#[tokio::test]
async fn an_upload_flows_while_it_is_sent() {
    let provider = Provider::plain().await;
    let server = front(&provider, &["openai"], &[]).await;
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Bytes, io::Error>>(1);
    let stream = futures_util::stream::unfold(receiver, async |mut receiver| {
        receiver.recv().await.map(|chunk| (chunk, receiver))
    });
    let request = server.build("POST", "/v1/files").body(reqwest::Body::wrap_stream(stream));
    let sent = tokio::spawn(request.send());
    for _ in 0..3 {
        sender.send(Ok(Bytes::from_static(b"part"))).await.unwrap();
    }
    drop(sender);
    assert_eq!(sent.await.unwrap().unwrap().status(), 200);
    assert_eq!(provider.last().body, "partpartpart");
    assert_eq!(provider.last().header("transfer-encoding"), Some("chunked"));
}

#[tokio::test]
async fn an_upload_that_drips_is_refused_in_the_format_of_the_provider() {
    let provider = Provider::plain().await;
    let server = front(&provider, &["anthropic"], &[]).await;
    let head = b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 999\r\n\r\n";
    let mut pieces: Vec<(&[u8], Duration)> = vec![(head, Duration::ZERO)];
    // No pause is long, and the whole is too slow.
    pieces.extend(std::iter::repeat_n((&b" "[..], Duration::from_millis(200)), 100));
    let started = Instant::now();
    let reply = exchange(server.address, &pieces).await;
    assert_eq!(reply.status, 408);
    let body: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(body["type"], "error");
    let message = body["error"]["message"].as_str().unwrap();
    assert!(message.contains("8 KiB a second"), "{message}");
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    assert!(provider.requests().is_empty());
}
