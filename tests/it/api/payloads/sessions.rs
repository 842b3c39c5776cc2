//! The shape of a session's messages is that of the first message that only one shape has.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, user};
use crate::support::valid::check;
use crate::support::{TestServer, problem};

async fn turn(server: &TestServer, session: &str, body: Value) -> Compiled {
    let answer = server.post(&format!("/sessions/{session}/turns"), &body).await;
    let status = answer.status();
    let text = answer.text().await.expect("a body");
    assert_eq!(status, 200, "{text}");
    Compiled::read(&text)
}

/// What the model says and the tool returns after a first question, with what only the provider reads.
fn second(shape: &str) -> Value {
    match shape {
        "anthropic" => json!([
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Look it up.", "signature": "c2lnbmVk"},
                {"type": "server_tool_use", "id": "srvtoolu_a", "name": "web_search",
                    "input": {"query": "rust"}},
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_a", "content": [
                    {"type": "web_search_result", "url": "https://example.com", "title": "R",
                        "encrypted_content": "ZW5j"}]},
                {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "A"}]}]),
        "openai_responses" => json!([
            {"type": "reasoning", "id": "rs_a", "summary": [], "encrypted_content": "ZW5j"},
            {"type": "function_call", "id": "fc_a", "call_id": "c1", "name": "read",
                "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "A"}]),
        "gemini" => json!([
            {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}},
                "thoughtSignature": "c2ln"}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "read", "response": {"output": "A"}}}]}]),
        _ => json!([
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "A"}]),
    }
}

/// Words of each shape that only its own provider reads.
fn own_words(shape: &str) -> &'static [&'static str] {
    match shape {
        "anthropic" => &["c2lnbmVk", "server_tool_use", "web_search_tool_result"],
        "openai_responses" => &["rs_a", "function_call_output"],
        "gemini" => &["c2ln"],
        _ => &["tool_calls"],
    }
}

#[tokio::test]
async fn a_first_message_of_plain_text_decides_no_shape() {
    let server = TestServer::spawn().await;
    for shape in ["anthropic", "openai_responses", "gemini", "openai"] {
        let first = turn(&server, shape, json!({"append": [user("hi")], "target": shape})).await;
        check(shape, &first.payload).unwrap();
        let body = json!({"append": second(shape), "target": shape});
        let next = turn(&server, shape, body).await;
        check(shape, &next.payload).unwrap();
        for word in own_words(shape) {
            assert!(next.text.contains(word), "{shape} {word}: {}", next.text);
        }
        // Once decided, another shape is refused.
        let other = if shape == "gemini" { "openai" } else { "gemini" };
        let body = json!({"append": [user("x")], "source": other, "target": shape});
        let refused = server.post(&format!("/sessions/{shape}/turns"), &body).await;
        problem(refused, 422, "invalid_request").await;
    }
}

#[tokio::test]
async fn the_source_of_the_defaults_decides_before_the_messages() {
    let server = TestServer::spawn().await;
    let defaults = json!({"source": "openai_responses", "target": "openai_responses"});
    server.post_ok("/sessions", &json!({"id": "s", "defaults": defaults})).await;
    turn(&server, "s", json!({"append": [user("hi")]})).await;
    let next = turn(&server, "s", json!({"append": second("openai_responses")})).await;
    assert!(next.text.contains("rs_a"), "{}", next.text);
    let snapshot = server.post_json("/sessions/s/snapshots", 201, &json!({})).await;
    let at = format!("/snapshots/{}", snapshot["id"].as_str().unwrap());
    assert_eq!(server.get_json(&at).await["source"], "openai_responses");
}

#[tokio::test]
async fn a_session_without_a_shape_is_restored_and_goes_on() {
    let server = TestServer::spawn().await;
    turn(&server, "a", json!({"append": [user("hi")]})).await;
    let snapshot = server.post_json("/sessions/a/snapshots", 201, &json!({})).await;
    let at = format!("/snapshots/{}", snapshot["id"].as_str().unwrap());
    let document = server.get_json(&at).await;
    assert_eq!(document["source"], Value::Null);
    server.post_ok("/sessions", &json!({"id": "b"})).await;
    server.post_ok("/sessions/b/restore", &json!({"snapshot": document})).await;
    let next = json!({"append": second("anthropic"), "target": "anthropic"});
    assert!(turn(&server, "b", next).await.text.contains("server_tool_use"));
}

#[tokio::test]
async fn the_repair_of_a_request_or_of_the_defaults_holds_in_turns() {
    let server = TestServer::spawn().await;
    let messages = json!([user("q"),
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{\"a\":"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "not JSON"}]);
    let strict = server.post("/sessions/strict/turns", &json!({"append": messages})).await;
    let told = problem(strict, 422, "invalid_request").await;
    assert_eq!(told["errors"][0]["pointer"], "/append/1/tool_calls/0/function/arguments");
    let asked = json!({"append": messages, "repair": "lenient"});
    assert_eq!(turn(&server, "asked", asked).await.codes("repairs"), ["arguments_kept_raw"]);
    let defaults = json!({"repair": "lenient"});
    server.post_ok("/sessions", &json!({"id": "usual", "defaults": defaults})).await;
    let usual = turn(&server, "usual", json!({"append": messages})).await;
    assert_eq!(usual.codes("repairs"), ["arguments_kept_raw"]);
    assert_eq!(usual.list().len(), 3);
}

#[tokio::test]
async fn a_malformed_call_of_a_turn_is_denied_and_the_others_are_judged() {
    let server = TestServer::spawn().await;
    let messages = json!([user("q"),
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{\"a\":"}},
            {"id": "c2", "type": "function", "function": {"name": "read", "arguments": "{}"}}]}]);
    let body = json!({"append": messages, "repair": "lenient", "compile": false});
    let done = server.post_json("/sessions/s/turns", 200, &body).await;
    let decisions: Vec<_> =
        done["results"].as_array().unwrap().iter().map(|one| &one["decision"]).collect();
    assert_eq!(decisions, ["deny", "allow"]);
}
