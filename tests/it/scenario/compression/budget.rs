//! K62 to K70: budgets and counts.

use serde_json::{Value, json};

use super::{A, B, assistant, message, tool, tools, trip, user};
use crate::support::TestServer;
use crate::support::compress::{log, request, rows};

/// Eight messages, the user's and the assistant's in turn.
fn eight() -> Vec<Value> {
    let text = |at: usize| match at % 2 {
        0 => user(&format!("{A} Item {at}.")),
        _ => assistant(&format!("{B} Item {at}.")),
    };
    (0..8).map(text).collect()
}

#[tokio::test]
async fn a_budget_is_met_or_said_not_to_be() {
    let whole = trip(&eight(), json!({})).await.shown.number("tokens_before");
    for (budget, unchanged) in [(whole, true), (whole - 1, false), (whole * 2 / 3, false)] {
        let options = json!({"budget_tokens": budget, "keep_recent_turns": 1});
        let trip = trip(&eight(), options).await;
        assert_eq!(trip.is_unchanged(), unchanged, "{budget}");
        assert_eq!(trip.shown.report()["fits"], true, "{budget}: {}", trip.shown.report());
    }
}

#[tokio::test]
async fn the_live_zone_goes_last_and_the_last_user_message_never() {
    let messages = eight();
    let options =
        |budget: u64| json!({"level": "drop", "budget_tokens": budget, "keep_recent_turns": 3});
    let trip_of = async |budget| trip(&messages, options(budget)).await;
    let some = trip_of(330).await;
    assert_eq!(some.shown.report()["fits"], true);
    for at in 5..8 {
        assert!(some.shown.messages.contains(&some.messages[at]), "{at}");
    }
    let least = trip_of(1).await;
    assert_eq!(least.shown.report()["fits"], false);
    assert!(least.shown.messages.contains(&least.messages[6]));
    assert_eq!(least.shown.action("kept"), 1);
}

#[tokio::test]
async fn nothing_grows_however_small_the_budget() {
    let json = "{\"key\": \"".to_owned() + &"value ".repeat(85) + "\"}";
    for texts in [vec![json.as_str()], vec!["ok"], vec!["{}", "[]", ""], vec![&json, &json, "x"]] {
        let mut messages = vec![user("Look.")];
        messages.extend(tools(&texts));
        for level in ["lossless", "reversible", "summary", "drop"] {
            let options = json!({"level": level, "budget_tokens": 1, "keep_recent_turns": 0});
            let trip = trip(&messages, options).await;
            assert!(trip.shown.number("tokens_after") <= trip.shown.number("tokens_before"));
            for decision in trip.shown.decisions() {
                let tokens = |key: &str| decision[key].as_u64().unwrap();
                assert!(tokens("tokens_after") <= tokens("tokens_before"), "{decision}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_too_big_is_listed() {
    let mut messages = vec![message("system", &A.repeat(4))];
    messages.extend(tools(&[&log(60)]));
    messages.push(user(&B.repeat(3)));
    let options = json!({"level": "drop", "budget_tokens": 100, "keep_recent_turns": 0});
    let trip = trip(&messages, options).await;
    let report = trip.shown.report();
    assert_eq!(report["fits"], false);
    let pointers: Vec<&str> = report["too_big"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["pointer"].as_str())
        .collect();
    assert!(pointers.contains(&"/messages/0") && pointers.contains(&"/messages/3"), "{report}");
}

#[tokio::test]
async fn counts_are_those_of_the_messages_that_are_answered() {
    let mut messages = vec![message("system", A)];
    messages.extend(tools(&[&log(40), &rows(10), &log(40)]));
    messages.extend(eight());
    let server = TestServer::spawn().await;
    for level in ["lossless", "reversible", "summary", "drop"] {
        let options = json!({"level": level, "budget_tokens": 500, "keep_recent_turns": 1});
        let trip = trip(&messages, options).await;
        let shown: Value =
            serde_json::from_str(&format!("[{}]", trip.shown.messages.join(","))).unwrap();
        let counted = server.post("/tokens", &json!({"messages": shown})).await;
        let counted: Value = counted.json().await.unwrap();
        assert_eq!(counted["tokens"], trip.shown.number("tokens_after"), "{level}");
        let report = trip.shown.report();
        assert_eq!(report["fits"], trip.shown.number("tokens_after") <= 500);
        let sum: u64 = ["kept", "compressed", "deduplicated", "cleared", "summarized", "dropped"]
            .iter()
            .map(|name| trip.shown.action(name))
            .sum();
        assert_eq!(sum, messages.len() as u64);
    }
}

#[tokio::test]
async fn parts_arguments_and_images_are_counted() {
    let server = TestServer::spawn().await;
    let count = async |messages: &[Value]| {
        let messages: Vec<String> = messages.iter().map(Value::to_string).collect();
        server.compress(&request("messages", &messages, &json!({}))).await.number("tokens_before")
    };
    let [mut call, result] = tool("c", "ok");
    let bare = count(&[call.clone(), result.clone()]).await;
    call["tool_calls"][0]["function"]["arguments"] = json!(json!({"text": A}).to_string());
    assert!(count(&[call, result]).await > bare + 40);
    let parts = |parts: Value| json!({"role": "user", "content": parts});
    let text = json!({"type": "text", "text": A});
    let image = json!({"type": "image_url", "image_url": {"url": "https://a.example/b.png"}});
    let one = count(&[parts(json!([text]))]).await;
    assert!(one > 40);
    assert!(count(&[parts(json!([text, image]))]).await > one + 50);
}
