//! Which messages are known again, and what becomes of those that are not.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{answered, content, parts, session, with};
use crate::support::TestServer;
use crate::support::compress::{listing, log, numbered, request, rows};
use crate::support::generate::SOURCES;

/// JSON as another program would write it: sorted keys, white space, escapes for all that is
/// not ASCII, and for slashes.
fn rewritten(message: &str) -> String {
    fn sorted(value: Value) -> Value {
        match value {
            Value::Object(members) => {
                let mut pairs: Vec<(String, Value)> = members.into_iter().collect();
                pairs.sort_by(|a, b| b.0.cmp(&a.0));
                let pairs = pairs.into_iter().map(|(key, value)| (key, sorted(value)));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
            Value::Array(list) => Value::Array(list.into_iter().map(sorted).collect()),
            other => other,
        }
    }
    let value: Value = serde_json::from_str(message).expect("JSON");
    let text = serde_json::to_string_pretty(&sorted(value)).expect("JSON");
    let mut out = String::new();
    for char in text.chars() {
        match char {
            '/' => out.push_str("\\/"),
            char if char.is_ascii() => out.push(char),
            char => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04X}");
                }
            }
        }
    }
    out
}

#[tokio::test]
async fn another_way_of_writing_the_same_json_is_known_again() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        for more in [json!({}), json!({"budget_tokens": 1000})] {
            let options = with(options.clone(), &more);
            let shown = server.compress(&request(key, &messages, &options)).await;
            let sent: Vec<String> = shown.messages.iter().map(|text| rewritten(text)).collect();
            assert_ne!(sent, shown.messages);
            let back = server.expand_list(key, &sent).await;
            assert_eq!(back.messages, messages, "{source} {more}");
            assert!(back.identical() && back.count("edited") == 0, "{source}: {}", back.answer);
        }
    }
}

fn results() -> Vec<String> {
    vec![log(60), rows(20), listing(60), numbered(60), log(60), rows(20)]
}

#[tokio::test]
async fn behind_an_edited_message_texts_decode_by_themselves() {
    let server = TestServer::spawn().await;
    let messages = answered(&results());
    let options = json!({"notations": "computed"});
    let shown = server.compress(&request("messages", &messages, &options)).await;
    let mut sent = shown.messages.clone();
    let question = json!({"role": "user", "content": "Look again."}).to_string();
    sent[0] = question.clone();
    let back = server.expand_list("messages", &sent).await;
    assert_eq!(back.messages[0], question);
    assert!(!back.identical());

    // In the middle: what stands before is known, what stands behind says that it was moved.
    let mut sent = shown.messages.clone();
    let call = sent[5].replace("\"arguments\":\"{}\"", "\"arguments\":\"{\\\"a\\\":1}\"");
    assert_ne!(call, sent[5]);
    sent[5] = call.clone();
    let back = server.expand_list("messages", &sent).await;
    assert_eq!(back.messages[..5], messages[..5]);
    assert_eq!(back.messages[5], call);
    let edited: Vec<u64> =
        back.answer["edited"].as_array().unwrap().iter().map(|at| at.as_u64().unwrap()).collect();
    assert_eq!(edited, [6, 8, 10, 12], "{}", back.answer);
    assert_eq!(back.count("missing"), 0);
    assert!(!back.identical());
    for at in [6, 8, 10] {
        // A table may have lost white space between its tokens; nothing else may be gone.
        let (back, original) = (content(&back.messages[at]), content(&messages[at]));
        let same = contexture::compress::equivalent(&original);
        assert!(back == original || back == same, "{at}: {back}");
    }
}

#[tokio::test]
async fn an_edited_text_is_taken_as_it_stands() {
    let server = TestServer::spawn().await;
    let messages = answered(&results());
    let shown = server.compress(&request("messages", &messages, &json!({}))).await;
    let mut sent = shown.messages.clone();
    let short = json!({"role": "tool", "tool_call_id": "c0", "content": "left out by the user"});
    sent[2] = short.to_string();
    let back = server.expand_list("messages", &sent).await;
    assert_eq!(back.messages.len(), messages.len());
    assert_eq!(back.messages[2], sent[2]);
    assert!(!back.identical(), "{}", back.answer);
}

#[tokio::test]
async fn the_beginning_of_an_answer_is_known_without_its_end() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        let shown = server.compress(&request(key, &messages, &options)).await;
        for end in 0..shown.messages.len() {
            let back = server.expand_list(key, &shown.messages[..end]).await;
            assert_eq!(back.messages, messages[..end], "{source} {end}");
            assert!(back.identical(), "{source} {end}: {}", back.answer);
        }
    }
}

#[tokio::test]
async fn the_end_of_an_answer_without_its_beginning_decodes_what_needs_nothing_else() {
    let server = TestServer::spawn().await;
    let messages = answered(&results());
    let options = json!({"originals": "none", "notations": "computed"});
    let shown = server.compress(&request("messages", &messages, &options)).await;
    let back = server.expand_list("messages", &shown.messages[2..]).await;
    assert_eq!(back.messages.len(), messages.len() - 2);
    assert!(!back.identical(), "{}", back.answer);
    let mut decoded = 0;
    let triples = back.messages.iter().zip(&shown.messages[2..]).zip(&messages[2..]);
    for ((back, shown), message) in triples.filter(|((_, shown), _)| !shown.contains("§= ")) {
        assert_eq!(back, message);
        decoded += usize::from(shown != message);
    }
    assert!(decoded >= 3, "{decoded}");
}

#[tokio::test]
async fn references_to_what_is_not_there_are_missing() {
    let server = TestServer::spawn().await;
    let first = log(60);
    let messages = answered(&[first.clone(), "short".to_owned(), first]);
    let shown =
        server.compress(&request("messages", &messages, &json!({"originals": "none"}))).await;
    assert!(content(&shown.messages[6]).contains("§= result 1"), "{}", shown.messages[6]);
    let back = server.expand_list("messages", &shown.messages[5..]).await;
    assert_eq!(back.messages, shown.messages[5..]);
    assert_eq!(back.answer["missing"], json!([{"index": 1}]), "{}", back.answer);
    assert!(!back.identical());
}

#[tokio::test]
async fn what_was_never_compressed_stands_for_itself() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, _) = parts(&session(), source);
        let back = server.expand_list(key, &messages).await;
        assert_eq!(back.messages, messages);
        assert_eq!(back.count("unchanged"), messages.len());
        assert_eq!(back.count("expanded"), 0);
        assert!(back.identical());
    }
}

#[tokio::test]
async fn a_summary_whose_answer_was_cut_short_is_missing_and_not_made_up() {
    let server = TestServer::spawn().await;
    let results: Vec<String> = (0..8).map(|round| log(30 + round)).collect();
    let messages = answered(&results);
    let options = json!({"level": "drop", "budget_tokens": 150, "keep_recent_turns": 1});
    let shown = server.compress(&request("messages", &messages, &options)).await;
    let summary = shown.messages.iter().position(|text| text.contains("<history_summary>"));
    let summary = summary.expect("a summary");
    for end in summary + 1..shown.messages.len() {
        let back = server.expand_list("messages", &shown.messages[..end]).await;
        assert_eq!(back.messages.len(), end);
        assert_eq!(back.messages[summary], shown.messages[summary]);
        assert_eq!(back.answer["missing"], json!([{"index": summary}]), "{}", back.answer);
        assert!(!back.identical());
    }
    let whole = server.expand_list("messages", &shown.messages).await;
    assert_eq!(whole.messages, messages);
}
