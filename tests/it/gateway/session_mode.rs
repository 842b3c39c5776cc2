//! Mode `session`: memory, state and the text of hooks follow the newest text, and stay where they are.

use serde_json::{Value, json};

use super::agent::{Agent, AgentWire, assert_prefix, prose, rows, seen_messages};
use super::store_away::Store;
use crate::support::binding::{BindingProvider, ThinkingCount};
use crate::support::provider::{Provider, ProviderRequest};
use crate::support::receiver::{Mode, Receiver, answers, hook, patient};
use crate::support::wait::until;
use crate::support::{BOOTSTRAP_KEY, Folder, TestServer, json_of};

const MODE: &str = "x-contexture-mode";
const KEY: &str = "x-contexture-key";
const SESSION: &str = "x-contexture-session";

/// A server in front of a provider, with keys.
async fn locked(provider: &Provider, flags: &[&str]) -> TestServer {
    let upstreams = AgentWire::UPSTREAMS.map(|name| provider.flag(name));
    let upstreams = upstreams.iter().map(String::as_str);
    TestServer::locked(&upstreams.chain(flags.iter().copied()).collect::<Vec<_>>()).await
}

/// A key with mode `session` and these defaults.
async fn key(server: &TestServer, defaults: Value) -> String {
    let mut all = json!({"gateway": {"mode": "session"}, "session_id": "desk"});
    all.as_object_mut().unwrap().extend(defaults.as_object().unwrap().clone());
    server.create_key(&json!({"scopes": ["compress"], "defaults": all})).await.0
}

/// Sets the state of the session that the keys name.
async fn set_state(server: &TestServer, state: &Value) {
    let defaults = json!({"defaults": {"dynamic_state": state}});
    let patched = server.call(BOOTSTRAP_KEY, "PATCH", "/sessions/desk", &defaults).await;
    if patched.status() == 404 {
        let body = json!({"id": "desk", "defaults": {"dynamic_state": state}});
        json_of(server.call(BOOTSTRAP_KEY, "POST", "/sessions", &body).await, 201).await;
    } else {
        assert_eq!(patched.status(), 200);
    }
}

async fn remember(server: &TestServer, key: &str, value: &str) {
    let entry = json!({"value": value});
    server.call_ok(BOOTSTRAP_KEY, "PUT", &format!("/memory/{key}"), &entry).await;
}

/// How often a text is in the list that the provider got.
fn count(wire: AgentWire, request: &ProviderRequest, text: &str) -> usize {
    seen_messages(wire, request).iter().map(|message| message.matches(text).count()).sum()
}

#[tokio::test]
async fn a_request_without_a_key_is_refused_in_the_format_of_the_provider() {
    let provider = Provider::plain().await;
    let upstreams = AgentWire::UPSTREAMS.map(|name| provider.flag(name));
    let server = TestServer::with(&upstreams.each_ref().map(String::as_str)).await;
    for wire in AgentWire::ALL {
        let agent = Agent::after(wire, 1);
        let body = json_of(agent.post(&server, &[(MODE, "session")]).await, 401).await;
        let error = &body["error"];
        assert!(error["message"].as_str().unwrap().contains("x-contexture-key"), "{body}");
        let word = match wire {
            AgentWire::Gemini => &error["status"],
            _ => &error["type"],
        };
        let wanted = ["authentication_error", "UNAUTHENTICATED"];
        assert!(wanted.contains(&word.as_str().unwrap()), "{body}");
    }
    assert!(provider.requests().is_empty());
    let agent = Agent::after(AgentWire::Chat, 1);
    let body = json_of(agent.post(&server, &[(MODE, "sessions")]).await, 400).await;
    assert!(body.to_string().contains("off, observe, compress, fit, session"), "{body}");
}

#[tokio::test]
async fn blocks_stay_where_they_were_put_and_newer_ones_follow() {
    for wire in AgentWire::ALL {
        let provider = Provider::plain().await;
        let server = locked(&provider, &[]).await;
        remember(&server, "style", "No new dependencies.").await;
        let key = key(&server, json!({"memory": true})).await;
        let mut agent = Agent::new(wire);
        let mut states = Vec::new();
        for turn in 0..6 {
            // It changes every second turn.
            let state = json!({"step": turn / 2});
            set_state(&server, &state).await;
            states.push(state);
            if turn == 3 {
                remember(&server, "place", "The hall of the north.").await;
            }
            let response = agent.send(&server, &[(KEY, &key)]).await;
            assert_eq!(response.headers().get("x-contexture-skipped"), None, "{wire:?}");
            assert!(response.headers().contains_key("x-contexture-added-tokens"));
            agent.query(&rows(turn, 30));
        }
        let requests = provider.requests();
        assert_prefix(wire, &requests);
        let last = requests.last().unwrap();
        assert_eq!(count(wire, last, "<dynamic_state>"), 3, "{wire:?}");
        assert_eq!(count(wire, last, "Recalled from earlier"), 2, "{wire:?}");
        assert_eq!(count(wire, last, "No new dependencies."), 2, "{wire:?}");
        assert_eq!(count(wire, last, "The hall of the north."), 1, "{wire:?}");
        // A request that is sent again has the same bytes.
        agent.send(&server, &[(KEY, &key)]).await;
        agent.send(&server, &[(KEY, &key)]).await;
        let requests = provider.requests();
        let [.., one, other] = &*requests else { panic!("two requests") };
        assert_eq!(one.body, other.body);
        // The client's own messages are all there, in their order.
        let sent = seen_messages(wire, other);
        let own = |message: &Value| {
            let message = message.to_string();
            sent.contains(&message)
        };
        let of_model = agent.messages.iter().filter(|message| {
            ["assistant", "model"].contains(&message["role"].as_str().unwrap_or("assistant"))
                && message["type"] != "function_call_output"
        });
        assert!(of_model.clone().count() > 0 && of_model.clone().all(own), "{wire:?}");
    }
}

#[tokio::test]
async fn a_restart_and_another_mode_change_nothing_that_was_sent() {
    for wire in [AgentWire::Anthropic, AgentWire::Chat] {
        let folder = Folder::new();
        let url = folder.url();
        let provider = Provider::plain().await;
        let mut agent = Agent::new(wire);
        let mut made = None;
        for (turn, mode) in ["session", "session", "off", "observe", "compress", "session", "fit"]
            .iter()
            .enumerate()
        {
            let server = locked(&provider, &["--database-url", &*url]).await;
            set_state(&server, &json!({"step": turn})).await;
            if made.is_none() {
                made = Some(key(&server, json!({})).await);
            }
            let key = made.as_deref().unwrap();
            agent.query(&rows(turn as u64, 30));
            agent.send(&server, &[(KEY, key), (MODE, mode)]).await;
            // Once more in the same process, which does not ask the store.
            agent.query(&rows(50 + turn as u64, 30));
            agent.send(&server, &[(KEY, key), (MODE, mode)]).await;
            server.stop().await;
        }
        assert_prefix(wire, &provider.requests());
        // One for each state that was current in a request of the mode.
        assert_eq!(count(wire, &provider.last(), "<dynamic_state>"), 3, "{wire:?}");
    }
}

#[tokio::test]
async fn another_key_of_the_tenant_gets_no_blocks() {
    let provider = Provider::plain().await;
    let server = locked(&provider, &[]).await;
    set_state(&server, &json!({"secret": "of desk"})).await;
    let mine = key(&server, json!({})).await;
    let others = json!({"scopes": ["compress"]});
    let (other, _) = server.create_key(&others).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    for _ in 0..2 {
        agent.send(&server, &[(KEY, &mine)]).await;
        assert_eq!(count(agent.wire, &provider.last(), "of desk"), 1);
        agent.send(&server, &[(KEY, &other)]).await;
        assert_eq!(count(agent.wire, &provider.last(), "of desk"), 0);
        agent.query(&rows(1, 30));
    }
}

/// Makes a key with these defaults, and revokes another.
async fn rotate(server: &TestServer, old: &str, defaults: &Value) -> String {
    let wanted = json!({"scopes": ["compress"], "defaults": defaults});
    let new = server.create_key(&wanted).await.0;
    let id = old.strip_prefix("cx_live_").unwrap().split('_').next().unwrap();
    let path = format!("/keys/{id}");
    let revoked = server.call(BOOTSTRAP_KEY, "DELETE", &path, &Value::Null).await;
    assert!(revoked.status().is_success(), "{}", revoked.status());
    new
}

#[tokio::test]
async fn a_key_that_replaces_another_goes_on_with_its_blocks() {
    for wire in AgentWire::ALL {
        let folder = Folder::new();
        let url = folder.url();
        let provider = Provider::plain().await;
        let flags = ["--database-url", &*url];
        let mut server = locked(&provider, &flags).await;
        remember(&server, "style", "No new dependencies.").await;
        let mut key = key(&server, json!({"memory": true})).await;
        let mut agent = Agent::new(wire);
        for turn in 0..5 {
            set_state(&server, &json!({"step": turn})).await;
            let response = agent.send(&server, &[(KEY, &key)]).await;
            assert_eq!(response.headers().get("x-contexture-skipped"), None, "{wire:?}");
            response.text().await.unwrap();
            agent.query(&rows(turn, 30));
            if turn == 1 {
                // The same in another order, with what is not shown beside it.
                let defaults = json!({"record": "none", "memory": true, "session_id": "desk",
                    "gateway": {"mode": "session"}});
                key = rotate(&server, &key, &defaults).await;
            } else if turn == 2 {
                // Nothing is in the memory of the process.
                server.stop().await;
                server = locked(&provider, &flags).await;
            } else if turn == 3 {
                let defaults = json!({"gateway": {"mode": "session"}, "session_id": "desk",
                    "memory": true});
                key = rotate(&server, &key, &defaults).await;
            }
        }
        assert_prefix(wire, &provider.requests());
        assert_eq!(count(wire, &provider.last(), "<dynamic_state>"), 5, "{wire:?}");
    }
}

#[tokio::test]
async fn a_key_that_shows_something_else_starts_without_blocks() {
    let provider = Provider::plain().await;
    let server = locked(&provider, &[]).await;
    set_state(&server, &json!({"secret": "of desk"})).await;
    let mine = key(&server, json!({"memory": {"max_tokens": 500}})).await;
    for other in [
        json!({"gateway": {"mode": "compress"}, "session_id": "desk"}),
        json!({"gateway": {"mode": "compress"}, "memory": {"max_tokens": 500}}),
    ] {
        let (other, _) =
            server.create_key(&json!({"scopes": ["compress"], "defaults": other})).await;
        let agent = Agent::new(AgentWire::Anthropic);
        agent.send(&server, &[(KEY, &mine)]).await;
        assert_eq!(count(agent.wire, &provider.last(), "of desk"), 1);
        agent.send(&server, &[(KEY, &other)]).await;
        assert_eq!(count(agent.wire, &provider.last(), "of desk"), 0);
    }
}

#[tokio::test]
async fn no_signed_thinking_is_refused_while_state_changes_and_points_pass() {
    let provider = Provider::plain().await;
    let server = locked(&provider, &[]).await;
    let key = key(&server, json!({"memory": true})).await;
    let mut model = BindingProvider::default();
    let mut total = ThinkingCount::default();
    let mut messages = vec![json!({"role": "user", "content": "Read the logs."})];
    let mut points = 0;
    for turn in 0..24 {
        set_state(&server, &json!({"step": turn})).await;
        if turn % 5 == 0 {
            remember(&server, &format!("note-{turn}"), &format!("Log {turn} is long.")).await;
        }
        let body = json!({"model": "claude-opus-5-5", "max_tokens": 1000, "system": "Be brief.",
            "messages": messages});
        let request = server.build_json("POST", "/v1/messages").body(body.to_string());
        let request = request.header(KEY, &key).header("contexture-deadline-ms", "60000");
        let response = request.header("x-contexture-budget", "6000").send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers().get("x-contexture-skipped"), None, "{turn}");
        let payload = provider.last().json();
        let found = model.check(&payload);
        total.valid += found.valid;
        total.refused += found.refused;
        let shown = payload.to_string().matches("<dynamic_state>").count();
        points += usize::from(shown < turn && turn > 0 && points == 0);
        let call = format!("call_{turn}");
        messages.push(model.answer(&payload, &call));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": call, "content": prose(turn as u64, 40)}]}));
    }
    assert_eq!(total.refused, 0, "{total:?}");
    assert!(total.valid > 25 && points == 1, "{total:?} {points}");
}

#[tokio::test]
async fn at_a_compaction_point_only_the_newest_blocks_stay() {
    for wire in AgentWire::ALL {
        let provider = Provider::plain().await;
        let server = locked(&provider, &[]).await;
        let key = key(&server, json!({})).await;
        let mut agent = Agent::new(wire);
        let mut fewest = Vec::new();
        for turn in 0..16 {
            set_state(&server, &json!({"step": turn})).await;
            agent.query(&prose(turn, 40));
            let headers = [(KEY, &*key), ("x-contexture-budget", "6000")];
            let response = agent.send(&server, &headers).await;
            assert_eq!(response.headers().get("x-contexture-skipped"), None, "{wire:?} {turn}");
            fewest.push(count(wire, &provider.last(), "<dynamic_state>"));
            // The newest is always there.
            assert_eq!(count(wire, &provider.last(), &format!("<step>{turn}</step>")), 1);
        }
        // One more with each turn, and two after a point: the newest before it, and this one's.
        let drops = fewest.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        assert!((1..=5).contains(&drops), "{wire:?}: {fewest:?}");
        let after = fewest.windows(2).filter(|pair| pair[1] < pair[0]);
        assert!(after.clone().all(|pair| pair[1] == 2), "{wire:?}: {fewest:?}");
    }
}

#[tokio::test]
async fn blocks_of_state_alone_do_not_outgrow_the_budget() {
    let provider = Provider::plain().await;
    let server = locked(&provider, &[]).await;
    let key = key(&server, json!({})).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    let mut most = 0;
    for turn in 0..12 {
        set_state(&server, &json!({"step": turn, "plan": prose(turn, 40)})).await;
        agent.query("short");
        let headers = [(KEY, &*key), ("x-contexture-budget", "4000")];
        let response = agent.send(&server, &headers).await;
        assert_eq!(response.headers().get("x-contexture-skipped"), None, "{turn}");
        most = most.max(count(agent.wire, &provider.last(), "<dynamic_state>"));
    }
    assert!((3..10).contains(&most), "{most}");
}

#[tokio::test]
async fn the_text_of_hooks_is_among_the_blocks() {
    let found = answers(&json!({"content": "Ticket 4711 is open."})).await;
    let provider = Provider::plain().await;
    let server = locked(&provider, &["--dev"]).await;
    let own = hook("search", ("before_compile", "provide"), &found, &patient());
    server.call_ok(BOOTSTRAP_KEY, "POST", "/hooks", &own).await;
    set_state(&server, &json!({"step": 1})).await;
    let key = key(&server, json!({})).await;
    let mut agent = Agent::new(AgentWire::Chat);
    for turn in 0..3 {
        agent.query(&rows(turn, 30));
        agent.send(&server, &[(KEY, &key)]).await;
        assert_eq!(count(agent.wire, &provider.last(), "Ticket 4711 is open."), 1, "{turn}");
    }
    assert_prefix(agent.wire, &provider.requests());
    let input = found.inputs().pop().unwrap();
    assert_eq!(input["dynamic_state"], json!({"step": 1}));
    // It sees the list with the forms and the blocks that are sent.
    assert!(input["history"].to_string().contains("Ticket 4711"), "{input}");
}

#[tokio::test]
async fn a_hook_that_fails_leaves_the_request_without_blocks() {
    let broken = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    let provider = Provider::plain().await;
    let server = locked(&provider, &["--dev"]).await;
    let more = json!({"on_failure": "fail"});
    let own = hook("search", ("before_compile", "provide"), &broken, &more);
    server.call_ok(BOOTSTRAP_KEY, "POST", "/hooks", &own).await;
    set_state(&server, &json!({"step": 1})).await;
    let key = key(&server, json!({})).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    for turn in 0..2 {
        agent.query(&rows(turn, 30));
        let response = agent.send(&server, &[(KEY, &key)]).await;
        assert_eq!(response.headers()["x-contexture-skipped"], "session");
        // Results take their forms all the same.
        assert!(response.headers().contains_key("x-contexture-saved-tokens"));
        assert_eq!(count(agent.wire, &provider.last(), "<dynamic_state>"), 0);
    }
    assert_prefix(agent.wire, &provider.requests());
}

#[tokio::test]
async fn a_pack_among_the_defaults_puts_nothing_into_a_request() {
    let provider = Provider::plain().await;
    let server = locked(&provider, &[]).await;
    let body = json!({"id": "desk", "defaults": {"dynamic_state": {"step": 1}}});
    json_of(server.call(BOOTSTRAP_KEY, "POST", "/sessions", &body).await, 201).await;
    let key = key(&server, json!({"pack": "contexture.builtin@1.0.0"})).await;
    let agent = Agent::after(AgentWire::Chat, 1);
    let response = agent.send(&server, &[(KEY, &key)]).await;
    assert_eq!(response.headers()["x-contexture-skipped"], "session");
    assert_eq!(count(agent.wire, &provider.last(), "<dynamic_state>"), 0);
}

#[tokio::test]
async fn a_summary_request_and_counts_get_no_blocks() {
    let provider = Provider::plain().await;
    let server = locked(&provider, &[]).await;
    set_state(&server, &json!({"step": 1})).await;
    let key = key(&server, json!({})).await;
    let mut agent = Agent::after(AgentWire::Anthropic, 1);
    let ask = "Your task is to create a detailed summary of the conversation so far.";
    agent.messages.push(json!({"role": "assistant", "content": "Done."}));
    agent.messages.push(agent.wire.words(ask));
    agent.send(&server, &[(KEY, &key)]).await;
    assert_eq!(provider.last().body, agent.body());
    let count = server.build_json("POST", "/v1/messages/count_tokens").body(agent.body());
    count.header(KEY, &key).send().await.unwrap();
    assert_eq!(provider.last().body, agent.body());
}

#[tokio::test]
async fn without_the_store_there_are_no_new_blocks_and_none_come_later() {
    let store = Store::new();
    let provider = Provider::plain().await;
    let server = locked(&provider, &["--database-url", &store.url]).await;
    set_state(&server, &json!({"step": 1})).await;
    let key = key(&server, json!({})).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    agent.send(&server, &[(KEY, &key)]).await;
    assert_eq!(count(agent.wire, &provider.last(), "<dynamic_state>"), 1);
    set_state(&server, &json!({"step": 2})).await;
    store.take_away();
    agent.query(&rows(1, 30));
    let response = agent.send(&server, &[(KEY, &key)]).await;
    assert_eq!(response.headers()["x-contexture-skipped"], "store");
    assert_eq!(count(agent.wire, &provider.last(), "<dynamic_state>"), 1);
    store.give_back();
    agent.query(&rows(2, 30));
    agent.send(&server, &[(KEY, &key)]).await;
    server.stop().await;
    let server = locked(&provider, &["--database-url", &store.url]).await;
    agent.query(&rows(3, 30));
    agent.send(&server, &[(KEY, &key)]).await;
    assert_prefix(agent.wire, &provider.requests());
    assert_eq!(count(agent.wire, &provider.last(), "<step>2</step>"), 1);
}

#[tokio::test]
async fn the_event_and_the_record_have_the_tokens_of_the_blocks() {
    let provider = Provider::plain().await;
    let server = locked(&provider, &[]).await;
    set_state(&server, &json!({"step": 1})).await;
    let key = key(&server, json!({})).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    let mut ids = Vec::new();
    for turn in 0..2 {
        agent.query(&rows(turn, 30));
        let response = agent.send(&server, &[(KEY, &key)]).await;
        let added = response.headers()["x-contexture-added-tokens"].to_str().unwrap().to_owned();
        let id = response.headers()["x-contexture-id"].to_str().unwrap().to_owned();
        ids.push((id, added.parse::<u64>().unwrap()));
        response.text().await.unwrap();
    }
    assert_eq!(ids[0].1, ids[1].1);
    let path = "/events?format=json&after=0&types=gateway:request";
    let events = until(async || {
        let page = json_of(server.call(BOOTSTRAP_KEY, "GET", path, &json!(null)).await, 200).await;
        let items = page["items"].as_array().unwrap().clone();
        (items.len() == 2).then_some(items)
    })
    .await;
    for ((id, added), event) in ids.iter().zip(&events) {
        assert_eq!(event["data"]["added_tokens"], *added);
        assert_eq!(event["data"]["mode"], "session");
        let path = format!("/compilations/{id}");
        let record = server.call_ok(BOOTSTRAP_KEY, "GET", &path, &json!(null)).await;
        assert_eq!(record["gateway"]["added_tokens"], *added);
    }
    // The second request continues the first: its record begins with the same blocks.
    let hashes = |record: &Value| record["gateway"]["blocks"][1]["hashes"].clone();
    let mut lists = Vec::new();
    for (id, _) in &ids {
        let path = format!("/compilations/{id}");
        lists.push(hashes(&server.call_ok(BOOTSTRAP_KEY, "GET", &path, &json!(null)).await));
    }
    let [one, other] = [0, 1].map(|at| lists[at].as_array().unwrap().clone());
    assert!(one.len() == 3 && other.starts_with(&one), "{one:?} {other:?}");
}

#[tokio::test]
async fn an_inventory_has_the_entries_that_requests_carry() {
    for wire in AgentWire::ALL {
        let provider = Provider::plain().await;
        let server = locked(&provider, &[]).await;
        remember(&server, "style", "No new dependencies.").await;
        let key = key(&server, json!({"memory": true, "record": "full"})).await;
        let headers = [(KEY, &*key), (SESSION, "build 17")];
        let mut agent = Agent::new(wire);
        agent.query(&rows(0, 30));
        agent.send(&server, &headers).await.text().await.unwrap();
        remember(&server, "place", "The hall of the north.").await;
        agent.query(&rows(1, 30));
        let response = agent.send(&server, &headers).await;
        let id = response.headers()["x-contexture-id"].to_str().unwrap().to_owned();
        response.text().await.unwrap();
        let record = until(async || {
            let path = format!("/compilations/{id}");
            let found = server.call(BOOTSTRAP_KEY, "GET", &path, &json!(null)).await;
            if found.status() == 200 { Some(json_of(found, 200).await) } else { None }
        })
        .await;
        assert_eq!(record["gateway"]["memory"], json!(["place", "style"]), "{wire:?}");
        let path = format!("/inventory?session_id={}", record["session_id"].as_str().unwrap());
        let found = until(async || {
            let found = server.call_ok(BOOTSTRAP_KEY, "GET", &path, &json!(null)).await;
            (found["records"] == 2).then_some(found)
        })
        .await;
        let tokens = async |key: &str, value: &str| {
            let line = format!("<entry key=\"{key}\">{value}</entry>\n");
            let body = json!({"text": line, "model": record["model"]});
            server.call_ok(BOOTSTRAP_KEY, "POST", "/tokens", &body).await["tokens"]
                .as_u64()
                .unwrap()
        };
        // The block of the first request stays where it was put, and a newer one follows.
        let style = 2 * tokens("style", "No new dependencies.").await;
        let place = tokens("place", "The hall of the north.").await;
        let row = |name: &str, records: u64, tokens: u64| json!({"name": name, "records": records, "tokens": tokens, "uses": 0, "turns_since_use": null});
        assert_eq!(
            found["memory"],
            json!([row("place", 1, place), row("style", 2, style)]),
            "{wire:?}"
        );
    }
}
