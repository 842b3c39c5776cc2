//! `compress_format`: texts of a format that only the hook knows.

use serde_json::{Value, json};

use super::outcomes;
use crate::support::TestServer;
use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, answers, hook};

const AT: (&str, &str) = ("compress_format", "provide");

/// Lines in which nothing comes twice, so that nobody else makes them shorter.
fn odd(seed: u64, lines: usize) -> String {
    let mut state = seed;
    let mut word = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:x}", state >> 20)
    };
    (0..lines).map(|_| format!("@{}|{}~{}", word(), word(), word())).collect::<Vec<_>>().join("\n")
}

fn ran(id: &str, tool: &str, output: &str) -> [Value; 2] {
    [
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": id,
            "type": "function", "function": {"name": tool, "arguments": "{}"}}]}),
        json!({"role": "tool", "tool_call_id": id, "content": output}),
    ]
}

fn long() -> Value {
    let mut messages = vec![user("Go")];
    messages.extend(ran("c1", "scan", &odd(1, 200)));
    messages.extend(ran("c2", "other", &odd(2, 60)));
    for turn in 0..3 {
        messages.push(json!({"role": "assistant", "content": format!("Done {turn}.")}));
        messages.push(user(&format!("And {turn}?")));
    }
    json!({"messages": messages, "model": "gpt-4o", "explain": "full",
        "budget": {"context_window": 6000},
        "compression": {"level": "reversible", "keep_recent_turns": 1}})
}

#[tokio::test]
async fn a_long_result_takes_the_form_that_a_hook_gives_it_and_keeps_it() {
    let server = TestServer::dev().await;
    let receiver =
        Receiver::script(|n| Mode::Answer(json!({"text": format!("form {n}")}).to_string())).await;
    let only = json!({"match": {"tools": ["scan"]}});
    server.register(&hook("f", AT, &receiver, &only)).await;
    let body = long();
    let first = server.compile(&body).await;
    assert_eq!(first.said(2), "form 0", "{}", first.text);
    assert!(first.report["fits"].as_bool().unwrap());
    let rules: Vec<&str> = first.report["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["rule"].as_str())
        .collect();
    assert!(rules.contains(&"adapter:hook"), "{rules:?}");
    let input = &receiver.bodies()[0]["input"];
    assert_eq!(*input, json!({"text": odd(1, 200), "tool": "scan"}));
    assert_eq!(outcomes(&first)[0], "f applied");
    assert_eq!(server.compile(&body).await.text, first.text);
    assert_eq!(receiver.requests().len(), 1);
}

#[tokio::test]
async fn nothing_is_asked_where_nothing_shrinks() {
    let server = TestServer::dev().await;
    let receiver = answers(&json!({"text": "short"})).await;
    server.register(&hook("f", AT, &receiver, &json!({}))).await;
    for (key, value) in [("budget", json!({})), ("compression", json!({"level": "lossless"}))] {
        let mut body = long();
        body[key] = value;
        server.compile(&body).await;
    }
    assert_eq!(receiver.requests().len(), 0);
}

#[tokio::test]
async fn the_first_answer_holds_and_one_that_is_none_is_a_failure() {
    let server = TestServer::dev().await;
    let nothing = answers(&json!(null)).await;
    let (first, second) =
        (answers(&json!({"text": "A"})).await, answers(&json!({"text": "B"})).await);
    let mut body = long();
    body["messages"].as_array_mut().unwrap().drain(3..5);
    body["budget"]["context_window"] = 4000.into();
    body["hooks"] = json!([
        hook("a", AT, &nothing, &json!({})),
        hook("b", AT, &first, &json!({})),
        hook("c", AT, &second, &json!({}))
    ]);
    let done = server.compile(&body).await;
    assert_eq!(done.said(2), "A");
    assert_eq!(outcomes(&done), ["a unchanged", "b applied", "c skipped answered_earlier"]);
    assert_eq!(second.requests().len(), 0);
    for text in [json!(7), json!(""), json!(odd(1, 200))] {
        let wrong = answers(&json!({"text": text})).await;
        body["hooks"] = json!([hook("w", AT, &wrong, &json!({}))]);
        assert_eq!(outcomes(&server.compile(&body).await), ["w failed invalid_payload"], "{text}");
    }
}

#[tokio::test]
async fn lists_and_texts_are_asked_about_and_come_back_whole() {
    let server = TestServer::dev().await;
    let receiver = answers(&json!({"text": "seen"})).await;
    server.register(&hook("f", AT, &receiver, &json!({}))).await;
    let text = odd(7, 80);
    let body = json!({"text": text, "level": "reversible"});
    let answer = server.post_ok("/compress", &body).await;
    assert_eq!(answer["text"], "seen");
    assert_eq!(answer["report"]["hooks"][0]["outcome"], "applied");
    let back = server.post_ok("/expand", &json!({"id": answer["id"]})).await;
    assert_eq!(back["text"], text);
    let list = json!({"messages": long()["messages"], "level": "reversible",
        "keep_recent_turns": 1});
    let answer = server.post_ok("/compress", &list).await;
    assert_eq!(answer["messages"][2]["content"], "seen");
    let back = server.post_ok("/expand", &json!({"messages": answer["messages"]})).await;
    assert_eq!(back["messages"], list["messages"]);
    let mut asked: Vec<Value> =
        receiver.bodies().iter().map(|call| call["input"]["tool"].clone()).collect();
    // Results of one request are asked about at the same time.
    asked.sort_by_key(ToString::to_string);
    assert_eq!(asked, [json!("other"), json!("scan"), json!(null)]);
    // Where no rung that loses anything may be taken, nobody is asked.
    server.post_ok("/compress", &json!({"messages": list["messages"]})).await;
    assert_eq!(receiver.requests().len(), 3);
}

#[tokio::test]
async fn a_replay_has_the_form_of_the_record() {
    let server = TestServer::dev().await;
    let receiver =
        Receiver::script(|n| Mode::Answer(json!({"text": format!("form {n}")}).to_string())).await;
    let mut body = long();
    body["record"] = "full".into();
    body["hooks"] = json!([hook("f", AT, &receiver, &json!({}))]);
    let done = server.compile(&body).await;
    let asked = receiver.requests().len();
    let path = format!("/compilations/{}/replay", done.id);
    assert_eq!(server.post_ok(&path, &json!({})).await["status"], "equal");
    assert_eq!(receiver.requests().len(), asked);
}
