//! `tool_call`: whether a model's call is carried out, and with which arguments.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::receiver::{Mode, Receiver, answers, hook};
use crate::support::{TestServer, problem};

const GUARD: (&str, &str) = ("tool_call", "guard");
const TRANSFORM: (&str, &str) = ("tool_call", "transform");
const OBSERVE: (&str, &str) = ("tool_call", "observe");

fn call(id: &str, name: &str, arguments: &Value) -> Value {
    json!({"id": id, "type": "function",
        "function": {"name": name, "arguments": arguments.to_string()}})
}

fn bash(id: &str, command: &str) -> Value {
    call(id, "Bash", &json!({"command": command}))
}

/// `id outcome why` of each line.
fn lines(answer: &Value) -> Vec<String> {
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let rows = answer["hooks"].as_array().unwrap();
    let text = |line| [word(line, "id"), word(line, "outcome"), word(line, "why")].join(" ");
    rows.iter().map(|line| text(line).trim_end().to_owned()).collect()
}

#[tokio::test]
async fn a_guard_denies_one_call_of_three_and_all_are_told() {
    let server = TestServer::dev().await;
    let told = answers(&json!(null)).await;
    let results = answers(&json!({"action": "unchanged"})).await;
    server.register(&json!({"id": "deny", "point": "tool_call", "kind": "guard", "builtin": "deny_command"}))
    .await;
    server.register(&hook("seen", OBSERVE, &told, &json!({"delivery": "sync"}))).await;
    server.register(&hook("post", ("tool_result", "transform"), &results, &json!({}))).await;
    let body = json!({"calls": [bash("c1", "ls"), bash("c2", "rm -rf /"), bash("c3", "pwd")]});
    let answer = server.post_ok("/tools/calls", &body).await;
    let decisions: Vec<&Value> =
        answer["results"].as_array().unwrap().iter().map(|row| &row["decision"]).collect();
    assert_eq!(decisions, ["allow", "deny", "allow"]);
    let denied = &answer["results"][1];
    assert_eq!(denied["for"], "caller");
    assert_eq!(denied["reason"], "dangerous-delete (Forbidden)");
    let message = json!({"role": "tool", "tool_call_id": "c2",
        "content": "dangerous-delete (Forbidden)"});
    assert_eq!(denied["message"], message);
    assert_eq!(lines(&answer)[2], "deny denied dangerous-delete");
    let seen: Vec<Value> = told.bodies().iter().map(|call| call["input"].clone()).collect();
    let tool = |id: &str, command: &str| json!({"name": "Bash", "call_id": id, "arguments": {"command": command}});
    assert_eq!(
        seen,
        [
            json!({"tool": tool("c1", "ls"), "batch": {"index": 0, "size": 3},
                "decision": "allow"}),
            json!({"tool": tool("c2", "rm -rf /"), "batch": {"index": 1, "size": 3},
                "decision": "deny", "denied_by": "deny", "reason": "dangerous-delete"}),
            json!({"tool": tool("c3", "pwd"), "batch": {"index": 2, "size": 3},
                "decision": "allow"}),
        ]
    );
    assert_eq!(
        server.events_of("tool:denied").await,
        [json!({"call_id": "c2", "tool": "Bash", "hook": "deny", "code": "Forbidden"})]
    );
    assert_eq!(results.requests().len(), 0);
}

#[tokio::test]
async fn an_observe_hook_hears_what_was_asked_for_where_a_transform_changed_it() {
    let server = TestServer::dev().await;
    let (guard, told) = (answers(&json!({"decision": "allow"})).await, answers(&json!(null)).await);
    let change = json!({"action": "merge_patch",
        "patch": {"tool": {"arguments": {"mode": "y", "extra": null}}}});
    let change = answers(&change).await;
    server.register(&hook("g", GUARD, &guard, &json!({}))).await;
    server.register(&hook("t", TRANSFORM, &change, &json!({}))).await;
    server.register(&hook("o", OBSERVE, &told, &json!({"delivery": "sync"}))).await;
    let arguments = json!({"path": "p", "mode": "x", "n": 9_007_199_254_740_993_u64});
    let schema = json!({"type": "object", "properties": {"mode": {"enum": ["x", "y"]}}});
    let tools = json!([{"type": "function",
        "function": {"name": "write", "parameters": schema}}]);
    let body = json!({"calls": [call("c1", "write", &arguments)], "tools": tools});
    let answer = server.post_ok("/tools/calls", &body).await;
    let row = &answer["results"][0];
    assert_eq!(row["decision"], "allow");
    assert_eq!(row["arguments"].to_string(), r#"{"path":"p","mode":"y","n":9007199254740993}"#);
    // The guard was asked before, and what was asked for is what it saw.
    assert_eq!(guard.bodies()[0]["input"]["tool"]["arguments"], arguments);
    assert_eq!(guard.requests().len(), 1);
    assert_eq!(told.bodies()[0]["input"]["tool"]["arguments"]["mode"], "y");
}

#[tokio::test]
async fn a_guard_that_wants_to_is_asked_again_behind_a_transform() {
    let server = TestServer::dev().await;
    let says = |n| match n {
        0 => json!({"decision": "allow"}),
        _ => json!({"decision": "deny", "reason": "not so", "code": "late"}),
    };
    let guard = Receiver::script(move |n| Mode::Answer(says(n).to_string())).await;
    let change = json!({"action": "replace", "payload": {"command": "rm"}});
    let change = answers(&change).await;
    server.register(&hook("g", GUARD, &guard, &json!({"reverify": true}))).await;
    server.register(&hook("t", TRANSFORM, &change, &json!({}))).await;
    let answer = server.post_ok("/tools/calls", &json!({"calls": [bash("c1", "ls")]})).await;
    assert_eq!(answer["results"][0]["reason"], "not so (late)");
    assert_eq!(guard.requests().len(), 2);
    assert_eq!(lines(&answer), ["g allowed", "t skipped rolled_back", "g denied not so"]);
}

#[tokio::test]
async fn new_arguments_are_held_to_the_tool() {
    let server = TestServer::dev().await;
    let change = answers(&json!({"action": "replace", "payload": {"lines": 0}})).await;
    server.register(&hook("t", TRANSFORM, &change, &json!({}))).await;
    let schema = json!({"type": "object", "properties": {"lines": {"type": "integer",
        "minimum": 1}}});
    let tool = |name: &str| {
        json!({"type": "function",
        "function": {"name": name, "parameters": schema}})
    };
    let group = json!({"name": "git", "tools": [tool("log")]});
    let through = json!({"action": "log", "args": {"lines": 3}});
    for (call, tools) in [
        (call("c1", "read", &json!({"lines": 3})), json!([tool("read")])),
        (call("c1", "git", &through), json!({"namespaces": [group]})),
    ] {
        let body = json!({"calls": [call], "tools": tools});
        let failed = problem(server.post("/tools/calls", &body).await, 502, "hook_failed").await;
        assert!(failed.to_string().contains("invalid_payload"), "{failed}");
    }
    for payload in [json!("text"), json!(null), json!([1])] {
        let other = answers(&json!({"action": "replace", "payload": payload})).await;
        let body = json!({"url": other.url()});
        let changed = server.patch("/hooks/t", &body).await;
        assert_eq!(changed.status(), StatusCode::OK);
        let body = json!({"calls": [bash("c1", "ls")]});
        problem(server.post("/tools/calls", &body).await, 502, "hook_failed").await;
        assert_eq!(other.requests().len(), 1);
    }
}

#[tokio::test]
async fn whatever_a_guard_answers_is_no_leave_unless_it_says_so() {
    let server = TestServer::dev().await;
    let status = |code, body: &str| {
        let head = "content-type: application/json\r\n".to_owned();
        Mode::Status(code, head, body.to_owned())
    };
    for (at, mode) in [
        status(200, r#"{"ok":false}"#),
        status(200, "{}"),
        status(200, r#""deny""#),
        status(200, ""),
        status(204, ""),
        status(403, r#"{"decision":"allow"}"#),
        status(200, "nope"),
        Mode::CloseAtOnce,
    ]
    .into_iter()
    .enumerate()
    {
        let guard = Receiver::spawn(mode).await;
        let id = format!("g{at}");
        server.register(&hook(&id, GUARD, &guard, &json!({}))).await;
        let answer = server.post_ok("/tools/calls", &json!({"calls": [bash("c1", "ls")]})).await;
        let row = &answer["results"][0];
        assert_eq!(row["decision"], "deny", "{at}: {row}");
        assert!(row["reason"].as_str().unwrap().ends_with("(hook_unavailable)"), "{row}");
        let gone = server.delete(&format!("/hooks/{id}")).await;
        assert_eq!(gone.status(), StatusCode::NO_CONTENT);
    }
    assert_eq!(server.events_of("hook:failed").await.len(), 8);
}

#[tokio::test]
async fn a_guard_in_audit_mode_denies_nothing_and_says_so() {
    let server = TestServer::dev().await;
    let guard = answers(&json!({"decision": "deny", "reason": "no"})).await;
    server.register(&hook("g", GUARD, &guard, &json!({"mode": "audit"}))).await;
    let answer = server.post_ok("/tools/calls", &json!({"calls": [bash("c1", "ls")]})).await;
    assert_eq!(answer["results"][0]["decision"], "allow");
    assert_eq!(lines(&answer), ["g would_deny no"]);
    assert_eq!(server.events_of("tool:denied").await, [] as [Value; 0]);
}

#[tokio::test]
async fn tools_and_arguments_are_matched() {
    let server = TestServer::dev().await;
    let guard = answers(&json!({"decision": "deny"})).await;
    let push = json!({"match": {"tools": ["Bash"],
        "args": [{"path": "/command", "op": "starts_with", "value": "git push"}]}});
    server.register(&hook("g", GUARD, &guard, &push)).await;
    let body = json!({"calls": [bash("c1", "git push -f"), bash("c2", "ls"),
        call("c3", "bash", &json!({"command": "git push"}))]});
    let answer = server.post_ok("/tools/calls", &body).await;
    assert_eq!(
        lines(&answer),
        ["g denied denied without a reason", "g skipped no_match", "g skipped no_match"]
    );
    assert_eq!(guard.requests().len(), 1);
}

#[tokio::test]
async fn our_own_tools_are_asked_about_too_on_every_path() {
    let server = TestServer::dev().await;
    let guard = answers(&json!({"decision": "deny", "reason": "not now"})).await;
    let only = json!({"match": {"tools": ["create_memory"]}});
    server.register(&hook("g", GUARD, &guard, &only)).await;
    let write = call("c1", "create_memory", &json!({"key": "k", "value": "v"}));
    let answer = server.post_ok("/tools/calls", &json!({"calls": [write]})).await;
    assert_eq!(answer["results"][0]["reason"], "not now");
    // A turn of a session.
    let turn = json!({"append": [{"role": "user", "content": "Hi"},
        {"role": "assistant", "content": null, "tool_calls": [write]}], "memory": true});
    assert!(server.post("/sessions", &json!({"id": "s"})).await.status().is_success());
    let answer = server.post_json("/sessions/s/turns", 200, &turn).await;
    assert_eq!(answer["results"][0]["reason"], "not now");
    assert_eq!(answer["report"]["hooks"][0]["outcome"], "denied");
    assert!(answer["payload"].to_string().contains("not now"), "{answer}");
    // A host that speaks MCP.
    let mcp = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
        {"name": "memory_create", "arguments": {"key": "k", "value": "v"}}});
    let answer = server.post_ok("/mcp", &mcp).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(answer["result"]["content"][0]["text"], "not now");
    assert_eq!(guard.requests().len(), 3);
    assert_eq!(guard.bodies()[1]["scope"]["session_id"], "s");
    assert_eq!(server.get("/memory/k").await.status(), 404);
    assert_eq!(server.events_of("tool:denied").await.len(), 3);
}

#[tokio::test]
async fn what_a_transform_leaves_is_what_is_remembered() {
    let server = TestServer::dev().await;
    let change = json!({"action": "json_patch", "patch":
        [{"op": "replace", "path": "/tool/arguments/value", "value": "masked"}]});
    let change = answers(&change).await;
    server.register(&hook("t", TRANSFORM, &change, &json!({}))).await;
    let write = call("c1", "create_memory", &json!({"key": "k", "value": "v"}));
    server.post_ok("/tools/calls", &json!({"calls": [write]})).await;
    let entry = server.get_json("/memory/k").await;
    assert_eq!(entry["value"], "masked");
}

#[tokio::test]
async fn a_patch_whose_test_does_not_hold_changes_nothing() {
    let server = TestServer::dev().await;
    let change = json!({"action": "json_patch", "patch": [
        {"op": "replace", "path": "/tool/arguments/command", "value": "pwd"},
        {"op": "test", "path": "/tool/name", "value": "Read"}]});
    let change = answers(&change).await;
    server.register(&hook("t", TRANSFORM, &change, &json!({"on_failure": "skip"}))).await;
    let answer = server.post_ok("/tools/calls", &json!({"calls": [bash("c1", "ls")]})).await;
    assert_eq!(answer["results"][0]["arguments"], json!({"command": "ls"}));
    assert_eq!(lines(&answer), ["t failed patch_conflict"]);
}

#[tokio::test]
async fn a_guard_of_a_turns_calls_has_its_own_time() {
    let server = TestServer::dev().await;
    let allow = r#"{"decision":"allow"}"#.to_owned();
    let guard = Receiver::spawn(Mode::Interim(1, Duration::from_millis(2_500), allow)).await;
    let slow = json!({"timeout_ms": 8_000});
    server.register(&hook("g", GUARD, &guard, &slow)).await;
    server.post_json("/sessions", 201, &json!({"id": "s"})).await;
    // The compile ends in time; its own time begins once the guard has answered.
    let turn = json!({"append": [{"role": "user", "content": "Hi"},
        {"role": "assistant", "content": null, "tool_calls": [bash("c1", "ls")]}],
        "deadline_ms": 2_000});
    let answer = server.post_json("/sessions/s/turns", 200, &turn).await;
    assert_eq!(answer["report"]["hooks"][0]["outcome"], "allowed", "{answer}");
}

#[tokio::test]
async fn a_turn_with_a_fault_asks_nobody() {
    let server = TestServer::dev().await;
    let guard = answers(&json!({"decision": "allow"})).await;
    server.register(&hook("g", GUARD, &guard, &json!({}))).await;
    server.post_json("/sessions", 201, &json!({"id": "s"})).await;
    let append = json!([{"role": "user", "content": "Hi"},
        {"role": "assistant", "content": null, "tool_calls": [bash("c1", "ls")]}]);
    let faults = [json!({"system": 5}), json!({"tools": 5}), json!({"budget": "5"})];
    for fault in faults {
        let mut turn = json!({"append": append});
        turn.as_object_mut().unwrap().extend(fault.as_object().unwrap().clone());
        problem(server.post("/sessions/s/turns", &turn).await, 422, "invalid_request").await;
        assert_eq!(guard.requests().len(), 0, "{fault}");
    }
    server.post_json("/sessions/s/turns", 200, &json!({"append": append})).await;
    assert_eq!(guard.requests().len(), 1);
}

/// A server whose hooks deny dangerous commands, and mask every result that they are asked about
/// before others.
async fn denying_and_masking() -> (TestServer, Receiver) {
    let server = TestServer::dev().await;
    let deny =
        json!({"id": "deny", "point": "tool_call", "kind": "guard", "builtin": "deny_command"});
    server.register(&deny).await;
    let mask = json!({"action": "merge_patch", "patch": {"result": {"content": "[masked]"}}});
    let mask = answers(&mask).await;
    let first = json!({"priority": -1});
    server.register(&hook("mask", ("tool_result", "transform"), &mask, &first)).await;
    (server, mask)
}

#[tokio::test]
async fn a_denial_is_not_changed_by_a_transform_of_results_unless_it_asks_for_them() {
    let (server, mask) = denying_and_masking().await;
    let asks = answers(&json!(null)).await;
    let at = ("tool_result", "transform");
    let made = json!({"match": {"denials": true}});
    let made = server.register(&hook("asks", at, &asks, &made)).await;
    assert_eq!(made["match"], json!({"denials": true}));
    let call = bash("c1", "rm -rf /");
    let user = json!({"role": "user", "content": "Go"});
    let said = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let answer = server.post_ok("/tools/calls", &json!({"calls": [call]})).await;
    let denied = answer["results"][0]["message"].clone();
    let compiled = server.compile(&json!({"messages": [user, said, denied]})).await;
    assert_eq!(compiled.said(2), "dangerous-delete (Forbidden)");
    assert_eq!((mask.requests().len(), asks.requests().len()), (0, 1));
    // In a turn, too; and what a tool really gave is masked.
    let turn = json!({"append": [user, said]});
    let done = server.post_ok("/sessions/s/turns", &turn).await;
    let text = done["payload"]["messages"][2]["content"].as_str().unwrap();
    assert_eq!(text, "dangerous-delete (Forbidden)");
    assert_eq!(mask.requests().len(), 0);
    let given = json!({"role": "tool", "tool_call_id": "c1", "content": "removed"});
    let compiled = server.compile(&json!({"messages": [user, said, given]})).await;
    assert_eq!(compiled.said(2), "[masked]");
    let refused = json!({"id": "x", "point": "tool_call", "kind": "guard", "builtin": "deny_command",
        "match": {"denials": true}});
    problem(server.post("/hooks", &refused).await, 422, "invalid_request").await;
}

/// The turn is the first that the server sees of the denial, and of a call that nobody has run yet.
#[tokio::test]
async fn a_turn_asks_no_transform_about_its_denial_or_about_a_result_that_is_missing() {
    let (server, mask) = denying_and_masking().await;
    let user = json!({"role": "user", "content": "Go"});
    let said = json!({"role": "assistant", "content": null,
        "tool_calls": [bash("c1", "rm -rf /"), bash("c2", "ls")]});
    let turn = json!({"append": [user, said]});
    let done = server.post_ok("/sessions/s/turns", &turn).await;
    let messages = &done["payload"]["messages"];
    assert_eq!(messages[2]["content"], "dangerous-delete (Forbidden)", "{messages}");
    assert_eq!(mask.requests().len(), 0);
    // What the tool returns is asked about, and the denial stays.
    let result = json!({"role": "tool", "tool_call_id": "c2", "content": "a.txt"});
    let done = server.post_ok("/sessions/s/turns", &json!({"append": [result]})).await;
    let messages = &done["payload"]["messages"];
    assert_eq!(
        (&messages[2]["content"], &messages[3]["content"]),
        (&json!("dangerous-delete (Forbidden)"), &json!("[masked]"))
    );
    assert_eq!(mask.requests().len(), 1);
    // Nobody said the text that stands for a missing result.
    let open = json!({"role": "assistant", "content": null, "tool_calls": [bash("c3", "pwd")]});
    let body = json!({"messages": [user, open, {"role": "user", "content": "And?"}]});
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.said(2), "[No tool result available]");
    assert_eq!(mask.requests().len(), 1);
}
