//! Deferred tools, and what a search for tools found.

use serde_json::{Value, json};

use super::valid;
use crate::support::compile::user;

fn tool(name: &str, is_deferred: bool) -> Value {
    let schema = json!({"type": "object", "properties": {}});
    let mut tool = json!({"name": name, "input_schema": schema});
    if is_deferred {
        tool["defer_loading"] = json!(true);
    }
    tool
}

/// A search by a tool of the caller's own that found these tools.
fn searched(names: &[&str], tools: &Value) -> Value {
    let references: Vec<Value> =
        names.iter().map(|name| json!({"type": "tool_reference", "tool_name": name})).collect();
    json!({"source": "anthropic", "tools": tools, "messages": [user("q"),
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t0", "name": "find", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t0", "content": references}]}]})
}

/// A search by the provider's own tool.
fn found(names: &[&str], tools: &Value) -> Value {
    let references: Vec<Value> =
        names.iter().map(|name| json!({"type": "tool_reference", "tool_name": name})).collect();
    json!({"source": "anthropic", "tools": tools, "messages": [user("q"),
        {"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "srv", "name": "tool_search_tool_regex",
                "input": {"query": "w"}},
            {"type": "tool_search_tool_result", "tool_use_id": "srv", "content":
                {"type": "tool_search_tool_search_result", "tool_references": references}},
            {"type": "text", "text": "found"}]}, user("go on")]})
}

#[tokio::test]
async fn references_follow_a_renamed_tool() {
    let tools = json!([tool("find", false), tool("ns.weather", true)]);
    let compiled = valid("anthropic", searched(&["ns.weather"], &tools)).await;
    let name = &compiled.payload["tools"][1]["name"];
    assert!(name.as_str().unwrap().starts_with("ns_weather_"), "{name}");
    let result = &compiled.list()[2]["content"][0];
    assert_eq!(result["content"], json!([{"type": "tool_reference", "tool_name": name}]));
    let search =
        json!({"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"});
    let tools = json!([search, tool("ns.weather", true)]);
    let compiled = valid("anthropic", found(&["ns.weather"], &tools)).await;
    let result = &compiled.list()[1]["content"][1]["content"];
    assert_eq!(
        *result,
        json!({"type": "tool_search_tool_search_result",
        "tool_references": [{"type": "tool_reference", "tool_name": name}]})
    );
    assert_eq!(compiled.codes("degraded"), ["tool_name_renamed"]);
}

#[tokio::test]
async fn references_to_tools_that_are_not_sent_are_left_out() {
    let tools = json!([tool("find", false), tool("here", true)]);
    let compiled = valid("anthropic", searched(&["gone", "here"], &tools)).await;
    let result = &compiled.list()[2]["content"][0];
    assert_eq!(result["content"], json!([{"type": "tool_reference", "tool_name": "here"}]));
    assert_eq!(compiled.codes("degraded"), ["tool_reference_dropped"]);
    assert_eq!(compiled.report["degraded"][0]["pointer"], "/messages/2");
    assert_eq!(compiled.report["degraded"][0]["detail"], "gone");
    let compiled = valid("anthropic", searched(&["gone"], &tools)).await;
    let result = &compiled.list()[2]["content"][0];
    assert_eq!(result["content"], "[tools that are no longer there: gone]");
    let compiled = valid("anthropic", found(&["gone"], &tools)).await;
    let result = &compiled.list()[1]["content"][1]["content"];
    assert_eq!(result["tool_references"], json!([]));
    // Without a list of tools, or with those of a server, nobody can tell.
    let unknown = valid("anthropic", searched(&["gone"], &json!([]))).await;
    assert!(unknown.text.contains("tool_reference"));
    let server = json!([tool("find", false), {"type": "mcp_toolset", "mcp_server_name": "s",
        "name": "s"}]);
    let unknown = valid("anthropic", searched(&["gone"], &server)).await;
    assert!(unknown.text.contains("tool_reference"));
}

#[tokio::test]
async fn pruned_tools_are_no_longer_named() {
    let mut tagged = tool("weather", true);
    tagged["tags"] = json!(["weather"]);
    let mut request = searched(&["weather"], &json!([tool("find", false), tagged]));
    let kept = valid("anthropic", request.clone()).await;
    assert!(kept.text.contains(r#""tool_name":"weather""#));
    request["tools"] = json!({"list": request["tools"], "prune": {"allow": ["find"]}});
    let compiled = valid("anthropic", request).await;
    assert_eq!(compiled.payload["tools"].as_array().unwrap().len(), 1);
    assert!(!compiled.text.contains("tool_reference"), "{}", compiled.text);
}

#[tokio::test]
async fn something_stays_that_can_load_deferred_tools() {
    let messages = json!([user("q")]);
    let all = json!([tool("a", true), tool("b", true)]);
    let request =
        |tools: &Value| json!({"source": "anthropic", "messages": messages, "tools": tools});
    let compiled = valid("anthropic", request(&all)).await;
    assert!(!compiled.text.contains("defer_loading"));
    assert_eq!(compiled.codes("degraded"), ["defer_loading_dropped"]);
    assert_eq!(compiled.report["degraded"][0]["detail"], "a, b");
    // A search that could not be found itself is sent at once, and finds the others.
    let search = json!({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25",
        "defer_loading": true});
    let compiled = valid("anthropic", request(&json!([tool("a", true), search]))).await;
    assert_eq!(compiled.payload["tools"][0]["defer_loading"], true);
    assert!(compiled.payload["tools"][1].get("defer_loading").is_none());
    let one = valid("anthropic", request(&json!([tool("a", true), tool("find", false)]))).await;
    assert_eq!(one.payload["tools"][0]["defer_loading"], true);
    assert!(one.codes("degraded").is_empty());
}

#[tokio::test]
async fn deferred_functions_of_the_responses_api_need_its_search() {
    let function = json!({"type": "function", "name": "f", "strict": false, "defer_loading": true,
        "parameters": {"type": "object", "properties": {}}});
    let input = json!([{"role": "user", "content": "q"}]);
    let request = |tools: &Value| json!({"input": input, "tools": tools});
    let compiled = valid("openai_responses", request(&json!([function]))).await;
    assert!(!compiled.text.contains("defer_loading"));
    assert_eq!(compiled.codes("degraded"), ["defer_loading_dropped"]);
    let tools = json!([function, {"type": "tool_search"}]);
    let compiled = valid("openai_responses", request(&tools)).await;
    assert_eq!(compiled.payload["tools"][0]["defer_loading"], true);
    assert!(compiled.codes("degraded").is_empty());
}
