//! What is protected, a text on its own, and the same twice.

use serde_json::{Value, json};

use super::{parts, session, with};
use crate::support::TestServer;
use crate::support::compress::{log, request, rows};
use crate::support::generate::SOURCES;

/// Four tools' results, each message with an id.
fn named() -> Vec<String> {
    let mut messages = vec![json!({"id": "q", "role": "user", "content": "Look."}).to_string()];
    for (at, name) in ["read", "grep", "build", "read"].into_iter().enumerate() {
        let id = format!("c{at}");
        let calls =
            json!([{"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}]);
        let text = if at == 1 { format!("the vault\n{}", rows(30)) } else { log(40 + at) };
        messages.push(
            json!({"id": format!("a{at}"), "role": "assistant", "content": null, "tool_calls": calls})
                .to_string(),
        );
        messages.push(
            json!({"id": format!("r{at}"), "role": "tool", "tool_call_id": id, "content": text})
                .to_string(),
        );
    }
    messages
}

#[tokio::test]
async fn what_is_protected_keeps_its_bytes() {
    let server = TestServer::spawn().await;
    let messages = named();
    for (protect, kept) in [
        (json!({"messages": ["r0"]}), vec![2]),
        (json!({"messages": [4, "r2"]}), vec![4, 6]),
        (json!({"tools": ["read"]}), vec![2, 8]),
        (json!({"roles": ["tool"]}), vec![2, 4, 6, 8]),
        (json!({"patterns": [{"regex": "v.ult", "label": "v"}]}), vec![4]),
    ] {
        for level in [
            json!({"level": "lossless"}),
            json!({"level": "reversible", "keep_recent_turns": 0}),
            json!({"level": "drop", "budget_tokens": 60, "keep_recent_turns": 0}),
        ] {
            let options = with(level, &json!({"protect": protect}));
            let shown = server.compress(&request("messages", &messages, &options)).await;
            for at in &kept {
                assert!(shown.messages.contains(&messages[*at]), "{options}: {at}");
            }
            assert!(!shown.report()["warnings"].to_string().contains("protect_unmatched"));
            let back = server.expand_list("messages", &shown.messages).await;
            assert_eq!(back.messages, messages, "{options}");
        }
        let options = json!({"protect": protect, "notations": "computed"});
        let shown = server.compress(&request("messages", &messages, &options)).await;
        for at in [2, 4, 6, 8] {
            let same = shown.messages[at] == messages[at];
            assert_eq!(same, kept.contains(&at), "{protect}: {at}");
        }
    }
}

#[tokio::test]
async fn recent_messages_are_shielded_from_all_but_rung_one() {
    let server = TestServer::spawn().await;
    let messages = named();
    for protect in [json!({"recent_messages": 4}), json!({"recent_turns": 2})] {
        let options = json!({"level": "reversible", "keep_recent_turns": 0, "explain": "full",
            "clear": {"keep": 0}, "protect": protect});
        let shown = server.compress(&request("messages", &messages, &options)).await;
        for (at, cleared) in [(2, true), (4, true), (6, false), (8, false)] {
            let action = &shown.decisions()[at]["action"];
            assert_eq!(action == "cleared", cleared, "{protect}: {at} {action}");
        }
    }
}

#[tokio::test]
async fn a_protected_name_that_is_not_there_is_warned_of() {
    let server = TestServer::spawn().await;
    let options = json!({"protect": {"messages": ["nobody"], "tools": ["raed"]}});
    let shown = server.compress(&request("messages", &named(), &options)).await;
    let warnings = shown.report()["warnings"].to_string();
    for part in ["protect_unmatched", "nobody", "raed"] {
        assert!(warnings.contains(part), "{warnings}");
    }
}

#[tokio::test]
async fn the_same_request_is_answered_alike_but_for_the_id() {
    let (one, other) = (TestServer::spawn().await, TestServer::spawn().await);
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        for more in [json!({}), json!({"level": "drop", "budget_tokens": 700})] {
            let more = with(more, &json!({"explain": "full", "originals": "return"}));
            let body = request(key, &messages, &with(options.clone(), &more));
            let first = one.compress(&body).await;
            let again = one.compress(&body).await;
            assert_ne!(first.id(), again.id());
            assert_eq!(first.lasting(), again.lasting(), "{source}");
            assert_eq!(first.lasting(), other.compress(&body).await.lasting(), "{source}");
        }
    }
}

#[tokio::test]
async fn a_text_on_its_own_is_shortened_and_comes_back() {
    let server = TestServer::spawn().await;
    for text in [log(60), rows(30), "Nothing to gain here.".to_owned(), String::new()] {
        let shown = server.compress(&json!({"text": text, "explain": "full"}).to_string()).await;
        let (before, after) = (shown.number("tokens_before"), shown.number("tokens_after"));
        assert!(after <= before);
        assert_eq!(shown.text() == text, after == before, "{}", shown.text());
        assert_eq!(shown.decisions().len(), 1);
        let back = server.expand(&json!({"id": shown.id()}).to_string()).await;
        assert_eq!(back.answer["text"], text.as_str());
        for id in shown.artifacts() {
            let back = server.expand(&json!({"artifact": id}).to_string()).await;
            assert_eq!(back.answer["text"], text.as_str());
            assert_eq!(server.get(&format!("/artifacts/{id}")).await.text().await.unwrap(), text);
        }
    }
}

#[tokio::test]
async fn decisions_stand_only_where_they_were_asked_for() {
    let server = TestServer::spawn().await;
    let shown = server.compress(&request("messages", &named(), &json!({}))).await;
    assert_eq!(shown.report()["decisions"], Value::Null);
    let options = json!({"explain": "full"});
    let shown = server.compress(&request("messages", &named(), &options)).await;
    assert_eq!(shown.decisions().len(), named().len());
    for (at, decision) in shown.decisions().iter().enumerate() {
        assert_eq!(decision["index"], at);
        let artifact = &decision["artifact"];
        assert_eq!(artifact.is_string(), decision["action"] != "kept", "{decision}");
    }
}
