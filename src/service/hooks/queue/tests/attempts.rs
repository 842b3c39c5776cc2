//! Attempts of queued calls: retries, pauses, hooks that are disabled, leases.

use super::*;

#[tokio::test]
async fn a_call_is_made_once_and_its_content_forgotten() {
    let world = World::new(|_, _| Reply::Heard);
    world.hook("log", "delegation", &json!({}));
    world.queue("log", Some("s"), "{\"task\":\"t\"}");
    world.drain().await;
    world.drain().await;
    let sent = world.sent();
    assert_eq!((sent.len(), sent[0].attempt), (1, 1));
    assert_eq!(sent[0].input, "{\"task\":\"t\"}");
    let listed = world.listed("log");
    assert_eq!((&listed[0]["state"], &listed[0]["due_at"]), (&json!("delivered"), &Value::Null));
    assert_eq!(listed[0]["attempts"][0]["status"], 204);
    assert!(retry(&world.services, listed[0]["id"].as_str().unwrap()).is_err());
}

#[tokio::test]
async fn a_receiver_that_is_down_is_tried_twelve_times_under_one_id_and_then_given_up() {
    let world = World::new(|_, _| Reply::Refused);
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "{}");
    for _ in 0..90 * 60 {
        world.drain().await;
        world.clock.advance(Duration::from_mins(1));
        if world.sent().len() == 12 {
            break;
        }
    }
    world.drain().await;
    let sent = world.sent();
    let attempts: Vec<u32> = sent.iter().map(|sent| sent.attempt).collect();
    assert_eq!(attempts, (1..=12).collect::<Vec<_>>());
    assert!(sent.iter().all(|one| one.id == sent[0].id));
    let hours = sent[11].at.since(sent[0].at).as_secs() / 3600;
    assert!((60..92).contains(&hours), "{hours} hours");
    let listed = world.listed("log");
    assert_eq!(listed[0]["state"], "dead");
    assert_eq!(listed[0]["attempts"].as_array().unwrap().len(), 12);
    let failed = world.events().into_iter().find(|(kind, _)| *kind == EventKind::HookFailed);
    assert_eq!(failed.unwrap().1["cause"], "connect");
    // A retry by hand starts again, under the same id.
    retry(&world.services, &sent[0].id).unwrap();
    world.drain().await;
    assert_eq!((world.sent().len(), world.sent()[12].attempt), (13, 13));
    assert_eq!(world.listed("log")[0]["state"], "queued");
}

#[tokio::test]
async fn what_waits_behind_a_failure_of_its_session_waits_and_other_sessions_do_not() {
    let world = World::new(|input, count| match input {
        "1" if count < 2 => Reply::Status(500, None),
        _ => Reply::Heard,
    });
    world.hook("log", "delegation", &json!({}));
    for (session, input) in [("a", "1"), ("a", "2"), ("b", "3")] {
        world.queue("log", Some(session), input);
    }
    world.drain().await;
    let inputs =
        |world: &World| world.sent().iter().map(|sent| sent.input.clone()).collect::<Vec<_>>();
    // Deliveries of the two sessions are sent in parallel.
    let mut first = inputs(&world);
    first.sort_unstable();
    assert_eq!(first, ["1", "3"]);
    world.clock.advance(Duration::from_secs(7));
    world.drain().await;
    assert_eq!(inputs(&world)[2..], ["1", "2"]);
}

#[tokio::test]
async fn a_receiver_that_asks_for_a_pause_is_left_alone_for_so_long() {
    let world = World::new(
        |_, count| {
            if count == 0 { Reply::Status(429, Some(3600)) } else { Reply::Heard }
        },
    );
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "{}");
    world.drain().await;
    world.clock.advance(Duration::from_secs(3599));
    world.drain().await;
    assert_eq!(world.sent().len(), 1);
    world.clock.advance(Duration::from_secs(1));
    world.drain().await;
    assert_eq!(world.sent().len(), 2);
}

#[tokio::test]
async fn an_open_breaker_costs_no_attempt() {
    let world = World::new(|_, count| if count < 20 { Reply::Open } else { Reply::Heard });
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "{}");
    for _ in 0..21 {
        world.drain().await;
        world.clock.advance(Duration::from_secs(10));
    }
    let listed = world.listed("log");
    assert_eq!(listed[0]["state"], "delivered");
    assert_eq!(listed[0]["attempts"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_receiver_that_is_gone_disables_its_hook() {
    let world = World::new(|_, _| Reply::Status(410, None));
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "1");
    world.queue("log", None, "2");
    world.drain().await;
    assert_eq!(world.sent().len(), 1);
    let shown: Value =
        serde_json::from_str(&find(&world.services, "log").unwrap().write(None)).unwrap();
    assert_eq!((&shown["enabled"], &shown["disabled_because"]), (&json!(false), &json!("gone")));
    assert!(
        world
            .events()
            .contains(&(EventKind::HookDisabled, json!({"hook": "log", "because": "gone"})))
    );
    let states: Vec<Value> = world.listed("log").iter().map(|one| one["state"].clone()).collect();
    assert_eq!(states, ["dead", "dead"]);
    // The hook is enabled again: it is called again, with the same secret.
    update(&world.services, "log", "{\"enabled\":true}", None).unwrap();
    world.queue("log", None, "3");
    world.drain().await;
    assert_eq!(world.sent().len(), 2);
}

#[tokio::test]
async fn a_hook_that_does_nothing_but_fail_for_five_days_is_disabled() {
    let world = World::new(|_, _| Reply::Status(500, None));
    world.hook("log", "delegation", &json!({}));
    let is_enabled = |world: &World| find(&world.services, "log").unwrap().hook.enabled;
    for hour in 0..119 {
        world.queue("log", Some(&hour.to_string()), "{}");
        world.drain().await;
        assert!(is_enabled(&world), "in hour {hour}");
        world.clock.advance(Duration::from_hours(1));
    }
    world.clock.advance(Duration::from_hours(2));
    world.drain().await;
    assert!(!is_enabled(&world));
    let told = world.events();
    assert!(
        told.contains(&(EventKind::HookDisabled, json!({"hook": "log", "because": "failing"})))
    );
}

#[tokio::test]
async fn a_receiver_that_is_down_costs_a_call_now_and_then_however_much_is_queued() {
    let world = World::new(|_, count| if count < 40 { Reply::Refused } else { Reply::Heard });
    world.hook("log", "delegation", &json!({}));
    for number in 0..200 {
        world.queue("log", Some(&number.to_string()), &number.to_string());
    }
    // Eight calls are made at once. Those that fail before a fifth failure is known make room for
    // others.
    world.drain().await;
    let at_first = world.sent().len();
    assert!((8..=12).contains(&at_first), "{at_first} calls at first");
    for _ in 0..360 {
        world.drain().await;
        world.clock.advance(Duration::from_secs(10));
    }
    // Then single calls, after pauses of 10, 20, 40, 80 and 160 seconds, and ten of five minutes.
    assert_eq!(world.sent().len() - at_first, 15);
    // Once it works again, everything is sent; what failed before waits for its own time.
    for _ in 0..3 * 360 {
        world.drain().await;
        world.clock.advance(Duration::from_secs(10));
    }
    let heard = world.sent().iter().filter(|sent| sent.reply == Reply::Heard).count();
    assert_eq!(heard, 200);
    let shown: Value =
        serde_json::from_str(&find(&world.services, "log").unwrap().write(None)).unwrap();
    assert_eq!(shown["queue"], json!({"queued": 0, "lost": 0}));
}

#[tokio::test]
async fn what_is_queued_for_a_hook_goes_with_it() {
    let world = World::new(|_, _| Reply::Heard);
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "{}");
    delete(&world.services, "log", None).unwrap();
    world.drain().await;
    assert_eq!(world.sent(), []);
}

#[tokio::test]
async fn a_lease_that_is_over_is_another_s_and_the_first_claim_changes_nothing() {
    let world = World::new(|_, _| Reply::Heard);
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "{}");
    let claims = crate::store::Claims {
        calls: 9,
        retries: 9,
        lease: Duration::from_mins(1),
        per_hook: 8,
        per_tenant: 9,
        ..Default::default()
    };
    let store = &world.services.inner.store;
    let claim = || store.claim_deliveries(&claims).unwrap();
    let first = claim().remove(0);
    assert_eq!(claim().len(), 0);
    world.clock.advance(Duration::from_secs(61));
    let second = claim().remove(0);
    let settle = |claimed: crate::store::ClaimedDelivery, outcome| {
        world
            .services
            .tenant()
            .write(move |tx| tx.settle_delivery(&claimed, None, outcome, None))
            .unwrap()
    };
    assert!(!settle(first, crate::store::AttemptOutcome::Dead));
    assert!(settle(second.clone(), crate::store::AttemptOutcome::Delivered));
    assert!(!settle(second, crate::store::AttemptOutcome::Dead));
    assert_eq!(world.listed("log")[0]["state"], "delivered");
}
