//! The queue of hooks' calls: whose turn it is, what is due, what is lost.

mod due;
mod responses;

use std::collections::BTreeMap;

use super::*;
use crate::store::sql::values;

fn claims() -> Claims {
    Claims { calls: 8, retries: 4, lease: HOUR, per_hook: 8, per_tenant: 8, ..Claims::default() }
}

fn queue(tenant: &Tenant, hook: &str, session: &str, id: &str) {
    let (hook, session, id) = (hook.to_owned(), session.to_owned(), id.to_owned());
    tenant
        .write(move |tx| {
            tx.enqueue(&NewDelivery {
                id: &id,
                hook: &hook,
                point: "event",
                session_id: Some(&session),
                compilation_id: None,
                agent: None,
                turn: None,
                hops: 0,
                occurrence: 0,
                input: "{}",
            })
        })
        .unwrap();
}

fn claim(store: &Store) -> Vec<ClaimedDelivery> {
    store.claim_deliveries(&claims()).unwrap()
}

fn ids(claimed: &[ClaimedDelivery]) -> Vec<&str> {
    let mut ids: Vec<_> = claimed.iter().map(|call| &*call.id).collect();
    ids.sort_unstable();
    ids
}

/// Ends a call; returns whether the claim was still valid.
fn settle(store: &Store, call: &ClaimedDelivery, succeeded: bool) -> bool {
    let again = AttemptOutcome::Again(store.now().after(Duration::from_secs(5)));
    let outcome = if succeeded { AttemptOutcome::Delivered } else { again };
    let attempt = AttemptRow {
        number: call.attempts + 1,
        at: store.now(),
        status: None,
        cause: None,
        detail: None,
        took: Duration::ZERO,
    };
    let (tenant, call) = (store.tenant(&call.tenant), call.clone());
    tenant
        .write(move |tx| tx.settle_delivery(&call, Some(&attempt), outcome, Some(succeeded)))
        .unwrap()
}

fn settle_all(store: &Store, calls: &[ClaimedDelivery], succeeded: bool) {
    for call in calls {
        assert!(settle(store, call, succeeded), "{}", call.id);
    }
}

fn set(tenant: &Tenant, sql: &'static str) {
    tenant.write(move |tx| tx.execute(sql, values![])).unwrap();
}

#[test]
fn what_a_process_had_claimed_is_free_at_the_start_of_the_next_one() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        queue(&tenant, "h", "s", "d");
        assert_eq!(claim(&store).len(), 1);
        assert_eq!(claim(&store).len(), 0);
        store.free_deliveries().unwrap();
        // In a shared database, another process may have claimed it.
        assert_eq!(claim(&store).len(), usize::from(!store.is_shared()));
        clock.advance(HOUR);
        let claimed = claim(&store).remove(0);
        let due = clock.now().after(HOUR);
        let later = AttemptOutcome::Later(due);
        let settle = move |tx: &Tx<'_>| tx.settle_delivery(&claimed, None, later, None);
        assert!(tenant.write(settle).unwrap());
        // It waits for its time, and not for a process that has ended.
        store.free_deliveries().unwrap();
        assert_eq!(claim(&store).len(), 0);
        assert_eq!(store.next_delivery().unwrap(), Some(due));
    });
}

#[test]
fn tenants_share_what_is_claimed_however_much_one_has_queued() {
    each(&Retention::default(), |store, clock| {
        let (many, few) = (store.tenant("many"), store.tenant("some"));
        for number in 0..40 {
            queue(&many, &format!("h{}", number % 20), &number.to_string(), &format!("m{number}"));
        }
        clock.advance(Duration::from_secs(1));
        queue(&few, "h", "s", "only");
        let first = claim(&store);
        assert!(ids(&first).contains(&"only"), "{:?}", ids(&first));
        // The hooks of a tenant take turns, too.
        clock.advance(Duration::from_secs(1));
        let mut hooks: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        for call in first.iter().chain(&claim(&store)).filter(|call| &*call.tenant == "many") {
            *hooks.entry(Arc::clone(&call.hook)).or_default() += 1;
        }
        assert!(hooks.len() > 8 && hooks.values().all(|calls| *calls == 1), "{hooks:?}");
    });
}

#[test]
fn a_tenant_has_no_more_calls_under_way_than_it_may_and_half_of_them_retries() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        for number in 0..20 {
            queue(&tenant, &format!("h{number}"), "s", &number.to_string());
        }
        let mut claims = Claims { calls: 100, retries: 100, ..claims() };
        let first = store.claim_deliveries(&claims).unwrap();
        assert_eq!(first.len(), 8);
        for call in &first {
            claims.busy.begin(call);
        }
        assert_eq!(store.claim_deliveries(&claims).unwrap().len(), 0);
        for call in &first {
            claims.busy.end(call);
            settle(&store, call, false);
        }
        set(&tenant, "UPDATE delivery_lines SET due_at = 1 WHERE tenant = ?1 AND retried = 0");
        // The others are not due: retries alone take half.
        set(&tenant, "UPDATE delivery_hooks SET due_at = NULL WHERE tenant = ?1");
        set(&tenant, "UPDATE delivery_tenants SET due_at = NULL WHERE tenant = ?1");
        clock.advance(Duration::from_secs(6));
        let retries = store.claim_deliveries(&claims).unwrap();
        assert_eq!(retries.len(), 4);
        assert!(retries.iter().all(ClaimedDelivery::is_retry));
    });
}

#[test]
fn a_tenant_with_few_calls_under_way_gets_one_while_others_have_all() {
    each(&Retention::default(), |store, _| {
        let (slow, calm) = (store.tenant("slow"), store.tenant("calm"));
        for number in 0..20 {
            queue(&slow, &format!("h{number}"), "s", &format!("s{number}"));
        }
        let mut claims = Claims { calls: 8, extra: 3, few: 2, ..claims() };
        let first = store.claim_deliveries(&claims).unwrap();
        assert_eq!(first.len(), 8, "all that there are");
        for call in &first {
            claims.busy.begin(call);
        }
        for number in 0..4 {
            queue(&calm, &format!("h{number}"), "s", &format!("c{number}"));
        }
        for wanted in [1, 1, 0] {
            let found = store.claim_deliveries(&claims).unwrap();
            assert!(found.iter().all(|call| &*call.tenant == "calm"), "{:?}", ids(&found));
            assert_eq!(found.len(), wanted);
            for call in &found {
                claims.busy.begin(call);
            }
        }
        for number in 0..2 {
            queue(&store.tenant(&number.to_string()), "h", "s", &format!("o{number}"));
        }
        assert_eq!(store.claim_deliveries(&claims).unwrap().len(), 1, "three in addition");
    });
}

#[test]
fn a_failing_hook_is_tried_by_one_call_after_longer_and_longer_pauses() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        for number in 0..30 {
            queue(&tenant, "dead", &number.to_string(), &format!("d{number}"));
        }
        let claimed = claim(&store);
        assert_eq!(claimed.len(), 8);
        settle_all(&store, &claimed, false);
        for seconds in [10, 20, 40, 80, 160, 300, 300] {
            clock.advance(Duration::from_secs(seconds - 1));
            assert_eq!(claim(&store).len(), 0, "before {seconds} s");
            clock.advance(Duration::from_secs(1));
            let claimed = claim(&store);
            assert_eq!((claimed.len(), claimed[0].is_retry()), (1, true), "after {seconds} s");
            assert_eq!(claim(&store).len(), 0, "while one is under way");
            assert!(settle(&store, &claimed[0], false));
            // Others of the tenant and of the hook's id are not held up.
            queue(&tenant, "live", "s", &format!("l{}", clock.now().micros()));
            queue(&store.tenant("other"), "dead", "s", &format!("o{}", clock.now().micros()));
            let others = claim(&store);
            assert_eq!(others.len(), 2);
            settle_all(&store, &others, true);
        }
        clock.advance(Duration::from_mins(5));
        assert!(settle(&store, &claim(&store)[0], true));
        assert_eq!(claim(&store).len(), 8, "it works again");
        assert_eq!(tenant.read(|tx| tx.hook_queue("dead")).unwrap().queued, 29);
    });
}

#[test]
fn a_changed_hook_and_a_call_that_is_retried_by_hand_are_tried_at_once() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        for number in 0..30 {
            queue(&tenant, "dead", &number.to_string(), &format!("d{number}"));
        }
        settle_all(&store, &claim(&store), false);
        assert_eq!(claim(&store).len(), 0);
        assert!(tenant.write(|tx| tx.retry_delivery("d20")).unwrap());
        let claimed = claim(&store);
        assert_eq!(ids(&claimed), ["d20"]);
        assert!(settle(&store, &claimed[0], false));
        tenant.write(|tx| tx.resume_queue("dead")).unwrap();
        assert_eq!(claim(&store).len(), 8);
        assert!(!tenant.write(|tx| tx.retry_delivery("none")).unwrap());
    });
}

#[test]
fn above_the_cap_the_oldest_calls_go_and_those_under_way_stay() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        for (session, id) in [("a", "1"), ("a", "2"), ("b", "3"), ("a", "4"), ("b", "5")] {
            queue(&tenant, "h", session, id);
        }
        queue(&tenant, "other", "a", "0");
        let left = |hook: &'static str| {
            let rows = tenant.read(|tx| tx.deliveries(hook, None, None, 100)).unwrap();
            rows.rows.iter().rev().map(|row| row.id.to_string()).collect::<Vec<_>>()
        };
        let full = "UPDATE delivery_hooks SET queued = 100000 WHERE tenant = ?1 AND hook = 'h'";
        set(&tenant, full);
        let claimed = claim(&store);
        assert_eq!(ids(&claimed), ["0", "1", "3"]);
        queue(&tenant, "h", "c", "6");
        assert_eq!(left("h"), ["1", "3", "4", "5", "6"], "2 is the oldest that is not under way");
        queue(&tenant, "h", "c", "7");
        assert_eq!(left("h"), ["1", "3", "5", "6", "7"]);
        settle_all(&store, &claimed, true);
        set(&tenant, full);
        queue(&tenant, "h", "c", "8");
        assert_eq!(left("h"), ["1", "3", "6", "7", "8"], "what was delivered is not queued");
        assert_eq!(ids(&claim(&store)), ["6"]);
        assert_eq!(left("other"), ["0"]);
        let queue_of = |hook: &str| tenant.read(|tx| tx.hook_queue(hook)).unwrap();
        assert_eq!(queue_of("h"), HookQueue { queued: MAX_QUEUED_CALLS, lost: 3 });

        let take = || tenant.write(|tx| tx.take_losses("h")).unwrap();
        let key = ("default".into(), "h".into());
        assert_eq!(store.hooks_with_losses(9).unwrap(), [key]);
        assert_eq!((take(), take()), (Some(3), None));
        queue(&tenant, "h", "d", "9");
        assert_eq!((store.hooks_with_losses(9).unwrap(), take()), (vec![], None), "once a minute");
        clock.advance(Duration::from_mins(1));
        assert_eq!((store.hooks_with_losses(9).unwrap().len(), take()), (1, Some(1)));
    });
}

#[test]
fn a_queue_above_the_cap_comes_down_to_it() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        for number in 0..10 {
            queue(&tenant, "h", "s", &number.to_string());
        }
        set(&tenant, "UPDATE delivery_hooks SET queued = 100006 WHERE tenant = ?1");
        let queued = |id: &str| {
            queue(&tenant, "h", "s", id);
            tenant.read(|tx| tx.hook_queue("h")).unwrap().queued
        };
        assert_eq!([queued("10"), queued("11"), queued("12")], [100_003, 100_000, 100_000]);
        assert_eq!(ids(&claim(&store)), ["9"]);
    });
}

#[test]
fn tenants_take_turns_in_getting_their_events() {
    each(&Retention::default(), |store, _| {
        for name in ["a", "b", "c"] {
            let tenant = store.tenant(name);
            for number in 0..if name == "a" { 9 } else { 1 } {
                let hook = format!("h{number}");
                tenant.write(move |tx| tx.follow_events(&hook, true)).unwrap();
            }
            publish(&tenant);
        }
        let next = |after: &str, limit: usize| {
            let found = store.followers(after, limit).unwrap();
            found.iter().map(|one| format!("{} {}", one.tenant, one.hook)).collect::<Vec<_>>()
        };
        assert_eq!(next("", 3).len(), 3);
        assert!(next("", 3).contains(&"c h0".to_owned()));
        assert_eq!(next("a", 2), ["b h0", "c h0"]);
        assert_eq!(next("c", 1), next("", 1));
        // Of a tenant, the hook that is furthest behind.
        let a = store.tenant("a");
        for number in (0..9).filter(|number| *number != 4) {
            a.write(move |tx| tx.advance_follower(&format!("h{number}"), 0, 1)).unwrap();
        }
        publish(&a);
        assert_eq!(next("", 1), ["a h4"]);
    });
}
