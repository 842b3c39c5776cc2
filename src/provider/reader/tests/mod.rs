//! Requests in every provider's shape, read and looked at.

mod anthropic;
mod faults;
mod gemini;
mod openai;
mod responses;
mod tools;

use proptest::prelude::*;

use super::*;
use crate::domain::{Content, Media, MediaSource, Thinking, ToolCall, ToolResult};
use crate::json::{Fault, Limits, parse};

/// Reads a body, with its faults.
fn read_all(body: &str, source: Option<Source>) -> (Conversation, Vec<Fault>, Notes) {
    let node = parse(body, Limits::default()).unwrap();
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    let source = source.unwrap_or_else(|| detect(&node));
    let conversation = read(&node, source, &mut faults, &mut notes);
    (conversation, faults.into_vec(), notes)
}

/// A body without faults, in the shape it is detected to have.
fn good(body: &str) -> (Conversation, Notes) {
    let (conversation, faults, notes) = read_all(body, None);
    assert_eq!(faults, []);
    (conversation, notes)
}

fn roles(messages: &[Message]) -> Vec<Role> {
    messages.iter().map(|message| message.role).collect()
}

fn texts(parts: &[Part]) -> Vec<&str> {
    parts.iter().filter_map(|part| part.as_text().map(|text| &**text)).collect()
}

fn media(part: &Part) -> &Media {
    match &part.content {
        Content::Media(media) => media,
        other => panic!("no media: {other:?}"),
    }
}

fn call(part: &Part) -> &ToolCall {
    match &part.content {
        Content::ToolCall(call) => call,
        other => panic!("no call: {other:?}"),
    }
}

fn result(message: &Message) -> &ToolResult {
    assert_eq!(message.role, Role::Tool);
    match message.parts.as_slice() {
        [Part { content: Content::ToolResult(result), .. }] => result,
        other => panic!("no result: {other:?}"),
    }
}

fn thinking(part: &Part) -> &Thinking {
    match &part.content {
        Content::Thinking(thinking) => thinking,
        other => panic!("no thinking: {other:?}"),
    }
}

fn opaque(part: &Part) -> (&str, &str) {
    match &part.content {
        Content::Opaque { kind, raw } => (kind, raw.as_str()),
        other => panic!("not opaque: {other:?}"),
    }
}

fn extras(extra: &crate::domain::Extra) -> Vec<(&str, &str)> {
    extra.iter().map(|(key, raw)| (&**key, raw.as_str())).collect()
}

#[test]
fn the_shape_is_detected() {
    let cases = [
        (r#"{"contents":"hi"}"#, Source::Gemini),
        (r#"{"input":"hi"}"#, Source::OpenaiResponses),
        (r#"{"messages":[{"role":"user","parts":[{"text":"x"}]}]}"#, Source::Gemini),
        (r#"{"messages":[{"role":"user","parts":[{"type":"text","text":"x"}]}]}"#, Source::Neutral),
        (r#"{"messages":[],"system":"s"}"#, Source::Anthropic),
        (r#"{"messages":[{"role":"user","content":[{"type":"tool_result"}]}]}"#, Source::Anthropic),
        (r#"{"messages":[{"role":"tool","content":""}],"system":"s"}"#, Source::Openai),
        (
            r#"{"messages":[{"type":"function_call_output","call_id":"a"}]}"#,
            Source::OpenaiResponses,
        ),
        (r#"{"messages":[{"role":"user","content":"x"}]}"#, Source::Openai),
        (r"{}", Source::Openai),
    ];
    for (body, source) in cases {
        assert_eq!(detect(&parse(body, Limits::default()).unwrap()), source, "{body}");
    }
}

#[test]
fn the_neutral_shape_is_read() {
    let (read, notes) = good(
        r#"{"messages":[
            {"id":"m1","role":"user","parts":[{"type":"text","text":"t","cache":{"ttl":"1h"}},
                {"type":"media","media_type":"image/png","data":"QUJD","name":"n"}]},
            {"role":"assistant","parts":[
                {"type":"thinking","text":"why","signature":"S","opaque":{"a": 1}},
                {"type":"tool_call","id":"a","name":"f","arguments":{"x": 1.50}},
                {"type":"tool_call","id":"b","name":"g","arguments":"{}"},
                {"type":"opaque","kind":"k","raw":{"type":"k"}}]},
            {"role":"tool","parts":[{"type":"tool_result","call_id":"a","content":"A"},
                {"type":"tool_result","call_id":"b","content":[{"type":"text","text":"B"}],
                 "is_error":true}]}]}"#,
    );
    assert_eq!(notes, Notes::default());
    assert_eq!(read.source, Source::Neutral);
    assert_eq!(roles(&read.history), [Role::User, Role::Assistant, Role::Tool, Role::Tool]);
    let [user, said, a, b] = read.history.as_slice() else { panic!() };
    assert_eq!(user.id.as_deref(), Some("m1"));
    assert_eq!(user.parts[0].cache.unwrap().ttl, Some(crate::domain::CacheTtl::OneHour));
    assert_eq!(media(&user.parts[1]).source, MediaSource::Base64("QUJD".into()));
    assert_eq!(thinking(&said.parts[0]).opaque.as_ref().unwrap().as_str(), r#"{"a": 1}"#);
    assert_eq!(said.parts[0].signature.as_deref(), Some("S"));
    assert_eq!(&*call(&said.parts[1]).arguments, r#"{"x": 1.50}"#);
    assert_eq!(opaque(&said.parts[3]), ("k", r#"{"type":"k"}"#));
    assert_eq!((&*result(a).call_id, result(b).is_error), ("a", Some(true)));
    assert_eq!((a.origin, b.origin), (Some(2), Some(2)));
}

#[test]
fn system_text_at_the_head_stands_apart() {
    let (read, _) = good(
        r#"{"system":"top","messages":[{"role":"system","content":"a"},
            {"role":"developer","content":"b"},{"role":"user","content":"u"},
            {"role":"system","content":"later"}]}"#,
    );
    let system: Vec<_> = read.system.iter().flat_map(|message| texts(&message.parts)).collect();
    assert_eq!(system, ["top", "a", "b"]);
    assert_eq!(read.system[2].role_word, Some("developer"));
    assert_eq!((read.system[0].origin, read.system[1].origin), (None, Some(0)));
    assert_eq!(roles(&read.history), [Role::User, Role::System]);
}

/// Values that look like conversations now and then, and are wrong in every other way.
fn any_body() -> impl Strategy<Value = serde_json::Value> {
    let words = prop::sample::select(vec![
        "user",
        "assistant",
        "tool",
        "model",
        "system",
        "text",
        "tool_use",
        "tool_result",
        "function",
        "function_call",
        "reasoning",
        "image",
        "media",
        "file",
        "{}",
        "\u{0}",
        "",
    ]);
    let keys = prop::sample::select(vec![
        "role",
        "content",
        "parts",
        "type",
        "text",
        "id",
        "name",
        "tool_calls",
        "function",
        "arguments",
        "call_id",
        "tool_call_id",
        "source",
        "input",
        "functionCall",
        "data",
        "functionResponse",
        "response",
        "cache_control",
        "ttl",
        "thinking",
        "output",
        "args",
        "attachments",
        "image_url",
        "function_call",
        "parameters",
        "functionDeclarations",
    ]);
    let leaf = prop_oneof![
        4 => words.prop_map(serde_json::Value::from),
        1 => Just(serde_json::Value::Null),
        1 => any::<bool>().prop_map(Into::into),
        1 => any::<i32>().prop_map(Into::into),
    ];
    let value = leaf.prop_recursive(5, 80, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            prop::collection::btree_map(keys.clone(), inner, 0..8).prop_map(|members| {
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    });
    let list = prop::sample::select(vec!["messages", "contents", "input"]);
    (list, value.clone(), value)
        .prop_map(|(list, messages, tools)| serde_json::json!({list: [messages], "tools": [tools]}))
}

proptest! {
    #[test]
    fn nothing_panics_and_every_fault_points_into_the_body(body in any_body()) {
        for (_, source) in Source::WORDS {
            let (_, faults, _) = read_all(&body.to_string(), Some(*source));
            for fault in faults {
                let parent = fault.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
                prop_assert!(body.pointer(parent).is_some(), "{fault:?} in {body}");
            }
        }
    }
}
