//! Payloads for Gemini.

use super::*;

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
