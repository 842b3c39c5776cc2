//! K01 to K08: input and the shape of the answer.

use serde_json::{Value, json};

use super::{A, trip, user};
use crate::support::compress::log;
use crate::support::{TestServer, problem};

async fn pointers(body: Value) -> Vec<String> {
    let server = TestServer::spawn().await;
    let problem = problem(server.post("/compress", &body).await, 422, "invalid_request").await;
    let errors = problem["errors"].as_array().expect("a list");
    errors.iter().map(|error| error["pointer"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn messages_that_are_no_list_are_refused() {
    for (messages, pointer) in
        [(json!("hello"), "/messages"), (json!({}), "/messages"), (Value::Null, "")]
    {
        let pointers = pointers(json!({"messages": messages})).await;
        assert_eq!(pointers, [pointer], "{messages}");
    }
}

#[tokio::test]
async fn an_entry_that_is_no_message_is_named() {
    for entry in [Value::Null, json!(42)] {
        assert_eq!(pointers(json!({"messages": [entry]})).await, ["/messages/0"]);
    }
}

#[tokio::test]
async fn messages_need_no_id() {
    let trip = trip(&[user(A), json!({"id": "", "role": "user", "content": A})], json!({})).await;
    assert!(trip.is_unchanged());
}

#[tokio::test]
async fn nothing_in_is_nothing_out_and_a_report() {
    let trip = trip(&[], json!({})).await;
    assert!(trip.shown.messages.is_empty() && trip.shown.artifacts().is_empty());
    let kept = trip.shown.action("kept") + trip.shown.action("compressed");
    assert_eq!((kept, trip.shown.decisions().len()), (0, 0));
}

#[tokio::test]
async fn content_that_is_no_text_is_left_alone() {
    let parts = json!([{"type": "text", "text": A},
        {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}}]);
    let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let messages = [
        json!({"role": "user", "content": parts}),
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "c", "content": "ok"}),
        json!({"role": "assistant", "refusal": "no", "content": null}),
        json!({"role": "user"}),
    ];
    assert!(trip(&messages, json!({})).await.is_unchanged());
}

#[tokio::test]
async fn a_shortened_message_keeps_its_other_members() {
    let mut messages = super::tool("c", &log(40)).to_vec();
    messages[1]["name"] = json!("run");
    messages[1]["custom"] = json!({"x": 1});
    messages[1]["metadata"] = json!({"k": "v"});
    let trip = trip(&messages, json!({"notations": "computed"})).await;
    let mut shown = trip.shown.message(1);
    assert_ne!(shown["content"], messages[1]["content"]);
    shown["content"] = messages[1]["content"].clone();
    assert_eq!(shown, messages[1]);
}

#[tokio::test]
async fn budget_and_fit_are_always_told() {
    for options in [json!({}), json!({"budget_tokens": 10})] {
        let trip = trip(&[user(A)], options.clone()).await;
        let report = trip.shown.report();
        assert!(report["fits"].is_boolean() && report["budget"].is_u64(), "{report}");
        assert_eq!(report["fits"] == true, options.get("budget_tokens").is_none());
    }
}

#[tokio::test]
async fn decisions_are_one_a_message_where_they_are_asked_for() {
    let server = TestServer::spawn().await;
    let messages = [user(A), super::assistant(A), user("more")];
    let body = |explain: &str| json!({"messages": messages, "explain": explain}).to_string();
    let bare = server.compress(&body("summary")).await;
    assert!(bare.report().get("decisions").is_none());
    let told = server.compress(&body("full")).await;
    let indexes: Vec<&Value> = told.decisions().iter().map(|decision| &decision["index"]).collect();
    assert_eq!(indexes, [0, 1, 2]);
}
