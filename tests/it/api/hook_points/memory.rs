//! `memory_update`, `memory_changed`, `memory_expired`, `recall_memory`: hooks around memory.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, answers, hook};

/// What the model is answered for its calls.
async fn model(server: &TestServer, calls: &[(&str, Value)]) -> Vec<String> {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| {
            json!({"id": format!("c{at}"), "type": "function",
                "function": {"name": name, "arguments": arguments.to_string()}})
        })
        .collect();
    let body = server.post_ok("/tools/calls", &json!({"calls": calls})).await;
    let results = body["results"].as_array().unwrap();
    results.iter().map(|result| result["message"]["content"].to_string()).collect()
}

#[tokio::test]
async fn a_guard_is_asked_of_each_write_of_a_model_and_of_nothing_else() {
    let guard = answers(&json!({"decision": "deny", "reason": "not that"})).await;
    let server = TestServer::dev().await;
    assert_eq!(server.put_memory("lang", &json!({"value": "TS"})).await.status(), 201);
    server.register(&hook("g", ("memory_update", "guard"), &guard, &json!({}))).await;
    let said = model(
        &server,
        &[
            ("create_memory", json!({"key": "name", "value": "Ada"})),
            ("modify_memory", json!({"action": "update", "key": "lang", "value": "Rust"})),
            ("modify_memory", json!({"action": "delete", "key": "lang"})),
            // Not there: nobody's question.
            ("modify_memory", json!({"action": "update", "key": "gone", "value": "x"})),
            ("modify_memory", json!({"action": "delete", "key": "gone"})),
        ],
    )
    .await;
    for text in &said[..3] {
        assert!(text.contains("not that"), "{text}");
    }
    assert!(!said[3].contains("not that") && !said[4].contains("not that"));
    let row = |op: &str, key: &str, value: Value, old: Value| {
        json!({"origin": "model", "op": op, "key": key, "value": value, "old_value": old,
            "memory_id": key, "scope": {"subject": null, "session_id": null, "agent": null}})
    };
    assert_eq!(
        guard.inputs(),
        [
            row("create", "name", json!("Ada"), json!(null)),
            row("update", "lang", json!("Rust"), json!("TS")),
            row("delete", "lang", json!(null), json!("TS")),
        ]
    );
    // As it was, and applications are not asked.
    let entry = server.get_json("/memory/lang").await;
    assert_eq!((&entry["value"], &entry["version"]), (&json!("TS"), &json!(1)));
    assert_eq!(server.get("/memory/name").await.status(), 404);
    assert_eq!(server.put_memory("name", &json!({"value": "Ada"})).await.status(), 201);
    assert_eq!(guard.requests().len(), 3);
    let events = server.get_json("/events?format=json&after=0").await;
    let denied: Vec<&Value> = events["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["type"] == "memory:denied")
        .collect();
    assert_eq!(denied.len(), 3);
    let told = json!({"key": "name", "reason": "hook", "origin": "model", "hook": "g",
        "point": "memory_update", "code": null});
    assert_eq!(denied[0]["data"], told);
}

/// A call that creates an entry.
fn create(key: &str) -> Value {
    let arguments = json!({"key": key, "value": "Ada"}).to_string();
    json!({"id": "c1", "type": "function",
        "function": {"name": "create_memory", "arguments": arguments}})
}

/// `id outcome why` of each line.
fn lines(hooks: &Value) -> Vec<String> {
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let text = |line| [word(line, "id"), word(line, "outcome"), word(line, "why")].join(" ");
    hooks.as_array().unwrap().iter().map(|line| text(line).trim_end().to_owned()).collect()
}

#[tokio::test]
async fn hooks_at_memory_update_leave_their_lines_wherever_they_are_asked() {
    let guard = answers(&json!({"decision": "deny", "reason": "not that", "code": "pii"})).await;
    let server = TestServer::dev().await;
    server
        .register(&hook("watch", ("memory_update", "guard"), &guard, &json!({"mode": "audit"})))
        .await;
    let body = json!({"calls": [create("a")]});
    let handled = server.post_ok("/tools/calls", &body).await;
    assert_eq!(lines(&handled["hooks"]), ["watch would_deny not that"]);
    assert_eq!(server.get("/memory/a").await.status(), 200);

    server
        .register(&hook("stop", ("memory_update", "guard"), &guard, &json!({"priority": -1})))
        .await;
    let handled = server.post_ok("/tools/calls", &json!({"calls": [create("b")]})).await;
    let both = ["watch would_deny not that", "stop denied not that"];
    assert_eq!(lines(&handled["hooks"]), both);
    let denied = server.events_of("memory:denied").await;
    assert_eq!((denied.len(), &denied[0]["code"]), (1, &json!("pii")));
    // In a turn they are lines of its report, or of the answer of a turn without a payload.
    let append = |key: &str| json!([user("Remember."), {"role": "assistant", "content": null, "tool_calls": [create(key)]}]);
    let turn = json!({"append": append("c"), "memory": true});
    let done = server.post_ok("/sessions/s/turns", &turn).await;
    assert_eq!(lines(&done["report"]["hooks"]), both);
    let turn = json!({"append": append("d"), "memory": true, "compile": false});
    let done = server.post_ok("/sessions/t/turns", &turn).await;
    assert_eq!(lines(&done["hooks"]), both);
}

#[tokio::test]
async fn a_transform_changes_what_a_model_writes_and_a_guard_that_fails_denies() {
    let transform = answers(&json!({"action": "replace", "payload": "[masked]"})).await;
    let server = TestServer::dev().await;
    server.register(&hook("t", ("memory_update", "transform"), &transform, &json!({}))).await;
    model(&server, &[("create_memory", json!({"key": "card", "value": "4111"}))]).await;
    let entry = server.get_json("/memory/card").await;
    assert_eq!(entry["value"], "[masked]");
    let broken = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    server.register(&hook("g", ("memory_update", "guard"), &broken, &json!({}))).await;
    let said = model(&server, &[("create_memory", json!({"key": "pin", "value": "1"}))]).await;
    assert!(said[0].contains("hook_unavailable"), "{}", said[0]);
    assert_eq!(server.get("/memory/pin").await.status(), 404);
}

#[tokio::test]
async fn every_change_is_told_in_both_vocabularies() {
    let told = answers(&json!(null)).await;
    let server = TestServer::dev().await;
    let observe = ("memory_changed", "observe");
    server.register(&hook("o", observe, &told, &json!({"delivery": "sync"}))).await;
    let add = json!({"action": "add", "type": "long_term", "content": "x", "key": "k",
        "metadata": {"k": {"n": 1}}});
    assert_eq!(server.post("/memory", &add).await.status(), 201);
    assert_eq!(server.put_memory("k", &json!({"value": {"a": [1, null]}})).await.status(), 200);
    model(&server, &[("create_memory", json!({"key": "m", "value": "v"}))]).await;
    assert_eq!(server.delete("/memory/k").await.status(), 204);
    assert_eq!(server.delete("/memory/k").await.status(), 404);
    let remove = json!({"action": "remove", "type": "short_term", "content": "nothing like it"});
    assert_eq!(server.post("/memory", &remove).await.status(), 200);
    let inputs = told.inputs();
    assert_eq!(
        inputs[0],
        json!({"type": "set", "key": "k", "value": "x", "old_value": null,
        "action": "add", "target": "long_term", "content": "x", "metadata": {"k": {"n": 1}},
        "memory_id": "k", "affected": 1, "origin": "direct",
        "scope": {"subject": null, "session_id": null, "agent": null}})
    );
    let brief = |input: &Value| {
        ["type", "action", "key", "value", "old_value", "origin", "affected"]
            .map(|name| input[name].clone())
    };
    assert_eq!(
        brief(&inputs[1]),
        [
            json!("set"),
            json!("replace"),
            json!("k"),
            json!({"a": [1, null]}),
            json!("x"),
            json!("direct"),
            json!(1)
        ]
    );
    assert_eq!(
        brief(&inputs[2]),
        [json!("set"), json!("add"), json!("m"), json!("v"), json!(null), json!("model"), json!(1)]
    );
    assert_eq!(
        brief(&inputs[3]),
        [
            json!("delete"),
            json!("remove"),
            json!("k"),
            json!(null),
            json!({"a": [1, null]}),
            json!("direct"),
            json!(1)
        ]
    );
    assert_eq!(
        brief(&inputs[4]),
        [
            json!("delete"),
            json!("remove"),
            json!(null),
            json!(null),
            json!(null),
            json!("direct"),
            json!(0)
        ]
    );
    assert_eq!((inputs.len(), &inputs[4]["content"]), (5, &json!("nothing like it")));
    // What is refused is not told, and who fails to hear changes nothing.
    let bad = json!({"action": "merge", "type": "long_term", "content": "x"});
    assert_eq!(server.post("/memory", &bad).await.status(), 422);
    assert_eq!(told.requests().len(), 5);
    let broken = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    server.register(&hook("b", observe, &broken, &json!({"delivery": "sync"}))).await;
    assert_eq!(server.put_memory("n", &json!({"value": 1})).await.status(), 201);
    assert_eq!(broken.requests().len(), 1);
}

#[tokio::test]
async fn an_observer_of_the_queue_holds_nobody_up_and_hears() {
    let told = answers(&json!(null)).await;
    let server = TestServer::dev().await;
    server.register(&hook("o", ("memory_changed", "observe"), &told, &json!({}))).await;
    assert_eq!(server.put_memory("k", &json!({"value": "v"})).await.status(), 201);
    told.reached(1).await;
    assert_eq!(told.inputs()[0]["key"], "k");
}

#[tokio::test]
async fn an_entry_whose_time_is_up_is_told_whole_then_removed_then_told_as_changed() {
    let told = answers(&json!(null)).await;
    let server = TestServer::dev().await;
    let points = json!({"id": "o", "points": ["memory_expired", "memory_changed"], "kind": "observe",
        "url": told.url(), "delivery": "sync"});
    server.register(&points).await;
    let body = json!({"value": "old", "ttl": {"turns": 1}, "tags": ["t"],
        "scope": {"session_id": "s"}});
    assert_eq!(server.put_memory("k", &body).await.status(), 201);
    let compile = json!({"messages": [user("Hello")], "session_id": "s", "memory": true});
    for _ in 0..2 {
        server.compile(&compile).await;
    }
    let points: Vec<Value> = told.bodies().iter().map(|call| call["point"].clone()).collect();
    assert_eq!(points, ["memory_changed", "memory_expired", "memory_changed"]);
    let inputs = told.inputs();
    let entry = &inputs[1]["entry"];
    assert_eq!(
        (&entry["key"], &entry["value"], &entry["tags"]),
        (&json!("k"), &json!("old"), &json!(["t"]))
    );
    assert_eq!((&inputs[2]["type"], &inputs[2]["old_value"]), (&json!("expire"), &json!("old")));
    assert_eq!(inputs[2]["origin"], "expiry");
}

#[tokio::test]
async fn a_hook_chooses_what_memory_shows_and_adds_to_it() {
    let server = TestServer::dev().await;
    for key in ["a", "b", "c"] {
        assert_eq!(
            server.put_memory(key, &json!({"value": format!("value {key}")})).await.status(),
            201
        );
    }
    let answer = json!({"keys": ["c", "a"], "entries": [{"key": "x", "value": "given"}]});
    let chooser = answers(&answer).await;
    let at = ("recall_memory", "provide");
    let mut body = json!({"messages": [user("Hello")], "memory": {"query": "value"},
        "hooks": [hook("r", at, &chooser, &json!({}))]});
    let done = server.compile(&body).await;
    assert_eq!(done.report["memory"]["injected"], json!(["c", "a", "x"]));
    let input = &chooser.inputs()[0];
    assert_eq!((&input["query"], &input["max_tokens"]), (&json!("value"), &json!(2000)));
    assert_eq!(input["candidates"].as_array().unwrap().len(), 3);
    // Nothing chosen is nothing shown; a key that is no candidate is passed over.
    for (answer, shown, unknown) in [
        (json!({"keys": []}), 0, 0),
        (json!(null), 3, 0),
        (json!({"keys": ["z"]}), 3, 1),
        (json!({"keys": ["z", "b", "z", "y"]}), 1, 2),
    ] {
        let chooser = answers(&answer).await;
        body["hooks"] = json!([hook("r", at, &chooser, &json!({}))]);
        let done = server.compile(&body).await;
        assert_eq!(done.report["memory"]["injected"].as_array().unwrap().len(), shown, "{answer}");
        assert_eq!(done.codes("warnings"), vec!["recalled_key_unknown"; unknown], "{answer}");
        assert_eq!(done.report["hooks"][0]["why"], json!(null), "{answer}");
    }
}
