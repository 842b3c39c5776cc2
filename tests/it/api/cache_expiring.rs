//! `cache:expiring`: a session's prefix is about to run out in its provider's cache.

use serde_json::{Value, json};

use super::hooks::MASTER;
use crate::support::compile::{Compiled, user, words};
use crate::support::prices::models;
use crate::support::receiver::{answers, hook};
use crate::support::wait;
use crate::support::{Folder, TestServer, database};

/// As long as a prefix of five minutes is kept, so that each is expiring at once.
const LEAD: &[&str] = &["--dev", "--cache-expiring-seconds", "300"];

async fn compiled(server: &TestServer, session: &str, more: &Value) -> Compiled {
    let mut body = json!({"messages": [user(&words("m", 2_000)), user("Now?")],
        "model": "house-marks", "target": "anthropic", "cache": {"ttl": "5m"}});
    for (key, value) in more.as_object().expect("an object") {
        body[key] = value.clone();
    }
    server.compile_in(session, body).await
}

/// The events so far, once there are so many.
async fn events(server: &TestServer, count: usize) -> Vec<Value> {
    let found = wait::until(async || {
        let page = server.get_json("/events?format=json&types=cache:expiring").await;
        let items = page["items"].as_array().expect("a list").clone();
        (items.len() >= count).then_some(items)
    });
    let found = found.await;
    assert_eq!(found.len(), count, "{found:?}");
    found
}

#[tokio::test]
async fn a_prefix_that_runs_out_is_published_once() {
    let server = TestServer::with_prices(LEAD).await;
    let receiver = answers(&json!(null)).await;
    let observe = ("cache_expiring", "observe");
    // Nothing waits for its receiver: the call is queued.
    server.register(&hook("h", observe, &receiver, &json!({"delivery": "sync"}))).await;
    let sent = compiled(&server, "s", &json!({})).await;
    let tokens = sent.report["cache"]["stable_tokens"].as_u64().unwrap();
    assert!(tokens >= 2_000, "{tokens}");
    let found = events(&server, 1).await;
    let event = &found[0];
    assert_eq!((&event["session_id"], &event["compilation_id"]), (&json!("s"), &json!(sent.id)));
    let data = &event["data"];
    // 2.5 micro-dollars a token to write, 0.2 to read.
    assert_eq!(
        (&data["prefix_tokens"], &data["rewrite_micros"]),
        (&json!(tokens), &json!(tokens * 23 / 10))
    );
    assert_eq!(
        (&data["model"], data["prefix_hash"].as_str().unwrap().len()),
        (&json!("house-marks"), 64)
    );
    let input = wait::until(async || receiver.inputs().first().cloned()).await;
    let mut wanted = data.clone();
    wanted["compilation_id"] = json!(sent.id);
    assert_eq!(input, wanted);
    // The provider read the prefix again: it runs out later, and is published again.
    let usage = json!({"usage": {"input_tokens": 9, "cache_read_input_tokens": tokens}});
    server.post_ok("/sessions/s/usage", &usage).await;
    let again = events(&server, 2).await;
    assert!(again[1]["data"]["expires_at"].as_str() > data["expires_at"].as_str());
    assert_eq!(again[1]["data"]["prefix_hash"], data["prefix_hash"]);
    // So is the prefix of the next payload.
    compiled(&server, "s", &json!({})).await;
    events(&server, 3).await;
}

#[tokio::test]
async fn an_unknown_or_cold_cache_is_not_published() {
    let server = TestServer::with_prices(LEAD).await;
    let plain = json!({"cache": {"ttl": "off"}});
    let unmarked = json!({"target": "openai"});
    let hourly = json!({"cache": {"ttl": "1h"}});
    for (session, more) in [("no-ttl", &plain), ("no-marks", &unmarked), ("hour", &hourly)] {
        compiled(&server, session, more).await;
    }
    server
        .compile(&json!({"messages": [user(&words("m", 2_000))], "model": "house-marks",
        "target": "anthropic", "cache": {"ttl": "5m"}}))
        .await;
    // Prices that are not known are null.
    let unknown = json!({"model": "bytes4"});
    let last = compiled(&server, "last", &unknown).await;
    let found = events(&server, 1).await;
    assert_eq!(found[0]["compilation_id"], json!(last.id));
    assert_eq!(found[0]["data"]["rewrite_micros"], Value::Null);
}

#[tokio::test]
async fn a_cache_that_took_no_part_is_forgotten() {
    // Nothing is expiring before the hour is nearly over.
    let server = TestServer::with_prices(&["--dev", "--cache-expiring-seconds", "3600"]).await;
    compiled(&server, "s", &json!({})).await;
    events(&server, 1).await;
    let usage = json!({"usage": {"input_tokens": 2_003, "cache_read_input_tokens": 0}});
    server.post_ok("/sessions/s/usage", &usage).await;
    server
        .post_ok(
            "/sessions/s/usage",
            &json!({"usage": {"input_tokens": 3,
        "cache_read_input_tokens": 2_000}}),
        )
        .await;
    compiled(&server, "t", &json!({})).await;
    let found = events(&server, 2).await;
    assert_eq!(found[1]["session_id"], "t");
}

#[tokio::test]
async fn two_servers_publish_a_prefix_once() {
    let Some(url) = database::postgres() else { return };
    let folder = Folder::new();
    let file = models(&folder);
    let keys = folder.write("keys", MASTER);
    let flags = ["--models-file", &file, "--database-url", &url, "--master-key-file", &keys];
    let flags = [&flags, LEAD].concat();
    let servers = [TestServer::with(&flags).await, TestServer::with(&flags).await];
    let receiver = answers(&json!(null)).await;
    servers[0].register(&hook("h", ("cache_expiring", "observe"), &receiver, &json!({}))).await;
    let sessions: Vec<String> = (0..8).map(|at| format!("s{at}")).collect();
    for (at, session) in sessions.iter().enumerate() {
        compiled(&servers[at % 2], session, &json!({})).await;
    }
    // A fact that comes after all the others: whatever is published twice is before it.
    for server in &servers {
        events(server, sessions.len()).await;
    }
    compiled(&servers[0], "last", &json!({})).await;
    let found = events(&servers[1], sessions.len() + 1).await;
    let mut of: Vec<&str> = found.iter().map(|one| one["session_id"].as_str().unwrap()).collect();
    assert_eq!(of.pop(), Some("last"));
    of.sort_unstable();
    of.dedup();
    assert_eq!(of.len(), sessions.len());
    receiver.reached(sessions.len() + 1).await;
    assert_eq!(receiver.inputs().len(), sessions.len() + 1);
}
