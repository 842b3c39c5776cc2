//! A conversation that is compressed, goes on, and is compressed again.

use serde_json::{Value, json};

use super::{answered, parts, session, with};
use crate::support::TestServer;
use crate::support::compress::{Compressed, log, request, rows};
use crate::support::generate::SOURCES;

/// Compresses the list in so many rounds, each over the last one's answer and what is new.
async fn rounds(
    server: &TestServer,
    (key, messages, options): (&str, &[String], &Value),
    ends: &[usize],
) -> Vec<Compressed> {
    let mut answers: Vec<Compressed> = Vec::new();
    let mut from = 0;
    for end in ends {
        let mut list = answers.last().map(|last| last.messages.clone()).unwrap_or_default();
        list.extend_from_slice(&messages[from..*end]);
        answers.push(server.compress(&request(key, &list, options)).await);
        from = *end;
    }
    answers
}

#[tokio::test]
async fn what_was_answered_stays_as_it_is_when_messages_follow() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        let third = messages.len() / 3;
        let ends = [third, third * 2, messages.len()];
        let answers = rounds(&server, (key, &messages, &options), &ends).await;
        for pair in answers.windows(2) {
            let before = &pair[0].messages;
            assert_eq!(pair[1].messages[..before.len()], before[..], "{source}");
        }
        assert_eq!(answers.len(), ends.len());
        for (answer, end) in answers.iter().zip(ends) {
            let back = server.expand_list(key, &answer.messages).await;
            assert_eq!(back.messages, messages[..end], "{source}");
            assert!(back.identical(), "{source}: {}", back.answer);
        }
    }
}

#[tokio::test]
async fn rounds_give_the_bytes_that_one_go_gives() {
    let server = TestServer::spawn().await;
    let results: Vec<String> =
        (0..6).map(|round| format!("{}{}", log(30), rows(round + 3))).collect();
    let messages = answered(&results);
    let ends: Vec<usize> = (1..=6).map(|turn| 1 + turn * 2).collect();
    let options = json!({"originals": "store"});
    let answers = rounds(&server, ("messages", &messages, &options), &ends).await;
    let whole = TestServer::spawn().await.compress(&request("messages", &messages, &options)).await;
    assert_eq!(answers.last().unwrap().messages, whole.messages);
    assert!(whole.action("deduplicated") + whole.action("compressed") >= 5, "{}", whole.report());
}

#[tokio::test]
async fn summaries_of_summaries_still_lead_to_the_first_originals() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        for level in ["summary", "drop"] {
            let more = json!({"level": level, "budget_tokens": 230, "keep_recent_turns": 1});
            let options = with(options.clone(), &more);
            let half = messages.len() / 2;
            let ends = [half, messages.len() - 2, messages.len()];
            let answers = rounds(&server, (key, &messages, &options), &ends).await;
            assert!(
                answers
                    .iter()
                    .any(|answer| answer.action("summarized") + answer.action("dropped") > 0),
                "{source} {level}: nothing is gone: {:?}",
                answers.iter().map(Compressed::report).collect::<Vec<_>>()
            );
            for (answer, end) in answers.iter().zip(ends) {
                let back = server.expand_list(key, &answer.messages).await;
                assert_eq!(back.messages, messages[..end], "{source} {level}");
                assert!(back.identical(), "{source} {level}: {}", back.answer);
                let back = server.expand(&json!({"id": answer.id()}).to_string()).await;
                assert_eq!(back.messages, messages[..end], "{source} {level}");
            }
        }
    }
}

#[tokio::test]
async fn a_budget_is_met_in_every_round() {
    let server = TestServer::spawn().await;
    let results: Vec<String> = (0..24).map(|round| log(30 + round)).collect();
    let messages = answered(&results);
    let options = json!({"budget_tokens": 1000, "level": "drop"});
    let ends: Vec<usize> = (1..=8).map(|round| 1 + round * 6).collect();
    for (round, answer) in
        rounds(&server, ("messages", &messages, &options), &ends).await.iter().enumerate()
    {
        assert_eq!(answer.report()["fits"], true, "round {round}: {}", answer.report());
        let back = server.expand_list("messages", &answer.messages).await;
        assert_eq!(back.messages, messages[..ends[round]], "round {round}");
    }
}

#[tokio::test]
async fn an_answer_that_is_compressed_again_does_not_change() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        for more in [json!({}), json!({"level": "reversible"})] {
            let options = with(options.clone(), &more);
            let once = server.compress(&request(key, &messages, &options)).await;
            let twice = server.compress(&request(key, &once.messages, &options)).await;
            assert_eq!(once.messages, twice.messages, "{source} {more}");
            assert_eq!(
                once.number("tokens_after"),
                twice.number("tokens_before"),
                "{source} {more}"
            );
            let back = server.expand_list(key, &twice.messages).await;
            assert_eq!(back.messages, messages, "{source} {more}");
        }
    }
}

#[tokio::test]
async fn what_the_caller_keeps_is_enough_over_many_rounds() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        let level = |level: &str, more: Value| with(json!({"level": level}), &more);
        for more in [
            level("lossless", json!({})),
            level("reversible", json!({"keep_recent_turns": 1})),
            level("drop", json!({"budget_tokens": 420})),
        ] {
            let more = with(more, &json!({"originals": "return"}));
            let options = with(options.clone(), &more);
            let third = messages.len() / 3;
            let ends = [third, third * 2, messages.len()];
            let answers = rounds(&server, (key, &messages, &options), &ends).await;
            let mut originals = json!({});
            for (answer, end) in answers.iter().zip(ends) {
                originals = with(originals, &answer.answer["originals"]);
                let body = request(key, &answer.messages, &json!({"originals": originals}));
                let back = server.expand(&body).await;
                assert_eq!(back.messages, messages[..end], "{source} {more}");
                assert_eq!(back.count("missing"), 0, "{source} {more}: {}", back.answer);
            }
        }
    }
}

#[tokio::test]
async fn rounds_that_keep_their_originals_in_different_places_lose_none() {
    let server = TestServer::spawn().await;
    let (key, messages, options) = parts(&session(), "openai");
    let half = messages.len() / 2;
    for (first, second) in
        [("store", "return"), ("return", "store"), ("none", "store"), ("store", "none")]
    {
        let with = |place: &str| with(options.clone(), &json!({"originals": place}));
        let one = server.compress(&request(key, &messages[..half], &with(first))).await;
        let list = [one.messages.clone(), messages[half..].to_vec()].concat();
        let two = server.compress(&request(key, &list, &with(second))).await;
        let mut originals = json!({});
        for answer in [&one, &two] {
            for (id, text) in answer.answer["originals"].as_object().into_iter().flatten() {
                originals[id] = text.clone();
            }
        }
        let body = request(key, &two.messages, &json!({"originals": originals}));
        let back = server.expand(&body).await;
        assert_eq!(back.messages, messages, "{first}, then {second}");
    }
}
