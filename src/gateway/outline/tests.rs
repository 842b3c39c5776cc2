use super::*;
use crate::json::{Limits, parse};

fn outline(endpoint: ProviderEndpoint, body: &str) -> RequestOutline {
    let node = parse(body, Limits::default()).unwrap();
    RequestOutline::read(endpoint, body, &node).unwrap()
}

/// The texts of each message: `tool:text` of results, `text` of words, `=` before those that stay.
fn texts(outline: &RequestOutline) -> Vec<Vec<String>> {
    let shown = |group: &TextGroup| {
        let mark = if group.is_fixed { "=" } else { "" };
        let tool = group.tool.as_ref().map(|tool| format!("{tool}:")).unwrap_or_default();
        let text = |text: &RequestText| format!("{mark}{tool}{}", text.text);
        group.texts.iter().map(text).collect::<Vec<_>>()
    };
    let of = |message: &OutlinedMessage| message.groups.iter().flat_map(shown).collect();
    outline.messages.iter().map(of).collect()
}

fn spans(outline: &RequestOutline, body: &str) -> Vec<String> {
    let groups = outline.messages.iter().flat_map(|message| &message.groups);
    groups.flat_map(|group| &group.texts).map(|text| body[text.span.clone()].to_owned()).collect()
}

#[test]
fn results_and_words_of_anthropic_are_found_with_their_places() {
    let body = r#"{"model":"claude","messages":[
        {"role":"user","content":"w\u0031"},
        {"role":"assistant","content":[{"type":"text","text":"a"},
            {"type":"tool_use","id":"t1","name":"Bash","input":{}},
            {"type":"tool_use","id":"t2","name":"run","input":{},"caller":{"type":"code_execution_20250825","tool_id":"x"}},
            {"type":"tool_use","id":"t3","name":"Bash","input":{},"caller":{"type":"direct"}}]},
        {"role":"user","content":[
            {"type":"tool_result","tool_use_id":"t1","content":"r1"},
            {"type":"tool_result","tool_use_id":"t2","content":"r2"},
            {"type":"tool_result","tool_use_id":"t3","content":[{"type":"text","text":"r3"},{"type":"image"},{"type":"text","text":"r4"}]},
            {"type":"tool_result","tool_use_id":"t4","is_error":true,"content":"r5"},
            {"type":"tool_result","tool_use_id":"t1"},
            {"type":"text","text":"w2"}]}]}"#;
    let found = outline(ProviderEndpoint::Messages, body);
    assert_eq!(
        texts(&found),
        [vec!["w1"], vec![], vec!["Bash:r1", "=run:r2", "Bash:r3", "Bash:r4", "=r5", "w2"],]
    );
    assert_eq!(spans(&found, body)[..2], [r#""w\u0031""#, r#""r1""#]);
    assert_eq!((found.newest(), found.model.as_deref()), (2, Some("claude")));
    assert!(found.is_in_sight && !found.is_summary_request);
}

#[test]
fn results_and_words_of_chat_completions_are_found() {
    let body = r#"{"messages":[{"role":"system","content":"s"},
        {"role":"user","content":[{"type":"text","text":"w"},{"type":"image_url"}]},
        {"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}},
            {"id":"d","type":"custom","custom":{"name":"g","input":""}}]},
        {"role":"tool","tool_call_id":"c","content":"r1"},
        {"role":"tool","tool_call_id":"d","content":[{"type":"text","text":"r2"}]},
        {"role":"function","name":"h","content":"r3"}]}"#;
    let found = outline(ProviderEndpoint::ChatCompletions, body);
    let wanted = [vec![], vec!["w"], vec![], vec!["f:r1"], vec!["g:r2"], vec!["h:r3"]];
    assert_eq!(texts(&found), wanted);
    assert_eq!(found.newest(), 3);
}

#[test]
fn results_and_words_of_responses_are_found() {
    let body = r#"{"input":[{"role":"user","content":[{"type":"input_text","text":"w"}]},
        {"type":"reasoning","encrypted_content":"x"},
        {"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
        {"type":"custom_tool_call","call_id":"d","name":"g","input":""},
        {"type":"function_call_output","call_id":"c","output":"r1"},
        {"type":"custom_tool_call_output","call_id":"d","output":[{"type":"input_text","text":"r2"}]},
        {"type":"shell_call_output","call_id":"e","output":[{"stdout":"r3","stderr":"r4","outcome":{}}]},
        {"type":"computer_call_output","output":{}},
        {"type":"message","role":"developer","content":"d"}]}"#;
    let found = outline(ProviderEndpoint::Responses, body);
    let wanted: [&[&str]; 9] =
        [&["w"], &[], &[], &[], &["f:r1"], &["g:r2"], &["r3", "r4"], &[], &[]];
    assert_eq!(texts(&found), wanted);
    assert_eq!(found.newest(), 4);
    let text = outline(ProviderEndpoint::Responses, r#"{"input":"w"}"#);
    assert_eq!((texts(&text), text.newest()), (vec![vec!["w".to_owned()]], 0));
}

#[test]
fn results_and_words_of_gemini_are_found() {
    let body = r#"{"contents":[{"role":"user","parts":[{"text":"w"}]},
        {"role":"model","parts":[{"text":"m","thoughtSignature":"x"},{"functionCall":{"name":"f","args":{}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"r1","n":1,"error":"r2"}}},
            {"inlineData":{"data":"x"}}]}]}"#;
    let found = outline(ProviderEndpoint::GenerateContent, body);
    assert_eq!(texts(&found), [vec!["w"], vec![], vec!["f:r1", "f:r2"]]);
    assert_eq!(found.newest(), 2);
}

#[test]
fn what_the_provider_cuts_is_not_in_sight() {
    for member in [
        r#""truncation":"auto""#,
        r#""context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]}"#,
        r#""context_management":{"edits":[{"type":"clear_thinking_20251015"},{"type":"compact_20260112"}]}"#,
        r#""context_management":[{"type":"compaction"}]"#,
        r#""context_management":{"other":1}"#,
    ] {
        let found = outline(ProviderEndpoint::Responses, &format!("{{\"input\":[],{member}}}"));
        assert!(!found.is_in_sight, "{member}");
    }
    for member in [
        r#""truncation":"disabled""#,
        r#""context_management":null"#,
        r#""context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]}"#,
    ] {
        let found = outline(ProviderEndpoint::Responses, &format!("{{\"input\":[],{member}}}"));
        assert!(found.is_in_sight, "{member}");
    }
}

#[test]
fn a_request_for_a_summary_is_known_by_its_last_message_or_its_system_text() {
    let asks = |body: &str| outline(ProviderEndpoint::Messages, body).is_summary_request;
    let phrase = "Your task is to create a detailed summary of the conversation so far";
    assert!(asks(&format!(r#"{{"messages":[{{"role":"user","content":"{phrase}"}}]}}"#)));
    assert!(asks(
        r#"{"system":[{"type":"text","text":"You are a helpful AI assistant tasked with summarizing conversations."}],"messages":[]}"#
    ));
    // A summary that was asked for earlier is history.
    let earlier = format!(
        r#"{{"messages":[{{"role":"user","content":"{phrase}"}},{{"role":"user","content":"Go on."}}]}}"#
    );
    assert!(!asks(&earlier));
}

#[test]
fn what_is_no_request_has_no_outline() {
    for (endpoint, body) in [
        (ProviderEndpoint::Messages, "{}"),
        (ProviderEndpoint::Messages, r#"{"messages":{}}"#),
        (ProviderEndpoint::ChatCompletions, "[]"),
        (ProviderEndpoint::Responses, r#"{"input":1}"#),
        (ProviderEndpoint::GenerateContent, r#"{"contents":null}"#),
        (ProviderEndpoint::Other, r#"{"messages":[]}"#),
    ] {
        let node = parse(body, Limits::default()).unwrap();
        assert_eq!(RequestOutline::read(endpoint, body, &node), None, "{body}");
    }
    // Entries that are no objects are messages without texts.
    let odd = outline(ProviderEndpoint::Messages, r#"{"messages":[1,"a",null,[]]}"#);
    assert_eq!(odd.messages.len(), 4);
}
