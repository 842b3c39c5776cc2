//! The breaker, calls at once, and the time of one call.

use std::sync::Arc;
use std::time::Duration;

use contexture::domain::Clock;
use contexture::hook::Scope;
use contexture::webhook::{CALLS, Delivery, FAILURES, PAUSE};
use futures_util::future::join_all;
use serde_json::json;

use super::{Fixed, call, call_within, cause, dev, guard, hook, webhooks, with};
use crate::support::receiver::{Mode, Receiver};

const ALLOW: &str = r#"{"decision":"allow"}"#;

#[tokio::test]
async fn what_fails_five_times_is_not_called_for_a_while() {
    let receiver = Receiver::script(|before| {
        if before < FAILURES as usize {
            Mode::Status(500, String::new(), String::new())
        } else {
            Mode::Answer(ALLOW.to_owned())
        }
    })
    .await;
    let clock = Clock::standing(Clock::system().now());
    let webhooks = with(dev(), Arc::new(Fixed(Vec::new())), clock.clone());
    let hook = guard(receiver.address);
    for _ in 0..FAILURES {
        assert_eq!(cause(&call(&webhooks, &hook).await), "status");
    }
    let called = call(&webhooks, &hook).await;
    assert_eq!((cause(&called), called.attempts), ("circuit_open", 0));
    assert!(webhooks.is_open(&"t".into(), &hook.id) && !webhooks.is_open(&"u".into(), &hook.id));
    assert_eq!(receiver.requests().len(), FAILURES as usize);
    // Another tenant's hook of the same name is another one.
    let scope = Scope { tenant: "u".into(), ..Scope::default() };
    let other =
        webhooks.exchange(super::to(&hook, &scope, hook.timeout()), Delivery::default()).await;
    assert!(other.answer.is_ok());

    clock.advance(PAUSE);
    assert_eq!(cause(&call(&webhooks, &hook).await), "answered");
    assert!(!webhooks.is_open(&"t".into(), &hook.id));
}

#[tokio::test]
async fn a_hook_is_called_eight_times_at_once_and_no_more() {
    let receiver = Receiver::spawn(Mode::Hang).await;
    let (webhooks, hook) = (webhooks(dev()), guard(receiver.address));
    let long = Duration::from_secs(30);
    let under_way = (0..CALLS).map(|_| call_within(&webhooks, &hook, long));
    let too_many = async {
        while receiver.requests().len() < CALLS {
            tokio::task::yield_now().await;
        }
        let calls = (0..3).map(|_| call_within(&webhooks, &hook, Duration::from_millis(50)));
        join_all(calls).await
    };
    let too_many = tokio::select! {
        called = too_many => called,
        _ = join_all(under_way) => panic!("the receiver does not answer"),
    };
    assert!(too_many.iter().all(|called| cause(called) == "overloaded"), "{too_many:?}");
    assert_eq!(receiver.connections(), CALLS);
}

#[tokio::test]
async fn a_long_answer_that_is_within_its_cap_comes_whole() {
    let text = "x".repeat((4 << 20) - 100);
    let answer = json!({"action": "replace", "payload": {"content": text}}).to_string();
    let receiver = Receiver::spawn(Mode::Answer(answer)).await;
    let transform = hook("transform", &receiver.url(), &json!({}));
    assert_eq!(cause(&call(&webhooks(dev()), &transform).await), "answered");
    let guard = guard(receiver.address);
    assert_eq!(cause(&call(&webhooks(dev()), &guard).await), "too_large");
}
