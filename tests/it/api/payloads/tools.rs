//! Definitions of tools, and names, that a target refuses.

use serde_json::{Value, json};

use super::valid;
use crate::support::TestServer;
use crate::support::compile::user;

fn with_tools(tools: &Value) -> Value {
    json!({"messages": [user("q")], "tools": tools})
}

fn function(name: &str, parameters: &Value) -> Value {
    json!({"type": "function", "function": {"name": name, "parameters": parameters}})
}

#[tokio::test]
async fn unions_at_the_top_of_a_schema_become_one_object() {
    let schema = json!({"type": "object", "properties": {"yaml": {"type": "string"}},
        "oneOf": [{"required": ["yaml"]},
            {"properties": {"file": {"type": "string"}}, "required": ["file"]}]});
    let request = with_tools(&json!([function("run", &schema)]));
    for target in ["anthropic", "openai", "openai_responses"] {
        let compiled = valid(target, request.clone()).await;
        assert!(compiled.text.contains("\"file\"") && compiled.text.contains("\"yaml\""));
        assert_eq!(compiled.codes("degraded"), ["schema_rewritten"], "{target}");
    }
    let gemini = valid("gemini", request).await;
    assert!(gemini.text.contains("oneOf"));
}

#[tokio::test]
async fn arrays_get_items_where_they_are_required() {
    let schema = json!({"type": "object", "properties": {"tags": {"type": "array"}}});
    let request = with_tools(&json!([function("tag", &schema)]));
    for target in ["openai", "openai_responses"] {
        let compiled = valid(target, request.clone()).await;
        assert!(compiled.text.contains(r#"{"type":"array","items":{}}"#));
        assert_eq!(compiled.codes("degraded"), ["schema_rewritten"], "{target}");
    }
    let compiled = valid("anthropic", request).await;
    assert!(compiled.codes("degraded").is_empty());
}

#[tokio::test]
async fn properties_that_are_not_there_are_not_required_of_gemini() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}},
        "required": ["a", "b"]});
    let compiled = valid("gemini", with_tools(&json!([function("f", &schema)]))).await;
    let declared = &compiled.payload["tools"][0]["functionDeclarations"][0];
    assert_eq!(declared["parameters"]["required"], json!(["a"]));
    assert_eq!(compiled.codes("degraded"), ["schema_rewritten"]);
}

#[tokio::test]
async fn renamed_properties_are_given_back() {
    let server = TestServer::spawn().await;
    let schema = json!({"type": "object", "properties": {"$filter": {"type": "string"},
        "top": {"type": "integer"}}, "required": ["$filter"]});
    let tools = json!([function("list", &schema)]);
    let compiled = valid("anthropic", with_tools(&tools)).await;
    let shown = compiled.payload["tools"][0]["input_schema"]["properties"].as_object().unwrap();
    let name = shown.keys().find(|name| *name != "top").unwrap();
    assert_eq!(compiled.payload["tools"][0]["input_schema"]["required"], json!([name]));
    let call = json!({"type": "tool_use", "id": "t", "name": "list",
        "input": {name: "x", "top": 3}});
    let done = server.post_ok("/tools/calls", &json!({"calls": [call], "tools": tools})).await;
    assert_eq!(done["results"][0]["decision"], "allow", "{done}");
    assert_eq!(done["results"][0]["arguments"], json!({"$filter": "x", "top": 3}));
    // So are those of the alternatives that are joined into one object.
    let schema = json!({"type": "object", "anyOf": [
        {"properties": {"$skip": {"type": "integer"}}, "required": ["$skip"]},
        {"properties": {"top": {"type": "integer"}}}]});
    let joined = json!([function("list", &schema)]);
    let compiled = valid("anthropic", with_tools(&joined)).await;
    let shown = compiled.payload["tools"][0]["input_schema"]["properties"].as_object().unwrap();
    let name = shown.keys().find(|name| *name != "top").unwrap();
    let call = json!({"type": "tool_use", "id": "t", "name": "list", "input": {name: 4}});
    let done = server.post_ok("/tools/calls", &json!({"calls": [call], "tools": joined})).await;
    assert_eq!(done["results"][0]["arguments"], json!({"$skip": 4}));
    // Calls of models that saw the tool as it is are as before.
    let call = json!({"id": "t", "type": "function",
        "function": {"name": "list", "arguments": "{\"$filter\":\"x\"}"}});
    let done = server.post_ok("/tools/calls", &json!({"calls": [call], "tools": tools})).await;
    assert_eq!(done["results"][0]["arguments"], json!({"$filter": "x"}));
}

#[tokio::test]
async fn a_built_in_tool_passes_to_its_provider_whatever_the_shape() {
    for (target, tool) in [
        ("anthropic", json!({"type": "web_search_20250305", "name": "web_search", "max_uses": 5})),
        ("openai_responses", json!({"type": "web_search"})),
        ("openai_responses", json!({"type": "file_search", "vector_store_ids": ["vs_1"]})),
        ("gemini", json!({"googleSearch": {}})),
    ] {
        let compiled = valid(target, with_tools(&json!([tool]))).await;
        assert_eq!(compiled.payload["tools"], json!([tool]), "{target}");
        assert!(compiled.codes("degraded").is_empty());
        let others = ["anthropic", "openai_responses", "gemini"];
        for other in others.into_iter().filter(|other| *other != target) {
            let compiled = valid(other, with_tools(&json!([tool]))).await;
            assert_eq!(compiled.codes("degraded"), ["tool_dropped"], "{other}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_mended_is_a_warning() {
    let schema = json!({"type": "object", "properties": {}});
    let many: Vec<Value> = (0..129).map(|at| function(&format!("t{at}"), &schema)).collect();
    let compiled = valid("openai", with_tools(&json!(many))).await;
    assert_eq!(compiled.codes("warnings"), ["too_many_tools"]);
    assert!(valid("anthropic", with_tools(&json!(many))).await.codes("warnings").is_empty());
    let mut long = function("f", &schema);
    long["function"]["description"] = json!("x".repeat(1_025));
    let compiled = valid("openai", with_tools(&json!([long]))).await;
    assert_eq!(compiled.codes("warnings"), ["tool_description_long"]);
}

#[tokio::test]
async fn a_participant_s_name_that_is_refused_is_renamed() {
    let messages = json!([{"role": "user", "name": "team lead", "content": "q"},
        {"role": "user", "name": "reviewer", "content": "r"}]);
    let compiled = valid("openai", json!({"messages": messages})).await;
    let name = compiled.list()[0]["name"].as_str().unwrap();
    assert!(name.starts_with("team_lead_"), "{name}");
    assert_eq!(compiled.list()[1]["name"], "reviewer");
    assert_eq!(compiled.codes("degraded"), ["name_renamed"]);
}

#[tokio::test]
async fn another_provider_s_own_tool_is_not_passed_to_chat_completions() {
    for tool in
        [json!({"type": "web_search_20250305", "name": "web_search"}), json!({"googleSearch": {}})]
    {
        let messages = json!([{"role": "user", "content": "q"}]);
        let compiled = valid("openai", json!({"messages": messages, "tools": [tool]})).await;
        assert!(compiled.payload.get("tools").is_none(), "{}", compiled.payload);
        assert_eq!(compiled.codes("degraded"), ["tool_dropped"]);
    }
}

#[tokio::test]
async fn functions_in_groups_are_functions_for_targets_without_groups() {
    let group = |name: &str| {
        json!({"type": "namespace", "name": name, "description": name, "tools": [
        {"type": "function", "name": "search",
            "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}},
        {"type": "function", "name": "count",
            "parameters": {"type": "object", "properties": {"q": {"type": "integer"}}}}]})
    };
    let call = |id: &str, group: &str| {
        json!({"type": "function_call", "call_id": id,
        "namespace": group, "name": "search", "arguments": "{\"q\":\"x\"}"})
    };
    let output = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": id});
    let tools = json!([group("mcp__github"), group("mcp__jira")]);
    let input = json!([{"role": "user", "content": "go"}, call("c1", "mcp__github"), output("c1"),
        call("c2", "mcp__jira"), output("c2"), {"role": "user", "content": "next"}]);
    for target in ["openai", "anthropic", "gemini"] {
        let done = valid(target, json!({"input": input, "tools": tools})).await;
        for name in ["mcp__github__search", "mcp__jira__search"] {
            let count = done.text.matches(&format!("\"{name}\"")).count();
            assert!(count >= 2, "{target}: {name} is a tool and a call: {}", done.text);
        }
        assert_eq!(done.codes("degraded"), ["namespace_as_functions"; 2], "{target}");
    }
    let own = valid("openai_responses", json!({"input": input, "tools": tools})).await;
    assert_eq!(own.payload["tools"], tools);
    assert_eq!(own.payload["input"][1]["namespace"], "mcp__github");
    // A call under the full name is checked by the function's own schema.
    let server = TestServer::spawn().await;
    for (name, arguments, decision) in [
        ("search", json!({"q": "x"}), "allow"),
        ("search", json!({"q": 1}), "deny"),
        ("count", json!({"q": 1}), "allow"),
        ("count", json!({"q": "x"}), "deny"),
    ] {
        let call = |at: usize, name: &str, arguments: &Value| {
            json!({"id": format!("toolu_{at}"), "type": "tool_use",
                "name": format!("mcp__jira__{name}"), "input": arguments})
        };
        let calls = [call(1, "search", &json!({"q": "y"})), call(2, name, &arguments)];
        let body = json!({"calls": calls, "tools": tools, "source": "anthropic"});
        let answer = server.post_ok("/tools/calls", &body).await;
        assert_eq!(answer["results"][1]["decision"], decision, "{name}: {answer}");
    }
}

#[tokio::test]
async fn free_form_tools_in_groups_come_out_and_others_are_named() {
    let group = json!({"type": "namespace", "name": "edit", "description": "Edits.", "tools": [
        {"type": "custom", "name": "patch", "description": "A patch.", "format": {"type": "text"}},
        {"type": "web_search"}]});
    let input = json!([{"role": "user", "content": "go"},
        {"type": "custom_tool_call", "call_id": "c1", "namespace": "edit", "name": "patch", "input": "+a"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "ok"},
        {"role": "user", "content": "next"}]);
    for target in ["openai", "anthropic", "gemini"] {
        let done = valid(target, json!({"input": input, "tools": [group]})).await;
        let count = done.text.matches("\"edit__patch\"").count();
        assert!(count >= 2, "{target}: a tool and a call: {}", done.text);
        let dropped: Vec<&Value> = done.report["degraded"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|note| note["code"] == "tool_dropped")
            .collect();
        assert_eq!(dropped.len(), 1, "{target}: {dropped:?}");
        assert_eq!(dropped[0]["pointer"], "/tools/0/tools/1", "{target}");
    }
    // The provider takes functions and free-form tools in a group, and nothing else.
    let own = valid("openai_responses", json!({"input": input, "tools": [group]})).await;
    let mut rest = group.clone();
    rest["tools"].as_array_mut().unwrap().truncate(1);
    assert_eq!(own.payload["tools"], json!([rest, {"type": "web_search"}]));
    assert_eq!(own.codes("degraded"), ["namespace_member_moved"]);
    assert_eq!(own.report["degraded"][0]["pointer"], "/tools/0/tools/1");
}

#[tokio::test]
async fn a_group_in_a_group_and_one_of_built_in_tools_alone_are_in_the_list() {
    let function = json!({"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}});
    let group = |name: &str, tools: Value| json!({"type": "namespace", "name": name, "description": name, "tools": tools});
    let search = json!({"type": "web_search"});
    let inner = group("inner", json!([search, function]));
    let tools = json!([group("outer", json!([inner, function])), group("bare", json!([search]))]);
    let body = json!({"input": [{"role": "user", "content": "go"}], "tools": tools});
    let done = valid("openai_responses", body).await;
    let expected =
        json!([group("outer", json!([function])), group("inner", json!([function])), search]);
    assert_eq!(done.payload["tools"], expected);
    assert_eq!(done.codes("degraded"), ["namespace_member_moved"; 3]);
}

#[tokio::test]
async fn schemas_in_groups_are_rewritten_in_their_place() {
    let group = |list: Value| {
        json!({"type": "namespace", "name": "n", "description": "d", "tools": [
        {"type": "function", "name": "good", "strict": false, "parameters": {"type": "object", "properties": {}}},
        {"type": "function", "name": "bad", "defer_loading": true, "parameters": {"type": "object",
            "properties": {"list": list}}}]})
    };
    let body = json!({"input": [{"role": "user", "content": "go"}], "tools": [group(json!({"type": "array"}))]});
    let done = valid("openai_responses", body).await;
    let items = &done.payload["tools"][0]["tools"][1]["parameters"]["properties"]["list"];
    assert!(items["items"].is_object(), "{}", done.payload);
    assert_eq!(done.payload["tools"], json!([group(items.clone())]));
    assert_eq!(done.codes("degraded"), ["schema_rewritten"]);
    assert_eq!(done.report["degraded"][0]["pointer"], "/tools/0/tools/1");
}
