//! Whatever well-formed conversation comes, in whatever shape it came, every target's payload
//! passes its validator. The generator holds the oddities that shapes allow one another.

use contexture::domain::{
    Content, Conversation, Media, MediaSource, Message, Notes, Part, RawJson, Role, Source, Target,
    Thinking, ToolCall, ToolDefinition, ToolResult,
};
use contexture::provider::{PayloadInput, adapt, write};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::check;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => "[a-z \\n\"\\\\é😀<]{1,24}",
        1 => Just(String::new()),
        1 => Just("  \n".to_owned()),
    ]
}

fn media() -> impl Strategy<Value = Part> {
    let kinds = prop::sample::select(vec![
        "image/png",
        "image/*",
        "image/jpg",
        "image/svg+xml",
        "*/*",
        "application/pdf",
        "audio/wav",
        "audio/ogg",
        "video/mp4",
        "text/plain",
    ]);
    let sources = prop_oneof![
        Just(MediaSource::Base64("iVBORw0KGgoAAAANSUhEUg==".into())),
        Just(MediaSource::Base64("aGVsbG8=".into())),
        Just(MediaSource::Url("https://a.example/b.png?x=1".into())),
        Just(MediaSource::Url("gs://bucket/b".into())),
        Just(MediaSource::FileId("file-1".into())),
        Just(MediaSource::Text("plain words".into())),
    ];
    (kinds, sources, prop::option::of("[a-z]{1,5}\\.pdf")).prop_map(|(kind, source, name)| {
        let name = name.map(Into::into);
        Part::new(Content::Media(Media { media_type: kind.into(), source, name }))
    })
}

fn spoken() -> impl Strategy<Value = Part> {
    prop_oneof![4 => text().prop_map(Part::text), 1 => media(), 1 => opaque(), 1 => extra()]
}

fn extra() -> impl Strategy<Value = Part> {
    text().prop_map(|text| {
        let mut part = Part::text(text);
        part.extra = vec![("citations".into(), RawJson::new("[]"))];
        part
    })
}

/// An item of a provider's own.
fn opaque() -> impl Strategy<Value = Part> {
    Just(Part::new(Content::Opaque {
        kind: "web_search_call".into(),
        raw: RawJson::new(r#"{"type":"web_search_call","id":"ws_1"}"#),
    }))
}

fn thinking() -> impl Strategy<Value = Part> {
    (text(), prop::option::of("[a-z]{4}")).prop_map(|(text, signature)| {
        let thinking = Thinking { text: text.into(), opaque: None };
        let mut part = Part::new(Content::Thinking(thinking));
        part.signature = signature.map(Into::into);
        part
    })
}

/// A turn: what was said, or calls with their results.
fn turn() -> impl Strategy<Value = Vec<Message>> {
    let parts = || prop::collection::vec(spoken(), 0..4);
    let said = prop_oneof![
        parts().prop_map(|parts| vec![Message::new(Role::User, parts)]),
        (thinking(), parts()).prop_map(|(thinking, mut parts)| {
            parts.insert(0, thinking);
            vec![Message::new(Role::Assistant, parts)]
        }),
        parts().prop_map(|parts| vec![Message::new(Role::Assistant, parts)]),
        text().prop_map(|text| vec![Message::text(Role::System, text)]),
    ];
    let names = prop::sample::select(vec![
        "get_weather",
        "a.b/c d",
        "1st",
        "名前",
        "a_very_long_name_that_goes_on_and_on_and_on_and_on_past_it",
    ]);
    let ids = prop::sample::select(vec!["call_1", "fc:2|x", "toolu_01", "gemini-fc-f-0"]);
    let arguments = prop::sample::select(vec!["{}", r#"{"a": 1.50}"#, "{", "", "[1]"]);
    let results = prop::sample::select(vec!["ok", "", "[1,2]", r#"{"t":1}"#, "42"]);
    let call = (ids, names, arguments, results, media(), any::<(bool, bool, bool)>());
    let called = (text(), prop::collection::vec(call, 1..4)).prop_map(|(text, calls)| {
        let mut turn = vec![Message::new(Role::Assistant, vec![Part::text(text)])];
        for (index, (id, name, arguments, result, media, flags)) in calls.into_iter().enumerate() {
            let id: std::sync::Arc<str> = format!("{id}_{index}").into();
            let (error, with_media, custom) = flags;
            let mut content = vec![Part::text(result)];
            content.extend(with_media.then_some(media));
            turn[0].parts.push(Part::new(Content::ToolCall(ToolCall {
                id: id.clone(),
                name: name.into(),
                arguments: arguments.into(),
                custom,
            })));
            let result = ToolResult { call_id: id, name: None, content, is_error: Some(error) };
            turn.push(Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]));
        }
        turn
    });
    prop_oneof![2 => said, 1 => called]
}

fn tools() -> Vec<ToolDefinition> {
    let schemas = [None, Some("{}"), Some("null"), Some(r#"{"type":"object"}"#)];
    let schemas = schemas.into_iter().chain([
        Some(r#"{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}"#),
        Some(r#"{"type":"object","properties":{"a":{"type":["string","null"]}}}"#),
    ]);
    let tool = |(index, schema): (usize, Option<&str>)| ToolDefinition {
        name: format!("tool.{index}").into(),
        description: Some("does \"it\"".into()),
        parameters: schema.map(RawJson::new),
        cache: None,
        extra: vec![("tags".into(), RawJson::new(r#"["a"]"#))],
        opaque: None,
        origin: "/tools/0".into(),
    };
    schemas.enumerate().map(tool).collect()
}

/// Call ids must be distinct in a conversation, as ingest leaves them.
fn distinct(history: &mut [Message]) {
    let mut turn = 0;
    for message in history {
        turn += usize::from(message.role == Role::Assistant);
        for part in &mut message.parts {
            match &mut part.content {
                Content::ToolCall(call) => call.id = format!("{}.{turn}", call.id).into(),
                Content::ToolResult(result) => {
                    result.call_id = format!("{}.{turn}", result.call_id).into();
                }
                _ => {}
            }
        }
    }
}

fn payload(target: Target, source: Source, turns: &[Vec<Message>]) -> (String, Notes) {
    let mut history: Vec<Message> = turns.iter().flatten().cloned().collect();
    distinct(&mut history);
    // An item of the provider's own would go back whole; these stand where it gave none.
    if target.as_str() == source.as_str() {
        for message in &mut history {
            message.parts.retain(|part| !matches!(part.content, Content::Opaque { .. }));
        }
    }
    for (index, message) in history.iter_mut().enumerate() {
        message.origin = Some(index);
    }
    let mut conversation = Conversation {
        source,
        system: vec![Message::text(Role::System, "be brief")],
        history,
        tools: tools(),
    };
    let mut notes = Notes::default();
    adapt(&mut conversation, target.into(), &mut notes);
    let mut messages = conversation.system;
    // The first message of a conversation is the user's: assembling sees to that.
    messages.push(Message::text(Role::User, "start"));
    messages.extend(conversation.history);
    let tools = &conversation.tools;
    (
        write(
            String::new(),
            target,
            PayloadInput { messages: &messages, tools, caching: None, returned: &[] },
        )
        .payload()
        .to_owned(),
        notes,
    )
}

fn values_of<T: Copy + std::fmt::Debug + 'static>(words: &[(&str, T)]) -> impl Strategy<Value = T> {
    prop::sample::select(words.iter().map(|(_, value)| *value).collect::<Vec<T>>())
}

/// A schema of a tool as programs write them: of any draft, and with mistakes.
fn schema(depth: u32) -> BoxedStrategy<Value> {
    let values = prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(-1),
        json!(2.5),
        json!("3"),
        json!("a"),
        json!("["),
        json!("any"),
        json!("Object"),
        json!("array"),
        json!(["object", "null"]),
        json!(["a", "a", ""]),
        json!([]),
        json!({}),
        json!("#/properties/a"),
        json!("#/$defs/a"),
        json!("#/definitions/b"),
        json!("#/gone"),
    ]);
    let keys = prop::sample::select(vec![
        "type",
        "minimum",
        "exclusiveMinimum",
        "minLength",
        "required",
        "enum",
        "pattern",
        "description",
        "items",
        "properties",
        "additionalProperties",
        "anyOf",
        "allOf",
        "$ref",
        "$defs",
        "definitions",
        "title",
        "format",
        "uniqueItems",
    ]);
    let members = prop::collection::vec((keys, values), 0..5);
    let leaf = members.prop_map(|members| Value::Object(distinct_members(members)));
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || schema(depth - 1);
    let holders = prop::sample::select(vec!["properties", "$defs", "definitions"]);
    let named = (leaf.clone(), holders, inner(), inner(), any::<bool>()).prop_map(
        |(mut whole, holder, a, b, needs)| {
            whole[holder] = json!({"a": a, "b c": b, "b": {"$ref": "#/properties/a"}});
            if needs {
                whole["required"] = json!(["a", "b"]);
            }
            whole
        },
    );
    let lists = prop::sample::select(vec!["items", "anyOf", "oneOf", "allOf", "prefixItems"]);
    let listed = (leaf.clone(), lists, inner(), inner()).prop_map(|(mut whole, list, a, b)| {
        whole[list] = json!([a, b]);
        whole
    });
    prop_oneof![1 => leaf, 3 => named, 2 => listed].boxed()
}

fn distinct_members(members: Vec<(&str, Value)>) -> serde_json::Map<String, Value> {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

proptest! {
    #[test]
    fn every_target_accepts_a_tool_of_any_schema(schema in schema(3), is_strict in any::<bool>()) {
        for source in [Source::Anthropic, Source::Openai] {
            for (word, target) in Target::WORDS {
                let strict = is_strict && Source::from(*target) != source;
                let mut extra = Vec::new();
                if strict {
                    extra.push(("strict".into(), RawJson::new("true")));
                }
                let tool = ToolDefinition {
                    name: "f".into(),
                    description: None,
                    parameters: Some(RawJson::new(schema.to_string())),
                    cache: None,
                    extra,
                    opaque: None,
                    origin: "/tools/0".into(),
                };
                let mut conversation = Conversation { tools: vec![tool], ..Conversation::empty(source) };
                let mut notes = Notes::default();
                adapt(&mut conversation, (*target).into(), &mut notes);
                let messages = [Message::text(Role::User, "start")];
                let tools = &conversation.tools;
                let text = write(String::new(), *target, PayloadInput { messages: &messages, tools, caching: None, returned: &[] }).text;
                let verdict = check(word, &serde_json::from_str(&text).unwrap());
                prop_assert!(verdict.is_ok(), "{word}: {verdict:?}\n{schema}\n{text}");
            }
        }
    }

    #[test]
    fn every_target_accepts_what_any_source_brings(
        turns in prop::collection::vec(turn(), 0..6),
        source in values_of(Source::WORDS),
        target in values_of(Target::WORDS),
    ) {
        let (text, notes) = payload(target, source, &turns);
        let value: Value = serde_json::from_str(&text).unwrap();
        let verdict = check(target.as_str(), &value);
        prop_assert!(verdict.is_ok(), "{verdict:?}\n{text}");
        for note in notes.degraded {
            prop_assert!(note.pointer.starts_with('/'), "{note:?}");
        }
    }

    #[test]
    fn a_grown_conversation_keeps_the_bytes_of_its_start(
        turns in prop::collection::vec(turn(), 1..6),
        source in values_of(Source::WORDS),
    ) {
        let before: Vec<_> = turns[..turns.len() - 1].to_vec();
        let (short, _) = payload(Target::Openai, source, &before);
        let (long, _) = payload(Target::Openai, source, &turns);
        let start = short.find("],\"tools\"").unwrap();
        let start = short[..start].rfind('}').unwrap();
        prop_assert!(long.starts_with(&short[..start]));
    }
}
