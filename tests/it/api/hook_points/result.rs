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
async fn truncate_cuts_the_output_of_an_object_and_keeps_how_it_ended() {
    let server = TestServer::dev().await;
    let truncate = json!({"id": "cut", "point": "tool_result", "kind": "transform",
        "builtin": "truncate", "config": {"max_bytes": 100}});
    let long = "0123456789\n".repeat(40);
    let object = |stdout: &str| {
        let stdout = serde_json::to_string(stdout).unwrap();
        format!(
            "{{ \"stdout\": {stdout},\n  \"stderr\": \"{}\", \"exit_code\": 1.0 }}",
            "e".repeat(300)
        )
    };
    let short = format!("{}... truncated 340 bytes ...", &long[..100]);
    for (output, shown) in [(object(&long), object(&short)), (object("ok"), object("ok"))] {
        let mut body = ran("Bash", &output);
        body["compression"] = json!({"on_arrival": "off"});
        body["hooks"] = json!([truncate]);
        let done = server.compile(&body).await;
        assert_eq!(done.said(2), shown);
        // Sent back as it was told, it stays.
        let mut again = ran("Bash", &done.said(2));
        again["compression"] = json!({"on_arrival": "off"});
        again["hooks"] = json!([truncate]);
        assert_eq!(server.compile(&again).await.text, done.text);
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

#[tokio::test]
async fn what_hooks_change_in_results_is_counted_and_the_request_s_tokens_stay() {
    let server = TestServer::dev().await;
    let long = "a line of the log\n".repeat(200);
    let body = ran("Bash", &long);
    let plain = server.compile(&body).await;
    let receiver =
        answers(&json!({"action": "merge_patch", "patch": {"result": {"content": "ok"}}})).await;
    server.register(&hook("t", AT, &receiver, &json!({}))).await;
    let done = server.compile(&body).await;
    assert_eq!(done.report["tokens_before"], plain.report["tokens_before"]);
    assert!(done.number("tokens_after") * 2 < done.number("tokens_before"), "{}", done.report);
    assert_eq!(
        (&done.report["actions"]["changed"], &done.report["actions"]["kept"]),
        (&json!(1), &json!(2))
    );
    let summary = done.report["summary"].as_str().unwrap();
    assert!(summary.contains("1 message changed by hooks"), "{summary}");
    // A list on its own, and results on their own.
    let body = json!({"messages": body["messages"]});
    let listed = server.post_ok("/compress", &body).await;
    assert_eq!(listed["report"]["tokens_before"].as_u64().unwrap(), plain.number("tokens_before"));
    assert_eq!(listed["report"]["actions"]["changed"], 1);
    let results = json!({"results": [{"id": "c9", "name": "Bash", "content": long}]});
    let taken = server.post_ok("/tools/results", &results).await;
    assert_eq!(taken["report"]["actions"]["changed"], 1);
    let row = &taken["results"][0];
    assert_eq!(
        (&row["action"], &row["bytes_before"], &row["bytes_after"]),
        (&json!("changed"), &json!(long.len()), &json!(2))
    );
}

#[tokio::test]
async fn a_result_that_is_compressed_says_so() {
    let server = TestServer::dev().await;
    let lines: Vec<String> =
        (0..400).map(|at| format!("step {at} of the build is done\n")).collect();
    let long = lines.concat();
    let results = json!({"results": [{"id": "c1", "name": "Bash", "content": long},
        {"id": "c2", "name": "Bash", "content": "short"}], "compression": "reversible"});
    let taken = server.post_ok("/tools/results", &results).await;
    let said = taken["messages"][0]["content"].as_str().unwrap();
    let row = |at: usize| {
        let row = &taken["results"][at];
        (row["action"].clone(), row["bytes_before"].clone(), row["bytes_after"].clone())
    };
    assert!(said.len() < long.len());
    assert_eq!(row(0), (json!("compressed"), json!(long.len()), json!(said.len())));
    assert_eq!(row(1), (json!("kept"), json!(5), json!(5)));
}
