//! Payloads of each target, byte for byte: the scenarios T01 to T24 and C17.

mod anthropic;
mod gemini;
mod openai;

use std::sync::Arc;

use crate::domain::{
    CacheMark, CacheTtl, Content, Conversation, Media, MediaSource, Message, Notes, Part, RawJson,
    Role, Source, Target, Thinking, ToolCall, ToolDefinition, ToolResult,
};
use crate::json::{self, Limits, Node, Path};
use crate::provider::{PayloadInput, WrittenPayload, adapt, rules, write};

fn payload(target: Target, messages: Vec<Message>) -> String {
    from(Source::Openai, target, messages)
}

fn from(source: Source, target: Target, mut messages: Vec<Message>) -> String {
    let leading = messages.iter().take_while(|message| message.role == Role::System).count();
    let history = messages.split_off(leading);
    let system = messages;
    let mut conversation = Conversation { source, system, history, tools: vec![] };
    adapt(&mut conversation, target.into(), &mut Notes::default());
    let mut all = conversation.system;
    all.extend(conversation.history);
    let written = written(target, &all, &[]);
    let again = write(
        String::new(),
        target,
        PayloadInput { messages: &all, tools: &[], caching: None, returned: &[] },
    );
    assert_eq!(written.text, again.text);
    written.text.to_string()
}

/// Writes a payload, and checks the places of its blocks and cache marks against its text.
fn written(target: Target, messages: &[Message], tools: &[ToolDefinition]) -> WrittenPayload {
    let head = "{\"payload\":";
    let input = PayloadInput { messages, tools, caching: None, returned: &[] };
    let with_head = write(head.to_owned(), target, input);
    let written = write(String::new(), target, input);
    assert_eq!(*with_head.text, format!("{head}{}", written.text));
    assert_eq!(with_head.payload(), written.text.as_str());
    assert_eq!(with_head.blocks, written.blocks);

    let payload = json::parse(&written.text, Limits::default()).unwrap();
    let members = payload.as_object().unwrap();
    assert_eq!(members.len(), written.blocks.len());
    for ((name, node), found) in members.iter().zip(&written.blocks) {
        assert_eq!((&**name, node.raw), (found.name, found.value(&written.text)));
        let items = node.as_array();
        assert_eq!(items.is_some(), found.is_list);
        let blocks = items.unwrap_or(std::slice::from_ref(node)).iter().map(|block| block.raw);
        let texts = found.texts(&written.text);
        assert_eq!(blocks.collect::<Vec<_>>(), texts.collect::<Vec<_>>());
    }
    let mut marked = Vec::new();
    find_marked(&payload, &Path::Root, &mut marked);
    if !rules(target).cache_marks {
        marked.clear();
    }
    assert_eq!(marked, written.breakpoints);
    written
}

/// The objects with a cache mark, in the order of the text.
fn find_marked(node: &Node<'_>, path: &Path<'_>, found: &mut Vec<String>) {
    if node.get("cache_control").is_some_and(|mark| mark.as_object().is_some()) {
        found.push(path.pointer());
    }
    for (key, value) in node.as_object().into_iter().flatten() {
        if !["input", "arguments", "input_schema", "parameters"].contains(&&**key) {
            find_marked(value, &path.key(key), found);
        }
    }
    for (index, item) in node.as_array().unwrap_or_default().iter().enumerate() {
        find_marked(item, &path.index(index), found);
    }
}

fn system(text: &str) -> Message {
    Message::text(Role::System, text)
}

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

fn assistant(text: &str) -> Message {
    Message::text(Role::Assistant, text)
}

fn call(id: &str, name: &str, arguments: &str) -> Part {
    Part::new(Content::ToolCall(ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
        custom: false,
    }))
}

fn calls(text: &str, calls: &[(&str, &str, &str)]) -> Message {
    let said = (!text.is_empty()).then(|| Part::text(text));
    let parts = said.into_iter().chain(calls.iter().map(|(id, name, args)| call(id, name, args)));
    Message::new(Role::Assistant, parts.collect())
}

fn result(id: &str, content: &str) -> Message {
    let content = vec![Part::text(content)];
    let result = ToolResult { call_id: id.into(), name: None, content, is_error: None };
    Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))])
}

fn media(media_type: &str, source: MediaSource, name: Option<&str>) -> Part {
    let (media_type, name) = (media_type.into(), name.map(Arc::from));
    Part::new(Content::Media(Media { media_type, source, name }))
}

fn marked(mut message: Message) -> Message {
    message.parts.last_mut().unwrap().cache = Some(CacheMark::block(None));
    message
}

fn thinking(text: &str, signature: Option<&str>) -> Part {
    let mut part = Part::new(Content::Thinking(Thinking { text: text.into(), opaque: None }));
    part.signature = signature.map(Arc::from);
    part
}

const PNG: &str = "iVBORw0KGgoAAAANSUhEUg==";

#[test]
fn cache_marks_are_reported_in_the_order_of_the_text() {
    let mark = Some(CacheMark::block(Some(CacheTtl::OneHour)));
    let marked = |content| Part { cache: mark, ..Part::new(content) };
    let raw = r#"{"type":"search_result","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}],"input":{"cache_control":{}}}"#;
    let opaque = || Content::Opaque { kind: "search_result".into(), raw: RawJson::new(raw) };
    let content = vec![marked(Content::Text("a".into())), Part::new(opaque())];
    let result = ToolResult { call_id: "c".into(), name: None, content, is_error: None };
    let noted = (Arc::from("note"), RawJson::new(r#"{"cache_control":{"type":"ephemeral"}}"#));
    let messages = [
        Message::new(Role::System, vec![marked(Content::Text("s".into()))]),
        Message::new(Role::Assistant, vec![call("c", "f", r#"{"cache_control":{}}"#)]),
        Message::new(Role::Tool, vec![marked(Content::ToolResult(result))]),
        Message::new(
            Role::User,
            vec![
                marked(opaque()),
                Part { extra: vec![noted], ..marked(Content::Text("u".into())) },
                marked(Content::Text("  ".into())),
            ],
        ),
    ];
    let anthropic = written(Target::Anthropic, &messages, &[]);
    assert_eq!(
        anthropic.breakpoints,
        [
            "/system/0",
            "/messages/1/content/0",
            "/messages/1/content/0/content/0",
            "/messages/1/content/0/content/1/content/0",
            "/messages/1/content/1",
            "/messages/1/content/1/content/0",
            "/messages/1/content/2",
            "/messages/1/content/2/note",
        ]
    );
    let neutral = written(Target::Neutral, &messages, &[]);
    assert!(neutral.breakpoints.contains(&"/messages/3/parts/0/raw/content/0".to_owned()));
}

#[test]
fn t22_t23_each_target_gets_media_its_own_way() {
    let png = || media("image/*", MediaSource::Base64(PNG.into()), None);
    let pdf = || media("application/pdf", MediaSource::Base64("JVBERi0=".into()), Some("r.pdf"));
    let url = || media("image/*", MediaSource::Url("https://a/b.png".into()), None);
    let gs = || media("*/*", MediaSource::Url("gs://a/b.pdf".into()), None);
    let message = || Message::new(Role::User, vec![png(), pdf(), url(), gs()]);
    assert_eq!(
        payload(Target::Openai, vec![message()]),
        concat!(
            r#"{"messages":[{"content":["#,
            r#"{"image_url":{"url":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUg=="},"type":"image_url"},"#,
            r#"{"file":{"file_data":"data:application/pdf;base64,JVBERi0=","filename":"r.pdf"},"type":"file"},"#,
            r#"{"image_url":{"url":"https://a/b.png"},"type":"image_url"},"#,
            r#"{"text":"[document] gs://a/b.pdf","type":"text"}],"role":"user"}]}"#
        )
    );
    assert_eq!(
        payload(Target::Anthropic, vec![message()]),
        concat!(
            r#"{"messages":[{"role":"user","content":["#,
            r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUg=="}},"#,
            r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="},"title":"r.pdf"},"#,
            r#"{"type":"image","source":{"type":"url","url":"https://a/b.png"}},"#,
            r#"{"type":"text","text":"[document] gs://a/b.pdf"}]}]}"#
        )
    );
    assert_eq!(
        payload(Target::Gemini, vec![message()]),
        concat!(
            r#"{"contents":[{"role":"user","parts":["#,
            r#"{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUg=="}},"#,
            r#"{"inlineData":{"mimeType":"application/pdf","data":"JVBERi0="}},"#,
            r#"{"fileData":{"mimeType":"image/png","fileUri":"https://a/b.png"}},"#,
            r#"{"fileData":{"mimeType":"application/pdf","fileUri":"gs://a/b.pdf"}}]}]}"#
        )
    );
}

#[test]
fn neutral_messages_have_the_shape_of_hooks() {
    let mut turn = calls("x", &[("c", "f", r#"{"a":1}"#)]);
    turn.id = Some("m_1".into());
    turn.parts.insert(0, thinking("t", Some("s")));
    let messages = vec![
        turn,
        marked(result("c", "r")),
        Message::new(
            Role::User,
            vec![media("image/png", MediaSource::Url("https://a/b".into()), Some("n"))],
        ),
    ];
    assert_eq!(
        payload(Target::Neutral, messages),
        concat!(
            r#"{"messages":[{"id":"m_1","parts":[{"signature":"s","text":"t","type":"thinking"},"#,
            r#"{"text":"x","type":"text"},"#,
            r#"{"arguments":"{\"a\":1}","id":"c","name":"f","type":"tool_call"}],"role":"assistant"},"#,
            r#"{"parts":[{"cache_control":{"type":"ephemeral"},"call_id":"c","content":"r","type":"tool_result"}],"role":"tool"},"#,
            r#"{"parts":[{"media_type":"image/png","name":"n","type":"media","url":"https://a/b"}],"role":"user"}]}"#
        )
    );
}

#[test]
fn tools_are_rendered_each_providers_way_without_tags() {
    let tool = |name: &str, parameters: Option<&str>| ToolDefinition {
        name: name.into(),
        description: Some("d".into()),
        parameters: parameters.map(RawJson::new),
        cache: Some(CacheMark::block(None)),
        extra: vec![("tags".into(), RawJson::new(r#"["t"]"#))],
        opaque: None,
        origin: "/tools/0".into(),
    };
    let simple = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    let strict = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    let tools = [tool("f", Some(simple)), tool("g", Some(strict)), tool("h", None)];
    let of = |target| {
        let text = written(target, &[], &tools).text;
        let at = text.find(r#""tools""#).unwrap();
        text[at..].trim_end_matches('}').to_owned()
    };
    assert!(of(Target::Openai).starts_with(&format!(
        r#""tools":[{{"type":"function","function":{{"name":"f","description":"d","parameters":{simple}}}}}"#
    )));
    assert!(of(Target::OpenaiResponses).contains(&format!(
        r#"{{"type":"function","name":"g","description":"d","parameters":{strict},"strict":false}}"#
    )));
    let anthropic = of(Target::Anthropic);
    assert!(anthropic.contains(
        r#"{"name":"h","description":"d","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}"#
    ));
    assert_eq!(
        of(Target::Gemini),
        format!(
            r#""tools":[{{"functionDeclarations":[{{"name":"f","description":"d","parameters":{simple}}},{{"name":"g","description":"d","parametersJsonSchema":{strict}}},{{"name":"h","description":"d"}}]}}]"#
        )
    );
    assert!(of(Target::Neutral).starts_with(&format!(
        r#""tools":[{{"cache_control":{{"type":"ephemeral"}},"description":"d","name":"f","parameters":{simple}}}"#
    )));
    assert!(Target::WORDS.iter().all(|(_, target)| !of(*target).contains("tags")));
    assert_eq!(written(Target::Gemini, &[], &[]).payload(), r#"{"contents":[]}"#);
}
