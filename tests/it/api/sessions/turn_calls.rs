//! What a turn makes of the model's calls: as `POST /tools/calls` has it, before anything is run.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, calling_with, result, user, with};
use crate::support::receiver::{answers, hook};
use crate::support::{TestServer, problem};

/// Takes a turn that must succeed: the answer as a compile's, and the results.
async fn take(server: &TestServer, append: &[Value]) -> (Compiled, Vec<Value>) {
    let answer = server.post_ok("/sessions/s/turns", &json!({"append": append})).await;
    let results = answer["results"].as_array().expect("results").clone();
    (Compiled::read(&answer.to_string()), results)
}

/// A server with the session `s`, whose tools are the list, a namespace, a toolkit and a block.
async fn server() -> TestServer {
    let server = TestServer::spawn().await;
    let lines = json!({"type": "object", "properties": {"lines": {"type": "integer"}},
        "required": ["lines"]});
    let tools = json!({
        "list": [{"name": "read_log", "parameters": lines},
            {"name": "delete_file", "parameters": {"type": "object"}}],
        "namespaces": [{"name": "git", "description": "The repository.", "tools": [
            {"name": "log", "parameters": lines}, {"name": "push", "parameters": {"type": "object"}}]}],
        "toolkits": [{"name": "Weather", "description": "Forecasts.", "tools": [
            {"name": "forecast", "parameters": {"type": "object"}}]}],
        "blocked": ["delete_file", "git.push"],
    });
    let body = json!({"id": "s", "defaults": {"tools": tools}});
    server.post_ok("/sessions", &body).await;
    take(&server, &[user("What do the logs say?")]).await;
    server
}

/// The texts of the payload's results of tools, by the ids of their calls.
fn texts(compiled: &Compiled) -> Vec<(&str, &str)> {
    let results = compiled.list().iter().filter(|message| message["role"] == "tool");
    results
        .map(|message| {
            let id = message["tool_call_id"].as_str().expect("an id");
            (id, message["content"].as_str().expect("a text"))
        })
        .collect()
}

#[tokio::test]
async fn what_may_not_run_is_answered_in_the_same_payload() {
    let server = server().await;
    let call = calling_with(
        "",
        &[
            ("good", "read_log", r#"{"lines": 5}"#),
            ("blocked", "delete_file", "{}"),
            ("schema", "read_log", r#"{"lines": "five"}"#),
            ("unknown", "rm", "{}"),
            ("through", "git", r#"{"action": "log", "args": {"lines": 3}}"#),
            ("pushed", "git", r#"{"action": "push", "args": {}}"#),
            ("nowhere", "git", r#"{"action": "merge", "args": {}}"#),
        ],
    );
    let (turn, results) = take(&server, &[call]).await;
    let told: Vec<(&str, &str)> = results
        .iter()
        .map(|one| (one["id"].as_str().unwrap(), one["decision"].as_str().unwrap()))
        .collect();
    let wanted = [
        ("good", "allow"),
        ("blocked", "deny"),
        ("schema", "deny"),
        ("unknown", "deny"),
        ("through", "allow"),
        ("pushed", "deny"),
        ("nowhere", "deny"),
    ];
    assert_eq!(told, wanted);
    assert!(results.iter().all(|one| one["for"] == "caller"), "{results:?}");
    assert_eq!(results[0]["arguments"], json!({"lines": 5}));
    let through = &results[4];
    assert_eq!((&through["name"], &through["namespace"]), (&json!("log"), &json!("git")));
    assert_eq!(through["arguments"], json!({"lines": 3}));
    let texts = texts(&turn);
    let said = |id: &str| texts.iter().find(|(known, _)| *known == id).expect("a result").1;
    for (id, reason) in [
        ("blocked", "The tool \"delete_file\" is blocked."),
        ("schema", "lines"),
        ("unknown", "There is no tool \"rm\"; these are there: read_log, delete_file"),
        ("pushed", "The tool \"push\" is blocked."),
        ("nowhere", "git has no action \"merge\"; these are there: log, push."),
    ] {
        assert!(said(id).contains(reason), "{id}: {}", said(id));
    }
    // The session keeps what was denied, and takes what the caller ran.
    let ran = [result("good", "all green"), result("through", "3 commits")];
    let (turn, results) = take(&server, &ran).await;
    assert_eq!(results, Vec::<Value>::new());
    let ids: Vec<&str> = self::texts(&turn).iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, wanted.map(|(id, _)| id), "in the order of the calls");
    assert_eq!(server.get_json("/sessions/s").await["messages"], 9);
}

#[tokio::test]
async fn a_toolkit_is_loaded_within_the_turn() {
    let server = server().await;
    let call = calling_with(
        "",
        &[
            ("kit", "load_toolkit", r#"{"toolkit_name": "weather"}"#),
            ("none", "load_toolkit", r#"{"toolkit_name": "sea"}"#),
        ],
    );
    let (turn, results) = take(&server, &[call]).await;
    let told: Vec<(&Value, &Value)> =
        results.iter().map(|one| (&one["for"], &one["decision"])).collect();
    let (service, allow, deny) = (json!("service"), json!("allow"), json!("deny"));
    assert_eq!(told, [(&service, &allow), (&service, &deny)]);
    let texts = texts(&turn);
    assert!(texts[0].1.contains("- forecast"), "{texts:?}");
    assert!(texts[1].1.contains("There is no toolkit \"sea\""), "{texts:?}");
    let names: Vec<&str> = turn.payload["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .map(|tool| tool["function"]["name"].as_str().expect("a name"))
        .collect();
    assert!(names.contains(&"forecast"), "{names:?}");
}

#[tokio::test]
async fn a_call_that_the_conversation_went_on_from_is_left_alone() {
    let server = server().await;
    let call = calling_with("", &[("old", "rm", "{}")]);
    let (turn, results) = take(&server, &[call, user("Never mind.")]).await;
    assert_eq!(results, Vec::<Value>::new());
    assert_eq!(turn.codes("repairs").len(), 1, "{}", turn.report);
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_stops_the_turn() {
    let server = TestServer::spawn().await;
    let call = calling_with("", &[("c1", "odd", r#"{"a": "b"}"#)]);
    let odd = json!([{"type": "function", "function": {"name": "odd", "parameters":
        {"type": "object", "properties": {"a": {"pattern": "((a{200}){200}){200}"}}}}}]);
    let body = json!({"append": [user("x"), call], "tools": odd});
    let refused = server.post("/sessions/s/turns", &body).await;
    problem(refused, 422, "invalid_request").await;
    assert_eq!(server.get("/sessions/s").await.status(), 404);
}

#[tokio::test]
async fn without_tools_nothing_is_known_of_a_call() {
    let server = TestServer::spawn().await;
    let call = calling_with("", &[("c1", "anything", r#"{"a": 1}"#)]);
    let (_, results) = take(&server, &[user("x"), call]).await;
    assert_eq!(
        results,
        [json!({"id": "c1", "name": "anything", "for": "caller", "decision": "allow",
            "arguments": {"a": 1}})]
    );
}

#[tokio::test]
async fn hooks_in_the_body_of_a_turn_are_asked_about_its_calls() {
    let guard = answers(&json!({"decision": "deny", "reason": "not that"})).await;
    let server = TestServer::dev().await;
    let calls = calling_with(
        "",
        &[
            ("c1", "create_memory", r#"{"key": "k", "value": "v"}"#),
            ("c2", "lookup", r#"{"q": 1}"#),
        ],
    );
    for (point, denied) in [("memory_update", "c1"), ("tool_call", "c2")] {
        let inline = hook("g", (point, "guard"), &guard, &json!({}));
        let inline = match point {
            "tool_call" => with(inline, &json!({"match": {"tools": ["lookup"]}})),
            _ => inline,
        };
        let body = json!({"append": [user("Go"), calls], "memory": true, "hooks": [inline]});
        let answer = server.post_ok(&format!("/sessions/{point}/turns"), &body).await;
        let results = answer["results"].as_array().unwrap();
        for result in results {
            let is_denied = result["message"].to_string().contains("not that");
            assert_eq!(is_denied, result["id"] == denied, "{point}: {result}");
        }
        let stored = server.get(&format!("/memory/k?session_id={point}")).await.status();
        assert_eq!(stored.as_u16(), if point == "memory_update" { 404 } else { 200 });
    }
    assert_eq!(guard.requests().len(), 2);
    // Such a hook reads what the model does, so it needs the scope.
    let server = TestServer::locked(&["--dev"]).await;
    let (key, _) =
        server.create_key(&json!({"scopes": ["compile", "sessions:write", "tools"]})).await;
    let inline = hook("g", ("tool_call", "guard"), &guard, &json!({}));
    let body = json!({"append": [user("Go"), calls], "hooks": [inline]});
    let refused = server.call(&key, "POST", "/sessions/s/turns", &body).await;
    problem(refused, 403, "forbidden").await;
}
