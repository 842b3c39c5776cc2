//! A receiver that answers 410 is not called again.

use serde_json::{Value, json};

use super::outcomes;
use crate::support::TestServer;
use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, hook};

async fn gone() -> Receiver {
    Receiver::spawn(Mode::Status(410, String::new(), String::new())).await
}

async fn shown(server: &TestServer, id: &str) -> Value {
    server.get_json(&format!("/hooks/{id}")).await
}

#[tokio::test]
async fn a_hook_that_is_gone_is_disabled_by_whoever_asked_it() {
    let server = TestServer::dev().await;
    let receiver = gone().await;
    let skip = json!({"on_failure": "skip"});
    server.register(&hook("rag", ("before_compile", "provide"), &receiver, &skip)).await;
    server
        .register(&hook("fails", ("transform_context", "transform"), &receiver, &json!({})))
        .await;
    server.register(&hook("guard", ("tool_call", "guard"), &receiver, &json!({}))).await;
    server.register(&hook("write", ("memory_update", "guard"), &receiver, &json!({}))).await;
    let sync = json!({"delivery": "sync"});
    server.register(&hook("heard", ("session_switch", "observe"), &receiver, &sync)).await;
    let body = json!({"messages": [user("Hello")]});
    crate::support::problem(server.post("/compile", &body).await, 502, "hook_failed").await;
    let done = server.compile(&body).await;
    assert_eq!(outcomes(&done), [] as [&str; 0]);
    let call = json!({"id": "c1", "type": "function", "function": {"name": "create_memory",
        "arguments": "{\"key\":\"k\",\"value\":\"v\"}"}});
    let decision = async || {
        let answer = server.post_ok("/tools/calls", &json!({"calls": [call]})).await;
        let result = &answer["results"][0];
        (result["decision"].clone(), result.to_string().contains("unavailable"))
    };
    let denied = (json!("deny"), true);
    // A guard that nobody disabled on purpose goes on to deny, without being called.
    for id in ["guard", "write"] {
        for _ in 0..2 {
            assert_eq!(decision().await, denied, "{id}");
        }
        let hook = server.change_hook(id, &json!({"priority": 1})).await;
        assert_eq!(hook["disabled_because"], "gone", "{id}");
        assert_eq!(decision().await, denied, "{id}");
        if id == "guard" {
            let hook = server.change_hook(id, &json!({"enabled": false})).await;
            assert_eq!(hook["disabled_because"], Value::Null);
        } else {
            let gone = server.delete("/hooks/write").await;
            assert_eq!(gone.status(), 204);
        }
    }
    assert_eq!(decision().await.0, "allow");
    assert_eq!(server.post("/sessions", &json!({"id": "s"})).await.status(), 201);
    for id in ["rag", "fails", "heard"] {
        let hook = shown(&server, id).await;
        assert_eq!((&hook["enabled"], &hook["disabled_because"]), (&json!(false), &json!("gone")));
    }
    assert_eq!(receiver.requests().len(), 5);
    let page = server.get_json("/events?format=json&after=0").await;
    let rows = page["items"].as_array().unwrap().iter();
    let told = rows.filter(|row| row["type"] == "hook:disabled");
    let told: Vec<&str> = told.map(|row| row["data"]["hook"].as_str().unwrap()).collect();
    assert_eq!(told, ["rag", "fails", "guard", "write", "heard"]);
}

#[tokio::test]
async fn a_guard_that_is_gone_goes_on_to_deny_compiles_too_until_it_is_enabled_again() {
    let server = TestServer::dev().await;
    let back = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_back = std::sync::Arc::clone(&back);
    let receiver = Receiver::script(move |_| {
        if is_back.load(std::sync::atomic::Ordering::SeqCst) {
            return Mode::Answer(json!({"decision": "allow"}).to_string());
        }
        Mode::Status(410, String::new(), String::new())
    })
    .await;
    let at = ("transform_context", "guard");
    let mandatory = json!({"mandatory": true});
    server.register(&hook("g", at, &receiver, &mandatory)).await;
    let open = json!({"on_failure": "skip", "allow_fail_open": true});
    let other = gone().await;
    server.register(&hook("open", at, &other, &open)).await;
    let body = json!({"messages": [user("Hello")], "record": "full"});
    let off = json!({"messages": [user("Hello")], "hooks": false});
    for body in [&body, &body, &off] {
        let denied = server.post("/compile", body).await;
        let denied = crate::support::problem(denied, 403, "hook_denied").await;
        assert!(denied["detail"].as_str().unwrap().contains("`g`"), "{denied}");
    }
    let dry = server.post("/compile?dry_run=true", &body).await;
    crate::support::problem(dry, 403, "hook_denied").await;
    assert_eq!(receiver.requests().len(), 1);
    back.store(true, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(server.change_hook("g", &json!({"enabled": true})).await["enabled"], true);
    // What may fail open does so as before, and a replay comes to the same.
    for wanted in ["open failed status", "open failed disabled"] {
        let done = server.compile(&body).await;
        assert_eq!(outcomes(&done), ["g allowed", wanted]);
        let path = format!("/compilations/{}/replay", done.id);
        let replayed = server.post_ok(&path, &json!({})).await;
        assert_eq!(replayed["status"], "equal", "{replayed}");
    }
    assert_eq!(receiver.requests().len(), 3);
}
