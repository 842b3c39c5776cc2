//! `tool_result`: what tools answered, before anything else is done with it.

use serde_json::{Value, json};

use super::outcomes;
use crate::support::TestServer;
use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, answers, hook};

const AT: (&str, &str) = ("tool_result", "transform");

/// A conversation with one result of a tool.
fn ran(tool: &str, output: &str) -> Value {
    json!({"messages": [user("Go"),
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function":
                {"name": tool, "arguments": "{\"command\":\"make\"}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": output}]})
}

#[tokio::test]
async fn null_of_a_transform_changes_nothing() {
    let server = TestServer::dev().await;
    let plain = server.compile(&ran("Bash", "short")).await;
    let receiver = answers(&json!(null)).await;
    let mut body = ran("Bash", "short");
    body["hooks"] = json!([
        hook("t", AT, &receiver, &json!({})),
        hook("l", ("transform_context", "transform"), &receiver, &json!({}))
    ]);
    let done = server.compile(&body).await;
    assert_eq!(done.text, plain.text);
    assert_eq!(outcomes(&done), ["t unchanged", "l unchanged"]);
    assert_eq!(receiver.requests().len(), 2);
}

#[tokio::test]
async fn truncate_cuts_a_long_result_that_is_sent_straight_to_compile() {
    let server = TestServer::dev().await;
    let truncate = json!({"id": "cut", "point": "tool_result", "kind": "transform",
        "builtin": "truncate"});
    let lines: Vec<String> = (0..2500).map(|n| format!("{n:07}\n")).collect();
    let long = lines.concat();
    for (tool, output, cut) in
        [("Bash", long.as_str(), true), ("Read", long.as_str(), false), ("Bash", "short", false)]
    {
        let mut body = ran(tool, output);
        body["compression"] = json!({"on_arrival": "off"});
        body["hooks"] = json!([truncate]);
        let done = server.compile(&body).await;
        let said = done.said(2);
        if cut {
            let gone = output.len() - 8192;
            assert_eq!(said, format!("{}... truncated {gone} bytes ...", &output[..8192]));
            assert_eq!(outcomes(&done), ["cut applied"]);
            // Sent back as it was told, it stays.
            let mut again = ran(tool, &said);
            again["compression"] = json!({"on_arrival": "off"});
            again["hooks"] = json!([truncate]);
            assert_eq!(server.compile(&again).await.text, done.text);
        } else {
            assert_eq!(said, output);
        }
    }
}

#[tokio::test]
async fn a_transform_sees_tool_call_and_result_and_changes_the_result() {
    let receiver = answers(&json!({"action": "merge_patch", "patch":
        {"result": {"content": "redacted", "is_error": true}}}))
    .await;
    let told = answers(&json!(null)).await;
    let server = TestServer::dev().await;
    let mut body = ran("Bash", "secret");
    body["target"] = "anthropic".into();
    body["hooks"] = json!([
        hook("t", AT, &receiver, &json!({"match": {"tools": ["Bash"]}})),
        hook("o", ("tool_result", "observe"), &told, &json!({}))
    ]);
    let done = server.compile(&body).await;
    assert!(
        done.text.contains("redacted") && done.text.contains("\"is_error\":true"),
        "{}",
        done.text
    );
    assert!(!done.text.contains("secret"));
    let input = &receiver.bodies()[0]["input"];
    assert_eq!(
        input["tool"],
        json!({"name": "Bash", "call_id": "c1", "arguments": {"command": "make"}})
    );
    assert_eq!(input["result"], json!({"content": "secret", "is_error": false}));
    assert_eq!(told.bodies()[0]["input"]["result"]["content"], "redacted");
    // Not for this tool.
    body["messages"][1]["tool_calls"][0]["function"]["name"] = "bash".into();
    assert!(server.compile(&body).await.text.contains("secret"));
    assert_eq!(receiver.requests().len(), 1);
}

#[tokio::test]
async fn a_result_that_is_none_is_a_failure() {
    let server = TestServer::dev().await;
    for payload in [
        json!(null),
        json!("x"),
        json!({"content": 7}),
        json!({"is_error": false}),
        json!({"content": "x", "is_error": "no"}),
    ] {
        let receiver = answers(&json!({"action": "replace", "payload": payload})).await;
        let mut body = ran("Bash", "fine");
        body["hooks"] = json!([hook("t", AT, &receiver, &json!({}))]);
        crate::support::problem(server.post("/compile", &body).await, 502, "hook_failed").await;
    }
    let broken = Receiver::spawn(Mode::CloseAtOnce).await;
    let mut body = ran("Bash", "fine");
    body["hooks"] = json!([hook("t", AT, &broken, &json!({"on_failure": "skip"}))]);
    assert!(server.compile(&body).await.text.contains("fine"));
}
