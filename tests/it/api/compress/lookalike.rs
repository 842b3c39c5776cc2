//! Text of others that looks like a notation of ours is never taken for one.

use serde_json::json;

use super::{answered, content};
use crate::support::TestServer;
use crate::support::compress::{log, request};

const TEXTS: &[&str] = &[
    "§= result 1",
    "§= result 1 lines 1-2",
    "§: the same lines as there",
    "§json 1",
    "§numbered 2 from 1 \"\\t\"\na\nb",
    "§numbered 2 from 1 \"\\t\"",
    "§§",
    "§§§= result 1",
    "§\n",
    "§ ",
    "§",
    "first\n§= result 1\nlast",
    "see § 12 of the act\nand § 13",
    "\n§table 3\n",
];

async fn count(server: &TestServer, text: &str) -> u64 {
    let answer = server.post("/tokens", &json!({"text": text})).await;
    answer.json::<serde_json::Value>().await.unwrap()["tokens"].as_u64().unwrap()
}

#[tokio::test]
async fn a_tool_s_look_alike_is_escaped_for_two_tokens_and_comes_back() {
    let server = TestServer::spawn().await;
    let elsewhere = TestServer::spawn().await;
    for text in TEXTS {
        let messages = answered(&[log(30), (*text).to_owned()]);
        let shown = server.compress(&request("messages", &messages, &json!({}))).await;
        let after = content(&shown.messages[4]);
        assert!(after == *text || after.ends_with(text), "{text:?} became {after:?}");
        let (before, cost) = (count(&server, text).await, count(&server, &after).await);
        assert!(cost <= before + 2, "{text:?}: {before} to {cost}");
        for server in [&server, &elsewhere] {
            let back = server.expand_list("messages", &shown.messages).await;
            assert_eq!(content(&back.messages[4]), *text);
            assert_eq!(back.messages[4], messages[4], "{text:?}");
            assert_eq!(back.count("missing"), 0, "{text:?}: {}", back.answer);
        }
    }
}

#[tokio::test]
async fn a_user_s_look_alike_is_nobody_s_mark() {
    let server = TestServer::spawn().await;
    for text in TEXTS {
        let mut messages = answered(&[log(30)]);
        messages.push(json!({"role": "user", "content": text}).to_string());
        messages.push(json!({"role": "assistant", "content": text}).to_string());
        messages.push(json!({"role": "system", "content": text}).to_string());
        let shown = server.compress(&request("messages", &messages, &json!({}))).await;
        // What people wrote gets a mark of two tokens at most; what the model said gets none.
        assert_eq!(shown.messages[4], messages[4], "{text:?}");
        for at in [3, 5] {
            let after = content(&shown.messages[at]);
            assert!(after == *text || after.ends_with(text), "{text:?} became {after:?}");
            assert!(count(&server, &after).await <= count(&server, text).await + 2, "{text:?}");
        }
        for server in [&server, &TestServer::spawn().await] {
            let back = server.expand_list("messages", &shown.messages).await;
            assert_eq!(back.messages[3..], messages[3..], "{text:?}");
        }
    }
}

#[tokio::test]
async fn a_text_on_its_own_is_escaped_alike() {
    let server = TestServer::spawn().await;
    for text in TEXTS {
        let shown = server.compress(&json!({"text": text}).to_string()).await;
        assert!(shown.text() == *text || shown.text().ends_with(text), "{}", shown.text());
        assert!(shown.number("tokens_after") <= shown.number("tokens_before") + 2, "{text:?}");
    }
}

#[tokio::test]
async fn a_look_alike_inside_a_long_text_costs_no_more_than_its_mark() {
    let server = TestServer::spawn().await;
    let text = format!("{}§= result 1\n{}", log(40), log(40));
    let messages = answered(&[log(40), text.clone()]);
    let options = json!({"notations": "computed"});
    let shown = server.compress(&request("messages", &messages, &options)).await;
    assert!(shown.number("tokens_after") <= shown.number("tokens_before"));
    let back = server.expand_list("messages", &shown.messages).await;
    assert_eq!(back.messages, messages);
    assert!(back.identical());
}
