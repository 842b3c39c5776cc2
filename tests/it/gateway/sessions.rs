//! Sessions of the gateway: groups of requests for records, events and usage.

use std::collections::BTreeMap;

use reqwest::Response;
use serde_json::{Value, json};

use super::agent::{Agent, AgentWire};
use super::front;
use crate::support::provider::{Provider, ProviderReply};
use crate::support::wait::until;
use crate::support::{BOOTSTRAP_KEY, TestServer, json_of};

const UUID: &str = "2c9e4f6a-1b3d-4e5f-8a7b-9c0d1e2f3a4b";
const OWN: &str = "x-contexture-session";

fn session_of(response: &Response) -> Option<String> {
    let session = response.headers().get(OWN)?;
    Some(session.to_str().unwrap().to_owned())
}

/// A provider that reports usage, and a server in front of it.
async fn counted(flags: &[&str]) -> (Provider, TestServer) {
    let usage = json!({"usage": {"input_tokens": 100, "output_tokens": 5}});
    let provider = Provider::spawn(move |_| ProviderReply::json(200, &usage)).await;
    let server = front(&provider, &AgentWire::UPSTREAMS, flags).await;
    (provider, server)
}

/// Sends a body to a path, and returns the session of the response.
async fn send(server: &TestServer, path: &str, body: &Value) -> Option<String> {
    let response = server.post(path, body).await;
    assert_eq!(response.status(), 200, "{path}");
    let session = session_of(&response);
    response.text().await.unwrap();
    session
}

#[tokio::test]
async fn records_events_and_usage_are_found_by_the_session_of_a_header() {
    let (provider, server) = counted(&[]).await;
    let agent = Agent::after(AgentWire::Anthropic, 1);
    let mut sessions = Vec::new();
    for name in ["build 17", "build 17", "build 18"] {
        let response = agent.send(&server, &[(OWN, name)]).await;
        sessions.push(session_of(&response).unwrap());
        response.text().await.unwrap();
    }
    assert!(provider.requests().iter().all(|request| request.header(OWN).is_none()));
    assert_eq!(sessions[0], sessions[1]);
    assert_ne!(sessions[0], sessions[2]);
    assert!(sessions[0].starts_with("gws_") && !sessions[0].contains("build"));
    let mine = &sessions[0];

    let events = until(async || {
        let page = server.get_json("/events?format=json&after=0&types=gateway:request").await;
        let items = page["items"].as_array().unwrap().clone();
        (items.len() == 3).then_some(items)
    })
    .await;
    let of_events: Vec<&str> =
        events.iter().map(|event| event["session_id"].as_str().unwrap()).collect();
    assert_eq!(of_events, sessions);
    let page = server.get_json(&format!("/events?format=json&after=0&session_id={mine}")).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 2);

    let list = server.get_json(&format!("/compilations?session_id={mine}")).await;
    let records = list["items"].as_array().unwrap();
    assert_eq!(records.len(), 2, "{list}");
    let id = records[0]["id"].as_str().unwrap();
    let record = server.get_json(&format!("/compilations/{id}")).await;
    assert_eq!(record["session_id"], mine.as_str());

    let usage = server.get_json(&format!("/usage?session_id={mine}")).await;
    let rows = usage["items"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{usage}");
    assert_eq!((&rows[0]["session_id"], &rows[0]["requests"]), (&json!(mine), &json!(2)));
    assert_eq!(rows[0]["tokens_after"], 200);
    let all = server.get_json("/usage?by=session").await;
    assert_eq!(all["items"].as_array().unwrap().len(), 2);
}

/// The inventory of a session of the gateway, once it has a record.
async fn inventory(server: &TestServer, key: &str, session: &str) -> Value {
    let path = format!("/inventory?session_id={session}");
    until(async || {
        let found = server.call_ok(key, "GET", &path, &Value::Null).await;
        (found["records"] != 0).then_some(found)
    })
    .await
}

#[tokio::test]
async fn an_inventory_has_the_tools_of_requests_through_the_gateway() {
    let provider = Provider::plain().await;
    let flags = AgentWire::UPSTREAMS.map(|name| provider.flag(name));
    let server = TestServer::locked(&flags.each_ref().map(String::as_str)).await;
    let wanted =
        json!({"scopes": ["compress", "compile", "sessions:read"], "defaults": {"record": "full"}});
    let (key, _) = server.create_key(&wanted).await;
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let anthropic = json!({"model": "claude-sonnet-4-5", "max_tokens": 100, "temperature": 0.2, "stream": false,
        "tools": [{"name": "ls", "description": "Lists.", "input_schema": schema},
            {"name": "read", "description": "Reads.", "input_schema": schema}],
        "messages": [{"role": "user", "content": "Look."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "read", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a"}]}]});
    // Arguments that are no JSON: the provider decides about them.
    let chat = json!({"model": "gpt-4o", "max_completion_tokens": 100,
        "tools": [{"type": "function", "function": {"name": "ls", "parameters": schema}},
            {"type": "function", "function": {"name": "read", "parameters": schema}}],
        "messages": [{"role": "user", "content": "Look."},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "t1", "type": "function",
                "function": {"name": "read", "arguments": "{\"path\": "}}]},
            {"role": "tool", "tool_call_id": "t1", "content": "a"}]});
    for (path, body) in [("/v1/messages", anthropic), ("/v1/chat/completions", chat)] {
        let request = server.build_json("POST", path).header("x-contexture-key", &key);
        let response = request.header(OWN, "build 17").json(&body).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let session = session_of(&response).unwrap();
        response.text().await.unwrap();
        let found = inventory(&server, &key, &session).await;
        let tools: Vec<_> = found["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| (tool["name"].as_str().unwrap(), tool["calls"].as_u64().unwrap()))
            .collect();
        assert_eq!(tools, [("ls", 0), ("read", 1)], "{path}: {found}");
        assert!(found["tools"][0]["tokens"].as_u64().unwrap() > 0, "{found}");
        assert_eq!((&found["records"], found["compilation_id"].is_string()), (&json!(1), true));
    }
    // It has no records, which says that it is not one of this caller's.
    let none = server.call_ok(&key, "GET", "/inventory?session_id=gws_none", &Value::Null).await;
    assert_eq!((&none["records"], &none["tools"]), (&json!(0), &json!([])));
}

#[tokio::test]
async fn a_session_is_named_by_what_each_wire_says_of_it() {
    let (provider, server) = counted(&[]).await;
    let agent = Agent::new(AgentWire::Anthropic);
    let header = agent.send(&server, &[("x-claude-code-session-id", UUID)]).await;
    let header = session_of(&header);
    assert!(header.is_some());
    // The header is Claude Code's own, and goes on to its provider.
    assert_eq!(provider.last().header("x-claude-code-session-id"), Some(UUID));
    let of_user = async |user: &str| {
        let body = json!({"model": "claude-sonnet-4-5", "metadata": {"user_id": user},
            "messages": [{"role": "user", "content": "a"}]});
        send(&server, "/v1/messages", &body).await
    };
    let device = "ab12".repeat(16);
    assert_eq!(of_user(&format!("user_{device}_account__session_{UUID}")).await, header);
    assert_eq!(of_user("customer-17").await, None);
    assert_eq!(of_user(UUID).await, None);

    let keyed = async |path: &str, list: &str, first: &str, key: Value| {
        let body = json!({"model": "gpt-5", list: [{"role": "user", "content": first},
            {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}],
            "prompt_cache_key": key});
        send(&server, path, &body).await
    };
    for (path, list) in [("/v1/chat/completions", "messages"), ("/v1/responses", "input")] {
        let one = keyed(path, list, "a", json!("k")).await;
        assert!(one.is_some(), "{path}");
        assert_eq!(keyed(path, list, "a", json!("k")).await, one, "{path}");
        let others = [
            keyed(path, list, "z", json!("k")).await,
            keyed(path, list, "a", json!("l")).await,
            keyed(path, list, "a", json!(null)).await,
        ];
        assert!(others.iter().all(|other| *other != one), "{path}: {others:?}");
        assert_eq!(others[2], None, "{path}");
    }
}

#[tokio::test]
async fn a_session_comes_from_headers_also_if_the_body_is_not_read() {
    let (_provider, server) = counted(&[]).await;
    let agent = Agent::new(AgentWire::Chat);
    let mut sessions = Vec::new();
    for headers in [
        vec![(OWN, "a")],
        vec![(OWN, "a"), ("x-contexture-mode", "off")],
        vec![(OWN, "a"), ("x-claude-code-session-id", UUID)],
        vec![(OWN, "a"), ("authorization", "AWS4-HMAC-SHA256 x")],
    ] {
        sessions.push(session_of(&agent.send(&server, &headers).await));
    }
    assert!(sessions[0].is_some());
    assert!(sessions.iter().all(|session| *session == sessions[0]), "{sessions:?}");
}

#[tokio::test]
async fn no_caller_and_no_upstream_shares_a_session_with_another() {
    let provider = Provider::plain().await;
    let (near, far) = (provider.flag("near"), provider.flag("far"));
    let server = TestServer::locked(&[&near, &far]).await;
    let mut sessions = BTreeMap::new();
    for tenant in ["one", "two"] {
        let wanted = json!({"tenant": tenant, "scopes": ["compress"]});
        let (key, _) = server.create_key(&wanted).await;
        for upstream in ["near", "far"] {
            let path = format!("/u/{upstream}/v1/chat/completions");
            let request = server.build_json("POST", &path).body("{\"messages\":[]}");
            let request = request.header("x-contexture-key", &key).header(OWN, "same");
            let session = session_of(&request.send().await.unwrap()).unwrap();
            sessions.insert(session, (tenant, upstream));
        }
    }
    assert_eq!(sessions.len(), 4, "{sessions:?}");
    // A session of the API cannot have the name of one of the gateway.
    let named = sessions.first_key_value().unwrap().0;
    let body = json!({"messages": [{"role": "user", "content": "a"}], "session_id": named});
    let refused = server.call(BOOTSTRAP_KEY, "POST", "/compile", &body).await;
    let refused: Value = json_of(refused, 422).await;
    assert!(refused.to_string().contains("sessions of the gateway"), "{refused}");
}
