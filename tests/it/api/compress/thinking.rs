//! Old thinking goes whole, or not at all, and comes back.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compress::request;

/// A thought, in the shape of a provider.
type Shape = fn(&str) -> Value;

const SHAPES: [(&str, &str, Shape); 3] = [
    ("anthropic", "messages", |text| {
        json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": text, "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "b3BhcXVl"},
            {"type": "text", "text": "It is done."},
            {"type": "thinking", "thinking": text, "signature": "c2ln"},
        ]})
    }),
    ("neutral", "messages", |text| {
        json!({"role": "assistant", "parts": [
            {"type": "text", "text": "It is done."},
            {"type": "thinking", "text": text},
        ]})
    }),
    (
        "gemini",
        "contents",
        |text| json!({"role": "model", "parts": [{"text": text, "thought": true}, {"text": "It is done."}]}),
    ),
];

fn user(source: &str, text: &str) -> Value {
    match source {
        "gemini" => json!({"role": "user", "parts": [{"text": text}]}),
        "neutral" => json!({"role": "user", "parts": [{"type": "text", "text": text}]}),
        _ => json!({"role": "user", "content": text}),
    }
}

fn thought(turn: usize) -> String {
    format!("Turn {turn} has to be thought about for a while, from more than one side. ").repeat(20)
}

/// Three thoughts, and the user's words around them.
fn messages(source: &str, shape: Shape) -> Vec<String> {
    let turns = (0..3).flat_map(|turn| [user(source, "Go on."), shape(&thought(turn))]);
    turns.chain([user(source, "And now?")]).map(|message| message.to_string()).collect()
}

/// Whether a message bears its thought as it came.
fn thinks(message: &str, turn: usize) -> bool {
    let has = message.contains(&thought(turn));
    assert_eq!(has, message.contains("has to be thought about"), "cut: {message}");
    has
}

#[tokio::test]
async fn old_thinking_goes_whole_and_comes_back() {
    let server = TestServer::spawn().await;
    for (source, key, shape) in SHAPES {
        let messages = messages(source, shape);
        for originals in ["store", "return"] {
            let options = json!({"source": source, "level": "reversible", "keep_recent_turns": 2,
                "originals": originals, "explain": "full"});
            let shown = server.compress(&request(key, &messages, &options)).await;
            let left: Vec<bool> =
                (0..3).map(|turn| thinks(&shown.messages[turn * 2 + 1], turn)).collect();
            assert_eq!(left, [false, false, true], "{source}: {:?}", shown.messages);
            assert_eq!(shown.decisions()[1]["rule"], "ladder:clear");
            assert!(shown.messages[1].contains("It is done."));
            assert!(!shown.messages[1].contains("opaque"));
            assert!(shown.number("tokens_after") + 200 < shown.number("tokens_before"));
            let mut more = json!({});
            if originals == "return" {
                more["originals"] = shown.answer["originals"].clone();
            }
            let back = server.expand(&request(key, &shown.messages, &more)).await;
            assert_eq!(back.messages, messages, "{source} {originals}");
            assert!(back.identical(), "{}", back.answer);
        }
    }
}

#[tokio::test]
async fn no_budget_cuts_a_thought() {
    let server = TestServer::spawn().await;
    for (source, key, shape) in SHAPES {
        let messages = messages(source, shape);
        let (mut whole, mut gone) = (0, 0);
        for budget in (50..1_800).step_by(250) {
            let options = json!({"source": source, "level": "reversible", "budget_tokens": budget});
            let shown = server.compress(&request(key, &messages, &options)).await;
            for turn in 0..3 {
                let count = if thinks(&shown.messages[turn * 2 + 1], turn) {
                    &mut whole
                } else {
                    &mut gone
                };
                *count += 1;
            }
        }
        assert!(whole > 0 && gone > 0, "{source}: {whole} are whole, {gone} are gone");
    }
}

#[tokio::test]
async fn an_open_tool_loop_keeps_its_thinking() {
    let server = TestServer::spawn().await;
    let mut messages = vec![user("anthropic", "Go on.")];
    for turn in 0..6 {
        messages.push(json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": thought(turn), "signature": "c2ln"},
            {"type": "tool_use", "id": format!("c{turn}"), "name": "run", "input": {}},
        ]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": format!("c{turn}"), "content": thought(turn + 10)},
        ]}));
    }
    let messages: Vec<String> = messages.iter().map(Value::to_string).collect();
    for more in
        [json!({"keep_recent_turns": 0, "clear": {"keep": 0}}), json!({"budget_tokens": 400})]
    {
        let mut options = json!({"source": "anthropic", "level": "reversible"});
        for (key, value) in more.as_object().expect("members") {
            options[key] = value.clone();
        }
        let shown = server.compress(&request("messages", &messages, &options)).await;
        for turn in 0..6 {
            assert!(thinks(&shown.messages[turn * 2 + 1], turn), "{more}");
        }
    }
}
