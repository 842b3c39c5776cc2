//! What goes over the wire, and what comes back.

use std::sync::Arc;

use contexture::domain::{Clock, Timestamp};
use contexture::hook::{CallScope, HookAction, HookAnswer, Secrets};
use contexture::webhook::{CallContext, Policy};
use serde_json::{Value, json};

use super::{Fixed, call, cause, dev, guard, hook, to, webhooks, with};
use crate::support::receiver::{Mode, Receiver};

const ALLOW: &str = r#"{"decision":"allow"}"#;

fn body(request: &str) -> Value {
    let (_, body) = request.split_once("\r\n\r\n").expect("a head and a body");
    serde_json::from_str(body).expect("JSON")
}

fn header<'r>(request: &'r str, name: &str) -> Option<&'r str> {
    let head = request.split("\r\n\r\n").next()?;
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(": ")?;
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}

#[tokio::test]
async fn a_call_says_what_it_is_and_is_signed() {
    let receiver = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let more = json!({"headers": {"Authorization": "Bearer swordfish-1"}});
    let hook = hook("guard", &receiver.url(), &more);
    let clock = Clock::standing(Timestamp::from_micros(1_760_000_000_500_000));
    let webhooks = with(dev(), Arc::new(Fixed(Vec::new())), clock);
    let called = call(&webhooks, &hook).await;
    assert_eq!((called.answer, called.attempts), (Ok(HookAnswer::Allow), 1));
    let request = &receiver.requests()[0];
    assert!(request.starts_with("POST /hook HTTP/1.1\r\n"), "{request}");
    assert_eq!(
        body(request),
        json!({"spec": "hooks/1", "point": "tool_call", "kind": "guard",
            "hook": {"id": "h", "revision": 1},
            "scope": {"tenant": "t", "compilation_id": null, "session_id": null, "agent": null,
                "turn": 3},
            "delivery": {"attempt": 1, "sent_at": "2025-10-09T08:53:20Z", "replay": false,
                "test": false},
            "input": {"n": 1.5}})
    );
    assert!(request.ends_with(r#""input":{"n":1.50}}"#));
    assert_eq!(header(request, "content-type"), Some("application/json"));
    assert_eq!(header(request, "authorization"), Some("Bearer swordfish-1"));
    assert_eq!(header(request, "contexture-hop"), Some("2"));
    assert_eq!(header(request, "webhook-timestamp"), Some("1760000000"));
    assert_eq!(header(request, "accept-encoding"), None);
    let id = header(request, "webhook-id").expect("an id");
    assert!(id.starts_with("msg_") && !id.contains('.') && id.len() == 36, "{id}");
    assert!(header(request, "webhook-signature").expect("a signature").starts_with("v1,"));
}

#[tokio::test]
async fn an_exchange_tells_all_but_secrets() {
    let receiver = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let more = json!({"headers": {"X-Key": "swordfish-1"}});
    let hook = hook("guard", &receiver.url(), &more);
    let scope = CallScope { tenant: "t".into(), ..CallScope::default() };
    let delivery =
        CallContext { id: Some("msg_known".into()), earlier: 2, replay: true, test: true };
    let told = webhooks(dev()).exchange(to(&hook, &scope, hook.timeout()), delivery).await;
    assert_eq!((told.status, told.body.as_deref()), (Some(200), Some(ALLOW)));
    let sent = body(&receiver.requests()[0]);
    assert_eq!(serde_json::from_str::<Value>(&told.sent).unwrap(), sent);
    assert_eq!(sent["delivery"]["attempt"], 3);
    assert_eq!(
        (&sent["delivery"]["test"], &sent["delivery"]["replay"]),
        (&true.into(), &true.into())
    );
    let names: Vec<&str> = told.headers.iter().map(|(name, _)| &**name).collect();
    assert!(names.contains(&"x-key") && names.contains(&"webhook-signature"), "{names:?}");
    assert!(!format!("{told:?}").contains("swordfish"));
}

#[tokio::test]
async fn a_connection_serves_many_calls() {
    let receiver = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let (webhooks, hook) = (webhooks(dev()), guard(receiver.address));
    for _ in 0..50 {
        assert_eq!(cause(&call(&webhooks, &hook).await), "answered");
    }
    // One that is not back in time is not waited for.
    assert!(receiver.connections() < 25, "{}", receiver.connections());
    assert_eq!(receiver.requests().len(), 50);
}

#[tokio::test]
async fn a_call_is_tried_again_only_where_nothing_was_sent() {
    let refused = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let called = call(&webhooks(dev()), &guard(refused)).await;
    assert_eq!((cause(&called), called.attempts), ("connect", 2));

    let receiver = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    let called = call(&webhooks(dev()), &guard(receiver.address)).await;
    assert_eq!((cause(&called), called.attempts, receiver.requests().len()), ("status", 1, 1));

    // The request was read and the connection closed: a guard may have done something.
    let receiver = Receiver::spawn(Mode::CloseAtOnce).await;
    let called = call(&webhooks(dev()), &guard(receiver.address)).await;
    assert_eq!((cause(&called), receiver.requests().len()), ("connect", 1));
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_is_not_followed() {
    let canary = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    for status in [301, 302, 303, 307, 308] {
        let to = format!("location: {}\r\n", canary.url());
        let receiver = Receiver::spawn(Mode::Status(status, to, ALLOW.to_owned())).await;
        let called = call(&webhooks(dev()), &guard(receiver.address)).await;
        assert_eq!(cause(&called), "redirect", "{status}");
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn a_receiver_that_is_gone_says_so() {
    let receiver = Receiver::spawn(Mode::Status(410, String::new(), String::new())).await;
    let called = call(&webhooks(dev()), &guard(receiver.address)).await;
    assert!(called.answer.unwrap_err().is_gone());
}

#[tokio::test]
async fn an_answer_may_not_repeat_the_secrets_of_its_hook() {
    let more = json!({"headers": {"Authorization": "Bearer swordfish-1"}});
    for text in ["swordfish-1", "Bearer swordfish-1"] {
        let answer = json!({"content": format!("found {text} there")}).to_string();
        let receiver = Receiver::spawn(Mode::Answer(answer)).await;
        let hook = hook("provide", &receiver.url(), &more);
        let called = call(&webhooks(dev()), &hook).await;
        assert_eq!((cause(&called), called.body), ("secret_leak", None), "{text}");
    }
}

#[tokio::test]
async fn escapes_and_the_end_of_a_long_answer_hide_no_secret() {
    let more = json!({"headers": {"X-Secret": "Bearer ab/cd+EFGH12345678=="}});
    let long = format!("{{\"pad\":\"{}Bearer ab/cd+EFGH12345678==\"}}", "p".repeat(4_070));
    for (kind, answer) in [
        ("provide", r#"{"content":"note Bearer ab\/cd+EFGH12345678=="}"#.to_owned()),
        ("provide", r#"{"content":"note \u0061b/cd\u002bEFGH12345678=="}"#.to_owned()),
        ("provide", r#"{"content":"{\"a\":\"ab\\/cd+EFGH12345678==\"}"}"#.to_owned()),
        ("observe", long),
    ] {
        let receiver = Receiver::spawn(Mode::Answer(answer.clone())).await;
        let called = call(&webhooks(dev()), &hook(kind, &receiver.url(), &more)).await;
        assert_eq!((cause(&called), called.body), ("secret_leak", None), "{answer}");
    }
}

#[tokio::test]
async fn a_compressed_answer_is_not_unpacked() {
    let gzip = "content-type: application/json\r\ncontent-encoding: gzip\r\n".to_owned();
    let receiver = Receiver::spawn(Mode::Status(200, gzip, "\u{1f}\u{8b}".to_owned())).await;
    assert_eq!(cause(&call(&webhooks(dev()), &guard(receiver.address)).await), "bad_json");
}

#[tokio::test]
async fn a_hook_whose_secrets_are_locked_is_not_called() {
    let receiver = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let mut hook = guard(receiver.address);
    if let HookAction::Call(endpoint) = &mut hook.does {
        endpoint.secrets = Secrets::locked();
    }
    assert_eq!(cause(&call(&webhooks(dev()), &hook).await), "secrets_unavailable");
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn the_service_does_not_call_itself() {
    let receiver = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let policy = Policy { own: vec![receiver.address], ..dev() };
    assert_eq!(cause(&call(&webhooks(policy), &guard(receiver.address)).await), "blocked_address");
    assert_eq!(receiver.connections(), 0);
}
