//! Payloads for `OpenAI`, Chat Completions and Responses.

use super::*;

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
