//! Payloads for Anthropic.

use super::*;

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
    turn.parts[0].cache = Some(CacheMark::block(Some(CacheTtl::OneHour)));
    let mut thought = thinking("t", Some("s"));
    thought.cache = Some(CacheMark::block(None));
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
