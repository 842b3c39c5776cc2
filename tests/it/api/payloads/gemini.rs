//! What Gemini alone asks for.

use serde_json::{Value, json};

use super::valid;

const PLACEHOLDER: &str = "skip_thought_signature_validator";

/// A turn of two steps: two calls at once, then one.
fn request(model: &str) -> Value {
    let call = |id: &str| {
        json!({"id": id, "type": "function",
        "function": {"name": "look", "arguments": "{}"}})
    };
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "seen"});
    json!({"model": model, "messages": [{"role": "user", "content": "Look around"},
        {"role": "assistant", "content": null, "tool_calls": [call("c1"), call("c2")]},
        result("c1"), result("c2"),
        {"role": "assistant", "content": "And again", "tool_calls": [call("c3")]}, result("c3")]})
}

/// The signatures of the calls of a payload, in order.
fn signatures(payload: &Value) -> Vec<Value> {
    let contents = payload["contents"].as_array().unwrap();
    let parts = contents.iter().flat_map(|own| own["parts"].as_array().unwrap());
    parts
        .filter(|part| part.get("functionCall").is_some())
        .map(|part| part["thoughtSignature"].clone())
        .collect()
}

#[tokio::test]
async fn the_first_unsigned_call_of_a_step_gets_the_documented_placeholder() {
    for model in ["gemini-3-pro", "gemini-3.5-flash", "google/gemini-4-new-preview"] {
        let done = valid("gemini", request(model)).await;
        assert_eq!(
            signatures(&done.payload),
            [json!(PLACEHOLDER), Value::Null, json!(PLACEHOLDER)],
            "{model}"
        );
        let notes = done.report["degraded"].as_array().unwrap();
        let notes: Vec<&Value> = notes.iter().filter(|own| own["code"] == "call_signed").collect();
        assert_eq!((notes.len(), &notes[0]["pointer"]), (1, &json!("/messages/1")), "{notes:?}");
    }
    for model in ["gemini-2.5-pro", "gemini-flash-latest"] {
        let done = valid("gemini", request(model)).await;
        assert_eq!(signatures(&done.payload), [Value::Null, Value::Null, Value::Null], "{model}");
    }
}

#[tokio::test]
async fn signatures_stay_part_by_part_as_they_came() {
    let call = |signature: Option<&str>| {
        let mut part = json!({"functionCall": {"name": "look", "args": {}}});
        if let Some(signature) = signature {
            part["thoughtSignature"] = json!(signature);
        }
        part
    };
    let results = |count: usize| -> Value {
        let one = json!({"functionResponse": {"name": "look", "response": {"output": "seen"}}});
        json!({"role": "user", "parts": vec![one; count]})
    };
    let request = json!({"model": "gemini-3-pro", "contents": [
        {"role": "user", "parts": [{"text": "Look around"}]},
        {"role": "model", "parts": [call(Some("sigA=")), call(None)]}, results(2),
        {"role": "model", "parts": [call(None), call(Some("sigB="))]}, results(2)]});
    let done = valid("gemini", request).await;
    assert_eq!(
        signatures(&done.payload),
        [json!("sigA="), Value::Null, json!(PLACEHOLDER), json!("sigB=")]
    );
}

/// A new message of the user changes no byte before it.
#[tokio::test]
async fn the_placeholder_stays_in_turns_that_are_over() {
    let first = valid("gemini", request("gemini-3-pro")).await;
    let mut next = request("gemini-3-pro");
    next["messages"].as_array_mut().unwrap().extend([
        json!({"role": "assistant", "content": "Nothing there."}),
        json!({"role": "user", "content": "Thanks"}),
    ]);
    let next = valid("gemini", next).await;
    let before = first.payload["contents"].as_array().unwrap();
    assert_eq!(next.payload["contents"].as_array().unwrap()[..before.len()], before[..]);
}

/// Responses that bear ids of the client's own answer calls without ids in their order.
#[tokio::test]
async fn responses_with_ids_answer_calls_without() {
    let call = |x: u32| json!({"functionCall": {"name": "f", "args": {"x": x}}});
    let response = |id: &str, text: &str| json!({"functionResponse": {"id": id, "name": "f", "response": {"result": text}}});
    let contents = json!([{"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [call(1), call(2)]},
        {"role": "user", "parts": [response("abc-1", "REAL-1"), response("abc-2", "REAL-2")]}]);
    for target in ["openai", "openai_responses", "anthropic", "gemini"] {
        let done = valid(target, json!({"contents": contents})).await;
        let at =
            |text: &str| done.text.find(text).unwrap_or_else(|| panic!("{target}: {}", done.text));
        assert!(at("REAL-1") < at("REAL-2"), "{target}");
        assert!(done.codes("repairs").is_empty(), "{target}: {:?}", done.codes("repairs"));
    }
    // A response with the id of a call is that call's, whatever came before.
    let named = |id: &str| json!({"functionCall": {"id": id, "name": "f", "args": {}}});
    let contents = json!([{"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [named("a"), named("b")]},
        {"role": "user", "parts": [response("b", "of b"), response("a", "of a")]}]);
    let done = valid("openai", json!({"contents": contents})).await;
    let results: Vec<&Value> = done.list().iter().filter(|own| own["role"] == "tool").collect();
    assert_eq!((&results[0]["content"], &results[1]["content"]), (&json!("of a"), &json!("of b")));
}
