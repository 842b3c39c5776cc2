//! How much commands may change, what hooks say of it, and what is left of one that failed.

use serde_json::{Value, json};

use super::{
    create, delete, insert, keys, refused, rename, replace, run, run_all, said, tools, turn, view,
};
use crate::support::TestServer;
use crate::support::receiver::{answers, hook};

#[tokio::test]
async fn a_file_has_at_most_64_kibibytes() {
    let server = TestServer::spawn().await;
    run(&server, create("/memories/f", &"x".repeat(64 << 10))).await;
    for input in [
        create("/memories/g", &"x".repeat((64 << 10) + 1)),
        insert("/memories/f", 1, "y"),
        replace("/memories/f", &"x".repeat(64 << 10), &"z".repeat((64 << 10) + 1)),
    ] {
        let text = refused(&server, input).await;
        assert!(text.contains("would have more than 65536 bytes"), "{text}");
    }
    assert_eq!(keys(&server).await, ["f"]);
    assert_eq!(server.get_json("/memory/f").await["version"], 1);
}

#[tokio::test]
async fn a_directory_of_too_many_files_is_not_deleted_at_once() {
    let server = TestServer::spawn().await;
    let line = |at: usize| json!({"key": format!("d/{at:03}"), "value": "x"}).to_string();
    let lines: Vec<String> = (0..101).map(line).collect();
    let body = lines.join("\n");
    let import = server.build("POST", "/memory/import").header("content-type", "application/jsonl");
    assert_eq!(import.body(body).send().await.unwrap().status(), 200);
    for input in [delete("/memories/d"), rename("/memories/d", "/memories/e")] {
        let text = refused(&server, input).await;
        assert!(text.starts_with("Error: /memories/d has more than 100 files"), "{text}");
    }
    run(&server, delete("/memories/d/000")).await;
    run(&server, rename("/memories/d", "/memories/e")).await;
    run(&server, delete("/memories/e")).await;
    assert!(keys(&server).await.is_empty());
}

#[tokio::test]
async fn the_work_of_one_message_is_bounded() {
    let server = TestServer::spawn().await;
    run(&server, create("/memories/f", &"x".repeat(64 << 10))).await;
    let inputs = vec![view("/memories/f"); 80];
    let done = run_all(&server, &inputs, &json!({})).await;
    let refused = done.iter().filter(|said| said.is_error).count();
    assert!(!done[0].is_error && refused > 0, "{refused}");
    assert!(done[79].text.contains("may read and write 8 MiB"), "{}", done[79].text);
}

#[tokio::test]
async fn guards_are_asked_about_each_file_and_deny_the_whole_command() {
    let server = TestServer::dev().await;
    for key in ["d/1", "d/2"] {
        run(&server, create(&format!("/memories/{key}"), key)).await;
    }
    let guard = answers(&json!({"decision": "deny", "reason": "not that"})).await;
    server.register(&hook("g", ("memory_update", "guard"), &guard, &json!({}))).await;
    for input in [
        create("/memories/x", "v"),
        replace("/memories/d/1", "d", "e"),
        delete("/memories/d"),
        rename("/memories/d", "/memories/e"),
    ] {
        let text = refused(&server, input).await;
        assert!(text.ends_with("was not written: not that. Nothing was done."), "{text}");
    }
    // Nothing is written by these.
    run(&server, view("/memories")).await;
    refused(&server, delete("/memories/none")).await;
    let row = |op: &str, key: &str, value: Value, old: Value| {
        json!({"origin": "model", "op": op, "key": key, "value": value, "old_value": old,
            "memory_id": key.replace('/', "%2F"),
            "scope": {"subject": null, "session_id": null, "agent": null}})
    };
    assert_eq!(
        guard.inputs(),
        [
            row("create", "x", json!("v"), json!(null)),
            row("update", "d/1", json!("e/1"), json!("d/1")),
            row("delete", "d/1", json!(null), json!("d/1")),
            row("delete", "d/1", json!(null), json!("d/1")),
        ]
    );
    assert_eq!(keys(&server).await, ["d/1", "d/2"]);
    let denied = server.events_of("memory:denied").await;
    assert_eq!(denied.len(), 4);
    assert!(denied.iter().all(|data| data["reason"] == "hook" && data["origin"] == "model"));
}

#[tokio::test]
async fn a_transform_gives_the_text_that_is_stored() {
    let server = TestServer::dev().await;
    let transform = answers(&json!({"action": "replace", "payload": "clean"})).await;
    server.register(&hook("t", ("memory_update", "transform"), &transform, &json!({}))).await;
    let inputs = [create("/memories/f", "secret"), replace("/memories/f", "clean", "secret")];
    let done = run_all(&server, &inputs, &json!({})).await;
    assert_eq!(done[0].text, "File created successfully at: /memories/f");
    assert_eq!(done[1].text, "The memory file has been edited.");
    assert_eq!(server.get_json("/memory/f").await["value"], "clean");
}

#[tokio::test]
async fn hooks_at_tool_call_are_asked_too() {
    let guard = answers(&json!({"decision": "deny", "reason": "not now"})).await;
    let server = TestServer::dev().await;
    server.register(&hook("g", ("tool_call", "guard"), &guard, &json!({}))).await;
    let body =
        json!({"calls": [super::command("c", &create("/memories/f", "x"))], "tools": tools()});
    let answer = server.post_ok("/tools/calls", &body).await;
    assert_eq!(answer["results"][0]["decision"], "deny");
    assert!(answer["results"][0].to_string().contains("not now"));
    assert!(keys(&server).await.is_empty());
    assert!(guard.inputs()[0].to_string().contains("\"memory\""), "{:?}", guard.inputs());
}

#[tokio::test]
async fn a_turn_stores_the_writes_of_its_calls_or_nothing() {
    let server = TestServer::spawn().await;
    // A turn needs no memory in its payload.
    let result = turn(&server, "s", create("/memories/f", "x"), &json!({})).await;
    assert_eq!(said(&result).text, "File created successfully at: /memories/f");
    assert_eq!(server.get_json("/memory/f?session_id=s").await["value"], "x");
    assert_eq!(keys(&server).await, ["f"]);
    assert_eq!(server.get_json("/sessions/s").await["messages"], 3);
    let result = turn(&server, "s", view("/memories"), &json!({"memory": true})).await;
    assert!(said(&result).text.ends_with("1B\t/memories/f"), "{result}");
    // A turn whose compile fails stores nothing.
    let call =
        json!({"role": "assistant", "content": [super::command("c", &delete("/memories/f"))]});
    let body = json!({"append": [crate::support::compile::user("x"), call], "tools": tools(),
        "budget": {"max_tokens": 1}});
    let (status, _) = server.post_any("/sessions/s/turns", &body).await;
    assert!(status >= 400, "{status}");
    assert_eq!(keys(&server).await, ["f"]);
    // The caller carries it out itself.
    let result = turn(&server, "t", create("/memories/f", "x"), &json!({"memory": false})).await;
    assert_eq!(result["for"], "caller");
    server.post_ok("/sessions", &json!({"id": "u", "defaults": {"memory": false}})).await;
    let result = turn(&server, "u", create("/memories/f", "x"), &json!({})).await;
    assert_eq!(result["for"], "caller");
    let body = json!({"calls": [super::command("c", &view("/memories"))], "tools": tools(),
        "session_id": "u"});
    let answer = server.post_ok("/tools/calls", &body).await;
    assert_eq!(answer["results"][0]["for"], "caller");
}

#[tokio::test]
async fn a_repeated_request_is_carried_out_once() {
    let server = TestServer::spawn().await;
    let body =
        json!({"calls": [super::command("c", &create("/memories/f", "x"))], "tools": tools()});
    let first =
        server.post_once("/tools/calls", "k", &body.to_string()).await.text().await.unwrap();
    let again =
        server.post_once("/tools/calls", "k", &body.to_string()).await.text().await.unwrap();
    assert_eq!(first, again);
    assert!(first.contains("created successfully"), "{first}");
    assert_eq!(server.get_json("/memory/f").await["version"], 1);
}
