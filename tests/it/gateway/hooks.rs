//! Hooks about requests through the gateway: guards that deny, observers, and those that fail.

use serde_json::{Value, json};

use super::agent::{Agent, AgentWire, rows};
use super::front;
use crate::support::provider::Provider;
use crate::support::receiver::{Mode, Receiver, answers, hook};
use crate::support::wait::until;
use crate::support::{Folder, TestServer, json_of};

const GUARD: (&str, &str) = ("transform_context", "guard");
const OBSERVE: (&str, &str) = ("transform_context", "observe");

async fn guarded(hooks: &[Value]) -> (Provider, TestServer) {
    let provider = Provider::plain().await;
    let server = front(&provider, &AgentWire::UPSTREAMS, &["--dev"]).await;
    for hook in hooks {
        server.register(hook).await;
    }
    (provider, server)
}

async fn events_of(server: &TestServer, kind: &str) -> Vec<Value> {
    until(async || {
        let events = server.events().await.into_iter();
        let found: Vec<Value> = events.filter(|event| event["type"] == kind).collect();
        (!found.is_empty()).then_some(found)
    })
    .await
}

#[tokio::test]
async fn a_denied_request_is_a_403_in_the_format_of_the_provider() {
    let deny = answers(&json!({"decision": "deny", "reason": "no customers", "code": "pii"})).await;
    let seen = answers(&json!(null)).await;
    let (provider, server) = guarded(&[
        hook("g", GUARD, &deny, &json!({})),
        hook("o", OBSERVE, &seen, &json!({"delivery": "sync"})),
    ])
    .await;
    for wire in AgentWire::ALL {
        let mut agent = Agent::new(wire);
        agent.query(&rows(1, 40));
        let response = agent.post(&server, &[]).await;
        let id = response.headers()["x-contexture-id"].to_str().unwrap().to_owned();
        let body = json_of(response, 403).await;
        let error = &body["error"];
        let wanted = match wire {
            AgentWire::Anthropic => {
                json!([body["type"], error["type"]]) == json!(["error", "permission_error"])
            }
            AgentWire::Chat | AgentWire::Responses => {
                json!([error["type"], error["code"]]) == json!(["permission_error", "hook_denied"])
            }
            AgentWire::Gemini => {
                json!([error["code"], error["status"]]) == json!([403, "PERMISSION_DENIED"])
            }
        };
        assert!(wanted, "{wire:?}: {body}");
        assert!(error["message"].as_str().unwrap().contains("no customers"), "{body}");
        let call = deny.bodies().pop().unwrap();
        assert_eq!(call["scope"]["compilation_id"], id.as_str());
        // The guard sees the form, which is what would be sent.
        let shown = call["input"]["messages"].to_string();
        assert!(
            shown.contains("customer 7920") && shown.len() < agent.body().len() * 4 / 5,
            "{shown}"
        );
        let (observed, asked) = (seen.inputs().pop().unwrap(), deny.inputs().pop().unwrap());
        assert_eq!(observed["messages"], asked["messages"], "{wire:?}");
        assert_eq!(observed["decision"], "deny", "{wire:?}");
    }
    assert!(provider.requests().is_empty());
    let denied = events_of(&server, "hook:denied").await;
    assert_eq!(
        denied[0]["data"],
        json!({"hook": "g", "point": "transform_context", "code": "pii"})
    );
    let ended = events_of(&server, "gateway:request").await;
    assert_eq!(
        (&ended[0]["data"]["status"], &ended[0]["data"]["code"]),
        (&json!(403), &json!("hook_denied"))
    );
    assert_eq!(ended[0]["compilation_id"], denied[0]["compilation_id"]);
    let list = server.get_json("/compilations").await;
    assert_eq!(list["items"], json!([]));
}

#[tokio::test]
async fn a_guard_that_allows_and_a_transform_change_no_byte() {
    let allow = answers(&json!({"decision": "allow"})).await;
    let change =
        answers(&json!({"replace": [{"role": "user", "parts": [{"type": "text", "text": "x"}]}]}))
            .await;
    let text = answers(&json!({"content": "a text of a hook"})).await;
    let (provider, server) = guarded(&[
        hook("a", GUARD, &allow, &json!({})),
        hook("t", ("transform_context", "transform"), &change, &json!({})),
        hook("p", ("before_compile", "provide"), &text, &json!({})),
    ])
    .await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    agent.query("{\"n\": 1.50}");
    let response = agent.post(&server, &[]).await;
    assert_eq!(response.status(), 200);
    let id = response.headers()["x-contexture-id"].to_str().unwrap().to_owned();
    response.text().await.unwrap();
    assert_eq!(provider.last().body, agent.body());
    assert_eq!((allow.requests().len(), change.requests().len(), text.requests().len()), (1, 0, 0));
    events_of(&server, "gateway:request").await;
    let record = server.get_json(&format!("/compilations/{id}")).await;
    assert_eq!(
        (&record["hooks"][0]["hook"], &record["hooks"][0]["outcome"]),
        (&json!("a"), &json!("allowed")),
        "{record}"
    );
}

#[tokio::test]
async fn a_hook_that_fails_by_skip_stops_nothing() {
    let broken = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    let open = json!({"on_failure": "skip", "allow_fail_open": true});
    let (provider, server) = guarded(&[hook("g", GUARD, &broken, &open)]).await;
    let agent = Agent::after(AgentWire::Chat, 1);
    let response = agent.post(&server, &[]).await;
    assert_eq!(response.status(), 200);
    let id = response.headers()["x-contexture-id"].to_str().unwrap().to_owned();
    assert_eq!(provider.requests().len(), 1);
    let failed = events_of(&server, "hook:failed").await.remove(0);
    assert_eq!((&failed["data"]["hook"], &failed["compilation_id"]), (&json!("g"), &json!(id)));
}

#[tokio::test]
async fn a_guard_that_fails_otherwise_lets_nothing_through() {
    let broken = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    let (provider, server) = guarded(&[hook("g", GUARD, &broken, &json!({}))]).await;
    let agent = Agent::after(AgentWire::Anthropic, 1);
    let body = json_of(agent.post(&server, &[]).await, 403).await;
    assert_eq!(body["error"]["type"], "permission_error", "{body}");
    assert!(provider.requests().is_empty());
}

#[tokio::test]
async fn observers_from_the_queue_hear_of_a_request_and_of_its_event() {
    let seen = answers(&json!(null)).await;
    let told = answers(&json!(null)).await;
    let (provider, server) = guarded(&[
        hook("o", OBSERVE, &seen, &json!({})),
        hook("e", ("event", "observe"), &told, &json!({"match": {"events": ["gateway:request"]}})),
    ])
    .await;
    let agent = Agent::after(AgentWire::Responses, 1);
    let response = agent.post(&server, &[]).await;
    assert_eq!(response.status(), 200);
    response.text().await.unwrap();
    seen.reached(1).await;
    told.reached(1).await;
    assert_eq!(seen.inputs()[0]["target"], "openai_responses");
    assert_eq!(told.inputs()[0]["type"], "gateway:request", "{:?}", told.inputs());
    assert_eq!(provider.requests().len(), 1);
}

#[tokio::test]
async fn mode_off_is_seen_by_mandatory_hooks_alone() {
    let folder = Folder::new();
    let hooks = json!({"hooks": [{"id": "scan", "point": "transform_context", "kind": "guard",
        "builtin": "secret_scan", "config": {"prefixes": ["tok_"]}}]});
    let file = folder.write("hooks.json", hooks.to_string());
    let provider = Provider::plain().await;
    let server = front(&provider, &["openai"], &["--dev", "--hooks-file", &file]).await;
    let other = answers(&json!({"decision": "deny", "reason": "no"})).await;
    server.register(&hook("g", GUARD, &other, &json!({"mandatory": false}))).await;
    let off = [("x-contexture-mode", "off")];
    let mut agent = Agent::new(AgentWire::Chat);
    let response = agent.post(&server, &off).await;
    assert_eq!(response.status(), 200);
    assert_eq!(provider.last().body, agent.body());
    agent.query("the key is tok_0123456789abcdefghijklmnop");
    let body = json_of(agent.post(&server, &off).await, 403).await;
    assert_eq!(body["error"]["code"], "hook_denied", "{body}");
    assert_eq!((provider.requests().len(), other.requests().len()), (1, 0));
}
