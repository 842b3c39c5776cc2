//! A conversation compiled for the provider it came from goes back as it came: signed, opaque
//! and unknown things included.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::Compiled;

async fn back(target: &str, mut request: Value) -> Compiled {
    request["target"] = json!(target);
    let compiled = TestServer::spawn().await.compile(&request).await;
    for list in ["degraded", "repairs"] {
        assert!(compiled.codes(list).is_empty(), "{list}: {}", compiled.report[list]);
    }
    compiled
}

#[tokio::test]
async fn anthropic_comes_back_whole() {
    let system = json!([{"type": "text", "text": "sys", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]);
    let citation = json!({"type": "char_location", "cited_text": "z", "document_index": 0,
        "document_title": null, "start_char_index": 0, "end_char_index": 1});
    let messages = json!([
        {"role": "user", "content": [{"type": "text", "text": "q"}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "one", "signature": "S1"},
            {"type": "thinking", "thinking": "two", "signature": "S2"},
            {"type": "redacted_thinking", "data": "D"},
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            {"type": "text", "text": "ok", "citations": [citation]},
            {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"b": 1.0, "a": [null]}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true, "content": [
                {"type": "text", "text": "boom"}, {"type": "text", "text": "twice"}],
             "cache_control": {"type": "ephemeral", "ttl": "1h"}},
            {"type": "image", "source": {"type": "url", "url": "https://x.example/y.png"}},
            {"type": "text", "text": "go on"}]}
    ]);
    let compiled = back("anthropic", json!({"system": system, "messages": messages})).await;
    assert_eq!(compiled.payload["system"], system);
    assert_eq!(compiled.payload["messages"], messages);
}

#[tokio::test]
async fn numbers_keep_every_digit() {
    let input = r#"{"big":123456789012345678901234567890,"price":1.50,"tiny":1E-400}"#;
    let body = format!(
        r#"{{"target":"anthropic","messages":[{{"role":"user","content":"q"}},
        {{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"f","input":{input}}}]}},
        {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"r"}}]}}]}}"#
    );
    let server = TestServer::spawn().await;
    let request = server.build("POST", "/compile").header("content-type", "application/json");
    let text = request.body(body).send().await.unwrap().text().await.unwrap();
    assert!(text.contains(input), "{text}");
}

#[tokio::test]
async fn gemini_comes_back_whole() {
    let contents = json!([
        {"role": "user", "parts": [
            {"text": "hi"}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
            {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://bucket/a.pdf"}}]},
        {"role": "model", "parts": [
            {"text": "let me see", "thought": true, "thoughtSignature": "AAA="},
            {"functionCall": {"id": "x1", "name": "f", "args": {"a": 1.5}}, "thoughtSignature": "U0lH"}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "x1", "name": "f", "response": {"output": "text", "exit": 0}}}]},
        {"role": "model", "parts": [{"functionCall": {"name": "g", "args": {}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "g", "response": {"output": "only"}, "willContinue": false}}]},
        {"role": "model", "parts": [
            {"executableCode": {"language": "PYTHON", "code": "1"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}]}
    ]);
    let compiled = back("gemini", json!({"contents": contents})).await;
    assert_eq!(compiled.payload["contents"], contents);
}

#[tokio::test]
async fn responses_items_come_back_whole() {
    let input = json!([
        {"type": "message", "role": "user", "content": "q"},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "s"}],
         "encrypted_content": "ENC"},
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{\"a\":1}",
         "id": "fc_1", "status": "completed"},
        {"type": "function_call_output", "call_id": "call_1", "output": "res"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed",
         "action": {"type": "search", "query": "z"}},
        {"type": "message", "role": "assistant", "content": "hello"}
    ]);
    let compiled =
        back("openai_responses", json!({"input": input, "instructions": "be brief"})).await;
    assert_eq!(compiled.payload["instructions"], "be brief");
    assert_eq!(compiled.payload["input"], input);
}

#[tokio::test]
async fn a_refusal_among_items_becomes_text_and_is_told() {
    let content = json!([{"type": "output_text", "text": "hello", "annotations": []},
        {"type": "refusal", "refusal": "not that"}]);
    let input = json!([
        {"type": "message", "role": "user", "content": "q"},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    ]);
    let request = json!({"input": input, "target": "openai_responses"});
    let compiled = TestServer::spawn().await.compile(&request).await;
    assert_eq!(compiled.codes("degraded"), ["refusal_as_text"]);
    let said = compiled.list().last().unwrap();
    assert_eq!(*said, json!({"type": "message", "role": "assistant", "content": "not that"}));
}

#[tokio::test]
async fn openai_chat_comes_back_whole() {
    let messages = json!([
        {"content": "be brief", "role": "developer"},
        {"content": "q", "name": "ann", "role": "user", "zz": 1},
        {"audio": {"id": "audio_1"}, "content": null, "role": "assistant"},
        {"content": null, "refusal": "no", "role": "assistant"},
        {"content": null, "reasoning_content": "hm", "role": "assistant", "tool_calls": [
            {"extra_content": {"google": {"thought_signature": "SIG"}},
             "function": {"arguments": "{\"a\": 1.50}", "name": "f"}, "id": "c1", "type": "function"},
            {"custom": {"input": "free text", "name": "g"}, "id": "c2", "type": "custom"}]},
        {"content": "r1", "role": "tool", "tool_call_id": "c1"},
        {"content": [{"text": "r2", "type": "text"}, {"text": "r3", "type": "text"}],
         "role": "tool", "tool_call_id": "c2"},
        {"content": [
            {"image_url": {"detail": "low", "url": "https://x.example/y.png"}, "type": "image_url"},
            {"input_audio": {"data": "aGk=", "format": "wav"}, "type": "input_audio"},
            {"file": {"file_id": "file-1"}, "type": "file"}], "role": "user"}
    ]);
    let compiled = back("openai", json!({"messages": messages})).await;
    assert_eq!(compiled.payload["messages"], messages);
}

#[tokio::test]
async fn texts_of_one_responses_item_go_back_as_one_item() {
    let text = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
    let said = |id: &str, content: Value| {
        json!({"type": "message", "id": id, "role": "assistant", "status": "completed",
            "content": content})
    };
    let input = json!([
        {"type": "message", "role": "user", "content": "q"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ENC"},
        said("msg_1", json!([text("a"), text("b")])),
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "res"},
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "ENC"},
        {"type": "function_call", "call_id": "d", "name": "f", "arguments": "{}"},
        said("msg_2", json!([text("c")])),
        said("msg_3", json!([text("d"), text("e")])),
        {"type": "function_call_output", "call_id": "d", "output": "res"}
    ]);
    let compiled = back("openai_responses", json!({"input": input})).await;
    assert_eq!(compiled.payload["input"], input);
}

#[tokio::test]
async fn marks_on_items_of_the_providers_own_come_back_and_are_counted() {
    let mark = json!({"type": "ephemeral", "ttl": "1h"});
    let messages = json!([
        {"role": "user", "content": [
            {"type": "document", "source": {"type": "content", "content": [
                {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
             "citations": {"enabled": true}, "cache_control": mark}]},
        {"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "srvtoolu_s", "name": "web_search", "input": {"q": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_s", "content": [],
             "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "ok"}]},
        {"role": "user", "content": [{"type": "text", "text": "go on"}]}
    ]);
    let tools = json!([
        {"type": "web_search_20250305", "name": "web_search", "cache_control": mark}]);
    let request = json!({"messages": messages, "tools": tools});
    let compiled = back("anthropic", request.clone()).await;
    assert_eq!(compiled.payload["messages"], messages);
    assert_eq!(compiled.payload["tools"], tools);
    let mut one = request.clone();
    one["cache"] = json!({"marks": 1});
    one["target"] = json!("anthropic");
    let text = TestServer::spawn().await.compile(&one).await.payload.to_string();
    assert_eq!(text.matches("cache_control").count(), 1, "{text}");
    let neutral = back("neutral", request).await.payload;
    let mut again = json!({"messages": neutral["messages"], "tools": neutral["tools"]});
    again["source"] = json!("neutral");
    let mut marks = back("neutral", again.clone()).await.payload;
    assert_eq!(marks, neutral);
    again["tools"].take();
    marks = back("anthropic", json!({"messages": again["messages"], "source": "neutral"}))
        .await
        .payload;
    assert_eq!(marks["messages"], messages);
}
