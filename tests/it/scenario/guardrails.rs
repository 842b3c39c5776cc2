//! Scenarios G01 to G03: the output block and the prefill.

use serde_json::json;

use crate::support::TestServer;
use crate::support::compile::{compile, user};

#[tokio::test]
async fn the_output_block_joins_state_that_stands_in_a_system_message() {
    let server = TestServer::spawn().await;
    let mut body = json!({"messages": [user("u")], "target": "neutral", "output": {"tag": "tag"}});
    let alone = server.compile(&body).await;
    assert_eq!(alone.roles(), ["user", "system"]);
    assert!(alone.said(1).contains("<tag>") && alone.said(1).contains("</tag>"));
    assert!(alone.said(1).starts_with("<EPHEMERAL_MESSAGE>"));
    body["dynamic_state"] = json!({"a": 1});
    body["dynamic_state_placement"] = json!("system");
    let joined = server.compile(&body).await;
    assert_eq!(joined.roles(), ["user", "system"]);
    assert!(joined.said(1).starts_with("CURRENT TASK STATE:"));
    assert!(joined.said(1).ends_with(&format!("\n\n{}", alone.said(1))));
}

#[tokio::test]
async fn a_prefill_comes_last_behind_the_output_block() {
    let server = TestServer::spawn().await;
    let mut body = json!({
        "messages": [user("u")],
        "target": "neutral",
        "model": "bytes4",
        "output": {"prefill": "P"},
    });
    let alone = server.compile(&body).await;
    assert_eq!(alone.roles(), ["user", "assistant"]);
    assert_eq!(alone.said(1), "P");
    body["output"]["tag"] = json!("t");
    let both = server.compile(&body).await;
    assert_eq!(both.roles(), ["user", "system", "assistant"]);
    assert_eq!(both.said(2), "P");
}

#[tokio::test]
async fn neither_order_nor_repetition_of_state_and_output_matters() {
    let one = json!({
        "messages": [user("u")],
        "target": "neutral",
        "model": "bytes4",
        "dynamic_state_placement": "system",
        "dynamic_state": {"a": 1},
        "output": {"tag": "t", "prefill": "P"},
    });
    let other = json!({
        "output": {"prefill": "P", "tag": "t"},
        "dynamic_state": {"a": 1},
        "dynamic_state_placement": "system",
        "model": "bytes4",
        "target": "neutral",
        "messages": [user("u")],
    });
    let compiled = compile(&one).await;
    assert_eq!(compiled.roles(), ["user", "system", "assistant"]);
    assert_eq!(compiled.said(1).matches("<EPHEMERAL_MESSAGE>").count(), 1);
    assert_eq!(compiled.text, compile(&other).await.text);
    // Every compile is given what it needs anew, so nothing can pile up.
    let server = TestServer::spawn().await;
    let first = server.compile(&one).await;
    assert_eq!(server.compile(&one).await.text, first.text);
}
