//! Calls from the queue, made by a running server.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use super::MASTER;
use crate::support::receiver::{Mode, Receiver};
use crate::support::wait::until;
use crate::support::{Folder, TestServer, problem};

async fn watch(server: &TestServer, receiver: &Receiver) -> String {
    let hook = json!({"id": "log", "point": "event", "kind": "observe", "url": receiver.url(),
                      "match": {"events": ["memory:changed"]}});
    let made = server.post_json("/hooks", 201, &hook).await;
    made["secret"].as_str().unwrap().to_owned()
}

async fn deliveries(server: &TestServer, query: &str) -> Vec<Value> {
    let list = server.get_json(&format!("/hooks/log/deliveries{query}")).await;
    list["items"].as_array().unwrap().clone()
}

/// Head and body of a request.
fn parts(request: &str) -> (HeaderMap, &str) {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let pairs = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let pairs = pairs.map(|(name, value)| {
        (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
    });
    (pairs.collect(), body)
}

#[tokio::test]
async fn an_event_is_a_signed_call() {
    let receiver = Receiver::spawn(Mode::Status(204, String::new(), String::new())).await;
    let server = TestServer::dev().await;
    let secret = watch(&server, &receiver).await;
    server.remember("colour", &json!({"value": "hush"})).await;
    let request = until(async || receiver.requests().first().cloned()).await;
    let (headers, body) = parts(&request);
    Webhook::new(&secret).unwrap().verify(body.as_bytes(), &headers).unwrap();
    let call: Value = serde_json::from_str(body).unwrap();
    assert_eq!((&call["point"], &call["kind"]), (&json!("event"), &json!("observe")));
    assert_eq!(call["input"]["type"], "memory:changed");
    assert_eq!(call["input"]["data"]["key"], "colour");
    assert!(!body.contains("hush"), "{body}");
    let done = until(async || deliveries(&server, "?state=delivered").await.first().cloned()).await;
    assert_eq!(done["id"], headers["webhook-id"].to_str().unwrap());
    assert_eq!((&done["attempts"][0]["status"], &done["due_at"]), (&json!(204), &Value::Null));
    let path = format!("/deliveries/{}/retry", done["id"].as_str().unwrap());
    problem(server.post(&path, &json!({})).await, 409, "conflict").await;
    problem(server.post("/deliveries/msg_none/retry", &json!({})).await, 404, "not_found").await;
    problem(server.get("/hooks/none/deliveries").await, 404, "not_found").await;
}

/// The same id, attempts counted, one success. The waiting is cut short by hand.
#[tokio::test]
async fn a_call_that_fails_comes_again_under_its_id() {
    let receiver = Receiver::script(|count| {
        Mode::Status(if count < 2 { 500 } else { 200 }, String::new(), String::new())
    })
    .await;
    let server = TestServer::dev().await;
    watch(&server, &receiver).await;
    server.remember("colour", &json!({"value": "hush"})).await;
    for count in 1..=2 {
        let failed = until(async || {
            let found = deliveries(&server, "?state=queued").await.first().cloned()?;
            (found["attempts"].as_array()?.len() == count).then_some(found)
        })
        .await;
        assert_eq!(failed["attempts"][count - 1]["cause"], "status");
        let path = format!("/deliveries/{}/retry", failed["id"].as_str().unwrap());
        assert_eq!(server.post(&path, &json!({})).await.status(), 200);
    }
    let done = until(async || deliveries(&server, "?state=delivered").await.first().cloned()).await;
    assert_eq!(done["attempts"].as_array().unwrap().len(), 3);
    let requests = receiver.requests();
    let numbers: Vec<Value> = requests
        .iter()
        .map(|request| {
            let (headers, body) = parts(request);
            assert_eq!(headers["webhook-id"].to_str().unwrap(), done["id"]);
            serde_json::from_str::<Value>(body).unwrap()["delivery"]["attempt"].clone()
        })
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
}

#[tokio::test]
async fn what_is_left_at_a_stop_is_sent_after_the_next_start() {
    let files = Folder::new();
    let keys = files.write("keys", MASTER);
    let url = format!("sqlite:{}", files.write("db", ""));
    let flags = ["--dev", "--database-url", &url, "--master-key-file", &keys];
    // Down: its port is taken by nobody.
    let receiver = Receiver::spawn(Mode::Answer("{}".to_owned())).await;
    let address = receiver.address;
    let first = TestServer::with(&flags).await;
    watch(&first, &receiver).await;
    drop(receiver);
    first.remember("colour", &json!({"value": "hush"})).await;
    let failed = until(async || {
        let found = deliveries(&first, "").await.first().cloned()?;
        (!found["attempts"].as_array()?.is_empty()).then_some(found)
    })
    .await;
    first.stop().await;
    let listener = until(async || tokio::net::TcpListener::bind(address).await.ok()).await;
    let receiver = Receiver::on(listener, |_| Mode::Answer("{}".to_owned()));
    let second = TestServer::with(&flags).await;
    let path = format!("/deliveries/{}/retry", failed["id"].as_str().unwrap());
    second.post(&path, &json!({})).await;
    let request = until(async || receiver.requests().first().cloned()).await;
    assert_eq!(parts(&request).0["webhook-id"].to_str().unwrap(), failed["id"]);
}

#[tokio::test]
async fn a_receiver_that_is_gone_disables_its_hook_and_that_is_told() {
    let receiver = Receiver::spawn(Mode::Status(410, String::new(), String::new())).await;
    let server = TestServer::dev().await;
    watch(&server, &receiver).await;
    server.remember("colour", &json!({"value": "hush"})).await;
    let hook = until(async || {
        let hook = server.get_json("/hooks/log").await;
        (hook["enabled"] == false).then_some(hook)
    })
    .await;
    assert_eq!(hook["disabled_because"], "gone");
    let events = server.get_json("/events?format=json&types=hook:disabled").await;
    assert_eq!(events["items"][0]["data"], json!({"hook": "log", "because": "gone"}));
    assert_eq!(deliveries(&server, "?state=dead").await.len(), 1);
}

/// What a compile reports as queued is sent once the compile is stored, and not where it fails.
#[tokio::test]
async fn an_observer_of_a_compile_is_called_behind_its_answer() {
    let receiver = Receiver::spawn(Mode::Answer("{}".to_owned())).await;
    let server = TestServer::dev().await;
    let hook = json!({"id": "log", "point": "before_compile", "kind": "observe",
                      "url": receiver.url()});
    assert_eq!(server.post("/hooks", &hook).await.status(), 201);
    let compile = json!({"messages": [{"role": "user", "content": "hello"}], "session_id": "s"});
    let answer = server.post_ok("/compile", &compile).await;
    assert_eq!(answer["report"]["hooks"][0]["outcome"], "queued", "{answer}");
    let request = until(async || receiver.requests().first().cloned()).await;
    let call: Value = serde_json::from_str(parts(&request).1).unwrap();
    assert_eq!(call["scope"]["compilation_id"], answer["id"]);
    assert_eq!(call["scope"]["session_id"], "s");
    assert_eq!(call["input"]["history"][0]["parts"][0]["text"], "hello");
    let done = until(async || deliveries(&server, "?state=delivered").await.first().cloned()).await;
    assert_eq!(
        (&done["point"], &done["compilation_id"]),
        (&json!("before_compile"), &answer["id"])
    );

    let too_small = json!({"messages": [{"role": "user", "content": "hello ".repeat(500)}],
        "budget": {"context_window": 100, "on_overflow": "fail"}});
    assert_eq!(server.post("/compile", &too_small).await.status(), 422);
    assert_eq!(deliveries(&server, "").await.len(), 1);
}

/// The cap is reached by setting the count of queued calls, in the file of a stopped server.
#[tokio::test]
async fn calls_above_the_cap_are_counted_by_the_hook_and_by_an_event() {
    let files = Folder::new();
    let keys = files.write("keys", MASTER);
    let file = files.write("db", "");
    let url = format!("sqlite:{file}");
    let flags = ["--dev", "--database-url", &url, "--master-key-file", &keys];
    let receiver = Receiver::spawn(Mode::Answer("{}".to_owned())).await;
    let first = TestServer::with(&flags).await;
    watch(&first, &receiver).await;
    drop(receiver);
    for key in ["a", "b"] {
        first.remember(key, &json!({"value": "hush"})).await;
    }
    let queue_of = async |server: &TestServer| server.get_json("/hooks/log").await["queue"].clone();
    until(async || (queue_of(&first).await["queued"] == 2).then_some(())).await;
    assert_eq!(queue_of(&first).await, json!({"queued": 2, "lost": 0}));
    let oldest = deliveries(&first, "").await[1]["id"].clone();
    first.stop().await;
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute("UPDATE delivery_hooks SET queued = 100000", [])
        .unwrap();
    let second = TestServer::with(&flags).await;
    second.remember("c", &json!({"value": "hush"})).await;
    let event = until(async || {
        let events = second.get_json("/events?format=json&types=hook:lost").await;
        events["items"].get(0).cloned()
    })
    .await;
    assert_eq!(event["data"], json!({"hook": "log", "count": 1}));
    assert_eq!(queue_of(&second).await, json!({"queued": 100_000, "lost": 1}));
    let list = second.get_json("/hooks").await;
    assert_eq!(list["items"][0]["queue"], queue_of(&second).await);
    let left = deliveries(&second, "").await;
    assert!(left.len() == 2 && left.iter().all(|one| one["id"] != oldest), "{left:?}");
    assert_eq!(second.delete("/hooks/log").await.status(), 204);
    watch(&second, &Receiver::spawn(Mode::Answer("{}".to_owned())).await).await;
    assert_eq!(queue_of(&second).await, json!({"queued": 0, "lost": 0}), "another hook");
}
