//! No byte before the newest messages changes, whatever happens between two requests.

use contexture::gateway::{
    DecidedText, LineageScope, MessageDecision, ProviderEndpoint, RequestOutline, Wire,
    numbered_texts,
};
use contexture::json::{Limits, parse};
use serde_json::{Value, json};

use super::agent::{Agent, AgentWire, assert_prefix, log, rows, seen_messages};
use super::edits::pair;
use super::front;
use crate::support::provider::Provider;
use crate::support::wait::until;
use crate::support::{Folder, TestServer};

#[tokio::test]
async fn every_turn_repeats_what_the_one_before_it_sent() {
    let (provider, server) = pair(&[]).await;
    for wire in AgentWire::ALL {
        let mut agent = Agent::new(wire);
        let first = provider.requests().len();
        for turn in 0..6 {
            agent.query(&rows(turn, 30));
            agent.send(&server, &[]).await;
        }
        let requests = &provider.requests()[first..];
        assert!(assert_prefix(wire, requests) > 30);
        let came: usize = agent.messages.iter().map(|message| message.to_string().len()).sum();
        let sent: usize = seen_messages(wire, &requests[5]).iter().map(String::len).sum();
        assert!(sent * 3 < came * 2, "{wire:?}: {came} → {sent}");
    }
}

#[tokio::test]
async fn a_deadline_that_is_missed_leaves_results_as_they_came_for_good() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::after(AgentWire::Anthropic, 1);
    agent.send(&server, &[]).await;
    agent.query(&rows(8, 40));
    let response = agent.send(&server, &[("contexture-deadline-ms", "0")]).await;
    assert_eq!(response.headers()["x-contexture-skipped"], "deadline");
    // What was decided before is sent as decided.
    assert!(response.headers().contains_key("x-contexture-saved-tokens"));
    let missed = seen_messages(agent.wire, &provider.last());
    assert_eq!(missed[4], agent.messages[4].to_string());
    for turn in 0..2 {
        agent.query(&rows(20 + turn, 40));
        agent.send(&server, &[]).await;
    }
    assert_prefix(agent.wire, &provider.requests());
    let last = seen_messages(agent.wire, &provider.last());
    assert!(last[6].len() < agent.messages[6].to_string().len());
}

#[tokio::test]
async fn a_restart_and_other_options_change_nothing_that_was_sent() {
    let folder = Folder::new();
    let url = folder.url();
    let provider = Provider::plain().await;
    let mut agent = Agent::new(AgentWire::Chat);
    for flags in [
        vec![],
        vec![],
        vec!["--gateway-protect", "*"],
        vec!["--gateway-mode", "off"],
        vec!["--gateway-mode", "observe"],
        vec![],
    ] {
        let flags = [vec!["--database-url", &*url], flags].concat();
        let server = front(&provider, &["openai"], &flags).await;
        for _ in 0..2 {
            agent.query(&rows(agent.messages.len() as u64, 30));
            agent.send(&server, &[]).await;
        }
        server.stop().await;
    }
    assert_prefix(agent.wire, &provider.requests());
    let sent = seen_messages(agent.wire, &provider.last());
    let is_shorter = |index: &usize| sent[*index].len() < agent.messages[*index].to_string().len();
    let edited: Vec<usize> = (0..sent.len()).filter(is_shorter).collect();
    // Four in the first two servers, two in the last one.
    assert_eq!(edited, [2, 4, 6, 8, 22, 24]);
}

#[tokio::test]
async fn a_mode_for_one_request_changes_only_what_is_newest() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Responses);
    for mode in ["compress", "off", "observe", "compress", "off"] {
        agent.query(&rows(agent.messages.len() as u64, 30));
        agent.send(&server, &[("x-contexture-mode", mode)]).await;
    }
    assert_prefix(agent.wire, &provider.requests());
    let sent = seen_messages(agent.wire, &provider.last());
    let is_shorter = |index: &usize| sent[*index].len() < agent.messages[*index].to_string().len();
    assert_eq!((0..sent.len()).filter(is_shorter).collect::<Vec<_>>(), [3, 12]);
}

#[tokio::test]
async fn a_header_names_the_mode_else_the_key_else_the_settings() {
    let provider = Provider::plain().await;
    let flag = provider.flag("openai");
    let server = TestServer::locked(&[&flag, "--gateway-mode", "observe"]).await;
    let mut keys = Vec::new();
    for defaults in [json!(null), json!({"gateway": {"mode": "compress"}, "target": "gemini"})] {
        let wanted = json!({"scopes": ["compress"], "defaults": defaults});
        keys.push(server.create_key(&wanted).await.0);
    }
    let [plain, compressing] = [&*keys[0], &*keys[1]];
    for (turn, (key, header, is_edited)) in [
        (plain, None, false),
        (plain, Some("compress"), true),
        (compressing, None, true),
        (compressing, Some("observe"), false),
        (compressing, Some("off"), false),
    ]
    .into_iter()
    .enumerate()
    {
        let mut agent = Agent::new(AgentWire::Chat);
        agent.query(&rows(turn as u64, 40));
        let mut headers = vec![("x-contexture-key", key)];
        headers.extend(header.map(|mode| ("x-contexture-mode", mode)));
        agent.send(&server, &headers).await;
        let sent = provider.last().body.len();
        assert_eq!(sent < agent.body().len(), is_edited, "{turn}");
    }
}

#[tokio::test]
async fn a_list_that_began_elsewhere_is_adopted() {
    let (provider, server) = pair(&[]).await;
    for wire in AgentWire::ALL {
        let mut agent = Agent::after(wire, 4);
        agent.send(&server, &[]).await;
        let sent = seen_messages(wire, &provider.last());
        let newest = sent.len() - 1;
        for (sent, came) in sent[..newest].iter().zip(&agent.messages) {
            assert_eq!(*sent, came.to_string(), "{wire:?}");
        }
        assert!(sent[newest].len() < agent.messages[newest].to_string().len());
        let first = provider.requests().len() - 1;
        agent.query(&rows(99, 40));
        agent.send(&server, &[]).await;
        assert_prefix(wire, &provider.requests()[first..]);
    }
}

#[tokio::test]
async fn an_adopted_list_stays_as_it_came_where_the_user_goes_back() {
    let (provider, server) = pair(&[]).await;
    let whole = Agent::after(AgentWire::Chat, 3);
    whole.send(&server, &[]).await;
    let first = seen_messages(whole.wire, &provider.last());
    // The second result is the newest of a shorter list.
    let mut back = whole.clone();
    back.messages.truncate(5);
    back.send(&server, &[]).await;
    assert_eq!(seen_messages(whole.wire, &provider.last()), first[..5]);
}

#[tokio::test]
async fn marks_of_caching_that_move_change_nothing() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    for turn in 0..4 {
        agent.query(&rows(turn, 30));
        let mut marked = agent.clone();
        let last = marked.messages.last_mut().unwrap();
        last["content"][0]["cache_control"] = json!({"type": "ephemeral", "ttl": "1h"});
        marked.send(&server, &[]).await;
        let sent = seen_messages(agent.wire, &provider.last()).pop().unwrap();
        assert!(sent.contains("\"ttl\":\"1h\""), "{sent}");
    }
    let requests = provider.requests();
    let unmarked = |index: usize, message: usize| {
        let message = &seen_messages(agent.wire, &requests[index])[message];
        message
            .replace(",\"cache_control\":{\"ttl\":\"1h\",\"type\":\"ephemeral\"}", "")
            .replace("\"cache_control\":{\"ttl\":\"1h\",\"type\":\"ephemeral\"},", "")
            .replace(",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}", "")
    };
    for index in 0..3 {
        assert_eq!(unmarked(index, 2 * index + 2), unmarked(3, 2 * index + 2));
    }
}

#[tokio::test]
async fn another_system_text_leaves_the_forms_of_the_messages() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    for turn in 0..3 {
        agent.query(&rows(turn, 30));
        agent.system = format!("x-anthropic-billing-header: cch={turn}");
        agent.send(&server, &[]).await;
        assert_eq!(provider.last().json()["system"], agent.system.as_str());
    }
    assert_prefix(agent.wire, &provider.requests());
}

#[tokio::test]
async fn equal_requests_at_once_are_sent_the_same_bytes() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    agent.query(&rows(3, 60));
    let sends = (0..8).map(|_| agent.send(&server, &[]));
    futures_util::future::join_all(sends).await;
    let requests = provider.requests();
    assert_eq!(requests.len(), 8);
    assert!(requests.iter().all(|request| request.body == requests[0].body));
    assert!(requests[0].body.len() < agent.body().len());
}

#[tokio::test]
async fn equal_results_of_one_message_have_forms_of_their_own() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    agent.query(&log());
    let result = agent.messages[2]["content"][0].clone();
    agent.messages[2]["content"].as_array_mut().unwrap().push(result);
    agent.send(&server, &[]).await;
    agent.messages.push(json!({"role": "assistant", "content": "Done."}));
    agent.messages.push(agent.wire.words("Go on."));
    agent.send(&server, &[]).await;
    assert_prefix(agent.wire, &provider.requests());
    let sent: serde_json::Value =
        serde_json::from_str(&seen_messages(agent.wire, &provider.last())[2]).unwrap();
    let bytes = |at: usize| sent["content"][at]["content"].as_str().unwrap().len();
    assert!(bytes(1) * 4 < bytes(0), "{sent}");
}

#[tokio::test]
async fn another_tenant_has_decisions_of_its_own() {
    let provider = Provider::plain().await;
    let flag = provider.flag("openai");
    let server = TestServer::locked(&[&flag]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    agent.query(&rows(1, 40));
    let mut keys = Vec::new();
    for tenant in ["first", "second"] {
        let wanted = json!({"name": tenant, "tenant": tenant, "scopes": ["compress"]});
        keys.push(server.create_key(&wanted).await.0);
    }
    agent.send(&server, &[("x-contexture-key", &*keys[0])]).await;
    agent.messages.push(json!({"role": "assistant", "content": "Done."}));
    agent.messages.push(agent.wire.words("Go on."));
    agent.send(&server, &[("x-contexture-key", &*keys[0])]).await;
    assert_prefix(agent.wire, &provider.requests());
    // For the second tenant the list began elsewhere.
    agent.send(&server, &[("x-contexture-key", &*keys[1])]).await;
    assert_eq!(provider.last().body, agent.body());
}

/// Puts a form into the store that this version does not make, in the place of one that it made, and
/// makes all records those of an earlier engine.
fn age_store(folder: &Folder, body: &str, index: usize, form: &str) {
    let node = parse(body, Limits::default()).unwrap();
    let outline = RequestOutline::read(ProviderEndpoint::ChatCompletions, body, &node).unwrap();
    let scope = LineageScope { tenant: "default", upstream: "openai", wire: Wire::Openai };
    let hash = scope.hashes(&outline.messages)[index];
    let message = &outline.messages[index];
    let [text] = &*numbered_texts(message) else { panic!("one text") };
    let (digest, occurrence) = (text.digest, text.occurrence);
    let decided = DecidedText { digest, occurrence, form: form.into(), saved_tokens: 100 };
    let packed = MessageDecision { forms: vec![decided] }.pack(message);
    let database = rusqlite::Connection::open(folder.database()).unwrap();
    let changed = database
        .execute("UPDATE lineages SET decision = ?1 WHERE digest = ?2", (packed, hash.0))
        .unwrap();
    assert_eq!(changed, 1);
    let records = database.execute("UPDATE compilations SET engine = '0.0.1+1'", []).unwrap();
    assert!(records > 0);
}

#[tokio::test]
async fn what_an_earlier_version_decided_is_sent_byte_for_byte() {
    let folder = Folder::new();
    let url = folder.url();
    let provider = Provider::plain().await;
    let flags = ["--database-url", &*url];
    let mut agent = Agent::new(AgentWire::Chat);
    let server = front(&provider, &["openai"], &flags).await;
    agent.query(&rows(1, 30));
    let response = agent.send(&server, &[]).await;
    let id = response.headers()["x-contexture-id"].to_str().unwrap().to_owned();
    response.text().await.unwrap();
    until(async || {
        let response = server.get(&format!("/compilations/{id}")).await;
        (response.status() == 200).then_some(())
    })
    .await;
    server.stop().await;

    let older = "30 customers, in words that no version writes any more";
    age_store(&folder, &agent.body(), 2, older);
    let first = provider.requests().len();
    for turn in 0..2 {
        let server = front(&provider, &["openai"], &flags).await;
        for _ in 0..2 {
            agent.query(&rows(10 + turn, 30));
            agent.send(&server, &[]).await.text().await.unwrap();
        }
        server.stop().await;
    }
    let requests = &provider.requests()[first..];
    assert_eq!(requests.len(), 4);
    assert_prefix(agent.wire, requests);
    for request in requests {
        let sent = seen_messages(agent.wire, request);
        let result: Value = serde_json::from_str(&sent[2]).unwrap();
        assert_eq!(result["content"], older);
        // What is newest is decided by this version.
        let newest = sent.last().unwrap();
        assert!(newest.len() < rows(10, 30).len(), "{newest}");
    }
}

#[tokio::test]
async fn the_store_holds_no_text_of_a_message() {
    let folder = Folder::new();
    let url = folder.url();
    let provider = Provider::plain().await;
    let server = front(&provider, &["openai"], &["--database-url", &url]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    agent.query(&rows(1, 40));
    let response = agent.send(&server, &[]).await;
    assert!(response.headers().contains_key("x-contexture-saved-tokens"));
    server.stop().await;
    for entry in std::fs::read_dir(folder.database().parent().unwrap()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        for text in ["customer 7920", "Look at the customers"] {
            let is_there = bytes.windows(text.len()).any(|window| window == text.as_bytes());
            assert!(!is_there, "{text}");
        }
    }
}
