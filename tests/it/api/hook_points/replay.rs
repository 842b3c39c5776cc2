//! Compiles with hooks, run again from their records: nobody is asked.

use serde_json::{Value, json};

use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, answers, hook};
use crate::support::{Folder, ServerProcess, TestServer, pointers, problem};

#[tokio::test]
async fn a_replay_has_what_hooks_said_and_asks_nobody() {
    let context = answers(&json!({"content": "The build is red."})).await;
    let change = answers(&json!({"action": "json_patch", "patch": [
        {"op": "replace", "path": "/messages/0/parts/0/text", "value": "Good day"}]}))
    .await;
    let watched = answers(&json!({})).await;
    let server = TestServer::dev().await;
    let secret = json!({"headers": {"x-token": "a most secret token"}});
    let body = json!({
        "messages": [user("Hello")], "record": "full",
        "hooks": [
            hook("rag", ("before_compile", "provide"), &context, &secret),
            hook("seen", ("before_compile", "observe"), &watched, &json!({"delivery": "sync"})),
            hook("t", ("transform_context", "transform"), &change, &json!({})),
        ],
    });
    let compiled = server.post_json("/compile", 200, &body).await;
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

    let before = [&context, &change, &watched].map(|receiver| receiver.bodies().len());
    let answer = server.post(&format!("{path}/replay"), &json!({})).await;
    let again: Value = answer.json().await.unwrap();
    assert_eq!(
        (&again["status"], &again["payload"]),
        (&json!("equal"), &compiled["payload"]),
        "{again}"
    );
    assert_eq!([&context, &change, &watched].map(|receiver| receiver.bodies().len()), before);
}

#[tokio::test]
async fn hashes_have_no_answers_of_hooks() {
    let context = answers(&json!({"content": "The build is red."})).await;
    let server = TestServer::dev().await;
    let body = json!({"messages": [user("Hello")], "record": "hashes",
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

#[tokio::test]
async fn another_request_tells_where_a_hook_would_be_asked_otherwise() {
    let change = |text: &str| {
        json!({"action": "json_patch", "patch": [
            {"op": "replace", "path": "/messages/0/parts/0/text", "value": text}]})
    };
    let said = |id: &str, role: &str, text: &str| json!({"id": id, "role": role, "parts": [{"type": "text", "text": text}]});
    let (one, two) = (answers(&change("Good day")).await, answers(&change("Good night")).await);
    let server = TestServer::dev().await;
    let body = json!({
        "messages": [
            said("a", "user", "Hello"), said("b", "assistant", "Hi"), said("c", "user", "More."),
        ],
        "record": "full",
        "hooks": [
            hook("one", ("transform_context", "transform"), &one,
                &json!({"input": {"include": ["/messages/0"]}})),
            hook("two", ("transform_context", "transform"), &two, &json!({})),
        ],
    });
    let compiled = server.post_json("/compile", 200, &body).await;
    let path = format!("/compilations/{}/replay", compiled["id"].as_str().unwrap());
    let mut other = body.clone();
    other["messages"][2]["parts"][0]["text"] = "Less.".into();
    let answer = server.post(&path, &json!({"request": other})).await;
    let told = problem(answer, 409, "replay_divergence").await;
    assert_eq!(
        told["details"],
        json!({"hook": "two", "point": "transform_context", "occurrence": 0,
            "pointer": "/input/messages/2/parts/0/text"})
    );
    assert_eq!(told["compilation_id"], compiled["id"]);
    assert_eq!((one.bodies().len(), two.bodies().len()), (1, 1));
}

#[tokio::test]
async fn what_no_record_has_is_told_by_its_place_and_nobody_is_asked() {
    let guard = answers(&json!({"decision": "allow"})).await;
    let server = TestServer::dev().await;
    let words = "Words about nothing in particular. ".repeat(40);
    let turns: Vec<Value> = (0..24).map(|turn| user(&format!("Turn {turn}. {words}"))).collect();
    let mut body = json!({
        "messages": turns, "record": "full", "budget": {"context_window": 100_000},
        "hooks": [hook("g", ("before_compress", "guard"), &guard, &json!({}))],
    });
    let compiled = server.post_json("/compile", 200, &body).await;
    let path = format!("/compilations/{}/replay", compiled["id"].as_str().unwrap());
    body["budget"] = json!({"context_window": 3_000});
    let answer = server.post(&path, &json!({"request": body})).await;
    let told = problem(answer, 409, "replay_divergence").await;
    let place = json!({"hook": "g", "point": "before_compress", "occurrence": 0});
    for (name, value) in place.as_object().unwrap() {
        assert_eq!(&told["details"][name], value, "{told}");
    }
    assert_eq!(guard.requests().len(), 0);
}

/// A context hook that is registered, and a recorded compile that it was asked in.
async fn recorded(server: &TestServer, receiver: &Receiver) -> (String, Value) {
    let hook = hook("rag", ("before_compile", "provide"), receiver, &json!({}));
    assert_eq!(server.post("/hooks", &hook).await.status(), 201);
    let body = json!({"messages": [user("Hello")], "record": "full", "memory": true});
    let answer = server.post_ok("/compile", &body).await;
    (format!("/compilations/{}", answer["id"].as_str().unwrap()), answer)
}

async fn again(server: &TestServer, path: &str, mode: &str) -> Value {
    server.post_json(&format!("{path}/replay"), 200, &json!({"mode": mode})).await
}

/// One that says this first, and that from then on.
async fn says(first: &'static str, then: Mode) -> Receiver {
    Receiver::script(move |before| match before {
        0 => Mode::Answer(json!({"content": first}).to_string()),
        _ => then.clone(),
    })
    .await
}

#[tokio::test]
async fn a_verified_replay_asks_hooks_and_keeps_to_the_record() {
    let failing = Mode::Status(500, String::new(), String::new());
    for (then, outcome) in [
        (Mode::Answer("{ \"content\" : \"red\" }".to_owned()), "equal"),
        (Mode::Answer(json!({"content": "green"}).to_string()), "differs"),
        (failing, "failed"),
    ] {
        let receiver = says("red", then).await;
        let server = TestServer::dev().await;
        let (path, first) = recorded(&server, &receiver).await;
        let told = again(&server, &path, "verify").await;
        assert_eq!((&told["status"], &told["payload"]), (&json!("equal"), &first["payload"]));
        assert_eq!(
            told["hooks"],
            json!([{"hook": "rag", "point": "before_compile", "occurrence": 0,
                "outcome": outcome, "asked_otherwise": false, "config_changed": false}])
        );
        let calls = receiver.bodies();
        assert_eq!((calls.len(), &calls[1]["delivery"]["replay"]), (2, &json!(true)));
        assert_eq!(calls[1]["input"], calls[0]["input"]);
    }
}

#[tokio::test]
async fn a_hook_of_another_definition_is_told_and_the_record_stands() {
    let receiver = answers(&json!({"content": "red"})).await;
    let server = TestServer::dev().await;
    let (path, first) = recorded(&server, &receiver).await;
    let changed = server.build("PATCH", "/hooks/rag").json(&json!({"timeout_ms": 9000})).send();
    assert_eq!(changed.await.unwrap().status(), 200);
    let told = again(&server, &path, "strict").await;
    assert_eq!((&told["status"], receiver.requests().len()), (&json!("equal"), 1));
    let told = again(&server, &path, "verify").await;
    assert_eq!(
        (&told["hooks"][0]["outcome"], &told["hooks"][0]["config_changed"]),
        (&json!("equal"), &json!(true))
    );
    assert_eq!(told["payload"], first["payload"]);
}

#[tokio::test]
async fn a_hook_that_is_gone_is_told_and_one_that_would_be_asked_otherwise_too() {
    let receiver = answers(&json!({"content": "red"})).await;
    let server = TestServer::dev().await;
    let (path, first) = recorded(&server, &receiver).await;
    let gone = server.delete("/hooks/rag").await;
    assert_eq!(gone.status(), 204);
    let told = again(&server, &path, "verify").await;
    assert_eq!(
        (&told["hooks"][0]["outcome"], &told["payload"]),
        (&json!("gone"), &first["payload"])
    );
    assert_eq!(receiver.requests().len(), 1);
    assert!(again(&server, &path, "strict").await["hooks"].is_null());
}

#[tokio::test]
async fn a_refreshed_compile_asks_only_what_it_has_not_asked_and_is_a_record_of_its_own() {
    let receiver = says("red", Mode::Answer(json!({"content": "green"}).to_string())).await;
    let server = TestServer::dev().await;
    let (path, first) = recorded(&server, &receiver).await;
    // The hook is asked what it was asked: the record answers.
    let told = again(&server, &path, "refresh").await;
    assert_eq!((&told["status"], receiver.requests().len()), (&json!("equal"), 1));
    assert_eq!(told["payload"], first["payload"]);
    let id = told["compilation_id"].as_str().unwrap();
    assert_ne!(Some(id), first["id"].as_str());
    let new = server.get_json(&format!("/compilations/{id}")).await;
    assert_eq!((&new["payload"], &new["record"]), (&first["payload"], &json!("full")));
    let path = format!("/compilations/{id}");
    assert_eq!(again(&server, &path, "strict").await["status"], "equal");
    // A new hook has never been asked.
    let more = answers(&json!({"content": "more"})).await;
    let hook = hook("z", ("before_compile", "provide"), &more, &json!({}));
    assert_eq!(server.post("/hooks", &hook).await.status(), 201);
    let told = again(&server, &path, "refresh").await;
    assert_eq!((receiver.requests().len(), more.requests().len()), (1, 1));
    assert!(told["payload"].to_string().contains("red\\nmore"), "{told}");
    let sent = json!({"mode": "refresh", "request": {"messages": []}});
    let refused = server.post(&format!("{path}/replay"), &sent).await;
    let refused = problem(refused, 422, "invalid_request").await;
    assert_eq!(pointers(&refused), ["/request"]);
}

#[tokio::test]
async fn the_command_line_asks_hooks_as_the_route_does() {
    let folder = Folder::new();
    let (url, keys) = (folder.url(), folder.write("keys", "5".repeat(64)));
    let flags = ["--dev", "--database-url", url.as_str(), "--master-key-file", keys.as_str()];
    let server = TestServer::with(&flags).await;
    let said = |n| json!({"content": if n == 0 { "red" } else { "green" }}).to_string();
    let receiver = Receiver::script(move |n| Mode::Answer(said(n))).await;
    let (_, compiled) = recorded(&server, &receiver).await;
    let run = async |mode: &str| {
        let mut command = ServerProcess::command();
        command.args(["replay", mode, compiled["id"].as_str().expect("an id")]).args(flags);
        let run = tokio::task::spawn_blocking(move || command.output());
        let output = run.await.expect("no panic").expect("the program runs");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
        told
    };
    let told = run("--verify").await;
    assert!(told.contains("before_compile rag: differs\n"), "{told}");
    let asked = receiver.bodies();
    assert_eq!((asked.len(), &asked[1]["delivery"]["replay"]), (2, &json!(true)));
    // What it was asked then has the answer of then.
    let told = run("--refresh").await;
    let id = told.lines().find_map(|line| line.strip_prefix("new record: ")).expect("a record");
    assert_eq!(server.get(&format!("/compilations/{id}")).await.status(), 200);
    assert_eq!(receiver.requests().len(), 2);
}
