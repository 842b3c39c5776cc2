//! Summaries that a model or a hook writes: paid for once, the same ever after, and never in the
//! way of a compile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::scenario::summarizer::{by, chat, five, server};
use crate::support::compile::{Compiled, with};
use crate::support::receiver::{Mode, Receiver};
use crate::support::{Folder, TestServer, database};

/// A model that says something else each time.
async fn model() -> Receiver {
    Receiver::script(|before| Mode::Answer(chat(&format!("Summary number {before}.")))).await
}

#[tokio::test]
async fn a_summary_is_paid_for_once_and_outlives_the_server() {
    let folder = Folder::new();
    let database = folder.url();
    let flags = ["--database-url", database.as_str()];
    let model = model().await;
    let first = server(&model, &flags).await;
    let compiled = first.compile(&five()).await;
    assert_eq!((by(&compiled), model.bodies().len()), ("model:writer", 1));
    assert_eq!(compiled.report["history_summary"]["covers"], json!([{"from": 0, "to": 4}]));
    assert!(compiled.said(0).contains("Summary number 0."));
    // The list grows behind the slice, and elsewhere: it is the same summary.
    let mut longer = five();
    longer["messages"]
        .as_array_mut()
        .unwrap()
        .push(json!({"role": "assistant", "content": "On it."}));
    for body in [with(five(), &json!({"session_id": "s1"})), longer] {
        let again = first.compile(&body).await;
        assert_eq!(again.said(0), compiled.said(0));
    }
    first.stop().await;
    let second = server(&model, &flags).await;
    assert_eq!(second.compile(&five()).await.text, compiled.text);
    assert_eq!(model.bodies().len(), 1);
}

#[tokio::test]
async fn compiles_at_the_same_time_pay_once() {
    let model = model().await;
    let server = server(&model, &[]).await;
    let body = five();
    let six = (0..6).map(|_| server.compile(&body));
    let done = futures_util::future::join_all(six).await;
    assert!(done.iter().all(|own| own.text == done[0].text));
    assert_eq!(model.bodies().len(), 1);
}

#[tokio::test]
async fn a_session_takes_its_summaries_along_when_it_goes() {
    let model = model().await;
    let server = server(&model, &[]).await;
    let body = with(five(), &json!({"session_id": "s1"}));
    server.compile(&body).await;
    let gone = server.delete("/sessions/s1").await;
    assert_eq!(gone.status(), 204);
    let compiled = server.compile(&body).await;
    assert!(compiled.said(0).contains("Summary number 1."), "{}", compiled.said(0));
}

#[tokio::test]
async fn a_compile_that_fails_later_has_not_wasted_it() {
    let model = model().await;
    let server = server(&model, &[]).await;
    let guard =
        Receiver::spawn(Mode::Answer(json!({"decision": "deny", "reason": "no"}).to_string()))
            .await;
    let hooks =
        json!([{"id": "g", "point": "transform_context", "kind": "guard", "url": guard.url()}]);
    let denied = server.post("/compile", &with(five(), &json!({"hooks": hooks}))).await;
    assert_eq!(denied.status(), 403);
    assert!(server.compile(&five()).await.said(0).contains("Summary number 0."));
    assert_eq!(model.bodies().len(), 1);
}

#[tokio::test]
async fn a_dry_run_asks_nobody_and_has_what_is_stored() {
    let model = model().await;
    let server = server(&model, &[]).await;
    let dry = async || {
        let answer = server.post("/compile?dry_run=true", &five()).await;
        Compiled::read(&answer.text().await.unwrap())
    };
    assert_eq!((by(&dry().await), model.bodies().len()), ("extractive", 0));
    let compiled = server.compile(&five()).await;
    assert_eq!(dry().await.text, compiled.text);
    assert_eq!(model.bodies().len(), 1);
}

#[tokio::test]
async fn a_model_that_misbehaves_costs_no_more_than_its_time() {
    let behaviours = [
        Mode::Hang,
        Mode::HeadOnly,
        Mode::Drip(Duration::from_millis(20)),
        Mode::Announce,
        Mode::Huge,
        Mode::EndlessChunks(65_536),
        Mode::EndlessHeaders,
        Mode::Close,
        Mode::CloseAtOnce,
        Mode::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n\xff\xfe\xfd".to_vec()),
        Mode::Status(301, "location: /elsewhere\r\n".to_owned(), String::new()),
        Mode::Answer(
            r#"{"choices":[{"finish_reason":"length","message":{"content":"S"}}]}"#.into(),
        ),
    ];
    let plain = TestServer::spawn().await.compile(&five()).await;
    for mode in behaviours {
        let model = Receiver::spawn(mode.clone()).await;
        let server = server(&model, &["--summarizer-timeout-ms", "700"]).await;
        let start = Instant::now();
        let compiled = server.compile(&five()).await;
        assert_eq!(compiled.text, plain.text, "{mode:?}");
        assert_eq!(compiled.codes("degraded"), ["summarizer_failed"], "{mode:?}");
        assert!(start.elapsed() < Duration::from_secs(8), "{mode:?}: {:?}", start.elapsed());
    }
}

#[tokio::test]
async fn what_passes_is_tried_again_and_what_does_not_is_not() {
    for (status, calls, written) in [(503, 2, true), (429, 2, true), (401, 1, false)] {
        let model = Receiver::script(move |before| match before {
            0 => Mode::Status(status, "retry-after: 0\r\n".to_owned(), String::new()),
            _ => Mode::Answer(chat("Written.")),
        })
        .await;
        let compiled = server(&model, &[]).await.compile(&five()).await;
        assert_eq!(model.bodies().len(), calls, "{status}");
        assert_eq!(by(&compiled) == "model:writer", written, "{status}");
    }
}

#[tokio::test]
async fn the_deadline_of_a_request_leaves_time_to_go_on_without_a_model() {
    let model = Receiver::spawn(Mode::Hang).await;
    let server = server(&model, &[]).await;
    let compiled = server.compile(&with(five(), &json!({"deadline_ms": 6000}))).await;
    assert_eq!(
        (by(&compiled), compiled.codes("degraded")),
        ("extractive", vec!["summarizer_failed"])
    );
}

#[tokio::test]
async fn two_nodes_pay_once_and_one_that_waits_too_long_goes_on_without() {
    let Some(database) = database::postgres() else { return };
    let gate = Arc::new(Barrier::new(2));
    let model = Receiver::spawn(Mode::Together(Arc::clone(&gate), chat("Written."))).await;
    let on_it = ["--database-url", database.as_str()];
    let (one, other) = (server(&model, &on_it).await, server(&model, &on_it).await);
    let first = tokio::spawn(async move { one.compile(&five()).await });
    model.reached(1).await;
    let late = other.compile(&with(five(), &json!({"deadline_ms": 6000}))).await;
    assert_eq!((by(&late), late.codes("degraded")), ("extractive", vec!["summarizer_failed"]));
    gate.wait().await;
    let first = first.await.expect("a compile");
    assert_eq!(by(&first), "model:writer");
    assert_eq!(other.compile(&five()).await.text, first.text);
    assert_eq!(model.bodies().len(), 1);
}

fn hook(receiver: &Receiver) -> Value {
    json!({"id": "own", "point": "summarize", "kind": "provide", "url": receiver.url()})
}

#[tokio::test]
async fn a_hook_is_asked_before_the_model_and_its_run_is_recorded() {
    let model = model().await;
    let server = server(&model, &[]).await;
    let content = json!({"content": "<analysis>x</analysis>The hook's own words."}).to_string();
    let receiver = Receiver::spawn(Mode::Answer(content)).await;
    let body = with(five(), &json!({"hooks": [hook(&receiver)], "record": "full"}));
    let compiled = server.compile(&body).await;
    assert_eq!((by(&compiled), model.bodies().len()), ("hook:own", 0));
    assert!(compiled.said(0).contains("\n\nThe hook's own words.\n\n"));
    let input = &receiver.bodies()[0]["input"];
    assert_eq!(input["messages"].as_array().unwrap().len(), 4);
    assert_eq!((&input["instructions"], &input["material"]), (&Value::Null, &Value::Null));
    assert!(input["max_tokens"].as_u64().is_some_and(|most| (300..500).contains(&most)), "{input}");
    assert_eq!(compiled.report["hooks"][0]["outcome"], "applied");

    let path = format!("/compilations/{}", compiled.id);
    let record = server.get_json(&path).await;
    assert_eq!(record["hooks"][0]["point"], "summarize");
    let again = server.post(&format!("{path}/replay"), &json!({})).await;
    let again: Value = again.json().await.unwrap();
    assert_eq!(
        (&again["status"], &again["payload"]),
        (&json!("equal"), &compiled.payload),
        "{again}"
    );
    // It is asked once, and no more than that.
    assert_eq!(server.compile(&body).await.text, compiled.text);
    assert_eq!(receiver.bodies().len(), 1);
}

#[tokio::test]
async fn where_a_hook_has_none_the_model_is_asked() {
    for (answer, failed) in [
        (json!(null), false),
        (json!({"content": " "}), true),
        (json!({"content": 7}), true),
        (json!({"text": "x"}), true),
    ] {
        let model = model().await;
        let server = server(&model, &[]).await;
        let receiver = Receiver::spawn(Mode::Answer(answer.to_string())).await;
        let compiled = server.compile(&with(five(), &json!({"hooks": [hook(&receiver)]}))).await;
        assert_eq!((by(&compiled), model.bodies().len()), ("model:writer", 1), "{answer}");
        let outcome = compiled.report["hooks"][0]["outcome"].as_str().unwrap();
        assert_eq!(outcome == "failed", failed, "{answer}: {outcome}");
    }
}

#[tokio::test]
async fn what_before_compress_provides_reaches_whoever_writes() {
    let model = model().await;
    let server = server(&model, &[]).await;
    let fact = Receiver::spawn(Mode::Answer(json!({"content": "FACT-7"}).to_string())).await;
    let provide =
        json!({"id": "p", "point": "before_compress", "kind": "provide", "url": fact.url()});
    let own = Receiver::spawn(Mode::Answer("null".to_owned())).await;
    let compiled = server.compile(&with(five(), &json!({"hooks": [provide, hook(&own)]}))).await;
    assert_eq!(by(&compiled), "model:writer");
    let calls = model.bodies();
    let last = calls[0]["messages"][4]["content"].as_str().unwrap();
    assert!(last.ends_with("\n\nMaterial for it:\nFACT-7"), "{last}");
    assert_eq!(own.bodies()[0]["input"]["material"], "FACT-7");
}

#[tokio::test]
async fn a_replay_has_the_model_s_words_and_calls_nobody() {
    let model = model().await;
    let server = server(&model, &[]).await;
    for (level, body) in [("full", json!({})), ("hashes", json!({"request": five()}))] {
        let compiled = server.compile(&with(five(), &json!({"record": level}))).await;
        let path = format!("/compilations/{}/replay", compiled.id);
        let body = match level {
            "full" => body,
            _ => json!({"request": with(five(), &json!({"record": level}))}),
        };
        let again = server.post_ok(&path, &body).await;
        assert_eq!(again["status"], "equal", "{level}: {again}");
        assert_eq!(again["payload"], compiled.payload);
    }
    // What failed fails again, and nobody is asked for that either.
    let failing = Receiver::spawn(Mode::Status(400, String::new(), String::new())).await;
    let server = crate::scenario::summarizer::server(&failing, &[]).await;
    let compiled = server.compile(&with(five(), &json!({"record": "full"}))).await;
    let path = format!("/compilations/{}/replay", compiled.id);
    let again = server.post_ok(&path, &json!({})).await;
    assert_eq!((&again["status"], failing.bodies().len()), (&json!("equal"), 1));
}

#[tokio::test]
async fn a_shorter_history_is_kept_and_its_summary_brought_up_to_date() {
    let server = TestServer::spawn().await;
    let mut list: Vec<Value> = Vec::new();
    for turn in 0..8 {
        let text = format!("Turn {turn}: mend src/part{turn}.rs. {}", "lorem ipsum ".repeat(60));
        list.push(json!({"role": "user", "content": text}));
        list.push(
            json!({"role": "assistant", "content": format!("Part {turn} had a fault. {text}")}),
        );
    }
    for round in 0..3 {
        let body = json!({"messages": list, "level": "summary", "keep_recent_turns": 2});
        let answer = server.post_ok("/compress", &body).await;
        let covers = answer["report"]["history_summary"]["covers"].as_array().unwrap().clone();
        let gone = answer["report"]["actions"]["summarized"].as_u64().unwrap();
        let ranges: u64 = covers
            .iter()
            .map(|range| range["to"].as_u64().unwrap() - range["from"].as_u64().unwrap())
            .sum();
        assert_eq!((ranges, covers[0]["from"].as_u64()), (gone, Some(0)), "{covers:?}");
        let shown = answer["messages"].as_array().unwrap();
        let kept = list.len() - usize::try_from(gone).unwrap();
        assert_eq!(shown.len(), kept + 1);
        assert_eq!(shown[1..], list[list.len() - kept..]);
        let summary = shown[0]["content"].as_str().unwrap();
        assert_eq!(summary.matches("<history_summary>").count(), 1, "{summary}");
        assert_eq!(summary.matches("Asked:").count(), 1, "{summary}");
        assert!(summary.contains("Turn 0: mend src/part0.rs."), "{round}: {summary}");
        let all = 14 + 2 * round;
        assert!(summary.contains(&format!("Its first {all} messages")), "{summary}");
        list = shown.clone();
        for side in ["user", "assistant"] {
            let text = format!("More {round}: src/more{round}.rs. {}", "dolor sit ".repeat(60));
            list.push(json!({"role": side, "content": text}));
        }
    }
}
