//! Hooks in compiles that no pack governs.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::support::TestServer;
use crate::support::compile::{Compiled, user};
use crate::support::receiver::{Mode, Receiver, answers};

fn hook(id: &str, (point, kind): (&str, &str), receiver: &Receiver) -> Value {
    json!({"id": id, "point": point, "kind": kind, "url": receiver.url()})
}

/// A history that is over its window, with hooks.
fn long(hooks: &Value) -> Value {
    let mut body = super::hooks::long(1500);
    body["hooks"] = hooks.clone();
    body
}

/// The types of the events so far.
async fn events(server: &TestServer) -> Vec<String> {
    let events = server.events().await;
    events.iter().map(|row| row["type"].as_str().expect("a type").to_owned()).collect()
}

/// The two last messages of a history that `long` makes, as hooks are shown them.
async fn tail() -> Value {
    let server = TestServer::dev().await;
    let probe = answers(&json!({"action": "unchanged"})).await;
    server.compile(&long(&json!([hook("t", ("before_compress", "transform"), &probe)]))).await;
    let history = probe.bodies()[0]["input"]["history"].as_array().expect("a history").clone();
    history[history.len() - 2..].into()
}

/// U-02.
#[tokio::test]
async fn a_hook_that_shortens_the_history_leaves_nothing_to_compress() {
    let shorter = answers(&json!({"action": "replace", "payload": tail().await})).await;
    let told = answers(&json!(null)).await;
    let server = TestServer::dev().await;
    let hooks = json!([
        hook("t", ("before_compress", "transform"), &shorter),
        hook("a", ("after_compress", "observe"), &told)
    ]);
    let done = server.compile(&long(&hooks)).await;
    assert_eq!(done.roles(), ["assistant", "user"]);
    assert_eq!(done.said(1), "And now?");
    assert_eq!((shorter.requests().len(), told.requests().len()), (1, 0));
    assert_eq!(events(&server).await, ["compile:start", "compile:done"]);
}

/// U-03.
#[tokio::test]
async fn a_hook_that_leaves_the_history_lets_it_shrink() {
    let leaves = answers(&json!({"action": "unchanged"})).await;
    let told = answers(&json!(null)).await;
    let server = TestServer::dev().await;
    let mut after = hook("a", ("after_compress", "observe"), &told);
    after["delivery"] = json!("sync");
    let hooks = json!([hook("t", ("before_compress", "transform"), &leaves), after]);
    let done = server.compile(&long(&hooks)).await;
    let gone = done.action("summarized") + done.action("dropped");
    assert!(gone > 0, "{}", done.report);
    let told = told.bodies();
    assert_eq!((leaves.requests().len(), told.len()), (1, 1));
    assert_eq!(told[0]["input"]["truncated_count"], gone);
    assert_eq!(told[0]["input"]["summary"].as_str(), Some(done.said(0).as_str()));
    assert_eq!(events(&server).await, ["compile:start", "compress", "compile:done"]);
}

/// U-04.
#[tokio::test]
async fn hooks_are_asked_in_the_order_of_the_stages() {
    // One receiver for all: `null` is no answer of a transform at either point, and is passed over.
    let receiver = answers(&json!(null)).await;
    let server = TestServer::dev().await;
    let mut hooks = Vec::new();
    for (point, kind) in [
        ("transform_context", "transform"),
        ("before_compile", "provide"),
        ("after_compress", "observe"),
        ("before_compress", "transform"),
    ] {
        let mut one = hook(point, (point, kind), &receiver);
        match kind {
            "observe" => one["delivery"] = json!("sync"),
            "transform" => one["on_failure"] = json!("skip"),
            _ => {}
        }
        hooks.push(one);
    }
    server.compile(&long(&hooks.into())).await;
    let asked: Vec<Value> = receiver.bodies().iter().map(|call| call["point"].clone()).collect();
    let wanted = ["before_compress", "before_compile", "transform_context", "after_compress"];
    assert_eq!(asked, wanted);
    let events = events(&server).await;
    assert_eq!(events.first().map(String::as_str), Some("compile:start"));
    assert_eq!(events.last().map(String::as_str), Some("compile:done"));
    assert!(events.contains(&"compress".to_owned()), "{events:?}");
}

/// U-05.
#[tokio::test]
async fn a_hook_s_text_stands_in_its_wrapper_in_either_place() {
    let receiver = answers(&json!({"content": "Found by a search."})).await;
    let server = TestServer::dev().await;
    let wrapped = "<implicit_context>\nFound by a search.\n</implicit_context>";
    for (placement, at) in [("last_user", 0), ("system", 1)] {
        let body = json!({"messages": [user("Hello")], "dynamic_state": {"step": 1},
            "dynamic_state_placement": placement,
            "hooks": [hook("rag", ("before_compile", "provide"), &receiver)]});
        let done = server.compile(&body).await;
        assert!(done.said(at).contains(wrapped), "{placement}: {}", done.text);
        assert_eq!(done.text.matches("<implicit_context>").count(), 1, "{placement}");
        assert_eq!(done.list().len(), at + 1, "{placement}: {}", done.text);
    }
}

/// U-11: who answers himself asks which hooks would be called, and gives what they would have said
/// with the request; the payload is the one that the webhook's answer makes.
#[tokio::test]
async fn an_answer_that_is_given_later_makes_the_payload_that_the_webhook_makes() {
    let receiver = answers(&json!({"content": "Found by a search."})).await;
    let server = TestServer::dev().await;
    let own = hook("rag", ("before_compile", "provide"), &receiver);
    let mut body = json!({"messages": [user("Hello")], "hooks": [own]});
    let dry = server.post("/compile?dry_run=true", &body).await;
    assert_eq!(dry.status(), 200);
    let dry = Compiled::read(&dry.text().await.expect("a body"));
    let line = &dry.report["hooks"][0];
    assert_eq!(
        (&line["id"], &line["point"], &line["outcome"]),
        (&json!("rag"), &json!("before_compile"), &json!("would_call"))
    );
    assert_eq!((receiver.requests().len(), events(&server).await.len()), (0, 0));
    let asked = server.compile(&body).await;
    body["hooks"] = json!([]);
    body["implicit_context"] = json!("Found by a search.");
    let given = server.compile(&body).await;
    assert_eq!((given.text, receiver.requests().len()), (asked.text, 1));
}

/// H69.
#[tokio::test]
async fn only_who_observes_is_called_later() {
    let receiver = answers(&json!({"decision": "allow"})).await;
    let server = TestServer::dev().await;
    for (kind, delivery) in
        [("guard", "async"), ("transform", "async"), ("guard", "sync"), ("transform", "sync")]
    {
        let mut one = hook("h", ("tool_call", kind), &receiver);
        one["delivery"] = json!(delivery);
        let refused = server.post("/hooks", &one).await;
        let refused = crate::support::problem(refused, 422, "invalid_request").await;
        assert_eq!(refused["errors"][0]["pointer"], "/delivery", "{kind}: {refused}");
    }
    let mut watch = hook("h", ("tool_call", "observe"), &receiver);
    watch["delivery"] = json!("async");
    assert_eq!(server.post("/hooks", &watch).await.status(), 201);
}

/// H51.
#[tokio::test]
async fn a_write_waits_while_others_hear_of_the_switch() {
    let both = Arc::new(Barrier::new(2));
    let held = Arc::clone(&both);
    let receiver = Receiver::script(move |_| Mode::Together(Arc::clone(&held), "{}".into())).await;
    let server = Arc::new(TestServer::dev().await);
    for id in ["s1", "s3"] {
        assert!(server.post("/sessions", &json!({"id": id})).await.status().is_success());
    }
    let mut watch = hook("w", ("session_switch", "observe"), &receiver);
    watch["delivery"] = json!("sync");
    watch["timeout_ms"] = json!(20_000);
    assert_eq!(server.post("/hooks", &watch).await.status(), 201);
    let spawn = |method: &'static str, path: &'static str, body: Value| {
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            server.build(method, path).json(&body).send().await.expect("an answer").status()
        })
    };
    let switch = spawn("POST", "/sessions/s1/switch", json!({"new_session_id": "s2"}));
    receiver.reached(1).await;
    let scope = |session: &str| json!({"value": "v", "scope": {"session_id": session}});
    let write = spawn("PUT", "/memory/k", scope("s2"));
    let turn = spawn("POST", "/sessions/s2/turns", json!({"append": [user("Hello")]}));
    // Others are not held up, however often they come.
    for at in 0..20 {
        let other = server.build("PUT", &format!("/memory/k{at}")).json(&scope("s3"));
        assert!(other.send().await.expect("an answer").status().is_success());
    }
    assert!(!switch.is_finished() && !write.is_finished() && !turn.is_finished());
    assert_eq!(server.get("/memory/k?session_id=s2").await.status(), 404);
    both.wait().await;
    for done in [switch, write, turn] {
        assert!(done.await.expect("no panic").is_success());
    }
    assert_eq!(server.get("/memory/k?session_id=s2").await.status(), 200);
    assert_eq!(receiver.requests().len(), 1);
}
