//! Compiles with hooks, run again from their records: nobody is asked.

use serde_json::{Value, json};

use super::{answers, calls, hook, server, user};
use crate::support::problem;

#[tokio::test]
async fn a_replay_has_what_hooks_said_and_asks_nobody() {
    let context = answers(&json!({"content": "The build is red."})).await;
    let change = answers(&json!({"action": "json_patch", "patch": [
        {"op": "replace", "path": "/messages/0/parts/0/text", "value": "Good day"}]}))
    .await;
    let watched = answers(&json!({})).await;
    let server = server().await;
    let secret = json!({"headers": {"x-token": "a most secret token"}});
    let body = json!({
        "messages": [user("Hello")], "record": "full",
        "hooks": [
            hook("rag", ("before_compile", "provide"), &context, &secret),
            hook("seen", ("before_compile", "observe"), &watched, &json!({"delivery": "sync"})),
            hook("t", ("transform_context", "transform"), &change, &json!({})),
        ],
    });
    let answer = server.post("/compile", &body).await;
    assert_eq!(answer.status(), 200);
    let compiled: Value = answer.json().await.unwrap();
    assert!(compiled["payload"].to_string().contains("Good day"), "{compiled}");
    let path = format!("/compilations/{}", compiled["id"].as_str().unwrap());
    let record = server.get(&path).await.text().await.unwrap();
    assert!(!record.contains("secret"), "{record}");
    let record: Value = serde_json::from_str(&record).unwrap();
    let kinds: Vec<&str> = record["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["outcome"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"applied"), "{kinds:?}");

    let before = [&context, &change, &watched].map(|receiver| calls(receiver).len());
    let answer = server.post(&format!("{path}/replay"), &json!({})).await;
    let again: Value = answer.json().await.unwrap();
    assert_eq!(
        (&again["status"], &again["payload"]),
        (&json!("equal"), &compiled["payload"]),
        "{again}"
    );
    assert_eq!([&context, &change, &watched].map(|receiver| calls(receiver).len()), before);
}

#[tokio::test]
async fn hashes_have_no_answers_of_hooks() {
    let context = answers(&json!({"content": "The build is red."})).await;
    let server = server().await;
    let body = json!({"messages": [user("Hello")],
        "hooks": [hook("rag", ("before_compile", "provide"), &context, &json!({}))]});
    let answer = server.post("/compile", &body).await;
    let compiled: Value = answer.json().await.unwrap();
    let path = format!("/compilations/{}", compiled["id"].as_str().unwrap());
    let record = server.get(&path).await.text().await.unwrap();
    assert!(!record.contains("red."), "{record}");
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["hooks"][0]["hook"], "rag");
    let inject = record["stages"].as_array().unwrap().iter().find(|row| row["stage"] == "inject");
    assert!(inject.unwrap()["input_parts"]["hooks.before_compile"].is_string());
    let answer = server.post(&format!("{path}/replay"), &json!({"request": body})).await;
    problem(answer, 409, "record_incomplete").await;
}
