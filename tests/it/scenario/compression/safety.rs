//! K88 to K104: formats, tools, ids, and the way back.

use serde_json::{Value, json};

use super::{A, B, Q, assistant, decodes, decodes_with, tool, tools, trip, user, written};
use crate::support::compress::{listing, log, numbered, request, rows};
use crate::support::{TestServer, problem};

/// Words that no pattern joins.
const WORDS: [&str; 11] = [
    "amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heron", "ivory", "jetty",
    "kayak",
];

fn each<T>(items: &[T], line: impl Fn(&T) -> String) -> String {
    items.iter().map(line).collect::<Vec<_>>().concat()
}

/// So many lines, each made of its number.
fn numbers(count: usize, line: impl Fn(&usize) -> String) -> String {
    each(&(1..=count).collect::<Vec<_>>(), line)
}

/// A diff with eleven added lines.
fn diff() -> String {
    let added = each(&WORDS, |word| format!("+    let {word} = {word}_of(row)?;\n"));
    let removed = each(&WORDS[..3], |word| format!("-    old({word});\n"));
    format!(
        "diff --git a/src/row.rs b/src/row.rs\nindex 83db48f..bf2a1c4 100644\n--- a/src/row.rs\n\
            +++ b/src/row.rs\n@@ -10,6 +10,14 @@ fn read(row: &Row) {{\n     begin();\n{removed}{added}     end();\n"
    )
}

#[tokio::test]
async fn every_format_decodes_from_what_is_shown() {
    let csv = numbers(30, |at| format!("{at},item {at},{}.50,true\n", at * 3));
    let ndjson = numbers(20, |at| {
        format!("{{\"at\": {at}, \"level\": \"info\", \"msg\": \"step {at}\"}}\n")
    });
    let html = numbers(12, |at| format!("<tr><td>{at}</td><td>cell</td></tr>\n"));
    let texts = [csv, ndjson, diff(), log(40), html, rows(9), listing(30), numbered(30)];
    for text in &texts {
        for notations in ["plain", "computed"] {
            decodes_with(&tool("c", text), notations).await;
        }
    }
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    let trip = decodes_with(&tools(&all), "computed").await;
    assert!(trip.shown.number("tokens_after") * 4 < trip.shown.number("tokens_before") * 3);
}

#[tokio::test]
async fn one_result_stays_for_each_call() {
    let function = |id: &str| {
        json!({"id": id, "type": "function",
        "function": {"name": "f", "arguments": "{}"}})
    };
    let result =
        |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
    let messages = [
        json!({"role": "assistant", "content": null, "tool_calls": [function("c1"), function("c2")]}),
        result("c1", &log(40)),
        result("c2", &rows(9)),
        user("And?"),
    ];
    for level in ["lossless", "reversible"] {
        let trip = trip(&messages, json!({"level": level, "keep_recent_turns": 0})).await;
        assert_eq!(trip.shown.messages.len(), 4);
        for (at, id) in [(1, "c1"), (2, "c2")] {
            assert_eq!(trip.shown.message(at)["tool_call_id"], id);
        }
    }
}

#[tokio::test]
async fn a_diff_keeps_every_line_that_was_added() {
    let trip = decodes(&tool("c", &diff())).await;
    let said = trip.said(1);
    assert!(said.contains("+    let ") && said.contains("-    old("), "{said}");
    for word in WORDS {
        assert!(said.contains(word), "{word}\n{said}");
    }
}

#[tokio::test]
async fn progress_of_a_build_is_short_and_decodes() {
    let text = numbers(40, |at| format!("[{at}/40] Compiling part{at}\n"));
    let trip = decodes_with(&tool("c", &text), "computed").await;
    assert!(trip.shown.number("tokens_after") * 2 < trip.shown.number("tokens_before"));
}

#[tokio::test]
async fn a_question_and_its_answer_are_not_joined() {
    let answer = format!("The key is AKIAIOSFODNN7EXAMPLE. {}", Q.repeat(4));
    let messages = [user("Which key?"), assistant(&answer), user("Thanks.")];
    assert!(trip(&messages, json!({"level": "reversible"})).await.is_unchanged());
}

#[tokio::test]
async fn what_stands_between_comes_back_where_it_stood() {
    let system = json!({"role": "system", "content": B});
    let mut messages = vec![user(A), assistant(&A.repeat(3)), system, user(&B.repeat(3))];
    messages.extend(tools(&[&log(40)]));
    messages.extend([assistant(&A.repeat(3)), user("And?"), assistant(B)]);
    for level in ["summary", "drop"] {
        for budget in [1, 150, 250, 350] {
            let options = json!({"level": level, "budget_tokens": budget, "keep_recent_turns": 0});
            trip(&messages, options).await;
        }
    }
}

#[tokio::test]
async fn json_that_is_shortened_is_still_that_json() {
    let value = json!({"name": "shop", "items": (0..12).map(|at| json!({"id": at, "price": 1.5}))
        .collect::<Vec<_>>(), "note": "kept as it is", "none": null});
    let text = serde_json::to_string_pretty(&value).unwrap();
    let server = TestServer::spawn().await;
    let messages = written(&tool("c", &text));
    let shown = server.compress(&request("messages", &messages, &json!({}))).await;
    assert!(shown.number("tokens_after") < shown.number("tokens_before"));
    let back = TestServer::spawn().await.expand_list("messages", &shown.messages).await;
    let back: Value = serde_json::from_str(&back.messages[1]).unwrap();
    assert_eq!(serde_json::from_str::<Value>(back["content"].as_str().unwrap()).unwrap(), value);
}

#[tokio::test]
async fn what_was_corrected_later_stays_beside_the_correction() {
    let first = "Use the red label printer for all the parcels that leave the warehouse, and keep \
        the label roll in the drawer under the desk for the next shift.";
    let second = "Actually, use the blue label printer for all the parcels that leave the \
        warehouse, because the red one smears.";
    let messages = [user(first), user(second), user("Where is fetchInvoice? It fails.")];
    assert!(trip(&messages, json!({})).await.is_unchanged());
}

#[tokio::test]
async fn ids_are_data_and_stand_once() {
    let ids = ["__proto__", "constructor", "", "toString", "é"];
    let messages: Vec<Value> =
        ids.iter().map(|id| json!({"id": id, "role": "user", "content": A})).collect();
    trip(&messages, json!({"level": "drop", "budget_tokens": 90, "keep_recent_turns": 0})).await;
    let twice = json!({"messages": [messages[1], messages[2], messages[1]]});
    let server = TestServer::spawn().await;
    let problem = problem(server.post("/compress", &twice).await, 422, "invalid_request").await;
    assert_eq!(problem["errors"][0]["pointer"], "/messages/2/id");
}

/// A session with a bit of everything.
fn session() -> Vec<Value> {
    let mut messages = vec![json!({"role": "system", "content": B}), user(A)];
    messages.extend(tools(&[&log(40), &rows(9), &log(40), &listing(30)]));
    messages.extend([assistant(B), user(&A.repeat(2)), assistant(A)]);
    messages
}

#[tokio::test]
async fn every_set_of_options_comes_back() {
    for level in ["lossless", "reversible", "summary", "drop"] {
        for budget in [None, Some(1), Some(200), Some(600)] {
            for turns in [0, 2, 9] {
                let mut options = json!({"level": level, "keep_recent_turns": turns});
                if let Some(budget) = budget {
                    options["budget_tokens"] = json!(budget);
                }
                trip(&session(), options).await;
            }
        }
    }
}

#[tokio::test]
async fn what_is_not_to_be_had_is_listed_and_the_rest_comes_back() {
    let server = TestServer::spawn().await;
    let messages = written(&session());
    let options = json!({"originals": "return", "level": "reversible", "keep_recent_turns": 1});
    let shown = server.compress(&request("messages", &messages, &options)).await;
    let ids = shown.artifacts();
    let one = json!({"originals": {ids[0]: shown.answer["originals"][ids[0]]}});
    for (given, there) in [(json!({"originals": {}}), 0), (one, 1)] {
        let back = server.expand(&request("messages", &shown.messages, &given)).await;
        assert_eq!(back.messages.len(), messages.len());
        assert!(!back.identical());
        let restored = back
            .messages
            .iter()
            .zip(&shown.messages)
            .zip(&messages)
            .filter(|((back, shown), message)| back == message && shown != message);
        assert!(restored.count() >= there);
        assert!(back.count("missing") > 0, "{}", back.answer);
    }
}

#[tokio::test]
async fn many_rounds_lead_back_in_one_step() {
    let server = TestServer::spawn().await;
    let (mut list, mut all) = (Vec::new(), Vec::new());
    for round in 0..20 {
        let new = written(&tool(&format!("r{round}"), &log(20 + round)));
        list.extend(new.clone());
        all.extend(new);
        let options = json!({"level": "drop", "budget_tokens": 300});
        list = server.compress(&request("messages", &list, &options)).await.messages;
        let back = server.expand_list("messages", &list).await;
        assert_eq!(back.messages, all, "round {round}");
        assert!(back.identical(), "round {round}: {}", back.answer);
    }
    assert!(list.len() < all.len());
}

#[tokio::test]
async fn the_same_twice_is_the_same_and_its_own_answer_stays() {
    let server = TestServer::spawn().await;
    let body = |messages: &[String]| request("messages", messages, &json!({}));
    let once = server.compress(&body(&written(&session()))).await;
    let again = server.compress(&body(&written(&session()))).await;
    assert_eq!(once.messages, again.messages);
    assert_eq!(once.report(), again.report());
    assert_eq!(server.compress(&body(&once.messages)).await.messages, once.messages);
}

#[tokio::test]
async fn what_is_not_modified_is_the_same_json_in_the_same_order() {
    let trip = trip(&session(), json!({"level": "summary", "budget_tokens": 420})).await;
    let mut shown = trip.shown.messages.iter();
    let mut kept = 0;
    for (decision, message) in trip.shown.decisions().iter().zip(&trip.messages) {
        if decision["action"] == "kept" {
            assert!(shown.by_ref().any(|shown| shown == message), "{message}");
            kept += 1;
        }
    }
    assert!(kept >= 4);
}

#[tokio::test]
async fn artifacts_are_named_by_their_text_and_answers_by_chance() {
    let server = TestServer::spawn().await;
    let body = request("messages", &written(&session()), &json!({}));
    let (one, other) = (server.compress(&body).await, server.compress(&body).await);
    assert_eq!(one.artifacts(), other.artifacts());
    assert!(!one.artifacts().is_empty());
    assert!(one.artifacts().iter().all(|id| id.len() == 24));
    assert_ne!(one.id(), other.id());
    assert!(one.id().starts_with("cpr_"));
}
