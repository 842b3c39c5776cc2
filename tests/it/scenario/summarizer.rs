//! Scenarios of a model that writes summaries: J15 to J17, J24, J25, J29 and K71 to K75.
//!
//! The model is a server on a real socket that speaks as OpenAI's does.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::{Compiled, assistant, calling_with, result, user, words};
use crate::support::receiver::{Mode, Receiver};

/// What a model answers that says this.
pub fn chat(text: &str) -> String {
    let message = json!({"role": "assistant", "content": text});
    json!({"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}).to_string()
}

/// A server whose summaries are written there.
pub async fn server(model: &Receiver, more: &[&str]) -> TestServer {
    let url = format!("http://{}/v1", model.address);
    let mut flags = vec!["--dev", "--summarizer-url", &url, "--summarizer-model", "writer"];
    flags.extend_from_slice(more);
    TestServer::with(&flags).await
}

/// Five messages of 1,000 tokens in a window of 4,000: the first four are summarised.
pub fn five() -> Value {
    let text = |at: usize| words(&format!("m{at}"), 1000);
    let message = |at: usize| if at % 2 == 1 { user(&text(at)) } else { assistant(&text(at)) };
    let messages: Vec<Value> = (1..=5).map(message).collect();
    json!({
        "messages": messages, "target": "neutral", "model": "bytes4",
        "budget": {"context_window": 4000},
        "compression": {"compress_to": 0.4, "keep_recent_turns": 1},
    })
}

pub fn by(compiled: &Compiled) -> &str {
    compiled.report["history_summary"]["by"].as_str().expect("a summary")
}

#[tokio::test]
async fn a_failing_model_costs_no_turn_and_is_left_alone_after_three_calls() {
    let model = Receiver::spawn(Mode::Status(400, String::new(), "no".to_owned())).await;
    let server = server(&model, &[]).await;
    let plain = TestServer::spawn().await.compile(&five()).await;
    for call in 1..=7 {
        let compiled = server.compile(&five()).await;
        assert_eq!(compiled.text, plain.text);
        assert_eq!((by(&compiled), compiled.action("summarized")), ("extractive", 4));
        assert_eq!(compiled.codes("degraded"), ["summarizer_failed"]);
        let told = compiled.report["degraded"][0]["detail"].as_str().unwrap();
        assert!(told.starts_with("model:writer: "), "{told}");
        assert!(!compiled.text.contains("status 400"));
        assert_eq!(model.bodies().len(), call.min(3));
    }
}

#[tokio::test]
async fn an_empty_answer_is_a_failure() {
    for answer in ["", " \n ", "<summary></summary>", "<analysis>only thoughts</analysis>"] {
        let model = Receiver::spawn(Mode::Answer(chat(answer))).await;
        let server = server(&model, &[]).await;
        let compiled = server.compile(&five()).await;
        assert_eq!((by(&compiled), model.bodies().len()), ("extractive", 1), "{answer:?}");
        assert_eq!(compiled.codes("degraded"), ["summarizer_failed"]);
    }
}

#[tokio::test]
async fn a_refusal_or_an_error_in_words_is_a_failure() {
    let refusal = "I'm sorry, but I can't help with that.";
    let message = json!({"role": "assistant", "content": "Here it is.", "refusal": "No."});
    let structured = json!({"choices": [{"index": 0, "message": message}]}).to_string();
    for answer in [chat(refusal), chat("Error: 529 overloaded"), structured] {
        let model = Receiver::spawn(Mode::Answer(answer)).await;
        let server = server(&model, &[]).await;
        let compiled = server.compile(&five()).await;
        assert_eq!(by(&compiled), "extractive");
        assert_eq!(compiled.codes("degraded"), ["summarizer_failed"]);
        assert!(!compiled.text.contains("sorry") && !compiled.text.contains("overloaded"));
    }
}

#[tokio::test]
async fn the_model_is_given_the_slice_in_order_and_what_is_wanted_of_it() {
    let model = Receiver::spawn(Mode::Answer(chat("<summary>S</summary>"))).await;
    let server = server(&model, &["--summarizer-key", "sk-abc"]).await;
    let mut body = five();
    server.compile(&body).await;
    body["compression"]["summary_instructions"] = json!(" \n");
    server.compile(&body).await;
    let [call] = model.bodies().try_into().expect("what is blank adds nothing");
    let messages = call["messages"].as_array().unwrap();
    let role = |at: usize| messages[at]["role"].as_str().unwrap();
    assert_eq!(
        (0..5).map(role).collect::<Vec<_>>(),
        ["user", "assistant", "user", "assistant", "user"]
    );
    for at in 0..4 {
        assert_eq!(messages[at]["content"], body["messages"][at]["content"]);
    }
    let last = messages[4]["content"].as_str().unwrap();
    for part in ["<summary>", "Asked:", "State:", "Found:", "Next:", "Keep:"] {
        assert!(last.contains(part), "{last}");
    }
    assert!(!last.contains("Additional instructions"), "{last}");
    assert_eq!((&call["model"], &call["stream"]), (&json!("writer"), &json!(false)));
    assert!(model.requests()[0].contains("authorization: Bearer sk-abc\r\n"));

    body["compression"]["summary_instructions"] = json!("Name every ship.");
    server.compile(&body).await;
    let calls = model.bodies();
    let last = calls[1]["messages"][4]["content"].as_str().unwrap();
    assert!(last.ends_with("\n\nAdditional instructions:\nName every ship."), "{last}");
}

#[tokio::test]
async fn what_stands_inside_of_the_tags_is_the_summary() {
    for (answer, said) in [
        ("<ANALYSIS>a</ANALYSIS><SUMMARY>b</SUMMARY>", "b"),
        ("<summary>one</summary><summary>two</summary>", "one"),
        ("no tags at all", "no tags at all"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("<summary>a", "<summary>a"),
    ] {
        let model = Receiver::spawn(Mode::Answer(chat(answer))).await;
        let compiled = server(&model, &[]).await.compile(&five()).await;
        assert_eq!(by(&compiled), "model:writer");
        let summary = compiled.said(0);
        assert!(summary.starts_with("<history_summary>\n"), "{summary}");
        assert!(summary.contains(&format!("\n\n{said}\n\n")), "{summary}");
    }
}

#[tokio::test]
async fn calls_and_results_are_given_as_texts() {
    let model = Receiver::spawn(Mode::Answer(chat("S"))).await;
    let server = server(&model, &[]).await;
    let messages = [
        user(&words("m1", 1500)),
        calling_with("ok", &[("c1", "run", r#"{"a":1}"#)]),
        result("c1", &words("output", 450)),
        // The turn that is covered last has no result of which a part could stay.
        assistant(&words("m3", 1500)),
        assistant(&words("m4", 1000)),
        user(&words("m5", 1000)),
    ];
    let mut body = five();
    body["messages"] = json!(messages);
    server.compile(&body).await;
    let calls = model.bodies();
    let given = calls[0]["messages"].as_array().unwrap();
    let call = json!({"role": "assistant", "content": "ok\n[Called tool: run({\"a\":1})]"});
    let at = given.iter().position(|message| *message == call).expect("the call");
    let text = format!("[Tool result (c1): {}]", words("output", 450));
    assert_eq!(given[at + 1], json!({"role": "user", "content": text}));
}

/// `POST /compress` at level `summary` of the same messages.
async fn compress(server: &TestServer) -> Value {
    let mut body = json!({"level": "summary", "keep_recent_turns": 1, "model": "bytes4"});
    body["messages"] = five()["messages"].clone();
    server.post_json("/compress", 200, &body).await
}

#[tokio::test]
async fn an_answer_that_is_no_shorter_changes_nothing() {
    let plain = compress(&TestServer::spawn().await).await;
    assert_eq!(plain["report"]["history_summary"]["by"], "extractive");
    let model = Receiver::spawn(Mode::Answer(chat("Short."))).await;
    let short = compress(&server(&model, &[]).await).await;
    assert_eq!(short["report"]["history_summary"]["by"], "model:writer");
    assert!(short["messages"][0]["content"].as_str().unwrap().contains("\n\nShort.\n\n"));
    let failing = [
        Mode::Answer(chat("")),
        Mode::Answer(chat(&"long ".repeat(10_000))),
        Mode::Status(500, String::new(), String::new()),
        Mode::Answer("not JSON".to_owned()),
    ];
    for mode in failing {
        let model = Receiver::spawn(mode.clone()).await;
        let same = compress(&server(&model, &[]).await).await;
        assert_eq!(same["messages"], plain["messages"], "{mode:?}");
        assert_eq!(same["report"]["degraded"][0]["code"], "summarizer_failed");
    }
}

#[tokio::test]
async fn a_summary_is_never_more_than_it_stands_for_or_than_its_cap() {
    for bytes in [1_000, 2_500, 8_000, 15_900] {
        let text = words("s", bytes / 4).replace(". ", ".\n").replace("ipsum ", "ipsum\n");
        let model = Receiver::spawn(Mode::Answer(chat(&text))).await;
        let compiled = server(&model, &[]).await.compile(&five()).await;
        // An eighth of the room of 4,000 tokens.
        assert!(compiled.said(0).len() <= 4 * 500, "{bytes}: {}", compiled.said(0).len());
        assert_eq!(by(&compiled), "model:writer");
        let whole = compiled.said(0).contains(text.trim());
        assert_eq!(whole, bytes == 1_000, "{bytes}");
    }
}

#[tokio::test]
async fn one_call_for_each_slice_however_many_budgets_are_tried() {
    let model = Receiver::spawn(Mode::Answer(chat("Short."))).await;
    let server = server(&model, &[]).await;
    let mut body = json!({"level": "summary", "keep_recent_turns": 1, "model": "bytes4"});
    body["messages"] = five()["messages"].clone();
    for budget in [None, Some(3000), Some(1400), Some(1200), Some(1100), None] {
        if let Some(budget) = budget {
            body["budget_tokens"] = json!(budget);
        } else {
            body.as_object_mut().unwrap().remove("budget_tokens");
        }
        assert_eq!(server.post("/compress", &body).await.status(), 200);
    }
    let calls = model.bodies();
    let texts: BTreeSet<String> = calls.iter().map(Value::to_string).collect();
    assert_eq!(texts.len(), calls.len(), "a text was sent twice");
    assert!(!calls.is_empty());
}

#[tokio::test]
async fn what_must_not_be_lost_is_protected_and_never_left_to_a_model() {
    let model = Receiver::spawn(Mode::Answer(chat("All of it went well."))).await;
    let server = server(&model, &[]).await;
    let mut body = five();
    let critical = words("m2 never ship build 7731 before", 1000);
    body["messages"][1]["content"] = json!(critical);
    body["protect"] = json!({"patterns": [{"regex": "never ship build \\d+", "label": "rule"}]});
    let compiled = server.compile(&body).await;
    assert_eq!(by(&compiled), "model:writer");
    assert!((0..compiled.list().len()).any(|at| compiled.said(at) == critical));
    let calls = model.bodies();
    assert!(!calls[0]["messages"].to_string().contains("never ship build"));
}
