//! Requests that cannot be met, each fault with the place where it stands.

use serde_json::{Value, json};

use super::answered;
use crate::support::{TestServer, pointers, problem};

async fn faults(path: &str, body: &Value) -> Value {
    problem(TestServer::spawn().await.post(path, body).await, 422, "invalid_request").await
}

fn conversation() -> Value {
    let messages = answered(&["one".to_owned()]);
    messages.iter().map(|text| serde_json::from_str::<Value>(text).unwrap()).collect()
}

#[tokio::test]
async fn every_bad_option_is_named() {
    for (key, value, pointer) in [
        ("level", json!("losless"), "/level"),
        ("level", json!(1), "/level"),
        ("budget_tokens", json!(0), "/budget_tokens"),
        ("budget_tokens", json!(-1), "/budget_tokens"),
        ("budget_tokens", json!(1.5), "/budget_tokens"),
        ("budget_tokens", json!("many"), "/budget_tokens"),
        ("keep_recent_turns", json!(-1), "/keep_recent_turns"),
        ("originals", json!("keep"), "/originals"),
        ("explain", json!("all"), "/explain"),
        ("source", json!("cohere"), "/source"),
        ("model", json!(7), "/model"),
        ("deadline_ms", json!(0), "/deadline_ms"),
        ("on_deadline", json!("maybe"), "/on_deadline"),
        ("protect", json!([]), "/protect"),
        ("protect", json!({"messages": [true]}), "/protect/messages/0"),
        ("protect", json!({"roles": ["boss"]}), "/protect/roles/0"),
        ("protect", json!({"tools": "read"}), "/protect/tools"),
        ("protect", json!({"patterns": [{"regex": "("}]}), "/protect/patterns/0/regex"),
        ("protect", json!({"patterns": [{"label": "x"}]}), "/protect/patterns/0/regex"),
        ("protect", json!({"recent_turns": "x"}), "/protect/recent_turns"),
    ] {
        let mut body = json!({"messages": conversation()});
        body[key] = value.clone();
        assert_eq!(pointers(&faults("/compress", &body).await), [pointer], "{key}: {value}");
    }
}

#[tokio::test]
async fn all_faults_are_told_at_once() {
    let body = json!({"messages": [{"role": "user", "content": 7}, null], "level": "x",
        "budget_tokens": 0, "originals": 1, "protect": {"roles": ["x"], "tool": []}});
    let problem = faults("/compress", &body).await;
    let found = pointers(&problem);
    for pointer in [
        "/messages/0/content",
        "/messages/1",
        "/level",
        "/budget_tokens",
        "/originals",
        "/protect/roles/0",
        "/protect/tool",
    ] {
        assert!(found.contains(&pointer), "{pointer}: {problem}");
    }
}

#[tokio::test]
async fn a_text_and_messages_exclude_each_other_and_one_must_be_there() {
    for body in [
        json!({}),
        json!({"text": "x", "messages": conversation()}),
        json!({"text": "x", "contents": []}),
        json!({"level": "lossless"}),
    ] {
        assert_eq!(pointers(&faults("/compress", &body).await), [""], "{body}");
    }
    let problem = faults("/compress", &json!({"text": "x", "system": "Be brief."})).await;
    assert!(problem.to_string().contains("of which `system` is a part"), "{problem}");
    assert_eq!(pointers(&faults("/compress", &json!({"text": 7})).await), ["/text"]);
    for body in [
        json!({}),
        json!({"id": "x", "artifact": "y"}),
        json!({"id": "x", "messages": []}),
        json!({"originals": {}}),
    ] {
        assert_eq!(pointers(&faults("/expand", &body).await), [""], "{body}");
    }
}

#[tokio::test]
async fn a_text_says_which_tools_are_not_read_and_which_halves_of_letters_are_lost() {
    let server = TestServer::spawn().await;
    let body = r#"{"text":"cut \ud83d","tools":[{"name":"f","input_schema":{"type":"object"}}]}"#;
    let shown = server.compress(body).await;
    let report = shown.report();
    assert_eq!(report["warnings"][0]["code"], "tools_without_messages", "{report}");
    assert_eq!(report["warnings"][0]["pointer"], "/tools");
    assert_eq!(report["repairs"][0]["code"], "surrogate_replaced", "{report}");
    assert_eq!(report["repairs"][0]["pointer"], "/text");
}

#[tokio::test]
async fn an_unknown_key_is_told_with_the_nearest_known_one() {
    for (path, key, near) in [
        ("/compress", "budget_token", "budget_tokens"),
        ("/compress", "protects", "protect"),
        ("/expand", "original", "originals"),
    ] {
        let mut body = json!({"messages": conversation()});
        body[key] = json!(1);
        let problem = faults(path, &body).await;
        assert_eq!(pointers(&problem), [format!("/{key}")], "{problem}");
        assert!(problem.to_string().contains("did_you_mean"), "{problem}");
        assert!(problem.to_string().contains(&format!("\"{near}\"")), "{problem}");
    }
}

#[tokio::test]
async fn originals_must_be_what_their_ids_say() {
    for (originals, pointer) in [
        (json!([]), "/originals"),
        (
            json!({"574a963fe4c28cab63d90746": "another text"}),
            "/originals/574a963fe4c28cab63d90746",
        ),
        (json!({"574a963fe4c28cab63d90746": 7}), "/originals/574a963fe4c28cab63d90746"),
    ] {
        let body = json!({"messages": conversation(), "originals": originals});
        assert_eq!(pointers(&faults("/expand", &body).await), [pointer], "{originals}");
    }
    for messages in [json!("x"), json!({}), Value::Null] {
        let problem = faults("/expand", &json!({"messages": messages})).await;
        assert!(!pointers(&problem).is_empty(), "{problem}");
    }
}

#[tokio::test]
async fn bytes_that_are_no_json_are_refused() {
    let server = TestServer::spawn().await;
    for path in ["/compress", "/expand"] {
        let request = server.build("POST", path).header("content-type", "application/json");
        problem(request.body("{\"messages\":[").send().await.unwrap(), 400, "invalid_json").await;
        let answer = server.get(path).await;
        assert_eq!(answer.status(), 405, "{path}");
    }
}

#[tokio::test]
async fn what_was_refused_stores_nothing() {
    let server = TestServer::spawn().await;
    let text = crate::support::compress::log(60);
    let body = json!({"text": text, "notations": "computed"});
    let shown = TestServer::spawn().await.compress(&body.to_string()).await;
    let id = shown.artifacts()[0];
    let bad = json!({"text": text, "level": "x"});
    problem(server.post("/compress", &bad).await, 422, "invalid_request").await;
    assert_eq!(server.get(&format!("/artifacts/{id}")).await.status(), 404);
    server.compress(&body.to_string()).await;
    assert_eq!(server.get(&format!("/artifacts/{id}")).await.status(), 200);
}
