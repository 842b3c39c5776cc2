//! What is counted as what, where a mistake would cost a conversation its newest step.

use serde_json::json;

use crate::support::TestServer;
use crate::support::compile::compile;

#[tokio::test]
async fn an_image_inside_an_opaque_item_is_media_not_text() {
    let image = format!("data:image/png;base64,{}", "iVBORw0KGgo".repeat(12_000));
    let call = json!({"type": "computer_call", "id": "cu_1", "call_id": "c1", "status": "completed",
        "action": {"type": "screenshot"}, "pending_safety_checks": []});
    let output = json!({"type": "computer_call_output", "call_id": "c1",
        "output": {"type": "computer_screenshot", "image_url": image}});
    let input = json!([{"type": "message", "role": "user", "content": "look"}, call, output]);
    let request = json!({"input": input, "target": "openai_responses",
        "budget": {"context_window": 16_000}});
    let compiled = compile(&request).await;
    assert_eq!(compiled.payload["input"], input);
    assert!(compiled.number("tokens_after") < 3_000, "{}", compiled.report);
    assert_eq!(compiled.report["exact"], false);
}

#[tokio::test]
async fn a_name_that_protects_nothing_is_warned_of() {
    let messages = json!([{"role": "user", "content": "u", "id": "m1"}]);
    let protect = json!({"messages": ["m1", "nope", 0, 99], "tools": ["zz"]});
    let compiled = compile(&json!({"messages": messages, "protect": protect})).await;
    assert_eq!(compiled.codes("warnings"), ["protect_unmatched"]);
    assert_eq!(compiled.report["warnings"][0]["detail"], "nope, 99, zz");
    let protect = json!({"messages": ["m1"]});
    let compiled = compile(&json!({"messages": messages, "protect": protect})).await;
    assert!(compiled.codes("warnings").is_empty());
}

#[tokio::test]
async fn tools_can_be_counted_alone() {
    let tools = json!([{"type": "function", "function": {"name": "f", "description": "does f"}}]);
    let response = TestServer::spawn().await.post("/tokens", &json!({"tools": tools})).await;
    assert_eq!(response.status(), 200);
    let answer: serde_json::Value = response.json().await.unwrap();
    assert!(answer["tokens"].as_u64().unwrap() > 0);
    assert!(answer.get("per_message").is_none());
}

#[tokio::test]
async fn a_renamed_call_keeps_its_name_when_the_conversation_grows() {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "r"});
    let mut messages = vec![
        json!({"role": "user", "content": "u"}),
        json!({"role": "assistant", "content": null, "tool_calls": [call("a"), call("a")]}),
        result("a"),
        result("a"),
    ];
    let short = compile(&json!({"messages": messages})).await;
    messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call("a_2")]}));
    messages.push(result("a_2"));
    let long = compile(&json!({"messages": messages})).await;
    assert_eq!(long.list()[..4], short.list()[..]);
    let last = long.list().last().unwrap();
    assert_eq!(last["tool_call_id"], long.list()[4]["tool_calls"][0]["id"]);
    assert_ne!(last["tool_call_id"], "a_2");
}
