//! `match.agents`: whose calls a hook is for.

use serde_json::json;

use crate::support::TestServer;
use crate::support::compile::user;
use crate::support::receiver::{answers, hook};

#[tokio::test]
async fn a_hook_is_asked_for_the_agents_that_it_names() {
    let server = TestServer::dev().await;
    let only = json!({"match": {"agents": ["scout"]}});
    let sync = json!({"match": {"agents": ["scout"]}, "delivery": "sync"});
    let receiver = answers(&json!(null)).await;
    let allows = answers(&json!({"decision": "allow"})).await;
    for (id, at, receiver, more) in [
        ("compile", ("before_compile", "provide"), &receiver, &only),
        ("call", ("tool_call", "guard"), &allows, &only),
        ("update", ("memory_update", "guard"), &allows, &only),
        ("changed", ("memory_changed", "observe"), &receiver, &sync),
    ] {
        let made = server.post("/hooks", &hook(id, at, receiver, more)).await;
        assert_eq!(made.status(), 201, "{id}");
    }
    let asked = || {
        let all = receiver.bodies().into_iter().chain(allows.bodies());
        let mut ids: Vec<String> =
            all.map(|call| call["hook"]["id"].as_str().expect("an id").to_owned()).collect();
        ids.sort_unstable();
        ids
    };
    let write = json!({"id": "c1", "type": "function", "function": {"name": "create_memory",
        "arguments": "{\"key\":\"k\",\"value\":\"v\"}"}});
    let scope = |agent: &str| match agent {
        "" => json!({}),
        agent => json!({"agent": agent}),
    };
    // Of another agent, or of none that is known, nobody is asked.
    for agent in ["", "writer", "scout"] {
        assert_eq!(asked(), Vec::<String>::new(), "before {agent}");
        let body = json!({"messages": [user("Hello")], "memory": {"scope": scope(agent)}});
        assert_eq!(server.post("/compile", &body).await.status(), 200);
        let body = json!({"calls": [write], "scope": scope(agent)});
        let answer = server.post_ok("/tools/calls", &body).await;
        assert_eq!(answer["results"][0]["decision"], "allow", "{answer}");
    }
    assert_eq!(asked(), ["call", "changed", "compile", "update"]);
    // An application's own write is of the entry's agent, and a turn of its memory's.
    let put = server
        .build("PUT", "/memory/colour")
        .json(&json!({"value": "green", "scope": {"agent": "scout"}}));
    assert!(put.send().await.expect("an answer").status().is_success());
    assert_eq!(asked(), ["call", "changed", "changed", "compile", "update"]);
    let called = json!({"role": "assistant", "content": null, "tool_calls": [write]});
    let turn = json!({"append": [user("Hello"), called], "memory": {"scope": scope("scout")}});
    assert_eq!(server.post("/sessions/s/turns", &turn).await.status(), 200);
    let wanted =
        ["call", "call", "changed", "changed", "changed", "compile", "compile", "update", "update"];
    assert_eq!(asked(), wanted);
}
