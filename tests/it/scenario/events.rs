//! Scenarios E05 to E11: what is told of a compile, and what one that is given up leaves behind.

use serde_json::{Value, json};

use super::summarizer::five;
use crate::support::TestServer;
use crate::support::compile::with;
use crate::support::receiver::{Mode, Receiver};

/// The events so far: their types and data, in order.
async fn events(server: &TestServer) -> Vec<(String, Value)> {
    let events = server.events().await;
    let pair =
        |row: &Value| (row["type"].as_str().expect("a type").to_owned(), row["data"].clone());
    events.iter().map(pair).collect()
}

async fn count(server: &TestServer, kind: &str) -> usize {
    events(server).await.iter().filter(|(own, _)| own == kind).count()
}

fn hook(point: &str, kind: &str, receiver: &Receiver, more: &Value) -> Value {
    let own = json!({"id": "h", "point": point, "kind": kind, "url": receiver.url()});
    json!({"hooks": [with(own, more)]})
}

/// A session with an entry of memory that goes after one turn.
async fn forgetful(server: &TestServer) {
    let entry = json!({"value": "v", "ttl": {"turns": 1}, "scope": {"session_id": "s"}});
    let put = server.put("/memory/k", &entry).await;
    assert!(put.status().is_success(), "{}", put.status());
}

async fn turns(server: &TestServer) -> Value {
    let session = server.get_json("/sessions/s").await;
    let memory = server.get_json("/memory?session_id=s").await;
    json!([session["turns"], memory["items"].as_array().map(Vec::len)])
}

#[tokio::test]
async fn a_compile_is_told_from_its_start_to_its_end() {
    let server = TestServer::dev().await;
    forgetful(&server).await;
    let body = with(five(), &json!({"session_id": "s", "memory": true}));
    for _ in 0..4 {
        server.compile(&body).await;
    }
    let mut told = events(&server).await;
    while told.last().is_some_and(|(kind, _)| kind != "compile:done") {
        told.pop();
    }
    let expired = told.iter().position(|(kind, _)| kind == "memory:expired").expect("it goes");
    let start = told[..expired].iter().rposition(|(kind, _)| kind == "compile:start").unwrap();
    let end = start + told[start..].iter().position(|(kind, _)| kind == "compile:done").unwrap();
    let kinds: Vec<&str> = told[start..=end].iter().map(|(kind, _)| kind.as_str()).collect();
    let wanted = ["compile:start", "memory:expired", "memory:changed", "compress", "compile:done"];
    assert_eq!(kinds, wanted);
}

#[tokio::test]
async fn a_compression_is_told_once_and_only_where_there_is_one() {
    let server = TestServer::dev().await;
    server.compile(&with(five(), &json!({"budget": {"context_window": 50_000}}))).await;
    assert_eq!(count(&server, "compress").await, 0);
    for told in 1..=2 {
        server.compile(&five()).await;
        assert_eq!(count(&server, "compress").await, told);
    }
}

#[tokio::test]
async fn the_callback_comes_once_the_compression_is_stored() {
    let server = TestServer::dev().await;
    let receiver = Receiver::spawn(Mode::Hang).await;
    let more = json!({"delivery": "sync", "timeout_ms": 4000});
    let body = with(five(), &hook("after_compress", "observe", &receiver, &more));
    let look = async {
        receiver.reached(1).await;
        let call = &receiver.bodies()[0];
        let id = call["scope"]["compilation_id"].as_str().unwrap().to_owned();
        let record = server.get(&format!("/compilations/{id}")).await;
        (count(&server, "compress").await, record.status().as_u16())
    };
    let (_, meanwhile) = tokio::join!(server.compile(&body), look);
    assert_eq!(meanwhile, (1, 200));
}

#[tokio::test]
async fn a_failing_observer_changes_no_answer_and_no_state() {
    let server = TestServer::dev().await;
    let plain = server.compile(&with(five(), &json!({"session_id": "p"}))).await;
    for mode in [Mode::Status(500, String::new(), String::new()), Mode::CloseAtOnce] {
        let receiver = Receiver::spawn(mode).await;
        let failing = hook("after_compress", "observe", &receiver, &json!({"delivery": "sync"}));
        let told = count(&server, "compress").await;
        let compiled = server.compile(&with(five(), &failing)).await;
        assert_eq!((compiled.text == plain.text, receiver.requests().len()), (true, 1));
        assert_eq!(count(&server, "compress").await, told + 1);
    }
}

#[tokio::test]
async fn a_request_without_time_is_never_done() {
    let server = TestServer::dev().await;
    let answer = server
        .build("POST", "/compile")
        .header("Contexture-Deadline-Ms", "1")
        .json(&with(
            five(),
            &json!({"messages": vec![json!({"role": "user",
            "content": "word ".repeat(400_000)}); 4]}),
        ))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 504);
    assert_eq!(count(&server, "compile:done").await, 0);
}

#[tokio::test]
async fn a_compile_that_is_given_up_in_a_hook_leaves_no_trace() {
    let server = TestServer::dev().await;
    forgetful(&server).await;
    let body = with(five(), &json!({"session_id": "s", "memory": true}));
    server.compile(&body).await;
    let (before, done) = (turns(&server).await, count(&server, "compile:done").await);
    let receiver = Receiver::spawn(Mode::Hang).await;
    let stuck = hook("before_compile", "provide", &receiver, &json!({"timeout_ms": 20_000}));
    let late = with(with(body.clone(), &stuck), &json!({"deadline_ms": 700}));
    assert_eq!(server.post("/compile", &late).await.status(), 504);
    assert_eq!(turns(&server).await, before);
    let last = events(&server).await.pop().expect("events");
    assert_eq!((last.0.as_str(), count(&server, "compile:done").await), ("compile:failed", done));
    // The same of a client that goes away.
    let gone = with(body.clone(), &stuck);
    let call = server.build("POST", "/compile").json(&gone).send();
    let seen = receiver.requests().len();
    tokio::select! {
        answer = call => panic!("an answer: {answer:?}"),
        () = receiver.reached(seen + 1) => {}
    }
    assert_eq!(turns(&server).await, before);
    assert_eq!(count(&server, "compile:done").await, done);
    // The next one goes on where the last one was.
    server.compile(&body).await;
    assert_ne!(turns(&server).await, before);
}

#[tokio::test]
async fn an_equal_copy_of_the_history_changes_nothing() {
    let server = TestServer::dev().await;
    let plain = server.compile(&five()).await;
    let probe = Receiver::spawn(Mode::Answer(json!({"action": "unchanged"}).to_string())).await;
    server.compile(&with(five(), &hook("before_compress", "transform", &probe, &json!({})))).await;
    let requests = probe.requests();
    let (_, body) = requests[0].split_once("\r\n\r\n").unwrap();
    let shown: Value = serde_json::from_str(body).unwrap();
    let copy = json!({"action": "replace", "payload": shown["input"]["history"]});
    let receiver = Receiver::spawn(Mode::Answer(copy.to_string())).await;
    let same = hook("before_compress", "transform", &receiver, &json!({}));
    let compiled = server.compile(&with(five(), &same)).await;
    assert_eq!((compiled.text, receiver.requests().len()), (plain.text, 1));
}
