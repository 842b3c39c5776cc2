//! The validators see what is wrong: one broken payload a rule, each a small change of a
//! payload that passes.

use serde_json::{Value, json};

use super::check;

fn good(target: &str) -> Value {
    match target {
        "openai" => json!({"messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": [
                {"type": "text", "text": "t"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
                {"type": "file", "file":
                    {"file_data": "data:application/pdf;base64,aGk=", "filename": "a.pdf"}},
                {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "r"}],
            "tools": [{"type": "function", "function": {"name": "f",
                "parameters": {"type": "object", "properties": {}}}}]}),
        "openai_responses" => json!({"instructions": "s", "input": [
            {"role": "user", "content": [
                {"type": "input_text", "text": "t"},
                {"type": "input_image", "image_url": "https://a/b.png"},
                {"type": "input_file", "file_url": "https://a/b.pdf"}]},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "r"},
            {"type": "message", "role": "assistant", "content": "a"}],
            "tools": [{"type": "function", "name": "f", "strict": false,
                "parameters": {"type": "object", "properties": {}}}]}),
        "anthropic" => json!({"system": [{"type": "text", "text": "s"}], "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "t", "cache_control": {"type": "ephemeral"}},
                {"type": "image", "source":
                    {"type": "base64", "media_type": "image/png", "data": "aGk="}}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "h", "signature": "x"},
                {"type": "tool_use", "id": "c", "name": "f", "input": {}},
                {"type": "tool_use", "id": "d", "name": "f", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c", "content": "r"},
                {"type": "tool_result", "tool_use_id": "d"},
                {"type": "text", "text": "t"}]}],
            "tools": [{"name": "f", "input_schema": {"type": "object"}}]}),
        _ => json!({"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [
            {"role": "user", "parts": [
                {"text": "t"},
                {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
                {"fileData": {"mimeType": "image/png", "fileUri": "gs://a/b"}}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}],
            "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT",
                "properties": {"a": {"type": "STRING"}}}}]}]}),
    }
}

const TARGETS: [&str; 4] = ["openai", "openai_responses", "anthropic", "gemini"];

#[test]
fn good_payloads_pass() {
    for target in TARGETS {
        assert_eq!(check(target, &good(target)), Ok(()), "{target}");
    }
}

/// target, pointer to what is replaced (`-` removes it), the new value, a word of the verdict
fn faults() -> Vec<(&'static str, &'static str, Value, &'static str)> {
    let gone = || json!("-");
    vec![
        ("openai", "/messages", json!([]), "empty"),
        ("openai", "/model", json!("gpt"), "unknown key"),
        ("openai", "/messages/0/role", json!("model"), "role"),
        ("openai", "/messages/0/thinking", json!({}), "foreign"),
        ("openai", "/messages/1/content", json!([]), "empty array"),
        ("openai", "/messages/1/content/1/image_url/url", json!("aGk="), "data URI"),
        (
            "openai",
            "/messages/1/content/1/image_url/url",
            json!("data:image/*;base64,aGk="),
            "type",
        ),
        ("openai", "/messages/1/content/2/file/file_data", gone(), "data or an id"),
        ("openai", "/messages/1/content/3/input_audio/format", json!("ogg"), "wav or mp3"),
        ("openai", "/messages/2/content", json!([{"type": "image_url"}]), "no image_url"),
        ("openai", "/messages/2/tool_calls", json!([]), "empty"),
        ("openai", "/messages/2/tool_calls", gone(), "content is missing"),
        ("openai", "/messages/2/tool_calls/0/id", json!("x".repeat(41)), "40"),
        ("openai", "/messages/2/tool_calls/0/function/arguments", json!({}), "string"),
        ("openai", "/messages/2/tool_calls/0/function/name", json!("a b"), "tool name"),
        ("openai", "/messages/3/tool_call_id", json!("d"), "no open call"),
        ("openai", "/messages/3", json!({"role": "user", "content": "u"}), "before all calls"),
        ("openai", "/messages/3", gone(), "unanswered"),
        ("openai", "/tools/0/function/parameters", json!({}), "object"),
        ("openai", "/tools/0/function/parameters/anyOf", json!([]), "union"),
        (
            "openai",
            "/tools/0/function/parameters/properties/a",
            json!({"type": "array"}),
            "missing items",
        ),
        (
            "openai",
            "/tools/0/function/parameters/properties/a",
            json!({"exclusiveMinimum": true}),
            "exclusiveMinimum",
        ),
        ("openai", "/tools/0/function/strict", json!(true), "additionalProperties"),
        ("openai", "/messages/1/content/2/file/filename", gone(), "filename"),
        ("openai", "/messages/1/name", json!("a b"), "name"),
        (
            "openai",
            "/messages/1/content/1/image_url/url",
            json!("data:image/svg+xml;base64,aGk="),
            "JPEG",
        ),
        (
            "openai",
            "/messages/1/content/0/prompt_cache_breakpoint",
            json!({"mode": "implicit"}),
            "explicit",
        ),
        (
            "openai",
            "/messages/1/content/0/prompt_cache_breakpoint",
            json!({"mode": "explicit", "ttl": "1h"}),
            "lifetime",
        ),
        (
            "openai",
            "/messages/2/content",
            json!([{"type": "text", "text": "t", "prompt_cache_breakpoint": {"mode": "explicit"}}]),
            "no breakpoint",
        ),
        ("openai", "/prompt_cache_options", json!({"mode": "explicit"}), "caches nothing"),
        ("openai", "/prompt_cache_key", json!("k".repeat(65)), "64"),
        ("openai_responses", "/prompt_cache_options", json!({"mode": "off"}), "mode"),
        ("gemini", "/cachedContent", json!("cachedContents/a"), "beside"),
        ("openai_responses", "/messages", json!([]), "unknown key"),
        ("openai_responses", "/input", json!([]), "empty"),
        ("openai_responses", "/tools/0/parameters/oneOf", json!([]), "union"),
        ("openai_responses", "/input/0/role", json!("tool"), "role"),
        ("openai_responses", "/input/0/content/0/type", json!("text"), "input part"),
        ("openai_responses", "/input/2", json!({"role": "user", "content": "u"}), "reasoning"),
        ("openai_responses", "/input/2", gone(), "reasoning"),
        ("openai_responses", "/input/2/call_id", json!("x".repeat(65)), "64"),
        ("openai_responses", "/input/3", gone(), "unanswered"),
        ("openai_responses", "/input/3/call_id", json!("d"), "no open call"),
        ("openai_responses", "/input/4/content", json!([{"type": "output_text"}]), "id"),
        ("openai_responses", "/tools/0/strict", gone(), "strict"),
        ("openai_responses", "/tools/0", json!({"type": "namespace", "tools": []}), "empty group"),
        (
            "openai_responses",
            "/tools/0",
            json!({"type": "namespace", "tools": [{"type": "web_search"}]}),
            "no tool of a group",
        ),
        ("anthropic", "/system", json!("s"), "array"),
        ("anthropic", "/system/0/text", json!(" \n"), "blank"),
        ("anthropic", "/messages/0", gone(), "alternate"),
        ("anthropic", "/messages/0/content", json!([]), "empty"),
        ("anthropic", "/messages/0/content/0/text", json!(""), "blank"),
        ("anthropic", "/messages/0/content/0/type", json!("tool_use"), "no tool_use"),
        ("anthropic", "/messages/0/content/0/cache_control/ttl", json!("1d"), "lifetime"),
        ("anthropic", "/messages/0/content/1/source/media_type", json!("image/*"), "media type"),
        ("anthropic", "/messages/0/content/1/source/data", json!("data:x"), "base64"),
        ("anthropic", "/messages/0/name", json!("n"), "unknown key"),
        ("anthropic", "/messages/1/content/0/signature", json!(""), "signed"),
        ("anthropic", "/messages/1/content/0/cache_control", json!({"type": "ephemeral"}), "key"),
        ("anthropic", "/messages/1/content/1/id", json!("c.1"), "call id"),
        ("anthropic", "/messages/1/content/1/id", json!("d"), "twice"),
        ("anthropic", "/messages/1/content/1/input", json!("{}"), "object"),
        ("anthropic", "/messages/2/content/0/type", json!("text"), ""),
        ("anthropic", "/messages/2/content/0/tool_use_id", json!("e"), "no open call"),
        ("anthropic", "/messages/2/content/1", json!({"type": "text", "text": "t"}), "unanswered"),
        ("anthropic", "/messages/2", gone(), "unanswered"),
        ("anthropic", "/messages/2/content/0/content", json!([]), "empty array"),
        ("anthropic", "/tools/0/name", json!("f.g"), "tool name"),
        ("anthropic", "/tools/0/input_schema", json!({}), "object"),
        ("anthropic", "/tools/0/input_schema/allOf", json!([]), "union"),
        ("anthropic", "/tools/0/input_schema/properties", json!({"a b": {}}), "property"),
        ("anthropic", "/tools/0/input_schema/items", json!([{}]), "items"),
        ("anthropic", "/tools/0/input_schema/$ref", json!("#/$defs/a"), "$ref"),
        ("anthropic", "/tools/0/strict", json!(true), "additionalProperties"),
        ("anthropic", "/tools/0/defer_loading", json!(true), "deferred"),
        (
            "anthropic",
            "/messages/2/content/0/content",
            json!([{"type": "tool_reference", "tool_name": "g"}]),
            "no definition",
        ),
        (
            "anthropic",
            "/messages/0/content/1/source/data",
            json!("iVBORw0KGgoAAAANSUhEUgAAH0EAAAAB"),
            "too large",
        ),
        ("anthropic", "/messages/0", json!({"role": "system", "content": []}), "follows"),
        (
            "anthropic",
            "/messages/1",
            json!({"role": "system", "content": [{"type": "text", "text": "t"}]}),
            "last or before",
        ),
        ("gemini", "/systemInstruction/parts/0/text", json!(""), "empty"),
        ("gemini", "/contents/0", gone(), "alternate"),
        ("gemini", "/contents/0/role", json!("assistant"), "unknown role"),
        ("gemini", "/contents/1/role", json!("user"), "alternate"),
        (
            "gemini",
            "/contents/2/parts",
            json!([{"functionResponse": {"name": "f", "response": {}}}, {"text": "t"}]),
            "of their own",
        ),
        ("gemini", "/contents/0/parts", json!([]), "empty"),
        ("gemini", "/contents/0/parts/0/text", json!(""), "empty"),
        ("gemini", "/contents/0/parts/0/functionCall", json!({}), "one thing"),
        ("gemini", "/contents/0/parts/1/inlineData/mimeType", json!("image/*"), "media type"),
        ("gemini", "/contents/0/parts/1/inlineData/mimeType", json!("image/gif"), "known type"),
        (
            "gemini",
            "/tools/0/functionDeclarations/0/parameters/required",
            json!(["b"]),
            "not defined",
        ),
        (
            "gemini",
            "/tools/0/functionDeclarations/0",
            json!({"name": "f", "parametersJsonSchema": {"type": "object",
                "properties": {"a": {"enum": ["", "b"]}}}}),
            "an enum",
        ),
        (
            "gemini",
            "/tools/0/functionDeclarations/0",
            json!({"name": "f", "parametersJsonSchema": {"type": "object",
                "properties": {"a": {}, "b": {"$ref": "#/properties/a"}}}}),
            "leads to a definition",
        ),
        ("gemini", "/contents/1/parts/0/functionCall/args", json!("{}"), "object"),
        ("gemini", "/contents/1/parts/0/functionCall/name", json!("1f"), "function name"),
        ("gemini", "/contents/2/parts/0/functionResponse/response", json!([1]), "object"),
        ("gemini", "/contents/2/parts/0/functionResponse/name", json!("g"), "same names"),
        ("gemini", "/contents/2/parts/0", json!({"text": "t"}), "one response"),
        ("gemini", "/contents/2", gone(), "unanswered"),
        ("gemini", "/tools/0/functionDeclarations/0/parametersJsonSchema", json!({}), "schema"),
    ]
}

fn replace(payload: &mut Value, pointer: &str, new: Value) {
    let (parent, last) = pointer.rsplit_once('/').unwrap();
    match payload.pointer_mut(parent).unwrap() {
        Value::Array(items) => {
            let index: usize = last.parse().unwrap();
            if new == "-" {
                items.remove(index);
            } else {
                items[index] = new;
            }
        }
        Value::Object(map) if new == "-" => drop(map.shift_remove(last)),
        map => map[last] = new,
    }
}

#[test]
fn each_broken_rule_is_named() {
    for (target, pointer, new, word) in faults() {
        let mut payload = good(target);
        replace(&mut payload, pointer, new.clone());
        let verdict = check(target, &payload);
        let fault = verdict.expect_err(&format!("{target} {pointer} = {new}"));
        assert!(fault.contains(word), "{target} {pointer} = {new}: {fault}");
    }
}

#[test]
fn breakpoints_are_counted_with_the_one_that_is_implicit() {
    let mark = json!({"mode": "explicit"});
    let mut payload = good("openai");
    for at in 0..4 {
        assert_eq!(check("openai", &payload), Ok(()));
        payload["messages"][1]["content"][at]["prompt_cache_breakpoint"] = mark.clone();
    }
    assert!(check("openai", &payload).unwrap_err().contains("four"));
    payload["prompt_cache_options"] = json!({"mode": "explicit"});
    assert_eq!(check("openai", &payload), Ok(()));
    payload["prompt_cache_retention"] = json!("24h");
    assert!(check("openai", &payload).unwrap_err().contains("retention"));
}

#[test]
fn the_mark_of_the_payload_is_one_of_the_four() {
    let mark = |ttl: &str| json!({"type": "ephemeral", "ttl": ttl});
    let mut payload = good("anthropic");
    payload["cache_control"] = mark("5m");
    payload["tools"][0]["cache_control"] = mark("5m");
    payload["system"][0]["cache_control"] = mark("5m");
    assert_eq!(check("anthropic", &payload), Ok(()));
    payload["messages"][2]["content"][0]["cache_control"] = mark("5m");
    assert!(check("anthropic", &payload).unwrap_err().contains("four"));
    let mut payload = good("anthropic");
    payload["cache_control"] = mark("1h");
    assert!(check("anthropic", &payload).unwrap_err().contains("come first"));
    payload["messages"][2]["content"][2]["cache_control"] = mark("5m");
    assert!(check("anthropic", &payload).unwrap_err().contains("another lifetime"));
}

#[test]
fn marks_are_counted_and_the_longer_come_first() {
    let mark = |ttl: &str| json!({"type": "ephemeral", "ttl": ttl});
    let mut payload = good("anthropic");
    payload["tools"][0]["cache_control"] = mark("5m");
    payload["system"][0]["cache_control"] = mark("1h");
    assert!(check("anthropic", &payload).unwrap_err().contains("come first"));
    payload["tools"][0]["cache_control"] = mark("1h");
    assert_eq!(check("anthropic", &payload), Ok(()));
    payload["messages"][2]["content"][0]["cache_control"] = mark("5m");
    assert_eq!(check("anthropic", &payload), Ok(()));
    payload["messages"][2]["content"][2]["cache_control"] = mark("5m");
    assert!(check("anthropic", &payload).unwrap_err().contains("four"));
}
