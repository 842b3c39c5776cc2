//! What is stored outlives the process, and what is gone is said to be missing.

use std::time::Duration;

use serde_json::{Value, json};

use super::{answered, content, parts, session, with};
use crate::support::compress::{Compressed, Expanded, log, request, rows};
use crate::support::generate::SOURCES;
use crate::support::wait::until_within;
use crate::support::{Folder, ServerProcess, TestServer, request as http, send};

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

async fn post(server: &ServerProcess, path: &str, body: &str) -> String {
    let reply = send(server.address, &http("POST", path, &JSON, body.as_bytes())).await;
    let text = String::from_utf8(reply.body).unwrap();
    assert_eq!(reply.status, 200, "{text}");
    text
}

#[tokio::test]
async fn what_was_compressed_expands_after_kill_9() {
    let folder = Folder::new();
    let mut server = folder.serve();
    let mut answers = Vec::new();
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        for more in [json!({}), json!({"budget_tokens": 800}), json!({"originals": "return"})] {
            let body = request(key, &messages, &with(options.clone(), &more));
            let shown = Compressed::read(&post(&server, "/compress", &body).await);
            answers.push((key, messages.clone(), shown));
        }
    }
    server.signal("KILL");
    assert!(!server.exit().await.success());

    let server = folder.serve();
    for (key, messages, shown) in answers {
        let given = match shown.answer.get("originals") {
            Some(originals) => json!({"originals": originals}),
            None => json!({}),
        };
        let body = request(key, &shown.messages, &given);
        let back = Expanded::read(&post(&server, "/expand", &body).await);
        assert_eq!(back.messages, messages, "{key} {}", back.answer);
    }
}

#[tokio::test]
async fn an_artifact_that_was_deleted_is_missing() {
    let server = TestServer::spawn().await;
    let body = json!({"text": log(60), "notations": "computed"});
    let shown = server.compress(&body.to_string()).await;
    let id = shown.artifacts()[0].to_owned();
    let gone = server.delete(&format!("/artifacts/{id}")).await;
    assert_eq!(gone.status(), 204);
    let back = server.expand(&json!({"artifact": id}).to_string()).await;
    assert_eq!(back.answer["text"], Value::Null);
    assert_eq!(back.answer["missing"], json!([{"id": id}]));
    assert!(!back.identical());
    for id in ["no artifact", "0123456789abcdef01234567", ""] {
        let back = server.expand(&json!({"artifact": id}).to_string()).await;
        assert_eq!(back.answer["missing"], json!([{"id": id}]), "{}", back.answer);
        let back = server.expand(&json!({"id": id}).to_string()).await;
        assert_eq!(back.answer["missing"], json!([{"id": id}]), "{}", back.answer);
        assert_eq!(back.answer["messages"], json!([]));
    }
}

#[tokio::test]
async fn originals_that_the_caller_lost_are_missing() {
    let server = TestServer::spawn().await;
    let messages = answered(&[log(60), rows(30), "short".to_owned(), log(50)]);
    let options = json!({"originals": "return", "level": "reversible", "keep_recent_turns": 1});
    let shown = server.compress(&request("messages", &messages, &options)).await;
    let mut originals = shown.answer["originals"].clone();
    let lost = shown.artifacts()[0].to_owned();
    originals.as_object_mut().unwrap().shift_remove(&lost);
    let given = json!({"originals": originals});
    for server in [server, TestServer::spawn().await] {
        let back = server.expand(&request("messages", &shown.messages, &given)).await;
        assert_eq!(back.messages.len(), messages.len());
        assert_eq!(back.messages[2], shown.messages[2]);
        assert_eq!(back.messages[3..], messages[3..]);
        assert_eq!(back.answer["missing"], json!([{"index": 2, "id": lost}]));
        assert!(!back.identical());
    }
}

/// The answer alone is enough: on another server, at every level.
#[tokio::test]
async fn returned_originals_are_put_back_by_any_server() {
    let server = TestServer::spawn().await;
    let results = [log(60), rows(30), "short".to_owned(), log(50), log(20)];
    let messages = answered(&results);
    for (level, more) in [
        ("lossless", json!({})),
        ("reversible", json!({"clear": {"keep": 0}})),
        ("summary", json!({"budget_tokens": 400})),
        ("drop", json!({"budget_tokens": 300})),
    ] {
        let mut options = json!({"originals": "return", "level": level, "keep_recent_turns": 1});
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let shown = server.compress(&request("messages", &messages, &options)).await;
        assert_ne!(shown.messages, messages);
        let given = json!({"originals": shown.answer["originals"]});
        let back = TestServer::spawn().await;
        let back = back.expand(&request("messages", &shown.messages, &given)).await;
        assert_eq!(back.messages, messages, "{level}");
        assert!(back.identical() && back.count("missing") == 0, "{level}: {}", back.answer);
    }
}

/// What was done to a message once stands when it comes back with newer ones.
#[tokio::test]
async fn without_a_budget_an_answer_that_comes_back_is_not_edited_again() {
    let server = TestServer::spawn().await;
    let all = answered(&[log(60), rows(30), log(50), log(40), log(70), rows(50), log(30)]);
    let options = json!({"level": "reversible", "keep_recent_turns": 1, "clear": {"keep": 1}});
    let mut list = all[..6].to_vec();
    for next in &all[6..] {
        let shown = server.compress(&request("messages", &list, &options)).await;
        let changed: Vec<usize> =
            (0..list.len()).filter(|at| shown.messages[*at] != list[*at]).collect();
        list = shown.messages.clone();
        list.push(next.clone());
        let again = server.compress(&request("messages", &list, &options)).await;
        for at in changed {
            assert_eq!(again.messages[at], shown.messages[at], "message {at} of {}", list.len());
        }
    }
}

#[tokio::test]
async fn what_expired_is_missing_and_the_rest_decodes_from_its_own_text() {
    let flags = ["--artifacts-ttl-seconds", "5", "--cleanup-interval-ms", "20"];
    let server = TestServer::with(&flags).await;
    let messages = answered(&[log(60), rows(30), "short".to_owned(), log(50)]);
    let options = json!({"level": "reversible", "keep_recent_turns": 1, "clear": {"keep": 0}});
    let shown = server.compress(&request("messages", &messages, &options)).await;
    assert_eq!(shown.action("cleared"), 2, "{}", shown.report());
    assert!(server.expand_list("messages", &shown.messages).await.identical());
    let back = until_within(Duration::from_secs(30), "they do not expire", async || {
        let back = server.expand_list("messages", &shown.messages).await;
        (back.count("missing") == 2).then_some(back)
    })
    .await;
    assert_eq!(back.messages.len(), messages.len());
    assert_eq!(content(&back.messages[8]), log(50));
    assert_eq!(back.messages[2], shown.messages[2]);
    assert_eq!(back.answer["missing"], json!([{"index": 2}, {"index": 4}]), "{}", back.answer);
    assert!(!back.identical());
    let back = server.expand(&json!({"id": shown.id()}).to_string()).await;
    assert_eq!(back.answer["missing"], json!([{"id": shown.id()}]));
}

#[tokio::test]
async fn a_summary_that_nobody_knows_is_missing() {
    let server = TestServer::spawn().await;
    let results: Vec<String> = (0..8).map(|round| log(30 + round)).collect();
    let messages = answered(&results);
    for level in ["summary", "drop"] {
        let options = json!({"level": level, "budget_tokens": 250, "keep_recent_turns": 1});
        let shown = server.compress(&request("messages", &messages, &options)).await;
        assert!(shown.messages.len() < messages.len());
        let back = TestServer::spawn().await.expand_list("messages", &shown.messages).await;
        assert_eq!(back.messages.len(), shown.messages.len());
        assert!(!back.identical(), "{level}: {}", back.answer);
        assert!(back.count("missing") > 0, "{level}: {}", back.answer);
    }
}
