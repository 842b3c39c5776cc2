//! Tools and their schemas.

use super::super::*;
use crate::domain::{RawJson, ToolDefinition};

#[test]
fn tools_keep_what_their_provider_knows() {
    let tool = |name: &str, parameters: &str, opaque: Option<&str>| ToolDefinition {
        name: name.into(),
        description: None,
        parameters: Some(RawJson::new(parameters)),
        cache: None,
        extra: vec![
            ("strict".into(), RawJson::new("true")),
            ("defer_loading".into(), RawJson::new("true")),
        ],
        opaque: opaque.map(RawJson::new),
        origin: if name == "g" { "/tools/1".into() } else { "/tools/0".into() },
    };
    let upper = r#"{"type":"OBJECT","properties":{"type":{"type":"STRING","enum":["STRING"]}}}"#;
    let tools = vec![tool("a b", upper, None), tool("g", "{}", Some(r#"{"googleSearch":{}}"#))];
    let mut conversation =
        Conversation { source: Source::Gemini, system: vec![], history: vec![], tools };
    let mut notes = Notes::default();
    adapt(&mut conversation, Target::Anthropic.into(), &mut notes);
    let found: Vec<_> = notes.degraded.iter().map(|n| (n.code, n.pointer.as_str())).collect();
    assert_eq!(
        found,
        [
            ("tool_name_renamed", "/tools/0"),
            ("tool_fields_dropped", "/tools/0"),
            ("strict_dropped", "/tools/0"),
            ("tool_dropped", "/tools/1")
        ]
    );
    let kept = &conversation.tools[0];
    assert!(kept.name.starts_with("a_b_"));
    assert_eq!(kept.extra, []);
    assert_eq!(
        kept.parameters.as_ref().unwrap().as_str(),
        r#"{"type":"object","properties":{"type":{"type":"string","enum":["STRING"]}}}"#
    );
    for (before, after) in [
        ("{}", r#"{"type":"object","properties":{}}"#),
        (r#" {"a":1}"#, r#"{"type":"object","properties":{},"a":1}"#),
        ("[]", r#"{"type":"object","properties":{}}"#),
    ] {
        assert_eq!(tools::complete_schema(before, true).as_deref(), Some(after));
    }
    assert_eq!(tools::complete_schema(upper, true), None);
}

#[test]
fn a_schema_of_gemini_s_is_json_schema_for_others() {
    let own =
        r#"{"type":"object","properties":{"a":{"type":"string","nullable":true,"maxLength":"9"}}}"#;
    let plain = r#"{"type":"object","properties":{"a":{"type":["string","null"],"maxLength":9}}}"#;
    // Beside what only JSON Schema has, it goes to Gemini as that.
    let mixed = own.replace("\"properties\"", "\"additionalProperties\":false,\"properties\"");
    let mixed_plain =
        plain.replace("\"properties\"", "\"additionalProperties\":false,\"properties\"");
    for (target, before, after) in [
        (Target::Openai, own, plain),
        (Target::OpenaiResponses, own, plain),
        (Target::Anthropic, own, plain),
        (Target::Gemini, own, own),
        (Target::Gemini, mixed.as_str(), mixed_plain.as_str()),
        (Target::Neutral, own, own),
    ] {
        let tool = ToolDefinition {
            name: "f".into(),
            description: None,
            parameters: Some(RawJson::new(before)),
            cache: None,
            extra: vec![],
            opaque: None,
            origin: "/tools/0".into(),
        };
        let mut conversation = Conversation {
            source: Source::Gemini,
            system: vec![],
            history: vec![],
            tools: vec![tool],
        };
        adapt(&mut conversation, target.into(), &mut Notes::default());
        assert_eq!(conversation.tools[0].parameters.as_ref().unwrap().as_str(), after);
    }
}

/// The tools of a request, adapted; with the code and pointer of each note.
fn adapted_tools(
    source: Source,
    target: Target,
    tools: &str,
) -> (Vec<ToolDefinition>, Vec<(&'static str, String)>) {
    let node = crate::json::parse(tools, crate::json::Limits::default()).unwrap();
    let mut faults = crate::json::Faults::default();
    let mut notes = Notes::default();
    let at = crate::json::Path::Root;
    let tools = crate::provider::read_tools(&node, &at.key("tools"), &mut faults, &mut notes);
    assert!(faults.is_empty());
    let mut conversation = Conversation { source, system: vec![], history: vec![], tools };
    adapt(&mut conversation, target.into(), &mut notes);
    let notes = notes.degraded.into_iter().map(|note| (note.code, note.pointer)).collect();
    (conversation.tools, notes)
}

#[test]
fn notes_about_tools_lead_to_where_they_stand() {
    let tools = r#"[{"functionDeclarations":[{"name":"f"},{"name":"g h"}],"googleSearch":{}},
        {"googleMaps":{}},{"functionDeclarations":[{"name":"h"}]}]"#;
    let found = |tools: &str, source| {
        let (_, notes) = adapted_tools(source, Target::Anthropic, tools);
        notes.into_iter().map(|(_, pointer)| pointer).collect::<Vec<_>>()
    };
    assert_eq!(
        found(tools, Source::Gemini),
        ["/tools/0/functionDeclarations/1", "/tools/0/googleSearch", "/tools/1"]
    );
    let listed =
        r#"{"list":[{"type":"web_search"},{"type":"function","function":{"name":"a b"}}]}"#;
    assert_eq!(found(listed, Source::Openai), ["/tools/list/0", "/tools/list/1"]);
}

#[test]
fn free_form_tools_are_known_in_both_shapes_and_wrapped_elsewhere() {
    let chat = r#"{"type":"custom","custom":{"name":"g","description":"d","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"x"}}}}"#;
    let responses = r#"{"type":"custom","name":"g","description":"d","format":{"type":"grammar","syntax":"lark","definition":"x"}}"#;
    let both = [Source::Openai, Source::OpenaiResponses, Source::Neutral];
    for source in both {
        for given in [chat, responses] {
            for (target, wanted) in [(Target::Openai, chat), (Target::OpenaiResponses, responses)] {
                let (tools, notes) = adapted_tools(source, target, &format!("[{given}]"));
                assert_eq!(tools[0].opaque.as_ref().unwrap().as_str(), wanted);
                assert_eq!(notes, []);
            }
            let (tools, notes) = adapted_tools(source, Target::Neutral, &format!("[{given}]"));
            assert_eq!((tools[0].opaque.as_ref().unwrap().as_str(), notes), (given, vec![]));
            for target in [Target::Anthropic, Target::Gemini] {
                let (tools, notes) = adapted_tools(source, target, &format!("[{given}]"));
                assert!(tools[0].opaque.is_none());
                assert_eq!((&*tools[0].name, tools[0].description.as_deref()), ("g", Some("d")));
                let schema = tools[0].parameters.as_ref().unwrap().as_str();
                assert!(schema.contains(r#""required":["input"]"#), "{schema}");
                let codes: Vec<_> = notes.iter().map(|(code, _)| *code).collect();
                assert_eq!(codes, ["custom_tool_wrapped", "tool_fields_dropped"]);
            }
        }
    }
    let lone = r#"[{"type":"custom","name":"g"}]"#;
    let (tools, _) = adapted_tools(Source::OpenaiResponses, Target::Openai, lone);
    let wanted = r#"{"type":"custom","custom":{"name":"g"}}"#;
    assert_eq!(tools[0].opaque.as_ref().unwrap().as_str(), wanted);
    let (tools, notes) =
        adapted_tools(Source::OpenaiResponses, Target::Openai, r#"[{"type":"web_search"}]"#);
    assert!(tools.is_empty());
    assert_eq!(notes, [("tool_dropped", "/tools/0".to_owned())]);
}
