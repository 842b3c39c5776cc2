//! `report.requires`: headers and parameters that a request needs beside its payload, and system
//! messages whose members need some.

use serde_json::{Value, json};

use super::valid;
use crate::support::compile::{assistant, calling, compile, result, user, words};

/// A conversation with a system message of these members before the assistant's next message.
fn reminded(message: &Value) -> Value {
    json!([user("hi"), assistant("yes"), user("go"), message])
}

fn betas(report: &Value) -> Vec<&str> {
    let header = report["requires"]["headers"]["anthropic-beta"].as_str().unwrap_or_default();
    header.split(',').filter(|beta| !beta.is_empty()).collect()
}

#[tokio::test]
async fn what_needs_nothing_says_so() {
    for target in ["openai", "openai_responses", "anthropic", "gemini"] {
        let done = valid(target, json!({"messages": [user("hi")]})).await;
        assert_eq!(done.report["requires"], Value::Null, "{target}");
    }
}

#[tokio::test]
async fn system_messages_in_their_place_name_their_betas() {
    let plain = json!({"role": "system", "content": "Be brief."});
    let scoped = json!({"role": "system", "content": "Be brief.", "clear_at": "next_user_message"});
    let effort = json!({"role": "system", "content": [], "output_config": {"effort": "medium"}});
    let tools = json!([{"name": "f", "input_schema": {"type": "object"}}]);
    let change = json!({"role": "system", "content": [{"type": "tool_removal",
        "tool": {"type": "tool_reference", "name": "f"}}]});
    let system = "mid-conversation-system-2026-04-07";
    for (message, more) in [
        (plain, None),
        (scoped, Some("mid-conversation-system-clear-at-2026-08-21")),
        (effort, Some("mid-conversation-output-config-2026-07-01")),
        (change, Some("mid-conversation-tool-changes-2026-07-01")),
    ] {
        let body = json!({"messages": reminded(&message), "source": "anthropic",
            "model": "claude-opus-5", "tools": tools, "target": "anthropic"});
        let done = compile(&body).await;
        let mut wanted = vec![system];
        wanted.extend(more);
        wanted.sort_unstable();
        assert_eq!(betas(&done.report), wanted);
        let sent = done.list().last().unwrap();
        for member in ["clear_at", "output_config"] {
            assert_eq!(sent[member], message[member], "{sent}");
        }
        assert!(!done.codes("degraded").contains(&"extra_dropped"), "{}", done.report);
        // What comes back is the same.
        let again = json!({"messages": done.payload["messages"], "source": "anthropic",
            "model": "claude-opus-5", "tools": tools, "target": "anthropic"});
        assert_eq!(compile(&again).await.payload, done.payload);
    }
}

#[tokio::test]
async fn two_system_messages_with_members_stay_two() {
    let scoped = |text: &str| {
        json!({"role": "system", "clear_at": "next_user_message",
        "content": [{"type": "text", "text": text}]})
    };
    let list = json!([user("hi"), scoped("one"), scoped("two")]);
    let body = json!({"messages": list, "source": "anthropic", "model": "claude-opus-5",
        "target": "anthropic"});
    let done = compile(&body).await;
    assert_eq!(done.list()[1..], [scoped("one"), scoped("two")]);
}

#[tokio::test]
async fn other_models_are_sent_no_such_members() {
    let scoped = json!({"role": "system", "content": "Be brief.", "clear_at": "next_user_message"});
    for (target, model) in
        [("anthropic", "claude-sonnet-4-5"), ("openai", "gpt-5"), ("gemini", "gemini-2.5-pro")]
    {
        let body = json!({"messages": reminded(&scoped), "source": "anthropic", "model": model});
        let done = valid(target, body).await;
        assert!(!done.text.contains("clear_at"), "{target}");
        assert!(done.codes("degraded").contains(&"extra_dropped"), "{target}");
        assert_eq!(done.report["requires"], Value::Null);
    }
}

#[tokio::test]
async fn a_compaction_of_the_provider_names_its_beta() {
    let block = json!({"type": "compaction", "content": "What was said before."});
    let list = json!([user("hi"), {"role": "assistant", "content": [block]}, user("go")]);
    let done = valid("anthropic", json!({"messages": list, "model": "claude-opus-4-6"})).await;
    assert_eq!(betas(&done.report), ["compact-2026-01-12"]);
}

/// A loop of tools that takes more than its window.
fn long_loop() -> Vec<Value> {
    let step = |at: usize| {
        let id = format!("c{at}");
        [calling("", &[(&id, "read")]), result(&id, &words(&id, 400))]
    };
    std::iter::once(user("go")).chain((0..20).flat_map(step)).collect()
}

#[tokio::test]
async fn the_provider_compresses_where_it_can() {
    let body = |target: &str, compression: Value| {
        json!({"messages": long_loop(), "target": target, "compression": compression,
            "budget": {"context_window": 5_000, "reserve_output": 1_000}})
    };
    let by =
        json!({"by": "provider", "trigger": 0.5, "clear": {"keep": 2, "exclude_tools": ["look"]}});
    let done = compile(&body("anthropic", by.clone())).await;
    assert_eq!(done.list().len(), 41, "nothing is shortened here");
    assert_eq!(done.report["actions"]["dropped"], 0);
    assert_eq!(betas(&done.report), ["compact-2026-01-12", "context-management-2025-06-27"]);
    let wanted = json!({"edits": [
        {"type": "clear_thinking_20251015"},
        {"type": "clear_tool_uses_20250919", "trigger": {"type": "input_tokens", "value": 2_000},
            "keep": {"type": "tool_uses", "value": 2}, "exclude_tools": ["look"]},
        {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}}]});
    assert_eq!(done.report["requires"]["parameters"]["context_management"], wanted);
    let reversible = json!({"by": "provider", "level": "reversible", "thinking": "keep"});
    let done = compile(&body("anthropic", reversible)).await;
    let edits = &done.report["requires"]["parameters"]["context_management"]["edits"];
    assert_eq!(edits.as_array().unwrap().len(), 1);
    let done = compile(&body("openai_responses", by.clone())).await;
    let wanted = json!([{"type": "compaction", "compact_threshold": 2_000}]);
    assert_eq!(done.report["requires"]["parameters"]["context_management"], wanted);
    // Where the provider cannot, the service does.
    for target in ["openai", "gemini"] {
        let done = valid(target, body(target, by.clone())).await;
        assert!(done.codes("warnings").contains(&"provider_compression_unavailable"), "{target}");
        assert!(done.report["fits"] == true && done.report["requires"] == Value::Null, "{target}");
    }
}

#[tokio::test]
async fn functions_next_to_built_in_tools_of_gemini_need_a_parameter() {
    let function = json!({"functionDeclarations": [{"name": "f"}]});
    let search = json!({"googleSearch": {}});
    let ask = |model: &str, tools: Value, memory: bool| {
        let mut body = json!({"target": "gemini", "model": model, "tools": tools,
            "contents": [{"role": "user", "parts": [{"text": "hi"}]}]});
        if memory {
            body["memory"] = json!({"allowed_keys": ["k"]});
        }
        async move { compile(&body).await }
    };
    let needed = json!({"toolConfig": {"includeServerSideToolInvocations": true}});
    for (tools, memory, is_mixed) in [
        (json!([function, search]), false, true),
        (json!([search]), true, true),
        (json!([function]), true, false),
        (json!([search]), false, false),
    ] {
        let done = ask("gemini-3-pro", tools.clone(), memory).await;
        let parameters = &done.report["requires"]["parameters"];
        assert_eq!(*parameters == needed, is_mixed, "{tools} {}", done.report);
        let done = ask("gemini-2.5-pro", tools.clone(), memory).await;
        assert_eq!(done.codes("warnings").contains(&"tools_mixed"), is_mixed, "{tools}");
        assert_eq!(done.report["requires"], Value::Null);
    }
}
