//! `report.summary` of a text and of a list: true, and in words that fit what was given.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::{calling, result, user};

async fn report(server: &TestServer, body: &Value) -> Value {
    server.post_ok("/compress", body).await["report"].take()
}

fn tokens(report: &Value) -> String {
    let count = |key: &str| {
        let digits = report[key].as_u64().unwrap().to_string();
        let (head, tail) = digits.split_at(digits.len().saturating_sub(3));
        if head.is_empty() { tail.to_owned() } else { format!("{head},{tail}") }
    };
    format!("{} → {} tokens.", count("tokens_before"), count("tokens_after"))
}

/// Words without a pattern, about one token each.
fn words(count: u64) -> String {
    const WORDS: [&str; 7] = ["pump", "hall", "valve", "steam", "gauge", "north", "crew"];
    let mut state = 17_u64;
    let mut word = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        WORDS[usize::try_from((state >> 33) % 7).unwrap()]
    };
    (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_text_is_shortened_or_as_it_came_and_exceeds_only_what_was_asked_for() {
    let server = TestServer::spawn().await;
    let kept = report(&server, &json!({"text": "The build fails."})).await;
    assert_eq!(kept["summary"], format!("{} The text is as it came.", tokens(&kept)));
    let log = "waiting for the lock\n".repeat(200);
    let short = report(&server, &json!({"text": log})).await;
    assert_eq!(short["summary"], format!("{} The text is shortened.", tokens(&short)));

    // Larger than the window of 8,192 tokens that gpt-4 has.
    let large = words(9_000);
    let named = report(&server, &json!({"text": large, "model": "gpt-4"})).await;
    let above = named["tokens_after"].as_u64().unwrap() - 8_192;
    let above =
        format!("{},{:03}", above / 1_000, above % 1_000).trim_start_matches("0,").to_owned();
    assert_eq!(
        named["summary"],
        format!(
            "{} The text is as it came. It is {above} tokens above the model's window of 8,192.",
            tokens(&named)
        )
    );
    let limited = json!({"text": words(300), "budget_tokens": 100, "level": "lossless"});
    let limited = report(&server, &limited).await;
    let sentence = limited["summary"].as_str().unwrap();
    assert!(sentence.ends_with(" tokens above the budget of 100."), "{sentence}");
}

#[tokio::test]
async fn a_list_says_what_became_of_its_messages() {
    let server = TestServer::spawn().await;
    let log = "waiting for the lock\n".repeat(200);
    let messages =
        json!([user("Why?"), calling("", &[("a", "f")]), result("a", &log), user("Go.")]);
    let done = report(&server, &json!({"messages": messages, "keep_recent_turns": 0})).await;
    assert_eq!(
        done["summary"],
        format!(
            "{} 3 messages word for word, 1 message shortened, nothing dropped.",
            tokens(&done)
        )
    );
    let none = report(&server, &json!({"messages": []})).await;
    assert_eq!(none["summary"], format!("{} No messages.", tokens(&none)));
}
