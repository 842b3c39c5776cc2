//! Events and records of requests through the gateway.

use reqwest::Response;
use serde_json::{Value, json};

use super::agent::{Agent, AgentWire, rows};
use super::edits::pair;
use super::front;
use crate::support::provider::{Provider, ProviderReply};
use crate::support::wait::until;
use crate::support::{Folder, ServerProcess, TestServer, json_of};

fn id_of(response: &Response) -> String {
    response.headers()["x-contexture-id"].to_str().unwrap().to_owned()
}

/// The record of a request, once it is there.
async fn record(server: &TestServer, id: &str) -> Value {
    let path = format!("/compilations/{id}");
    until(async || {
        let response = server.get(&path).await;
        (response.status() == 200).then_some(())
    })
    .await;
    server.get_json(&path).await
}

/// The events of requests through the gateway, once there are so many.
async fn events(server: &TestServer, count: usize) -> Vec<Value> {
    until(async || {
        let events = server.events().await.into_iter();
        let found: Vec<Value> = events.filter(|event| event["type"] == "gateway:request").collect();
        (found.len() >= count).then_some(found)
    })
    .await
}

#[tokio::test]
async fn a_request_has_an_event_and_a_record_under_its_id() {
    let usage = json!({"usage": {"input_tokens": 100, "cache_creation_input_tokens": 2000,
        "cache_read_input_tokens": 10_000, "output_tokens": 50}});
    let provider = Provider::spawn(move |_| ProviderReply::json(200, &usage)).await;
    let server = front(&provider, &["anthropic"], &[]).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    agent.query(&rows(1, 40));
    let response = agent.send(&server, &[]).await;
    let id = id_of(&response);
    let saved = response.headers()["x-contexture-saved-tokens"].to_str().unwrap().to_owned();
    let saved: u64 = saved.parse().unwrap();
    response.text().await.unwrap();

    let event = events(&server, 1).await.remove(0);
    assert_eq!(event["compilation_id"], id.as_str());
    let data = &event["data"];
    for (key, wanted) in [
        ("wire", json!("anthropic")),
        ("endpoint", json!("messages")),
        ("upstream", json!("anthropic")),
        ("model", json!("claude-sonnet-4-5")),
        ("mode", json!("compress")),
        ("skipped", json!(null)),
        ("compacted", json!(false)),
        ("saved_tokens", json!(saved)),
        ("unique_saved_tokens", json!(saved)),
        ("tokens", json!({"uncached": 100, "read": 10_000, "written": 2000, "output": 50})),
        ("status", json!(200)),
        ("code", json!(null)),
    ] {
        assert_eq!(data[key], wanted, "{key}: {data}");
    }

    let record = record(&server, &id).await;
    assert_eq!(record["target"], "anthropic");
    assert_eq!(record["record"], "hashes");
    assert_eq!(record["report"], json!(null));
    assert_eq!(record["payload_hash"], data["payload_hash"]);
    assert_eq!(
        (&record["tokens_after"], &record["tokens_before"]),
        (&json!(12_100), &json!(12_100 + saved))
    );
    assert_eq!(record["reported_cost"], data["cost"]);
    assert!(data["cost"]["payload_micros"].as_u64().unwrap() > 0);
    let gateway = &record["gateway"];
    assert_eq!(
        gateway["edits"],
        json!([{"message": 2, "saved_tokens": saved, "rule": "on_arrival"}])
    );
    let blocks: Vec<(&str, usize)> = gateway["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| (own["member"].as_str().unwrap(), own["hashes"].as_array().unwrap().len()))
        .collect();
    assert_eq!(blocks, [("system", 1), ("messages", 3)]);
    let text = record.to_string();
    assert!(!text.contains("customer") && !text.contains("Be brief"), "{text}");

    let list = server.get_json("/compilations?target=anthropic").await;
    assert_eq!(list["items"][0]["id"], id.as_str());
    let explained = server.get_json(&format!("/compilations/{id}?explain=full")).await;
    assert_eq!(
        (&explained["gateway"], &explained["decisions"]),
        (&record["gateway"], &Value::Null)
    );
    let replay = server.post(&format!("/compilations/{id}/replay"), &json!({})).await;
    let refused: Value = json_of(replay, 409).await;
    assert!(refused["detail"].as_str().unwrap().contains("gateway"), "{refused}");
}

#[tokio::test]
async fn what_is_not_read_or_not_answered_has_an_event() {
    let provider = Provider::spawn(|request| {
        let status = if request.header("x-test").is_some() { 429 } else { 200 };
        ProviderReply::json(status, &json!({}))
    })
    .await;
    let server = front(&provider, &["openai"], &[]).await;
    let send = async |body: &'static str, headers: &[(&str, &str)]| {
        let request = server.build_json("POST", "/v1/chat/completions").body(body);
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.send().await.unwrap();
    };
    send("no JSON", &[]).await;
    send("{\"messages\":[]}", &[("x-test", "1")]).await;
    send("{\"messages\":[]}", &[("x-contexture-mode", "off")]).await;
    server.get("/v1/models").await;
    let events = events(&server, 3).await;
    let row = |event: &Value| {
        let data = &event["data"];
        json!([data["status"], data["mode"], data["skipped"], data["payload_hash"].is_string()])
    };
    assert_eq!(
        events.iter().map(row).collect::<Vec<_>>(),
        [
            json!([200, "compress", "unreadable", false]),
            json!([429, "compress", null, true]),
            json!([200, "off", null, false]),
        ]
    );
    let list = server.get_json("/compilations").await;
    let ids: Vec<&Value> = list["items"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, [&events[1]["compilation_id"]]);
}

#[tokio::test]
async fn an_upstream_that_is_dead_is_told() {
    let provider = Provider::plain().await;
    let flag = provider.flag("openai");
    drop(provider);
    let server = TestServer::with(&[&flag]).await;
    let response = server.post("/v1/chat/completions", &json!({"messages": []})).await;
    assert_eq!(response.status(), 502);
    let event = events(&server, 1).await.remove(0);
    assert_eq!(
        (&event["data"]["status"], &event["data"]["code"]),
        (&json!(502), &json!("upstream_failed"))
    );
}

#[tokio::test]
async fn a_key_with_full_records_keeps_what_came_and_what_was_sent() {
    let provider = Provider::plain().await;
    let flag = provider.flag("openai");
    let server = TestServer::locked(&[&flag]).await;
    let wanted = json!({"scopes": ["compress", "compile"], "defaults": {"record": "full"}});
    let (key, _) = server.create_key(&wanted).await;
    let mut agent = Agent::new(AgentWire::Chat);
    agent.query(&rows(1, 40));
    let response = agent.send(&server, &[("x-contexture-key", &key)]).await;
    let path = format!("/compilations/{}", id_of(&response));
    response.text().await.unwrap();
    let record = until(async || {
        let response = server.call(&key, "GET", &path, &Value::Null).await;
        let is_there = response.status() == 200;
        let record: Value = response.json().await.unwrap();
        is_there.then_some(record)
    })
    .await;
    assert_eq!(record["record"], "full");
    let came: Value = serde_json::from_str(&agent.body()).unwrap();
    assert_eq!(record["request"], came);
    assert_eq!(record["payload"], provider.last().json());
    let explained = format!("{path}?explain=full");
    let explained = server.call_ok(&key, "GET", &explained, &Value::Null).await;
    let decision = &explained["decisions"][0];
    assert_eq!((&decision["index"], &decision["rule"]), (&json!(2), &json!("on_arrival")));
    let of = |key: &str| decision[key].as_u64().unwrap();
    assert!(of("tokens_after") < of("tokens_before"), "{decision}");
    let of_none = json!({"scopes": ["compress"], "defaults": {"record": "none"}});
    let (none, _) = server.create_key(&of_none).await;
    let response = agent.send(&server, &[("x-contexture-key", &none)]).await;
    response.text().await.unwrap();
    until(async || {
        let page = server
            .call_ok(&key_of_admin(), "GET", "/events?format=json&after=0", &Value::Null)
            .await;
        let items = page["items"].as_array().unwrap().clone();
        (items.iter().filter(|event| event["type"] == "gateway:request").count() == 2).then_some(())
    })
    .await;
    let list = server.call_ok(&key, "GET", "/compilations", &Value::Null).await;
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
}

fn key_of_admin() -> String {
    crate::support::BOOTSTRAP_KEY.to_owned()
}

#[tokio::test]
async fn two_records_tell_where_one_leaves_the_other() {
    let (_provider, server) = pair(&[]).await;
    let folder = Folder::new();
    let mut agent = Agent::new(AgentWire::Anthropic);
    let mut files = Vec::new();
    for (turn, system) in ["Be brief.", "Be brief.", "Be long."].into_iter().enumerate() {
        agent.query(&rows(turn as u64, 30));
        agent.system = system.to_owned();
        let response = agent.send(&server, &[]).await;
        let id = id_of(&response);
        response.text().await.unwrap();
        let record = record(&server, &id).await;
        files.push(folder.write(&format!("{turn}.json"), record.to_string()));
    }
    let why = |a: &str, b: &str| {
        let output = ServerProcess::command().args(["why", a, b]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(why(&files[0], &files[1]).starts_with("The second goes on from the first"));
    let changed = why(&files[1], &files[2]);
    assert!(changed.starts_with("/system/0 system_changed"), "{changed}");
    let compared = server
        .post_json(
            "/compilations/diff",
            200,
            &json!({
                "a": id_in(&files[1]), "b": id_in(&files[2])
            }),
        )
        .await;
    let line = &compared["stages"][0];
    assert_eq!(line["stage"], "ingest", "{compared}");
    let changed = line["changed_inputs"].as_array().unwrap();
    assert!(changed.contains(&json!("request.system")), "{compared}");
}

fn id_in(file: &str) -> Value {
    let text = std::fs::read_to_string(file).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["id"].clone()
}
