//! Each provider's shape, at each level, with each place for the originals.

use serde_json::{Value, json};

use super::{parts, session, with};
use crate::support::TestServer;
use crate::support::compress::{normalised, request};
use crate::support::generate::SOURCES;

/// The levels, each with what it takes to come into force.
fn levels() -> [(&'static str, Value); 5] {
    [
        ("lossless", json!({"level": "lossless"})),
        ("reversible", json!({"level": "reversible", "keep_recent_turns": 2})),
        ("summary", json!({"level": "summary", "budget_tokens": 1400})),
        ("summary without a budget", json!({"level": "summary", "keep_recent_turns": 1})),
        ("drop", json!({"level": "drop", "budget_tokens": 500})),
    ]
}

#[tokio::test]
async fn what_is_stored_comes_back_byte_for_byte() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        for (level, more) in levels() {
            let body = request(key, &messages, &with(options.clone(), &more));
            let shown = server.compress(&body).await;
            assert!(
                shown.number("tokens_after") < shown.number("tokens_before"),
                "{source} {level}"
            );
            assert_ne!(shown.messages, messages, "{source} {level}");
            let back = server.expand_list(key, &shown.messages).await;
            assert_eq!(back.messages, messages, "{source} {level}");
            assert!(back.identical(), "{source} {level}: {}", back.answer);
            for list in ["missing", "edited"] {
                assert_eq!(back.count(list), 0, "{source} {level} {list}");
            }
            let by_id = server.expand(&json!({"id": shown.id()}).to_string()).await;
            assert_eq!(by_id.messages, messages, "{source} {level}");
        }
    }
}

#[tokio::test]
async fn what_the_caller_keeps_brings_everything_back() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        for (level, more) in levels() {
            let more = with(more, &json!({"originals": "return"}));
            let shown =
                server.compress(&request(key, &messages, &with(options.clone(), &more))).await;
            let originals = &shown.answer["originals"];
            assert!(!originals.as_object().expect("originals").is_empty(), "{source} {level}");
            for id in shown.artifacts() {
                assert!(originals[id].is_string(), "{source} {level}");
                let stored = server.get(&format!("/artifacts/{id}")).await;
                assert_eq!(stored.status(), 404, "{source} {level}: it was to be kept elsewhere");
            }
            let given = json!({"originals": originals});
            let back = server.expand(&request(key, &shown.messages, &given)).await;
            assert_eq!(back.messages, messages, "{source} {level}");
            assert_eq!(back.count("missing"), 0, "{source} {level}: {}", back.answer);
        }
    }
}

#[tokio::test]
async fn without_originals_everything_decodes_from_its_own_text() {
    let server = TestServer::spawn().await;
    let elsewhere = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        for (level, more) in levels() {
            let more = with(more, &json!({"originals": "none"}));
            let shown =
                server.compress(&request(key, &messages, &with(options.clone(), &more))).await;
            assert!(shown.artifacts().is_empty() && shown.answer.get("originals").is_none());
            assert!(shown.number("tokens_after") < shown.number("tokens_before"));
            for name in ["cleared", "summarized", "dropped"] {
                assert_eq!(shown.action(name), 0, "{source} {level} {name}");
            }
            for server in [&server, &elsewhere] {
                let back = server.expand_list(key, &shown.messages).await;
                assert_eq!(back.messages, messages, "{source} {level}");
                assert_eq!(back.count("missing"), 0, "{source} {level}: {}", back.answer);
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_never_saw_the_originals_decodes_what_is_shown() {
    let server = TestServer::spawn().await;
    let elsewhere = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        let shown = server.compress(&request(key, &messages, &options)).await;
        let back = elsewhere.expand_list(key, &shown.messages).await;
        assert_eq!(back.messages.len(), messages.len());
        assert_eq!(back.count("missing"), 0, "{source}: {}", back.answer);
        for (back, message) in back.messages.iter().zip(&messages) {
            assert_eq!(normalised(back), normalised(message), "{source}");
        }
    }
}

#[tokio::test]
async fn what_is_not_shortened_keeps_its_bytes() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, mut messages, options) = parts(&session(), source);
        // White space and escapes that no writer here would choose.
        for message in &mut messages {
            *message = message.replacen('{', "{ \t", 1).replace("engineer", "\\u0065ngineer");
        }
        let more = json!({"level": "reversible", "explain": "full"});
        let shown = server.compress(&request(key, &messages, &with(options, &more))).await;
        let mut kept = 0;
        for decision in shown.decisions() {
            let at = usize::try_from(decision["index"].as_u64().unwrap()).unwrap();
            let same = shown.messages[at] == messages[at];
            assert_eq!(same, decision["action"] == "kept", "{source} {decision}");
            kept += usize::from(same);
        }
        assert!(kept > 4, "{source}: {kept}");
        assert_eq!(shown.decisions().len(), messages.len());
        let back = server.expand_list(key, &shown.messages).await;
        assert_eq!(back.messages, messages, "{source}");
    }
}

#[tokio::test]
async fn two_results_in_one_user_message_are_two_results() {
    let server = TestServer::spawn().await;
    let (key, messages, options) = parts(&session(), "anthropic");
    let options = with(options, &json!({"notations": "computed"}));
    let shown = server.compress(&request(key, &messages, &options)).await;
    let both = shown.message(2);
    let blocks = both["content"].as_array().expect("blocks");
    assert_eq!(blocks.len(), 2);
    for (block, original) in blocks
        .iter()
        .zip(serde_json::from_str::<Value>(&messages[2]).unwrap()["content"].as_array().unwrap())
    {
        assert_eq!(block["tool_use_id"], original["tool_use_id"]);
        assert_eq!(block["is_error"], original["is_error"]);
        let length = |block: &Value| block["content"].as_str().expect("a text").len();
        assert!(length(block) < length(original), "{block}");
    }
}
