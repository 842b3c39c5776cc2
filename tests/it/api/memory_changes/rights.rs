//! Where a model's writes go, and what they may not change.

use serde_json::{Value, json};

use super::{call, create, delete, tool_call, turn_call, update};
use crate::support::compile::user;
use crate::support::{BOOTSTRAP_KEY, TestServer, problem};

async fn value(server: &TestServer, path: &str) -> Value {
    server.get_json(&format!("/memory/{path}")).await["value"].clone()
}

/// Stores the defaults of the session `s`.
async fn defaults(server: &TestServer, memory: &Value) {
    let body = json!({"id": "s", "defaults": {"memory": memory}});
    server.post_ok("/sessions", &body).await;
}

#[tokio::test]
async fn a_named_scope_is_written_to_as_it_is() {
    for (scope, path) in [
        (json!({}), "k"),
        (json!({"session_id": null}), "k"),
        (json!({"subject": "ann"}), "k?subject=ann"),
        (json!({"agent": "coder"}), "k?agent=coder"),
        (json!({"subject": "ann", "session_id": "s"}), "k?subject=ann&session_id=s"),
        (Value::Null, "k?session_id=s"),
    ] {
        let server = TestServer::spawn().await;
        defaults(&server, &json!({"scope": scope})).await;
        turn_call(&server, "s", create("k", "turn"), &json!({})).await;
        assert_eq!(value(&server, path).await, "turn", "{scope}");
        let list = server.get_json("/memory").await;
        assert_eq!(list["items"].as_array().unwrap().len(), 1, "{scope}");
        // The same defaults hold for calls outside of a turn.
        tool_call(&server, create("k", "call"), &json!({"session_id": "s"})).await;
        assert_eq!(value(&server, path).await, "call", "{scope}");
        let said = tool_call(&server, update("k", "changed"), &json!({"session_id": "s"})).await;
        assert!(said.starts_with("Changed"), "{scope}: {said}");
        assert_eq!(value(&server, path).await, "changed", "{scope}");
    }
}

#[tokio::test]
async fn what_outlasts_the_session_is_kept_after_it() {
    let server = TestServer::spawn().await;
    let memory = json!({"memory": {"scope": {"subject": "ann"}}});
    turn_call(&server, "s", create("city", "Oslo"), &memory).await;
    assert_eq!(server.delete("/sessions/s").await.status(), 204);
    let body = json!({"messages": [user("Where do I live?")], "session_id": "t",
        "memory": {"scope": {"subject": "ann"}}});
    let compiled = server.compile(&body).await;
    assert!(compiled.text.contains("Oslo"), "{}", compiled.text);
}

#[tokio::test]
async fn the_instruction_says_how_long_the_memory_lasts() {
    let server = TestServer::spawn().await;
    let text = async |memory: Value| {
        let body = json!({"messages": [user("x")], "session_id": "s", "memory": memory});
        server.compile(&body).await.text
    };
    let own = text(json!(true)).await;
    assert!(own.contains("in this conversation") && !own.contains("beyond"), "{own}");
    let wider = text(json!({"scope": {"subject": "ann"}})).await;
    assert!(wider.contains("lasts beyond this conversation"), "{wider}");
    // The change of the instruction is a change of memory.
    let body = json!({"messages": [user("x")], "session_id": "s", "memory": true});
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.report["cache"]["first_change"]["why"], "memory_changed");
    let without = json!({"messages": [user("x")], "memory": true});
    assert!(server.compile(&without).await.text.contains("lasts beyond this conversation"));
}

#[tokio::test]
async fn entries_of_the_application_in_a_wider_scope_need_the_right_to_be_changed() {
    let server = TestServer::spawn().await;
    assert_eq!(server.put_memory("plan", &json!({"value": "ours"})).await.status(), 201);
    for call in [update("plan", "theirs"), delete("plan")] {
        let said = turn_call(&server, "s", call.clone(), &json!({"memory": true})).await;
        assert!(said.contains("shared beyond this conversation"), "{said}");
        let said = tool_call(&server, call, &json!({"session_id": "s"})).await;
        assert!(said.contains("shared beyond this conversation"), "{said}");
    }
    assert_eq!(value(&server, "plan").await, "ours");
    let denied = server.events_of("memory:denied").await;
    assert!(denied.iter().all(|data| data["reason"] == "shared_entry"), "{denied:?}");
    let shared = json!({"memory": {"write": "shared"}});
    let said = turn_call(&server, "s", update("plan", "theirs"), &shared).await;
    assert!(said.starts_with("Changed"), "{said}");
    assert_eq!(value(&server, "plan").await, "theirs");
    // A model wrote it last, so that models may change it.
    let said = turn_call(&server, "s", update("plan", "again"), &json!({"memory": true})).await;
    assert!(said.starts_with("Changed"), "{said}");
    assert_eq!(value(&server, "plan").await, "again");
    assert_eq!(server.get("/memory/plan?session_id=s").await.status(), 404);
    // The narrowest of several is the one that the model sees.
    assert_eq!(
        server.put_memory("plan?session_id=s", &json!({"value": "own"})).await.status(),
        201
    );
    turn_call(&server, "s", update("plan", "own 2"), &json!({"memory": true})).await;
    assert_eq!(value(&server, "plan?session_id=s").await, "own 2");
    assert_eq!(value(&server, "plan").await, "again");
}

#[tokio::test]
async fn defaults_of_the_session_hold_for_calls_and_can_be_narrowed() {
    let server = TestServer::spawn().await;
    defaults(&server, &json!({"allowed_keys": ["name", "city"]})).await;
    let session = json!({"session_id": "s"});
    let said = tool_call(&server, create("other", "x"), &session).await;
    assert!(said.contains("these keys may: name, city"), "{said}");
    let said = tool_call(&server, create("name", "x"), &session).await;
    assert!(said.starts_with("Remembered"), "{said}");
    let wider = json!({"session_id": "s", "allowed_keys": ["city", "other"]});
    let said = tool_call(&server, create("other", "x"), &wider).await;
    assert!(said.contains("these keys may: city."), "{said}");
    let said = tool_call(&server, create("name", "x"), &wider).await;
    assert!(said.contains("these keys may: city."), "{said}");
    let wider = json!({"memory": {"allowed_keys": ["other"]}});
    let said = turn_call(&server, "s", create("other", "x"), &wider).await;
    assert!(said.contains("may not be written"), "{said}");
    assert_eq!(server.get("/memory/other?session_id=s").await.status(), 404);

    server.patch("/sessions/s", &json!({"defaults": {"memory": {"write": false}}})).await;
    let said = tool_call(&server, create("name", "y"), &session).await;
    assert_eq!(said, "Memory may not be written here.");
    let wider = json!({"memory": {"write": "shared"}});
    let said = turn_call(&server, "s", create("name", "y"), &wider).await;
    assert_eq!(said, "Memory may not be written here.");
    assert_eq!(value(&server, "name?session_id=s").await, "x");
}

#[tokio::test]
async fn defaults_of_the_key_hold_for_calls() {
    let server = TestServer::locked(&[]).await;
    let wanted = json!({"scopes": ["tools", "compile", "sessions:write"],
        "defaults": {"memory": {"allowed_keys": ["name"]}}});
    let (key, _) = server.create_key(&wanted).await;
    let send = async |body: Value| {
        let answer = server.call_ok(&key, "POST", "/tools/calls", &body).await;
        answer["results"][0]["message"]["content"].as_str().unwrap().to_owned()
    };
    let said = send(json!({"calls": [create("other", "x")]})).await;
    assert!(said.contains("these keys may: name."), "{said}");
    let said = send(json!({"calls": [create("other", "x")], "allowed_keys": ["other"]})).await;
    assert!(said.contains("may not be written"), "{said}");
    let said = send(json!({"calls": [create("name", "x")]})).await;
    assert!(said.starts_with("Remembered"), "{said}");
    let entry = server.call(BOOTSTRAP_KEY, "GET", "/memory/other", &Value::Null).await;
    problem(entry, 404, "not_found").await;
}

#[tokio::test]
async fn the_keys_in_the_tools_of_a_payload_hold_for_calls() {
    let server = TestServer::spawn().await;
    let body = json!({"messages": [user("x")], "memory": {"allowed_keys": ["name"]}});
    let tools = server.compile(&body).await.payload["tools"].clone();
    let said = tool_call(&server, create("other", "x"), &json!({"tools": tools})).await;
    assert!(said.contains("these keys may: name."), "{said}");
    let said = tool_call(&server, create("name", "x"), &json!({"tools": tools})).await;
    assert!(said.starts_with("Remembered"), "{said}");
}

#[tokio::test]
async fn what_was_retracted_does_not_exist_for_a_model() {
    let server = TestServer::spawn().await;
    assert_eq!(server.put_memory("plan", &json!({"value": "secret"})).await.status(), 201);
    server.post_ok("/memory/plan/retract", &json!({})).await;
    let shared = json!({"scope": {}});
    for call in [update("plan", "x"), delete("plan")] {
        let said = tool_call(&server, call, &shared).await;
        assert_eq!(said, "Nothing is remembered under \"plan\".");
    }
    let said = tool_call(&server, create("plan", "x"), &shared).await;
    assert_eq!(said, "\"plan\" is retracted and may not be written. Nothing was done.");
    let entry = server.get_json("/memory/plan").await;
    assert_eq!((&entry["status"], &entry["value"]), (&json!("retracted"), &json!("secret")));
    // The application can make it current again, and then the model may write it.
    server.post_ok("/memory/plan/restore", &json!({"version": 1})).await;
    let said = tool_call(&server, update("plan", "x"), &shared).await;
    assert!(said.starts_with("Changed"), "{said}");
}

#[tokio::test]
async fn what_a_model_creates_lives_as_long_as_the_options_say() {
    let server = TestServer::spawn().await;
    let memory = json!({"memory": {"ttl": {"turns": 3}}});
    turn_call(&server, "s", create("k", "v"), &memory).await;
    let entry = server.get_json("/memory/k?session_id=s").await;
    assert_eq!(entry["ttl"], json!({"turns": 3}));
    let memory = json!({"memory": {"scope": {"subject": "ann"}, "ttl": {"seconds": 60}}});
    turn_call(&server, "s", create("k", "v"), &memory).await;
    let entry = server.get_json("/memory/k?subject=ann").await;
    assert_eq!(entry["ttl"], json!({"seconds": 60}));
    // Turns are those of a session.
    let memory = json!({"messages": [user("x")], "session_id": "s",
        "memory": {"scope": {"subject": "ann"}, "ttl": {"turns": 3}}});
    let refused = problem(server.post("/compile", &memory).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/memory/ttl");
    let wrong = json!({"messages": [user("x")], "memory": {"write": "all"}});
    let refused = problem(server.post("/compile", &wrong).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/memory/write");
}

#[tokio::test]
async fn what_a_model_writes_is_captured_until_it_is_promoted() {
    let server = TestServer::spawn().await;
    tool_call(&server, create("k", "v"), &json!({"scope": {"subject": "ann"}})).await;
    let entry = server.get_json("/memory/k?subject=ann").await;
    assert_eq!(entry["status"], "captured");
    let body = json!({"messages": [user("x")], "memory": {"scope": {"subject": "ann"}}});
    assert!(server.compile(&body).await.text.contains("<entry key=\\\"k\\\">v</entry>"));
    let promoted = server.post_ok("/memory/k/promote?subject=ann", &json!({})).await;
    assert_eq!((&promoted["status"], &promoted["version"]), (&json!("promoted"), &json!(2)));
    let again = server.post_ok("/memory/k/promote?subject=ann", &json!({})).await;
    assert_eq!(again["version"], 2);
    let versions = server.get_json("/memory/k/versions?subject=ann").await;
    let row = &versions["items"][0];
    assert_eq!((&row["action"], &row["origin"]), (&json!("promote"), &json!("direct")));
    // A model's next write is captured again, an application's is not.
    tool_call(&server, update("k", "w"), &json!({"scope": {"subject": "ann"}})).await;
    assert_eq!(server.get_json("/memory/k?subject=ann").await["status"], "captured");
    server.put_memory("k?subject=ann", &json!({"value": "x"})).await;
    assert_eq!(server.get_json("/memory/k?subject=ann").await["status"], "promoted");
    server.post_ok("/memory/k/retract?subject=ann", &json!({})).await;
    problem(server.post("/memory/k/promote?subject=ann", &json!({})).await, 409, "conflict").await;
    problem(server.post("/memory/none/promote", &json!({})).await, 404, "not_found").await;
}

#[tokio::test]
async fn a_replaced_entry_keeps_what_the_request_does_not_name() {
    let server = TestServer::spawn().await;
    let entry = json!({"value": "a", "tier": "durable", "importance": 0.9,
        "classification": "restricted", "tags": ["t"], "metadata": {"n": 1}});
    assert_eq!(server.put_memory("k", &entry).await.status(), 201);
    let replaced =
        server.post_ok("/memory", &json!({"action": "replace", "key": "k", "content": "b"})).await;
    assert_eq!((&replaced["target"], &replaced["key"]), (&json!("long_term"), &json!("k")));
    let body = json!({"action": "replace", "match": "b", "content": "c"});
    server.post_ok("/memory", &body).await;
    let stored = server.get_json("/memory/k").await;
    for member in ["tier", "importance", "classification", "tags", "metadata"] {
        assert_eq!(stored[member], entry[member], "{member}");
    }
    assert_eq!(stored["value"], "c");
    let named = json!({"action": "replace", "key": "k", "content": "d", "type": "episodic"});
    server.post_ok("/memory", &named).await;
    assert_eq!(server.get_json("/memory/k").await["tier"], "episodic");
    server.put_memory("k", &json!({"value": "e"})).await;
    let stored = server.get_json("/memory/k").await;
    assert_eq!((&stored["tier"], &stored["importance"]), (&json!("episodic"), &json!(0.9)));
    let added = json!({"action": "add", "content": "x", "scope": {"subject": "a b"}});
    let added = server.post_json("/memory", 201, &added).await;
    let id = added["memory_id"].as_str().unwrap();
    assert_eq!(server.get_json(&format!("/memory/{id}")).await["value"], "x");
    assert_eq!(added["entry"]["tier"], "working");
}

#[tokio::test]
async fn calls_of_other_tools_are_not_kept_from_the_caller() {
    let server = TestServer::spawn().await;
    defaults(&server, &json!({"write": false})).await;
    let body = json!({"calls": [call("lookup", &json!({}))], "session_id": "s"});
    let answer = server.post_ok("/tools/calls", &body).await;
    assert_eq!(answer["results"][0]["for"], "caller");
}

/// A request narrows what the defaults allow; its calls are refused, not left to the caller.
#[tokio::test]
async fn a_turn_that_may_not_write_refuses_the_call() {
    for defaults in [json!({}), json!({"memory": true})] {
        let server = TestServer::spawn().await;
        server.post_ok("/sessions", &json!({"id": "s", "defaults": defaults})).await;
        let write = call("create_memory", &json!({"key": "k", "value": "v"}));
        let turn = json!({"memory": {"write": false}, "append": [
            {"role": "user", "content": "Remember it"},
            {"role": "assistant", "content": null, "tool_calls": [write]}]});
        let done = server.post_ok("/sessions/s/turns", &turn).await;
        let row = &done["results"][0];
        assert_eq!(row["message"]["content"], "Memory may not be written here.", "{row}");
        let stored = server.get_json("/memory?session_id=s").await;
        assert_eq!(stored["items"], json!([]));
    }
}
