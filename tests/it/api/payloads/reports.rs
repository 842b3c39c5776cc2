//! Histories that agent frameworks were reported to send: what a provider refuses in them is mended, and
//! what they say is kept.

use serde_json::{Value, json};

use super::valid;
use crate::support::TestServer;
use crate::support::compile::{compile, user};

const TARGETS: [&str; 4] = ["openai", "openai_responses", "anthropic", "gemini"];

fn schema() -> Value {
    json!({"type": "object", "properties": {}})
}

/// A tool that runs on after it has answered: both results are kept, and the same one again is dropped.
/// <https://github.com/google/adk-python/issues/5602>
#[tokio::test]
async fn a_further_result_is_added_to_the_first() {
    let response = |value: Value| {
        json!({"role": "user", "parts": [
            {"functionResponse": {"id": "f1", "name": "export", "response": value}}]})
    };
    let said = |text: &str| json!({"role": "model", "parts": [{"text": text}]});
    let call = json!({"role": "model", "parts": [
        {"functionCall": {"id": "f1", "name": "export", "args": {}}}]});
    let start = json!({"role": "user", "parts": [{"text": "go"}]});
    let (pending, done) = (response(json!({"status": "pending"})), response(json!({"rows": 4711})));
    let contents = json!([start, call, pending, said("Started."), done, said("Done."), done]);
    for target in TARGETS {
        let request = json!({"source": "gemini", "contents": contents});
        let compiled = valid(target, request).await;
        assert_eq!(compiled.text.matches("pending").count(), 1, "{target}: {}", compiled.text);
        assert_eq!(compiled.text.matches("4711").count(), 1, "{target}: {}", compiled.text);
        let repairs = compiled.codes("repairs");
        let further = repairs.iter().filter(|code| **code == "duplicate_result").count();
        assert_eq!(further, 2, "{target}: {repairs:?}");
    }
}

/// <https://github.com/openai/openai-agents-python/issues/569>
#[tokio::test]
async fn models_that_do_not_reason_get_no_items_of_reasoning() {
    let input = json!([user("a"),
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content":
            [{"type": "output_text", "text": "b", "annotations": []}]},
        user("c")]);
    for (model, is_sent) in
        [("gpt-4.1", false), ("gpt-4o-mini", false), ("gpt-5.5", true), ("o3", true)]
    {
        let request = json!({"model": model, "input": input});
        let compiled = valid("openai_responses", request).await;
        assert_eq!(compiled.text.contains("rs_1"), is_sent, "{model}: {}", compiled.text);
        assert_eq!(compiled.codes("degraded").contains(&"thinking_dropped"), !is_sent, "{model}");
    }
}

/// <https://github.com/anthropics/claude-code/issues/8947>
#[tokio::test]
async fn an_image_without_bytes_is_a_line_of_text() {
    let image = |source: Value| json!({"type": "image", "source": source});
    let images = [
        image(json!({"type": "base64", "media_type": "image/png", "data": ""})),
        image(json!({"type": "url", "url": ""})),
        json!({"type": "image_url", "image_url": {"url": ""}}),
        json!({"type": "image", "data": "", "mimeType": "image/png"}),
        json!({"type": "resource", "resource": {"uri": "a.png", "mimeType": "image/png", "blob": ""}}),
    ];
    for image in images {
        let messages = json!([user("a"),
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "shot", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content":
                [{"type": "text", "text": "taken"}, image]}]}]);
        for target in TARGETS {
            let request = json!({"source": "anthropic", "messages": messages});
            let compiled = valid(target, request).await;
            assert!(compiled.text.contains("taken"), "{target}: {}", compiled.text);
            assert!(compiled.text.contains("missing or cut off"), "{target}: {}", compiled.text);
        }
        let server = TestServer::spawn().await;
        let request = json!({"target": "neutral", "source": "anthropic", "messages": messages});
        server.post_ok("/compile", &request).await;
    }
}

/// <https://github.com/decolua/9router/issues/444>
#[tokio::test]
async fn a_call_without_a_name_is_kept_if_repairs_are_lenient() {
    let input = json!([user("a"),
        {"type": "function_call", "call_id": "c1", "name": "", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "there is no such tool"},
        user("b")]);
    let server = TestServer::spawn().await;
    for target in TARGETS {
        let request = json!({"input": input, "repair": "lenient"});
        let compiled = valid(target, request).await;
        assert!(compiled.text.contains("unnamed_tool"), "{target}: {}", compiled.text);
        assert!(compiled.text.contains("there is no such tool"), "{target}: {}", compiled.text);
        assert_eq!(compiled.codes("repairs"), ["call_named"], "{target}");
        let strict = json!({"target": target, "input": input});
        let answer = server.post("/compile", &strict).await;
        assert_eq!(answer.status(), 422, "{target}");
    }
    let calls = json!([{"type": "function_call", "call_id": "c1", "name": "", "arguments": "{}"}]);
    let body = json!({"calls": calls, "source": "openai_responses"});
    let answer = server.post_ok("/tools/calls", &body).await;
    assert_eq!(answer["results"][0]["decision"], "deny", "{answer}");
}

/// <https://github.com/openai/codex>, `ResponseItem`
#[tokio::test]
async fn a_compaction_under_its_first_name_is_one() {
    let input = json!([user("OLD"), {"type": "compaction_summary", "encrypted_content": "gAAA"},
        user("NEW")]);
    let compiled = valid("openai_responses", json!({"input": input})).await;
    let compaction = json!({"type": "compaction", "encrypted_content": "gAAA"});
    assert_eq!(compiled.payload["input"][0], compaction, "{}", compiled.text);
    assert!(!compiled.text.contains("OLD") && compiled.text.contains("NEW"), "{}", compiled.text);
}

#[tokio::test]
async fn members_of_outputs_alone_are_not_sent_back() {
    let input = json!([user("a"),
        {"type": "shell_call", "id": "sh_1", "call_id": "s1", "status": "completed",
            "created_by": "asst", "action": {"commands": ["ls"]}},
        {"type": "shell_call_output", "call_id": "s1", "created_by": "asst", "output": []},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "x", "created_by": "asst"}]);
    let compiled = valid("openai_responses", json!({"input": input})).await;
    assert!(!compiled.text.contains("created_by"), "{}", compiled.text);
    assert_eq!(compiled.list().len(), 5);
}

/// <https://github.com/BerriAI/litellm/pull/16895>
#[tokio::test]
async fn a_signature_in_the_id_of_a_call_is_read() {
    let id = format!("call_1__thought__{}", "QUJD".repeat(40));
    let request = |model: &str| {
        json!({"model": model, "messages": [user("a"),
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": id, "content": "x"}]})
    };
    let compiled = valid("gemini", request("gemini-3.6-flash")).await;
    let part = &compiled.payload["contents"][1]["parts"][0];
    assert_eq!(part["thoughtSignature"], "QUJD".repeat(40), "{}", compiled.text);
    assert!(compiled.codes("degraded").is_empty(), "{}", compiled.report);
    // A gateway in front of the model reads it in the id.
    let mut gateway = request("gemini/gemini-3.6-flash");
    gateway["target"] = json!("openai");
    let compiled = compile(&gateway).await;
    assert_eq!(compiled.list()[1]["tool_calls"][0]["id"], id, "{}", compiled.text);
    let compiled = valid("openai", request("gpt-5.5")).await;
    assert!(!compiled.text.contains(&id), "{}", compiled.text);
}

/// Calls of built-in tools without an output are mended as those of functions are.
#[tokio::test]
async fn a_built_in_call_without_an_output_gets_one() {
    let calls = [
        json!({"type": "shell_call", "id": "sh_1", "call_id": "c1", "status": "completed",
            "action": {"commands": ["ls"]}}),
        json!({"type": "local_shell_call", "id": "lsh_1", "call_id": "c1", "status": "completed",
            "action": {"type": "exec", "command": ["ls"], "env": {}}}),
        json!({"type": "apply_patch_call", "id": "apc_1", "call_id": "c1", "status": "completed",
            "operation": {"type": "delete_file", "path": "a"}}),
    ];
    for call in calls {
        let input = json!([user("a"), call, user("b")]);
        for target in TARGETS {
            let compiled = valid(target, json!({"input": input})).await;
            let text = &compiled.text;
            assert!(text.contains("[No tool result available]"), "{target}: {text}");
            assert_eq!(compiled.codes("repairs"), ["unanswered_call"], "{target}: {text}");
        }
        let compiled = valid("openai_responses", json!({"input": input})).await;
        let kind = call["type"].as_str().unwrap();
        assert_eq!(compiled.payload["input"][1], call);
        assert_eq!(compiled.payload["input"][2]["type"], format!("{kind}_output"));
    }
}

fn group(name: &str, tools: &Value) -> Value {
    json!({"type": "namespace", "name": name, "description": "d", "tools": tools})
}

fn function(name: &str) -> Value {
    json!({"type": "function", "name": name, "parameters": schema()})
}

/// Tools that come with the messages are in the list for targets that have them there alone.
/// <https://github.com/mxyhi/token_proxy/issues/307>,
/// <https://github.com/BigPizzaV3/CodexPlusPlus/issues/2156>
#[tokio::test]
async fn tools_of_items_are_in_the_list_of_other_targets() {
    let custom = json!({"type": "custom", "name": "exec", "description": "Runs."});
    let mut deferred = function("find");
    deferred["defer_loading"] = json!(true);
    let search = |id: &str| {
        [
            json!({"type": "tool_search_call", "call_id": id, "execution": "client",
                "status": "completed", "arguments": {}}),
            json!({"type": "tool_search_output", "call_id": id, "execution": "client",
                "status": "completed", "tools": [group("m", &json!([deferred]))]}),
        ]
    };
    let added = json!({"type": "additional_tools", "role": "developer", "tools":
        [group("functions", &json!([custom])), function("plain")]});
    let mut input = vec![added, user("a")];
    input.extend(search("s1"));
    input.extend(search("s2"));
    input.push(json!({"type": "function_call", "call_id": "c1", "name": "find", "namespace": "m",
        "arguments": "{}"}));
    input.push(json!({"type": "function_call_output", "call_id": "c1", "output": "x"}));
    for target in ["openai", "anthropic", "gemini"] {
        let compiled = valid(target, json!({"input": input})).await;
        for name in ["functions__exec", "plain", "m__find"] {
            let count =
                compiled.payload["tools"].to_string().matches(&format!("\"{name}\"")).count();
            assert_eq!(count, 1, "{target}: {name} in {}", compiled.payload["tools"]);
        }
        assert!(!compiled.text.contains("defer_loading"), "{target}: {}", compiled.text);
        let degraded = compiled.codes("degraded");
        assert!(degraded.contains(&"item_tools_listed"), "{target}: {degraded:?}");
    }
    let own = valid("openai_responses", json!({"input": input})).await;
    assert_eq!(own.payload["input"][0], input[0]);
}

/// Names in groups that the API refuses: the tool, its group and their calls have the same new ones, and
/// calls under them are those of the caller's tools.
#[tokio::test]
async fn names_in_groups_are_renamed_together() {
    let tools = json!([group("my ns", &json!([function("read file"), function("plain")]))]);
    let call = |name: &str, namespace: &str| {
        json!({"type": "function_call", "call_id": "c1", "name": name, "namespace": namespace,
            "arguments": "{}"})
    };
    let input = json!([user("a"), call("read file", "my ns"),
        {"type": "function_call_output", "call_id": "c1", "output": "x"}]);
    let compiled = valid("openai_responses", json!({"input": input, "tools": tools})).await;
    let shown = &compiled.payload["tools"][0];
    let (sent, own) = (&compiled.payload["input"][1], &shown["tools"][0]);
    assert_eq!((&sent["name"], &sent["namespace"]), (&own["name"], &shown["name"]));
    for name in [&own["name"], &shown["name"]] {
        let name = name.as_str().unwrap();
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
    }
    assert_eq!(shown["tools"][1], function("plain"));
    let server = TestServer::spawn().await;
    let names = [(own["name"].as_str().unwrap(), "read file"), ("plain", "plain")];
    for (called, meant) in names {
        let body = json!({"calls": [call(called, shown["name"].as_str().unwrap())], "tools": tools,
            "source": "openai_responses"});
        let answer = server.post_ok("/tools/calls", &body).await;
        let result = &answer["results"][0];
        assert_eq!(result["decision"], "allow", "{answer}");
        assert_eq!((&result["name"], &result["namespace"]), (&json!(meant), &json!("my ns")));
    }
    let body =
        json!({"calls": [call("absent", "my ns")], "tools": tools, "source": "openai_responses"});
    let answer = server.post_ok("/tools/calls", &body).await;
    assert_eq!(answer["results"][0]["decision"], "deny", "{answer}");
}
