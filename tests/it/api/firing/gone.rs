//! A receiver that answers 410 is not called again.

use serde_json::{Value, json};

use super::memory::register;
use super::{compiled, hook, outcomes, server, user};
use crate::support::TestServer;
use crate::support::receiver::{Mode, Receiver};

async fn gone() -> Receiver {
    Receiver::spawn(Mode::Status(410, String::new(), String::new())).await
}

async fn shown(server: &TestServer, id: &str) -> Value {
    server.get(&format!("/hooks/{id}")).await.json().await.unwrap()
}

#[tokio::test]
async fn a_hook_that_is_gone_is_disabled_by_whoever_asked_it() {
    let server = server().await;
    let receiver = gone().await;
    let skip = json!({"on_failure": "skip"});
    register(&server, &hook("rag", ("before_compile", "provide"), &receiver, &skip)).await;
    register(&server, &hook("fails", ("transform_context", "transform"), &receiver, &json!({})))
        .await;
    register(&server, &hook("guard", ("tool_call", "guard"), &receiver, &json!({}))).await;
    register(&server, &hook("write", ("memory_update", "guard"), &receiver, &json!({}))).await;
    let sync = json!({"delivery": "sync"});
    register(&server, &hook("heard", ("session_switch", "observe"), &receiver, &sync)).await;
    let body = json!({"messages": [user("Hello")]});
    crate::support::problem(server.post("/compile", &body).await, 502, "hook_failed").await;
    let done = compiled(&server, &body).await;
    assert_eq!(outcomes(&done), [] as [&str; 0]);
    let call = json!({"id": "c1", "type": "function", "function": {"name": "create_memory",
        "arguments": "{\"key\":\"k\",\"value\":\"v\"}"}});
    for wanted in ["deny", "deny", "allow"] {
        let answer: Value =
            server.post("/tools/calls", &json!({"calls": [call]})).await.json().await.unwrap();
        assert_eq!(answer["results"][0]["decision"], wanted, "{answer}");
    }
    assert_eq!(server.post("/sessions", &json!({"id": "s"})).await.status(), 201);
    for id in ["rag", "fails", "guard", "write", "heard"] {
        let hook = shown(&server, id).await;
        assert_eq!((&hook["enabled"], &hook["disabled_because"]), (&json!(false), &json!("gone")));
    }
    assert_eq!(receiver.requests().len(), 5);
    let page: Value = server.get("/events?format=json&after=0").await.json().await.unwrap();
    let rows = page["items"].as_array().unwrap().iter();
    let told = rows.filter(|row| row["type"] == "hook:disabled");
    let told: Vec<&str> = told.map(|row| row["data"]["hook"].as_str().unwrap()).collect();
    assert_eq!(told, ["rag", "fails", "guard", "write", "heard"]);
}
