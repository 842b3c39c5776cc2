//! The breaker, calls at once, and the time of one call.

use std::sync::Arc;
use std::time::Duration;

use contexture::domain::Clock;
use contexture::hook::{CallScope, Hook};
use contexture::webhook::{CallContext, MAX_CONCURRENT_CALLS, MAX_FAILURES, OPEN_PAUSE};
use futures_util::future::join_all;
use serde_json::json;

use super::{Fixed, call, call_within, cause, dev, guard, hook, webhooks, with};
use crate::support::receiver::{Mode, Receiver};

const ALLOW: &str = r#"{"decision":"allow"}"#;

#[tokio::test]
async fn what_fails_five_times_is_not_called_for_a_while() {
    let receiver = Receiver::script(|before| {
        if before < MAX_FAILURES as usize {
            Mode::Status(500, String::new(), String::new())
        } else {
            Mode::Answer(ALLOW.to_owned())
        }
    })
    .await;
    let clock = Clock::standing(Clock::system().now());
    let webhooks = with(dev(), Arc::new(Fixed(Vec::new())), clock.clone());
    let hook = guard(receiver.address);
    for _ in 0..MAX_FAILURES {
        assert_eq!(cause(&call(&webhooks, &hook).await), "status");
    }
    let called = call(&webhooks, &hook).await;
    assert_eq!((cause(&called), called.attempts), ("circuit_open", 0));
    assert!(webhooks.is_open(&"t".into(), &hook) && !webhooks.is_open(&"u".into(), &hook));
    assert_eq!(receiver.requests().len(), MAX_FAILURES as usize);
    // Another tenant's hook of the same name is another one.
    let scope = CallScope { tenant: "u".into(), ..CallScope::default() };
    let other =
        webhooks.exchange(super::to(&hook, &scope, hook.timeout()), CallContext::default()).await;
    assert!(other.answer.is_ok());

    clock.advance(OPEN_PAUSE);
    assert_eq!(cause(&call(&webhooks, &hook).await), "answered");
    assert!(!webhooks.is_open(&"t".into(), &hook));
}

/// Hooks of one name that call elsewhere, or that other callers bring, are others.
#[tokio::test]
async fn a_hook_that_fails_closes_the_breaker_of_no_other() {
    let clock = Clock::standing(Clock::system().now());
    let webhooks = with(dev(), Arc::new(Fixed(Vec::new())), clock.clone());
    let failing = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    let well = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let of = |inline_owner: Option<&str>, receiver: &Receiver| {
        let inline_owner = inline_owner.map(Into::into);
        Hook { inline_owner, ..guard(receiver.address) }
    };
    let bad = of(Some("one"), &failing);
    for _ in 0..MAX_FAILURES {
        assert_eq!(cause(&call(&webhooks, &bad).await), "status");
    }
    assert_eq!(cause(&call(&webhooks, &bad).await), "circuit_open");
    for other in [of(Some("two"), &failing), of(None, &failing)] {
        assert_eq!(cause(&call(&webhooks, &other).await), "status");
    }
    assert_eq!(cause(&call(&webhooks, &of(Some("one"), &well)).await), "answered");
}

#[tokio::test]
async fn a_trial_is_refused_by_no_breaker_and_trips_none() {
    let clock = Clock::standing(Clock::system().now());
    let webhooks = with(dev(), Arc::new(Fixed(Vec::new())), clock.clone());
    let failing = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    let hook = guard(failing.address);
    let scope = CallScope { tenant: "t".into(), ..CallScope::default() };
    let trial = async || {
        let delivery = CallContext { test: true, ..CallContext::default() };
        let done = webhooks.exchange(super::to(&hook, &scope, hook.timeout()), delivery).await;
        done.answer.unwrap_err().cause.as_str()
    };
    for _ in 0..2 * MAX_FAILURES {
        assert_eq!(trial().await, "status");
    }
    assert!(!webhooks.is_open(&"t".into(), &hook));
    for _ in 0..MAX_FAILURES {
        assert_eq!(cause(&call(&webhooks, &hook).await), "status");
    }
    assert_eq!(cause(&call(&webhooks, &hook).await), "circuit_open");
    assert_eq!(trial().await, "status");
    assert!(webhooks.is_open(&"t".into(), &hook));
}

/// While eight calls hang, a trial is still made.
#[tokio::test]
async fn a_trial_does_not_wait_for_other_calls() {
    let receiver = Receiver::script(|before| {
        if before < MAX_CONCURRENT_CALLS { Mode::Hang } else { Mode::Answer(ALLOW.to_owned()) }
    })
    .await;
    let (webhooks, hook) = (webhooks(dev()), guard(receiver.address));
    let long = Duration::from_secs(30);
    let under_way = (0..MAX_CONCURRENT_CALLS).map(|_| call_within(&webhooks, &hook, long));
    let scope = CallScope { tenant: "t".into(), ..CallScope::default() };
    let trial = async {
        receiver.reached(MAX_CONCURRENT_CALLS).await;
        let delivery = CallContext { test: true, ..CallContext::default() };
        webhooks.exchange(super::to(&hook, &scope, hook.timeout()), delivery).await
    };
    let done = tokio::select! {
        done = trial => done,
        _ = join_all(under_way) => panic!("the receiver does not answer"),
    };
    assert!(done.answer.is_ok(), "{done:?}");
}

#[tokio::test]
async fn a_hook_is_called_eight_times_at_once_and_no_more() {
    let receiver = Receiver::spawn(Mode::Hang).await;
    let (webhooks, hook) = (webhooks(dev()), guard(receiver.address));
    let long = Duration::from_secs(30);
    let under_way = (0..MAX_CONCURRENT_CALLS).map(|_| call_within(&webhooks, &hook, long));
    let too_many = async {
        receiver.reached(MAX_CONCURRENT_CALLS).await;
        let calls = (0..3).map(|_| call_within(&webhooks, &hook, Duration::from_millis(50)));
        join_all(calls).await
    };
    let too_many = tokio::select! {
        called = too_many => called,
        _ = join_all(under_way) => panic!("the receiver does not answer"),
    };
    assert!(too_many.iter().all(|called| cause(called) == "overloaded"), "{too_many:?}");
    assert_eq!(receiver.connections(), MAX_CONCURRENT_CALLS);
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
