//! Calls as frameworks and streams leave them, and results of the Model Context Protocol.

use serde_json::{Value, json};

use super::{PNG, valid};
use crate::support::compile::{compile, user};
use crate::support::{TestServer, problem};

#[tokio::test]
async fn a_call_in_the_content_and_in_the_list_of_calls_is_one() {
    // A stream leaves the input empty; the framework ran the arguments in the list.
    let messages = json!([user("q"),
        {"role": "assistant", "content": [{"type": "text", "text": "ok"},
            {"type": "tool_use", "id": "c1", "name": "find", "input": {}}],
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{\"q\":1}"}},
                {"id": "c2", "type": "function", "function": {"name": "find", "arguments": "{\"q\":2}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"}]);
    for target in ["openai", "openai_responses", "anthropic", "gemini"] {
        let compiled = valid(target, json!({"messages": messages})).await;
        assert_eq!(compiled.codes("repairs"), ["call_merged"], "{target}");
        assert_eq!(compiled.text.matches("one").count(), 1);
    }
    let compiled = valid("anthropic", json!({"messages": messages})).await;
    let calls: Vec<&Value> = compiled.list()[1]["content"]
        .as_array()
        .unwrap()
        .iter()
        .skip(1)
        .map(|one| &one["input"])
        .collect();
    assert_eq!(calls, [&json!({"q": 1}), &json!({"q": 2})]);
}

#[tokio::test]
async fn what_streams_and_sdks_leave_is_taken_off() {
    let messages = json!([user("q"),
        {"role": "assistant", "content": [
            {"type": "text", "text": "a", "index": 0, "parsed_output": {"x": 1}},
            {"type": "tool_use", "id": "t", "name": "f", "input": "", "index": 1,
                "partial_json": "{\"a\": 1}"},
            {"type": "input_json_delta", "index": 1, "partial_json": "1}"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "r"}]}]);
    let compiled = valid("anthropic", json!({"messages": messages})).await;
    assert_eq!(
        compiled.list()[1]["content"],
        json!([{"type": "text", "text": "a"},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}])
    );
    assert_eq!(compiled.report["repairs"][0]["detail"], "index, parsed_output, input_json_delta");
    let input = json!([{"role": "user", "content": "q"},
        {"type": "reasoning", "id": "rs_a", "summary": [], "content": null, "status": null,
            "encrypted_content": "ZW5j"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "status": null},
        {"type": "function_call_output", "call_id": "c", "output": "r", "status": null}]);
    let compiled = valid("openai_responses", json!({"input": input})).await;
    assert!(!compiled.text.contains("null"), "{}", compiled.text);
    // In the neutral shape nothing is lost.
    let neutral = compile(&json!({"messages": messages, "target": "neutral"})).await;
    assert!(neutral.text.contains("parsed_output"));
}

#[tokio::test]
async fn a_second_reasoning_item_of_one_id_is_dropped() {
    let reasoning = json!({"type": "reasoning", "id": "rs_a", "summary": []});
    let input = json!([{"role": "user", "content": "q"}, reasoning, reasoning,
        {"type": "message", "role": "assistant", "content": "a"}, {"role": "user", "content": "r"}]);
    let compiled = valid("openai_responses", json!({"input": input})).await;
    assert_eq!(compiled.text.matches("rs_a").count(), 1);
    assert_eq!(compiled.codes("repairs"), ["duplicate_reasoning"]);
}

#[tokio::test]
async fn arguments_of_null_are_an_empty_object() {
    for arguments in [json!("null"), json!(null), json!(" null ")] {
        let messages = json!([user("q"),
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}]},
            {"role": "tool", "tool_call_id": "c", "content": "r"}]);
        let compiled = valid("openai", json!({"messages": messages})).await;
        assert_eq!(compiled.list()[1]["tool_calls"][0]["function"]["arguments"], "{}");
        assert_eq!(compiled.codes("repairs"), ["empty_arguments"]);
    }
}

fn function(id: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "read", "arguments": arguments}})
}

#[tokio::test]
async fn a_malformed_call_is_denied_in_the_parser_s_words() {
    let server = TestServer::spawn().await;
    let calls = json!([function("c1", "{\"path\":"), function("c2", "{}"), function("c3", "[1]"),
        {"id": "c4", "type": "function", "function": {"arguments": "{}"}},
        {"id": "c5", "type": "function"}]);
    let done = server.post_ok("/tools/calls", &json!({"calls": calls})).await;
    let results = done["results"].as_array().unwrap();
    let decisions: Vec<_> = results.iter().map(|one| (&one["id"], &one["decision"])).collect();
    let (deny, allow) = (json!("deny"), json!("allow"));
    let expected = [&deny, &allow, &deny, &deny, &deny];
    assert_eq!(decisions.len(), expected.len());
    for (at, ((id, decision), expected)) in decisions.iter().zip(expected).enumerate() {
        assert_eq!((id.as_str().unwrap(), *decision), (format!("c{}", at + 1).as_str(), expected));
    }
    let reason = results[0]["reason"].as_str().unwrap();
    assert!(reason.contains("the text ends in the middle of a value"), "{reason}");
    assert_eq!(results[0]["message"]["tool_call_id"], "c1");
    // Without an id there is nothing that a result could answer.
    let nameless = json!({"calls": [function("c1", "{}"), {"type": "function"}]});
    let told = problem(server.post("/tools/calls", &nameless).await, 422, "invalid_request").await;
    assert!(told["errors"][0]["pointer"].as_str().unwrap().starts_with("/calls/1"));
}

#[tokio::test]
async fn calls_that_their_provider_runs_are_passed_over() {
    let server = TestServer::spawn().await;
    let anthropic = json!([
        {"type": "server_tool_use", "id": "srvtoolu_a", "name": "web_search", "input": {}},
        {"type": "tool_use", "id": "t", "name": "read", "input": {}}]);
    let responses = json!([{"type": "web_search_call", "id": "ws_a", "status": "completed"},
        {"type": "function_call", "call_id": "t", "name": "read", "arguments": "{}"}]);
    for (source, calls) in [("anthropic", anthropic), ("openai_responses", responses)] {
        let done = server.post_ok("/tools/calls", &json!({"calls": calls, "source": source})).await;
        assert_eq!(done["results"].as_array().unwrap().len(), 1, "{done}");
        assert_eq!(
            (&done["results"][0]["id"], &done["results"][0]["decision"]),
            (&json!("t"), &json!("allow"))
        );
    }
}

#[tokio::test]
async fn a_gateway_compresses_beside_a_malformed_call() {
    let server = TestServer::spawn().await;
    let lines: Vec<String> = (0..400).map(|at| format!("2026-01-01 INFO step {at} done")).collect();
    let log = lines.join("\n");
    let messages = json!([user("q"),
        {"role": "assistant", "content": null, "tool_calls": [function("c1", "{\"path\":")]},
        {"role": "tool", "tool_call_id": "c1", "content": log},
        {"role": "assistant", "content": "a"}, user("b")]);
    let done = server.post_ok("/v1/compress", &json!({"messages": messages})).await;
    assert_eq!(done["compression_skipped"], Value::Null, "{done}");
    assert!(done["tokens_saved"].as_u64().unwrap() > 0);
    assert_eq!(done["messages"][1], messages[1]);
}

fn answered(content: &Value) -> Value {
    json!([user("q"),
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": content}]}])
}

#[tokio::test]
async fn texts_of_resources_and_search_results_reach_every_target() {
    let content = json!([{"type": "text", "text": "saved"},
        {"type": "resource", "resource": {"uri": "file:///n.txt", "mimeType": "text/plain",
            "text": "the figure is 1337"}},
        {"type": "resource_link", "uri": "file:///m.txt", "name": "m", "description": "more of it"},
        {"type": "search_result", "source": "https://example.com/a", "title": "A page",
            "content": [{"type": "text", "text": "found line"}], "citations": {"enabled": false}}]);
    for target in ["openai", "openai_responses", "anthropic", "gemini"] {
        let compiled = valid(target, json!({"messages": answered(&content)})).await;
        for word in ["the figure is 1337", "file:///n.txt", "more of it", "found line", "A page"] {
            assert!(compiled.text.contains(word), "{target} {word}: {}", compiled.text);
        }
    }
}

#[tokio::test]
async fn raw_results_of_content_blocks_are_read_as_such() {
    let server = TestServer::spawn().await;
    let blocks = json!([{"type": "text", "text": "one"},
        {"type": "resource", "resource": {"uri": "file:///n.txt", "text": "two"}},
        {"type": "image", "data": PNG, "mimeType": "image/png"}]);
    let mcp = json!({"content": [{"type": "text", "text": "failed"}], "isError": true});
    let results = json!([{"id": "a", "name": "f", "content": blocks},
        {"id": "b", "name": "f", "content": mcp},
        {"id": "c", "name": "f", "content": [{"type": "row", "n": 1}]}]);
    let body = json!({"results": results, "source": "anthropic"});
    let done = server.post_ok("/tools/results", &body).await;
    let content = done["messages"][0]["content"].as_array().unwrap();
    assert_eq!(content[0]["content"][0]["text"], "one\n[resource: file:///n.txt]\ntwo");
    assert_eq!(content[0]["content"][1]["source"]["data"], PNG);
    assert_eq!((&content[1]["content"], &content[1]["is_error"]), (&json!("failed"), &json!(true)));
    assert_eq!(content[2]["content"], r#"[{"type":"row","n":1}]"#);
    let done = server.post_ok("/tools/results", &json!({"results": results})).await;
    let roles: Vec<_> =
        done["messages"].as_array().unwrap().iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["tool", "tool", "tool", "user"]);
    assert_eq!(done["messages"][3]["content"][0]["type"], "image_url");
}
