//! What gateways and other APIs put into messages of Chat Completions.

use serde_json::{Value, json};

use super::valid;
use crate::support::TestServer;
use crate::support::compile::{calling, compile, result, user};

#[tokio::test]
async fn arguments_as_an_object_are_read() {
    let call = json!({"id": "c", "type": "function",
        "function": {"name": "f", "arguments": {"a": 1.5}}});
    let messages = json!([user("q"), {"role": "assistant", "content": "", "tool_calls": [call]}, result("c", "r")]);
    let openai = valid("openai", json!({"messages": messages})).await;
    let function = &openai.list()[1]["tool_calls"][0]["function"];
    assert_eq!(function["arguments"], r#"{"a":1.5}"#);
    let anthropic = valid("anthropic", json!({"messages": messages})).await;
    assert!(anthropic.text.contains(r#""input":{"a":1.5"#), "{}", anthropic.text);
}

#[tokio::test]
async fn a_response_that_is_no_object_is_wrapped() {
    for (response, text) in [
        (json!([1, 2]), "[1,2]"),
        (json!("done"), "done"),
        (json!(7), "7"),
        (json!(false), "false"),
    ] {
        let contents = json!([{"role": "user", "parts": [{"text": "q"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": response}}]}]);
        let gemini = valid("gemini", json!({"contents": contents})).await;
        let sent = &gemini.list()[2]["parts"][0]["functionResponse"]["response"];
        assert_eq!(*sent, json!({"result": text}));
        assert_eq!(gemini.codes("repairs"), ["response_wrapped"]);
        let pointer = "/contents/2/parts/0/functionResponse/response";
        assert_eq!(gemini.report["repairs"][0]["pointer"], pointer);
        let openai = valid("openai", json!({"contents": contents})).await;
        assert_eq!(openai.said(2), text);
    }
}

#[tokio::test]
async fn a_result_with_a_reference_is_text_for_gemini() {
    let schema = r##"{"items":{"$ref":"#/$defs/a"}}"##;
    let messages = json!([user("q"), calling("", &[("c", "describe")]), result("c", schema)]);
    let gemini = valid("gemini", json!({"messages": messages})).await;
    let sent = &gemini.list()[2]["parts"][0]["functionResponse"]["response"];
    assert_eq!(*sent, json!({"result": schema}));
}

#[tokio::test]
async fn the_signature_that_google_put_next_to_a_call_comes_back() {
    let mut message = calling("", &[("c", "f")]);
    message["tool_calls"][0]["extra_content"] = json!({"google": {"thought_signature": "sig"}});
    let messages = json!([user("q"), message, result("c", "r")]);
    for model in ["gemini-3-pro-preview", "gemini-2.5-pro"] {
        let request = json!({"messages": messages, "model": model});
        let gemini = valid("gemini", request).await;
        let part = &gemini.list()[1]["parts"][0];
        assert_eq!(part["thoughtSignature"], "sig", "{model}");
        assert!(gemini.codes("degraded").is_empty(), "{}", gemini.report);
    }
    // Google's own endpoint for this shape has it back where it was.
    let request = json!({"messages": messages, "target": "openai"});
    let openai = compile(&request).await;
    let call = &openai.list()[1]["tool_calls"][0];
    assert_eq!(call["extra_content"]["google"]["thought_signature"], "sig");
}

fn thought(members: &Value) -> Value {
    let mut message = calling("", &[("c", "f")]);
    message.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    json!({"source": "openai", "messages": [user("q"), message, result("c", "r")]})
}

#[tokio::test]
async fn signed_thinking_that_a_gateway_carried_goes_back_to_anthropic() {
    let thinking = json!({"type": "thinking", "thinking": "why", "signature": "sig"});
    let redacted = json!({"type": "redacted_thinking", "data": "blob"});
    let blocks = json!({"reasoning_content": "why", "thinking_blocks": [thinking, redacted]});
    let details = json!({"reasoning": "why", "reasoning_details": [
        {"type": "reasoning.text", "text": "why", "signature": "sig",
            "format": "anthropic-claude-v1", "index": 0},
        {"type": "reasoning.encrypted", "data": "blob", "format": "anthropic-claude-v1",
            "index": 1}]});
    for members in [blocks, details] {
        let compiled = valid("anthropic", thought(&members)).await;
        let content = compiled.list()[1]["content"].as_array().unwrap();
        assert_eq!(content[..2], [thinking.clone(), redacted.clone()], "{members}");
        assert_eq!(content[2]["type"], "tool_use");
        assert!(compiled.codes("degraded").is_empty(), "{}", compiled.report);
    }
    // Of another provider, or unsigned, it stays what it was.
    for members in [
        json!({"reasoning_details": [{"type": "reasoning.text", "text": "why", "signature": "s",
            "format": "openai-responses-v1"}]}),
        json!({"thinking_blocks": [{"type": "thinking", "thinking": "why"}]}),
        json!({"thinking_blocks": [{"type": "thinking", "thinking": "a", "signature": "s"},
            {"type": "other"}]}),
    ] {
        let compiled = valid("anthropic", thought(&members)).await;
        assert_eq!(compiled.codes("degraded"), ["extra_dropped"], "{members}");
        assert_eq!(compiled.list()[1]["content"][0]["type"], "tool_use");
    }
}

#[tokio::test]
async fn ids_of_calls_are_short_for_mistral() {
    let messages = json!([
        user("q"),
        calling("", &[("call_1234567890", "f"), ("Ab3456789", "f")]),
        result("call_1234567890", "A"),
        result("Ab3456789", "B")
    ]);
    let request = |model: &str| json!({"messages": messages, "model": model});
    for model in ["mistral-large-latest", "mistralai/devstral-medium", "open-mixtral-8x22b"] {
        let compiled = valid("openai", request(model)).await;
        let calls = &compiled.list()[1]["tool_calls"];
        let id = calls[0]["id"].as_str().unwrap();
        assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
        assert_eq!(calls[1]["id"], "Ab3456789");
        assert_eq!(compiled.list()[2]["tool_call_id"], id);
        assert_eq!(compiled.codes("degraded"), ["call_id_renamed"]);
    }
    let compiled = valid("openai", request("gpt-4o")).await;
    assert!(compiled.codes("degraded").is_empty());
}

#[tokio::test]
async fn a_version_with_a_dot_is_claude_s() {
    for (dotted, name) in [
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("anthropic/claude-opus-4.6:thinking", "claude-opus-4-6"),
        ("claude-3.7-sonnet", "claude-3-7-sonnet"),
    ] {
        let request = |model: &str| json!({"messages": [user("q")], "model": model});
        let found = valid("anthropic", request(dotted)).await;
        let known = valid("anthropic", request(name)).await;
        assert!(found.codes("warnings").is_empty(), "{dotted}: {}", found.report);
        assert_eq!(found.number("tokens_after"), known.number("tokens_after"));
        assert_eq!(found.number("budget"), known.number("budget"));
    }
}

#[tokio::test]
async fn sound_and_film_are_named_as_what_they_are() {
    for (media_type, line) in [("audio/wav", "[audio]"), ("video/mp4", "[video]")] {
        let media = json!({"type": "media", "media_type": media_type, "data": "aGVsbG8="});
        let messages = json!([{"role": "user", "content": [media]}]);
        let compiled = valid("anthropic", json!({"messages": messages})).await;
        assert_eq!(compiled.said(0), line);
        assert_eq!(compiled.codes("degraded"), ["media_as_text"]);
    }
}

#[tokio::test]
async fn a_failed_result_of_white_space_has_words_for_anthropic() {
    for content in [json!("\n"), json!(""), json!([{"type": "text", "text": "  "}])] {
        let result = json!({"type": "tool_result", "tool_use_id": "t", "content": content,
            "is_error": true});
        let messages = json!([user("q"), {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
            {"role": "user", "content": [result]}]);
        for level in ["off", "lossless", "reversible"] {
            let request = json!({"messages": messages, "compression": {"level": level}});
            let compiled = valid("anthropic", request).await;
            let sent = &compiled.list()[2]["content"][0];
            assert_eq!((&sent["content"], &sent["is_error"]), (&json!("[error]"), &json!(true)));
        }
    }
    let server = TestServer::spawn().await;
    for content in ["", " \n"] {
        let results = json!([{"id": "t", "name": "f", "content": content, "is_error": true}]);
        let body = json!({"results": results, "source": "anthropic"});
        let done = server.post_ok("/tools/results", &body).await;
        assert_eq!(done["messages"][0]["content"][0]["content"], "[error]", "{done}");
    }
}

#[tokio::test]
async fn results_of_mcp_tools_are_read_without_their_optional_members() {
    let server = TestServer::spawn().await;
    let text = json!({"type": "text", "text": "see"});
    let image = json!({"type": "image", "data": super::PNG, "mimeType": "image/png"});
    let taken = async |content: Value| {
        let results = json!([{"id": "c1", "name": "shot", "content": content}]);
        let body = json!({"results": results, "source": "anthropic"});
        let done = server.post_ok("/tools/results", &body).await;
        done["messages"][0]["content"][0].clone()
    };
    for own in [
        json!({"content": [text, image]}),
        json!({"content": [text, image], "_meta": {"a": 1}}),
        json!({"content": [text, image], "resultType": "complete"}),
        json!({"content": [text, image], "structuredContent": null, "isError": false}),
    ] {
        let result = taken(own.clone()).await;
        assert_eq!(result["content"][0]["text"], "see", "{own}");
        assert_eq!(result["content"][1]["source"]["media_type"], "image/png", "{own}");
    }
    let failed = taken(json!({"content": [], "isError": true})).await;
    assert_eq!((&failed["content"], &failed["is_error"]), (&json!("[error]"), &json!(true)));
    let structured = taken(json!({"content": [], "structuredContent": {"a": 1}})).await;
    assert_eq!(structured["content"], r#"{"a":1}"#);
    // JSON of a tool's own stays what it is.
    for own in
        [json!({"content": [text], "page": 1}), json!({"content": []}), json!({"content": "x"})]
    {
        let result = taken(own.clone()).await;
        assert_eq!(result["content"], own.to_string());
    }
}
