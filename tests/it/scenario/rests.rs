//! Parts of scenarios that need hooks, events, sessions or a model that writes, beside the tests of the
//! same scenarios that need none of these: C15, J05, J22, J23, J28, M19, H13, H45.

use serde_json::{Value, json};

use super::janitor::{six_turns, within};
use super::summarizer::{by, chat, five, server as writing};
use crate::support::TestServer;
use crate::support::compile::{assistant, calling, result, user, words};
use crate::support::receiver::{Mode, Receiver};

async fn dev() -> TestServer {
    TestServer::dev().await
}

async fn listens() -> Receiver {
    Receiver::spawn(Mode::Answer("{}".to_owned())).await
}

fn watch(point: &str, receiver: &Receiver) -> Value {
    json!({"id": "w", "point": point, "kind": "observe", "url": receiver.url(),
        "delivery": "sync"})
}

/// C15: the target of a session, and of one call of it.
#[tokio::test]
async fn a_session_has_a_target_and_a_call_may_have_another() {
    let server = TestServer::spawn().await;
    let session = json!({"id": "s", "defaults": {"target": "anthropic"}});
    assert_eq!(server.post("/sessions", &session).await.status(), 201);
    let system = json!({"role": "system", "content": "Be brief."});
    let mut body = json!({"messages": [system, user("Hello")], "session_id": "s"});
    let usual = server.compile(&body).await;
    assert!(usual.payload["system"].is_array() && usual.payload["messages"].is_array());
    body["target"] = json!("gemini");
    let other = server.compile(&body).await;
    assert!(other.payload["contents"].is_array(), "{}", other.text);
}

/// J05: what is dropped without a summary is told with what stands for it.
#[tokio::test]
async fn what_is_dropped_is_told_with_its_marker() {
    let (server, told) = (dev().await, listens().await);
    let message = |at: usize| {
        let text = words(&format!("m{at}"), 150);
        if at % 2 == 1 { user(&text) } else { assistant(&text) }
    };
    let messages: Vec<Value> = (1..=5).map(message).collect();
    let body = json!({"messages": messages, "target": "neutral", "model": "bytes4",
        "budget": {"context_window": 700}, "hooks": [watch("after_compress", &told)],
        "compression": {"compress_to": 0.4, "keep_recent_turns": 1}});
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.action("dropped"), 4);
    let told = told.inputs();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["truncated_count"], 4);
    assert_eq!(told[0]["compressed_messages"].as_array().expect("messages").len(), 4);
    assert_eq!(told[0]["summary"].as_str(), Some(compiled.said(0).as_str()));
    let events = server.get_json("/events?format=json&after=0").await;
    let rows = events["items"].as_array().expect("events");
    assert_eq!(rows.iter().filter(|row| row["type"] == "compress").count(), 1);
}

/// J22: a model that writes is given names in the place of bytes.
#[tokio::test]
async fn a_model_is_given_names_in_the_place_of_media() {
    let model = Receiver::spawn(Mode::Answer(chat("S"))).await;
    let server = writing(&model, &[]).await;
    let data = "QUJD".repeat(200);
    let mut old = user(&words("m1", 1000));
    old["attachments"] = json!([{"mediaType": "IMAGE/PNG", "data": data, "filename": "photo.png"}]);
    let mut new = user(&words("m3", 1000));
    new["attachments"] = json!([{"mediaType": "image/png", "data": data}]);
    let body = json!({"messages": [old, assistant(&words("m2", 1000)), new], "model": "bytes4",
        "target": "neutral", "budget": {"context_window": 4500},
        "compression": {"compress_to": 0.7, "keep_recent_turns": 1}});
    let compiled = server.compile(&body).await;
    assert_eq!(by(&compiled), "model:writer");
    let given = model.bodies()[0]["messages"].to_string();
    assert!(given.contains("[image: photo.png]") && !given.contains("QUJD"), "{given}");
    assert_eq!(compiled.text.matches(&data).count(), 1);
}

/// J23: a long result is a line to a model that writes, and a short one is itself.
#[tokio::test]
async fn a_model_is_given_a_line_in_the_place_of_a_long_result() {
    for (threshold, is_stub) in [(100, true), (1_000_000, false)] {
        let model = Receiver::spawn(Mode::Answer(chat("S"))).await;
        let server = writing(&model, &[]).await;
        let long = words("x", 1000);
        let messages = [
            user(&words("m1", 500)),
            calling("", &[("a", "fs_read")]),
            result("a", &long),
            assistant(&words("m2", 1000)),
            user(&words("m3", 1000)),
        ];
        let body = json!({"messages": messages, "target": "neutral", "model": "bytes4",
            "budget": {"context_window": 3000}, "compression": {"compress_to": 0.5,
            "keep_recent_turns": 1, "stub_tool_results_over": threshold}});
        assert_eq!(by(&server.compile(&body).await), "model:writer");
        let given = model.bodies()[0]["messages"].to_string();
        let line = "[Tool fs_read returned 4000 chars; omitted before summarization]";
        assert_eq!(given.contains(line), is_stub, "{given}");
        assert_eq!(given.contains(&long), !is_stub);
    }
}

/// J28: two turns are kept behind what the model wrote; what says nothing is no summary.
#[tokio::test]
async fn a_history_is_what_the_model_wrote_and_its_recent_turns() {
    let options = json!({"compress_to": 0.52, "keep_recent_turns": 2});
    let body = within(5500, &six_turns(), &options);
    let plain = TestServer::spawn().await.compile(&body).await;
    for (answer, writer) in [("X", "model:writer"), (" \n ", "extractive")] {
        let model = Receiver::spawn(Mode::Answer(chat(answer))).await;
        let compiled = writing(&model, &[]).await.compile(&body).await;
        assert_eq!(by(&compiled), writer);
        assert_eq!(compiled.roles(), ["system", "user", "user", "assistant"]);
        assert!(compiled.said(2).starts_with("u3 ") && compiled.said(3).starts_with("a3 "));
        match writer {
            "extractive" => assert_eq!(compiled.text, plain.text),
            _ => assert!(compiled.said(1).contains("\n\nX\n\n"), "{}", compiled.said(1)),
        }
    }
}

/// M19: an equal value is told with itself, and what is not there is nobody's news.
#[tokio::test]
async fn an_equal_value_is_told_and_a_removal_of_nothing_is_not() {
    let (server, told) = (dev().await, listens().await);
    assert_eq!(server.post("/hooks", &watch("memory_changed", &told)).await.status(), 201);
    for _ in 0..2 {
        let put = server.build("PUT", "/memory/k").json(&json!({"value": "v"}));
        assert!(put.send().await.unwrap().status().is_success());
    }
    assert_eq!(server.delete("/memory/none").await.status(), 404);
    let told = told.inputs();
    let values: Vec<_> = told.iter().map(|one| (&one["value"], &one["old_value"])).collect();
    assert_eq!(values, [(&json!("v"), &Value::Null), (&json!("v"), &json!("v"))]);
    let events = server.get_json("/events?format=json&after=0").await;
    let counts: Vec<&Value> = events["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["data"]["update_count"])
        .collect();
    assert_eq!(counts, [&json!(1), &json!(2)]);
}

/// H45: delegations that are reported at once are told one by one.
#[tokio::test]
async fn delegations_at_once_are_each_told_to_who_watches() {
    let (server, told) = (dev().await, listens().await);
    assert_eq!(server.post("/sessions", &json!({"id": "s"})).await.status(), 201);
    assert_eq!(server.post("/hooks", &watch("delegation", &told)).await.status(), 201);
    let report = async |agent: &str| {
        let body = json!({"task": "t", "result": "r", "agent_name": agent, "path": "parallel"});
        server.post("/sessions/s/delegations", &body).await.status().as_u16()
    };
    let (a, b, c) = tokio::join!(report("a"), report("b"), report("c"));
    assert_eq!((a, b, c), (201, 201, 201));
    let mut agents: Vec<String> = told
        .inputs()
        .iter()
        .map(|one| one["agent_name"].as_str().expect("a name").to_owned())
        .collect();
    agents.sort_unstable();
    assert_eq!(agents, ["a", "b", "c"]);
}

/// H13: a model is given the history that a hook made, where it is still too long.
#[tokio::test]
async fn a_model_is_given_what_a_hook_made_of_the_history() {
    let model = Receiver::spawn(Mode::Answer(chat("S"))).await;
    let server = writing(&model, &[]).await;
    let patch = json!({"action": "json_patch", "patch": [
        {"op": "replace", "path": "/history/0/parts/0/text", "value": "The first of all."}]});
    let shorter = Receiver::spawn(Mode::Answer(patch.to_string())).await;
    let mut body = five();
    body["hooks"] = json!([{"id": "t", "point": "before_compress", "kind": "transform",
        "url": shorter.url()}]);
    assert_eq!(by(&server.compile(&body).await), "model:writer");
    let given = model.bodies()[0]["messages"].to_string();
    assert!(given.contains("The first of all.") && !given.contains("m1 "), "{given}");
}
