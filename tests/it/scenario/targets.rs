//! Scenarios T01 to T21 and T24: what each provider's payload looks like.

use serde_json::{Value, json};

use crate::support::compile::{assistant, calling, calling_with, compile, result, system, user};
use crate::support::{TestServer, problem};

const EPHEMERAL: &str = r#"{"type":"ephemeral"}"#;

fn to(target: &str, messages: &[Value]) -> Value {
    json!({"messages": messages, "target": target})
}

/// The same with something asked of the output.
fn with_output(target: &str, messages: &[Value], output: Value) -> Value {
    let mut body = to(target, messages);
    body["output"] = output;
    body
}

fn marked(mut message: Value) -> Value {
    message["_cache_breakpoint"] = json!(true);
    message
}

#[tokio::test]
async fn anthropic_system_text_keeps_the_client_s_mark() {
    let messages = [marked(system("a")), system("b"), user("u")];
    let compiled = compile(&to("anthropic", &messages)).await;
    assert_eq!(
        compiled.payload["system"].to_string(),
        format!(
            r#"[{{"type":"text","text":"a","cache_control":{EPHEMERAL}}},{{"type":"text","text":"b"}}]"#
        )
    );
    assert_eq!(compiled.list().len(), 1);
    assert_eq!(compiled.report["cache"]["breakpoints"], json!(["/system/0"]));
}

#[tokio::test]
async fn anthropic_marks_only_what_was_marked() {
    let server = TestServer::spawn().await;
    let compiled = server.compile(&to("anthropic", &[marked(user("x"))])).await;
    assert_eq!(
        compiled.text,
        format!(
            r#"{{"messages":[{{"role":"user","content":[{{"type":"text","text":"x","cache_control":{EPHEMERAL}}}]}}]}}"#
        )
    );
    let compiled = server.compile(&to("anthropic", &[user("x")])).await;
    assert!(!compiled.text.contains("cache_control"));
    assert!(compiled.payload.get("system").is_none());
}

#[tokio::test]
async fn anthropic_gets_no_empty_text_before_a_call() {
    let call = calling_with("", &[("c1", "get_weather", r#"{"city":"London"}"#)]);
    let compiled = compile(&to("anthropic", &[user("u"), call, result("c1", "r")])).await;
    assert_eq!(
        compiled.list()[1]["content"].to_string(),
        r#"[{"type":"tool_use","id":"c1","name":"get_weather","input":{"city":"London"}}]"#
    );
}

#[tokio::test]
async fn anthropic_results_name_their_call_and_one_without_is_refused() {
    let server = TestServer::spawn().await;
    let mut messages = vec![user("u"), calling("", &[("call_1", "f")]), result("call_1", "ok")];
    let compiled = server.compile(&to("anthropic", &messages)).await;
    assert_eq!(
        compiled.list()[2],
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "call_1", "content": "ok"},
        ]})
    );
    messages[2] = json!({"role": "tool", "content": "ok"});
    let answer = server.post("/compile", &to("anthropic", &messages)).await;
    let problem = problem(answer, 422, "invalid_request").await;
    assert_eq!(problem["errors"][0]["pointer"], "/messages/2");
}

#[tokio::test]
async fn anthropic_gets_thinking_only_where_it_is_signed() {
    let mut message = calling("x", &[("a", "f")]);
    message["thinking"] = json!({"thinking": "t", "signature": "s"});
    message["redacted_thinking"] = json!({"data": "d"});
    message["attachments"] = json!([
        {"mediaType": "image/png", "data": "iVBORw0KGgo="},
        {"mediaType": "text/plain", "data": "http://x"},
    ]);
    let server = TestServer::spawn().await;
    let ask = |message: &Value| {
        let mut body = to("anthropic", &[user("u"), message.clone(), result("a", "r")]);
        body["source"] = json!("anthropic");
        body
    };
    let types = |blocks: &Value| -> Vec<String> {
        let blocks = blocks.as_array().expect("blocks");
        blocks.iter().map(|block| block["type"].as_str().expect("a type").to_owned()).collect()
    };
    let compiled = server.compile(&ask(&message)).await;
    let content = &compiled.list()[1]["content"];
    // Assistant messages hold no media there: they are named in a line of text, and reported.
    let kinds = types(content);
    assert_eq!(kinds[..3], ["thinking", "redacted_thinking", "text"]);
    assert_eq!(kinds.last().map(String::as_str), Some("tool_use"));
    assert!(!kinds.iter().any(|kind| kind == "image" || kind == "document"), "{kinds:?}");
    assert!(compiled.codes("degraded").contains(&"media_as_text"));
    assert_eq!(content[0]["signature"], "s");
    message["thinking"] = json!({"thinking": "t"});
    let unsigned = server.compile(&ask(&message)).await;
    assert_eq!(unsigned.list()[1]["content"][0]["type"], "redacted_thinking");
    assert!(unsigned.codes("degraded").contains(&"thinking_dropped"));
}

#[tokio::test]
async fn anthropic_marks_stand_on_results_and_calls_and_never_on_a_fifth_block() {
    let server = TestServer::spawn().await;
    let messages = [user("u"), marked(calling("x", &[("a", "f")])), marked(result("a", "r"))];
    let compiled = server.compile(&to("anthropic", &messages)).await;
    let breakpoints = &compiled.report["cache"]["breakpoints"];
    assert_eq!(*breakpoints, json!(["/messages/1/content/1", "/messages/2/content/0"]));
    let many: Vec<Value> = (0..6)
        .map(|at| {
            let text = format!("m{at}");
            marked(if at % 2 == 0 { user(&text) } else { assistant(&text) })
        })
        .collect();
    let compiled = server.compile(&to("anthropic", &many)).await;
    assert_eq!(compiled.text.matches("cache_control").count(), 4);
    assert!(compiled.list()[0]["content"][0].get("cache_control").is_none());
    assert!(compiled.list()[5]["content"][0].get("cache_control").is_some());
    assert_eq!(compiled.codes("warnings"), ["cache_marks_dropped"]);
}

#[tokio::test]
async fn anthropic_goes_on_from_a_prefill() {
    let compiled = compile(&with_output("anthropic", &[user("u")], json!({"prefill": "P"}))).await;
    assert_eq!(compiled.roles(), ["user", "assistant"]);
    assert_eq!(compiled.said(1), "P");
    assert_eq!(compiled.report["degraded"], json!([]));
}

#[tokio::test]
async fn openai_never_sees_thinking_or_marks() {
    let mut answer = marked(assistant("a"));
    answer["thinking"] = json!({"thinking": "secret thought", "signature": "s"});
    answer["redacted_thinking"] = json!({"data": "d"});
    let compiled = compile(&to("openai", &[user("u"), answer, user("v")])).await;
    assert_eq!(compiled.list()[1].to_string(), r#"{"content":"a","role":"assistant"}"#);
    let degraded = compiled.codes("degraded");
    assert!(degraded.contains(&"thinking_dropped"), "{degraded:?}");
    assert!(degraded.contains(&"cache_marks_dropped"), "{degraded:?}");
}

#[tokio::test]
async fn openai_is_asked_for_a_prefill_in_words() {
    let messages = [system("S"), user("Help")];
    let compiled = compile(&with_output("openai", &messages, json!({"prefill": "<t>"}))).await;
    assert_eq!(compiled.roles(), ["system", "user"]);
    let note = compiled.said(1);
    let head = "Help\n\n<ephemeral_message type=\"prefill_enforcement\">\n";
    assert!(note.starts_with(head) && note.contains("\"<t>\""), "{note}");
    assert_eq!(compiled.codes("degraded"), ["prefill_as_text"]);
}

#[tokio::test]
async fn openai_asks_in_the_output_block_where_there_is_one() {
    let output = json!({"prefill": "P", "tag": "t"});
    let compiled = compile(&with_output("openai", &[user("u")], output)).await;
    assert_eq!(compiled.roles(), ["user", "system"]);
    assert_eq!(compiled.said(0), "u");
    assert!(compiled.said(1).contains("prefill_enforcement"));
}

#[tokio::test]
async fn openai_asks_on_the_user_message_before_a_tool_loop() {
    let messages = [user("u"), calling("", &[("a", "f")]), result("a", "r")];
    let compiled = compile(&with_output("openai", &messages, json!({"prefill": "P"}))).await;
    assert!(compiled.said(0).starts_with("u\n\n<ephemeral_message"));
    assert_eq!(compiled.roles(), ["user", "assistant", "tool"]);
    assert_eq!(compiled.said(2), "r");
}

#[tokio::test]
async fn a_last_message_that_calls_is_no_prefill() {
    let compiled = compile(&to("openai", &[user("u"), calling("", &[("a", "f")])])).await;
    assert_eq!(compiled.roles(), ["user", "assistant", "tool"]);
    assert!(!compiled.text.contains("prefill"));
    assert_eq!(compiled.said(2), "[No tool result available]");
    assert_eq!(compiled.codes("repairs"), ["unanswered_call"]);
}

#[tokio::test]
async fn a_prefill_in_words_leaves_text_and_image_alone() {
    let server = TestServer::spawn().await;
    let png = "data:image/png;base64,iVBORw0KGgo=";
    let message = json!({"role": "user", "content": [
        {"type": "text", "text": "t"},
        {"type": "image_url", "image_url": {"url": png}},
    ]});
    for target in ["openai", "gemini"] {
        let body = with_output(target, std::slice::from_ref(&message), json!({"prefill": "P"}));
        let compiled = server.compile(&body).await;
        let parts = ["content", "parts"].iter().find_map(|key| compiled.list()[0].get(*key));
        let parts = parts.and_then(Value::as_array).expect("parts");
        assert_eq!(parts.len(), 3, "{target}");
        assert_eq!(parts[0]["text"], "t");
        assert!(parts[1].get("image_url").or_else(|| parts[1].get("inlineData")).is_some());
        assert!(parts[2]["text"].as_str().expect("a text").contains("prefill_enforcement"));
    }
}

#[tokio::test]
async fn a_prefill_with_no_message_to_stand_on_survives() {
    let compiled = compile(&with_output("openai", &[], json!({"prefill": "P"}))).await;
    assert_eq!(compiled.roles(), ["user"]);
    assert!(compiled.said(0).contains("\"P\""));
}

#[tokio::test]
async fn gemini_gets_parallel_results_in_one_content() {
    let messages = [
        user("u"),
        calling("", &[("c1", "f"), ("c2", "g"), ("c3", "h")]),
        result("c1", "1"),
        result("c2", "2"),
        result("c3", "3"),
    ];
    let compiled = compile(&to("gemini", &messages)).await;
    assert_eq!(compiled.roles(), ["user", "model", "user"]);
    let parts = compiled.list()[2]["parts"].as_array().expect("parts");
    let names: Vec<&Value> = parts.iter().map(|part| &part["functionResponse"]["name"]).collect();
    assert_eq!(names, ["f", "g", "h"]);
}

#[tokio::test]
async fn gemini_neighbours_of_one_role_become_one_content() {
    let compiled = compile(&to("gemini", &[user("A"), user("B")])).await;
    assert_eq!(
        compiled.text,
        r#"{"contents":[{"role":"user","parts":[{"text":"A"},{"text":"B"}]}]}"#
    );
}

#[tokio::test]
async fn gemini_responses_are_always_objects() {
    let server = TestServer::spawn().await;
    for (text, response) in [
        (r#"{"t":1}"#, json!({"t": 1})),
        ("oops", json!({"result": "oops"})),
        ("[1,2]", json!({"result": "[1,2]"})),
        ("42", json!({"result": "42"})),
        ("null", json!({"result": "null"})),
    ] {
        let messages = [user("u"), calling("", &[("c", "f")]), result("c", text)];
        let compiled = server.compile(&to("gemini", &messages)).await;
        let part = &compiled.list()[2]["parts"][0]["functionResponse"];
        assert_eq!(part["response"], response, "{text}");
    }
}

#[tokio::test]
async fn gemini_responses_have_the_name_of_their_call() {
    let messages = [user("u"), calling("", &[("c1", "get_weather")]), result("c1", "r")];
    let compiled = compile(&to("gemini", &messages)).await;
    let response = &compiled.list()[2]["parts"][0]["functionResponse"];
    assert_eq!(response["name"], "get_weather");
}

#[tokio::test]
async fn gemini_keeps_answers_apart_from_the_prefill_note() {
    let messages = [user("a"), assistant("b"), user("c")];
    let compiled = compile(&with_output("gemini", &messages, json!({"prefill": "P"}))).await;
    assert_eq!(compiled.roles(), ["user", "model", "user"]);
    assert_eq!(compiled.list()[1]["parts"], json!([{"text": "b"}]));
    let last = compiled.said(2);
    assert!(last.starts_with("c\n\n") && last.contains("\"P\""), "{last}");
}

#[tokio::test]
async fn gemini_takes_a_lone_prefill_as_system_text() {
    let compiled = compile(&with_output("gemini", &[], json!({"prefill": "P"}))).await;
    assert_eq!(compiled.said(0), "[Conversation continues]");
    let system = compiled.payload["systemInstruction"]["parts"][0]["text"].as_str();
    assert!(system.expect("a text").contains("prefill_enforcement"));
}

#[tokio::test]
async fn gemini_text_before_a_call_is_a_part_unless_it_is_empty() {
    let server = TestServer::spawn().await;
    let ask =
        |text: &str| to("gemini", &[user("u"), calling(text, &[("c", "f")]), result("c", "r")]);
    let keys = |compiled: &crate::support::compile::Compiled| -> Vec<String> {
        let parts = compiled.list()[1]["parts"].as_array().expect("parts");
        let first = |part: &Value| part.as_object()?.keys().next().cloned();
        parts.iter().filter_map(first).collect()
    };
    assert_eq!(keys(&server.compile(&ask("Let me")).await), ["text", "functionCall"]);
    assert_eq!(keys(&server.compile(&ask("")).await), ["functionCall"]);
}

#[tokio::test]
async fn malformed_arguments_are_refused_with_place_and_call() {
    let server = TestServer::spawn().await;
    let messages = [user("u"), calling_with("", &[("call_9", "f", "{")]), result("call_9", "r")];
    for target in ["anthropic", "gemini", "openai"] {
        let answer = server.post("/compile", &to(target, &messages)).await;
        let problem = problem(answer, 422, "invalid_request").await;
        let error = &problem["errors"][0];
        assert_eq!(error["pointer"], "/messages/1/tool_calls/0/function/arguments");
        assert!(error["detail"].as_str().expect("a detail").contains("call_9"));
    }
}
