//! What each target's payload looks like, byte for byte: the scenarios T01 to T24 and C17.

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
    adapt(&mut conversation, target, &mut Notes::default());
    let mut all = conversation.system;
    all.extend(conversation.history);
    let written = written(target, &all, &[]);
    let again = write(String::new(), target, PayloadInput { messages: &all, tools: &[] });
    assert_eq!(written.text, again.text);
    written.text
}

/// Writes a payload, and checks the places of its blocks and cache marks against its text.
fn written(target: Target, messages: &[Message], tools: &[ToolDefinition]) -> WrittenPayload {
    let head = "{\"payload\":";
    let input = PayloadInput { messages, tools };
    let with_head = write(head.to_owned(), target, input);
    let written = write(String::new(), target, input);
    assert_eq!(with_head.text, format!("{head}{}", written.text));
    assert_eq!(with_head.payload(), written.text);
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

#[test]
fn cache_marks_are_reported_in_the_order_of_the_text() {
    let mark = Some(CacheMark { ttl: Some(CacheTtl::OneHour) });
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
    message.parts.last_mut().unwrap().cache = Some(CacheMark { ttl: None });
    message
}

fn thinking(text: &str, signature: Option<&str>) -> Part {
    let mut part = Part::new(Content::Thinking(Thinking { text: text.into(), opaque: None }));
    part.signature = signature.map(Arc::from);
    part
}

const PNG: &str = "iVBORw0KGgoAAAANSUhEUg==";

#[test]
fn openai_keys_stand_in_byte_order() {
    let mut named = user("hi");
    named.name = Some("A".into());
    named.extra = vec![("zz".into(), RawJson::new("1")), ("a".into(), RawJson::new("1.50"))];
    assert_eq!(
        payload(Target::Openai, vec![system("S"), user("hi"), named.clone()]),
        r#"{"messages":[{"content":"S","role":"system"},{"content":"hi","role":"user"},{"a":1.50,"content":"hi","name":"A","role":"user","zz":1}]}"#
    );
    assert_eq!(
        payload(Target::Neutral, vec![named]),
        r#"{"messages":[{"a":1.50,"name":"A","parts":[{"text":"hi","type":"text"}],"role":"user","zz":1}]}"#
    );
}

#[test]
fn t01_t02_anthropic_system_and_marks_stand_on_their_blocks() {
    let messages = vec![marked(system("a")), system("b"), marked(user("x"))];
    assert_eq!(
        payload(Target::Anthropic, messages),
        concat!(
            r#"{"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},"#,
            r#"{"type":"text","text":"b"}],"messages":[{"role":"user","content":["#,
            r#"{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}]}"#
        )
    );
    assert_eq!(
        payload(Target::Anthropic, vec![user("x")]),
        r#"{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}"#
    );
}

#[test]
fn t03_t04_anthropic_calls_and_results_are_blocks_without_empty_text() {
    let arguments = r#"{"city": "London", "n": 1.0}"#;
    let mut turn = calls("", &[("c1", "get_weather", arguments)]);
    turn.parts.insert(0, Part::text(""));
    let messages = vec![user("u"), turn, result("c1", "ok"), user("more")];
    assert_eq!(
        payload(Target::Anthropic, messages),
        concat!(
            r#"{"messages":[{"role":"user","content":[{"type":"text","text":"u"}]},"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"get_weather","#,
            r#""input":{"city": "London", "n": 1.0}}]},{"role":"user","content":["#,
            r#"{"type":"tool_result","tool_use_id":"c1","content":"ok"},"#,
            r#"{"type":"text","text":"more"}]}]}"#
        )
    );
}

#[test]
fn results_stand_before_text_and_neighbours_are_one_message() {
    let turn = calls("", &[("a", "f", "{}"), ("b", "f", "{}")]);
    let mut mixed = result("b", "2");
    mixed.parts.insert(0, Part::text("stray"));
    let messages =
        vec![user("u"), user("v"), turn, result("a", "1"), mixed, assistant("x"), assistant("y")];
    let value: serde_json::Value =
        serde_json::from_str(&payload(Target::Anthropic, messages)).unwrap();
    let shape: Vec<(String, usize)> = value["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["role"].as_str().unwrap().to_owned(), m["content"].as_array().unwrap().len()))
        .collect();
    let expected = [("user", 2), ("assistant", 2), ("user", 2), ("assistant", 2)];
    assert_eq!(shape, expected.map(|(role, n)| (role.to_owned(), n)));
}

#[test]
fn t05_anthropic_keeps_signed_thinking_and_names_media_it_cannot_hold() {
    let opaque = RawJson::new(r#"{"type":"redacted_thinking","data":"d"}"#);
    let redacted = Thinking { text: "".into(), opaque: Some(opaque) };
    let message = Message::new(
        Role::Assistant,
        vec![
            thinking("t", Some("s")),
            thinking("unsigned", None),
            Part::new(Content::Thinking(redacted)),
            Part::text("x"),
            media("image/png", MediaSource::Base64(PNG.into()), None),
            media("text/plain", MediaSource::Url("http://x".into()), Some("n")),
            call("a", "f", "{}"),
        ],
    );
    assert_eq!(
        from(Source::Anthropic, Target::Anthropic, vec![user("u"), message, result("a", "")]),
        concat!(
            r#"{"messages":[{"role":"user","content":[{"type":"text","text":"u"}]},"#,
            r#"{"role":"assistant","content":["#,
            r#"{"type":"thinking","thinking":"t","signature":"s"},"#,
            r#"{"type":"redacted_thinking","data":"d"},{"type":"text","text":"x"},"#,
            r#"{"type":"text","text":"[image]"},{"type":"text","text":"[document: n] http://x"},"#,
            r#"{"type":"tool_use","id":"a","name":"f","input":{}}]},"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}"#
        )
    );
}

#[test]
fn t06_anthropic_marks_results_and_calls_and_never_thinking() {
    let mut turn = calls("", &[("a", "f", "{}")]);
    turn.parts[0].cache = Some(CacheMark { ttl: Some(CacheTtl::OneHour) });
    let mut thought = thinking("t", Some("s"));
    thought.cache = Some(CacheMark { ttl: None });
    turn.parts.insert(0, Part::text("before"));
    turn.parts.insert(1, thought);
    let text =
        from(Source::Anthropic, Target::Anthropic, vec![user("u"), turn, marked(result("a", "r"))]);
    let one_hour = r#""input":{},"cache_control":{"type":"ephemeral","ttl":"1h"}}"#;
    assert!(text.contains(one_hour), "{text}");
    assert!(text.contains(r#""content":"r","cache_control":{"type":"ephemeral"}}"#), "{text}");
    assert!(text.contains(r#""text":"before","cache_control":{"type":"ephemeral"}}"#), "{text}");
    assert!(text.contains(r#""signature":"s"}"#), "{text}");
}

#[test]
fn t07_a_last_assistant_message_stays_last() {
    let text = payload(Target::Anthropic, vec![user("u"), assistant("P")]);
    assert!(text.ends_with(r#""content":[{"type":"text","text":"P"}]}]}"#), "{text}");
}

#[test]
fn t08_openai_knows_no_thinking_and_no_marks() {
    let mut turn = calls("x", &[("a", "f", r#"{"b":1}"#)]);
    turn.parts.insert(0, thinking("t", Some("s")));
    turn.extra = vec![("reasoning_content".into(), RawJson::new("\"kept\""))];
    assert_eq!(
        payload(Target::Openai, vec![marked(user("u")), turn, marked(result("a", "r"))]),
        concat!(
            r#"{"messages":[{"content":"u","role":"user"},"#,
            r#"{"content":"x","reasoning_content":"kept","role":"assistant","tool_calls":["#,
            r#"{"function":{"arguments":"{\"b\":1}","name":"f"},"id":"a","type":"function"}]},"#,
            r#"{"content":"r","role":"tool","tool_call_id":"a"}]}"#
        )
    );
}

#[test]
fn openai_calls_without_words_have_null_content_and_custom_calls_their_input() {
    let mut turn = calls("", &[("a", "f", "print 1")]);
    if let Content::ToolCall(call) = &mut turn.parts[0].content {
        call.custom = true;
    }
    let text = payload(Target::Openai, vec![turn.clone(), result("a", "")]);
    assert_eq!(
        text,
        concat!(
            r#"{"messages":[{"content":null,"role":"assistant","tool_calls":["#,
            r#"{"custom":{"input":"print 1","name":"f"},"id":"a","type":"custom"}]},"#,
            r#"{"content":"","role":"tool","tool_call_id":"a"}]}"#
        )
    );
    let text = payload(Target::Anthropic, vec![user("u"), turn, result("a", "")]);
    assert!(text.contains(r#""input":{"input":"print 1"}"#), "{text}");
}

#[test]
fn t15_gemini_parallel_results_are_one_content() {
    let turn = calls("", &[("c1", "f", "{}"), ("c2", "g", "{}"), ("c3", "f", "{}")]);
    let results = ["1", "2", "3"].map(|n| result(&format!("c{n}"), n));
    let mut messages = vec![user("u"), turn];
    messages.extend(results);
    assert_eq!(
        payload(Target::Gemini, messages),
        concat!(
            r#"{"contents":[{"role":"user","parts":[{"text":"u"}]},{"role":"model","parts":["#,
            r#"{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"g","args":{}}},"#,
            r#"{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":["#,
            r#"{"functionResponse":{"name":"f","response":{"result":"1"}}},"#,
            r#"{"functionResponse":{"name":"g","response":{"result":"2"}}},"#,
            r#"{"functionResponse":{"name":"f","response":{"result":"3"}}}]}]}"#
        )
    );
}

#[test]
fn t16_gemini_neighbours_are_one_content() {
    assert_eq!(
        payload(Target::Gemini, vec![system("s"), user("A"), user("B")]),
        concat!(
            r#"{"systemInstruction":{"parts":[{"text":"s"}]},"#,
            r#""contents":[{"role":"user","parts":[{"text":"A"},{"text":"B"}]}]}"#
        )
    );
}

#[test]
fn t17_gemini_responses_are_objects() {
    for (content, response) in [
        (r#"{"t":1}"#, r#"{"t":1}"#),
        ("oops", r#"{"result":"oops"}"#),
        ("[1,2]", r#"{"result":"[1,2]"}"#),
        ("42", r#"{"result":"42"}"#),
        (r#"{"a":1,"a":2}"#, r#"{"result":"{\"a\":1,\"a\":2}"}"#),
        ("", r#"{"result":""}"#),
    ] {
        let turn = vec![user("u"), calls("", &[("c", "f", "{}")]), result("c", content)];
        let text = payload(Target::Gemini, turn);
        let expected = format!(r#"{{"name":"f","response":{response}}}"#);
        assert!(text.contains(&expected), "{text}");
    }
    let mut failed = result("c", r#"{"t":1}"#);
    if let Content::ToolResult(result) = &mut failed.parts[0].content {
        result.is_error = Some(true);
    }
    let text = payload(Target::Gemini, vec![user("u"), calls("", &[("c", "f", "{}")]), failed]);
    assert!(text.contains(r#""response":{"error":"{\"t\":1}"}"#), "{text}");
}

#[test]
fn gemini_ids_and_signatures_go_back_to_gemini_alone() {
    let mut turn = calls("", &[("real-1", "f", "{}"), ("gemini-fc-f-0", "f", "{}")]);
    turn.parts[0].signature = Some("c2ln".into());
    let turn = vec![user("u"), turn, result("real-1", "a"), result("gemini-fc-f-0", "b")];
    let text = from(Source::Gemini, Target::Gemini, turn.clone());
    let first =
        r#"{"functionCall":{"id":"real-1","name":"f","args":{}},"thoughtSignature":"c2ln"}"#;
    assert!(text.contains(first), "{text}");
    assert!(text.contains(r#"{"functionCall":{"name":"f","args":{}}}"#), "{text}");
    assert!(text.contains(r#"{"functionResponse":{"id":"real-1","name":"f""#), "{text}");
    let text = from(Source::Anthropic, Target::Gemini, turn);
    assert!(!text.contains("real-1") && !text.contains("Signature"), "{text}");
}

#[test]
fn t21_gemini_text_stands_before_its_call_and_is_never_empty() {
    let mut turn = calls("Let me", &[("c", "f", "{}")]);
    turn.parts.push(Part::text(""));
    let text = payload(Target::Gemini, vec![user("u"), turn, result("c", "r")]);
    assert!(text.contains(r#"[{"text":"Let me"},{"functionCall":{"name":"f","args":{}}}]"#));
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
fn responses_items_stand_in_the_order_of_the_parts() {
    let item = RawJson::new(r#"{"type":"reasoning","id":"rs_1","encrypted_content":"e"}"#);
    let reasoning = Thinking { text: "".into(), opaque: Some(item) };
    let mut turn = calls("said", &[("c", "f", "{}")]);
    turn.parts.insert(0, Part::new(Content::Thinking(reasoning)));
    turn.parts.insert(1, {
        let raw = RawJson::new(r#"{"type":"web_search_call","id":"ws_1"}"#);
        Part::new(Content::Opaque { kind: "web_search_call".into(), raw })
    });
    turn.parts[3].extra = vec![("id".into(), RawJson::new("\"fc_1\""))];
    let mut developer = system("d");
    developer.role_word = Some("developer");
    let messages = vec![system("a"), system("b"), user("u"), turn, result("c", "r"), developer];
    assert_eq!(
        from(Source::OpenaiResponses, Target::OpenaiResponses, messages),
        concat!(
            r#"{"instructions":"a\n\nb","input":[{"type":"message","role":"user","content":"u"},"#,
            r#"{"type":"reasoning","id":"rs_1","encrypted_content":"e"},"#,
            r#"{"type":"web_search_call","id":"ws_1"},"#,
            r#"{"type":"message","role":"assistant","content":"said"},"#,
            r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}","id":"fc_1"},"#,
            r#"{"type":"function_call_output","call_id":"c","output":"r"},"#,
            r#"{"type":"message","role":"developer","content":"d"}]}"#
        )
    );
}

#[test]
fn an_id_whose_reasoning_is_gone_is_not_named() {
    let mut turn = calls("", &[("c", "f", "{}")]);
    turn.parts[0].extra = vec![("id".into(), RawJson::new("\"fc_1\""))];
    let messages = vec![user("u"), turn, result("c", "r")];
    let text = from(Source::OpenaiResponses, Target::OpenaiResponses, messages);
    assert!(!text.contains("fc_1"), "{text}");
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
        cache: Some(CacheMark { ttl: None }),
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
    assert!(Target::ALL.iter().all(|target| !of(*target).contains("tags")));
    assert_eq!(written(Target::Gemini, &[], &[]).text, r#"{"contents":[]}"#);
}
