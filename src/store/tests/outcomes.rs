//! What hooks said, and what waits to be sent to them.

use futures_util::FutureExt as _;

use super::*;
use crate::domain::{EventKind, NewEvent, RawJson};

fn outcome(hook: &str, key: &str, answer: &str) -> HookOutcome {
    HookOutcome { hook: hook.into(), key: key.into(), answer: answer.into() }
}

fn known(tenant: &Tenant, hook: &str, keys: &[&str]) -> Vec<(String, String)> {
    let found = tenant.read(|tx| tx.hook_outcomes(hook, keys)).unwrap();
    let mut found: Vec<_> =
        found.into_iter().map(|(key, answer)| (key.to_string(), answer.to_string())).collect();
    found.sort();
    found
}

#[test]
fn the_first_answer_stands_until_the_hook_is_gone() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let keep = |tenant: &Tenant, list: Vec<HookOutcome>| {
            tenant.write(move |tx| tx.keep_hook_outcomes(&list)).unwrap();
        };
        keep(&tenant, vec![outcome("a", "k", "1"), outcome("b", "k", "2")]);
        keep(&tenant, vec![outcome("a", "k", "3"), outcome("a", "l", "")]);
        keep(&store.tenant("other"), vec![outcome("a", "k", "4")]);
        let pair = |key: &str, answer: &str| (key.to_owned(), answer.to_owned());
        assert_eq!(known(&tenant, "a", &["k", "l", "m"]), [pair("k", "1"), pair("l", "")]);
        assert_eq!(known(&tenant, "b", &["k"]), [pair("k", "2")]);
        assert_eq!(known(&tenant, "a", &[]), []);
        let hooks = tenant.read(|tx| tx.hooks_with_outcomes()).unwrap();
        assert_eq!(hooks, ["a".into(), "b".into()]);
        tenant.write(|tx| tx.forget_outcomes_of("a")).unwrap();
        assert_eq!(known(&tenant, "a", &["k", "l"]), []);
        assert_eq!(known(&tenant, "b", &["k"]), [pair("k", "2")]);
        assert_eq!(known(&store.tenant("other"), "a", &["k"]), [pair("k", "4")]);
    });
}

#[test]
fn many_keys_are_found_at_once() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let keys: Vec<String> = (0..700).map(|at| format!("{at:064x}")).collect();
        let list = keys.iter().step_by(2).map(|key| outcome("a", key, key)).collect::<Vec<_>>();
        tenant.write(move |tx| tx.keep_hook_outcomes(&list)).unwrap();
        let asked: Vec<&str> = keys.iter().map(String::as_str).collect();
        for count in [1, 3, 5, 33, 257, 700] {
            let found = known(&tenant, "a", &asked[..count]);
            assert_eq!(found.len(), count.div_ceil(2));
            assert!(found.iter().all(|(key, answer)| key == answer));
        }
    });
}

#[test]
fn what_a_process_had_claimed_is_free_at_the_start_of_the_next_one() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let delivery = || NewDelivery {
            id: "d",
            hook: "h",
            point: "event",
            session_id: None,
            compilation_id: None,
            agent: None,
            turn: None,
            hops: 0,
            occurrence: 0,
            input: "{}",
        };
        tenant.write(move |tx| tx.enqueue(&delivery())).unwrap();
        let claims = Claims { limit: 9, retries: 9, lease: HOUR, per_hook: 9, ..Claims::default() };
        let first = store.claim_deliveries(&claims).unwrap();
        assert_eq!(first.len(), 1);
        assert_eq!(store.claim_deliveries(&claims).unwrap().len(), 0);
        store.free_deliveries().unwrap();
        // Where others use the database, it may be one of theirs.
        let again = store.claim_deliveries(&claims).unwrap();
        assert_eq!(again.len(), usize::from(!store.is_shared()));
        clock.advance(HOUR);
        let claimed = store.claim_deliveries(&claims).unwrap().remove(0);
        let due = clock.now().after(HOUR);
        let settle =
            move |tx: &Tx<'_>| tx.settle_delivery(&claimed, None, AttemptOutcome::Later(due));
        assert!(tenant.write(settle).unwrap());
        // It waits for its time, and not for a process that is no more.
        store.free_deliveries().unwrap();
        assert_eq!(store.claim_deliveries(&claims).unwrap().len(), 0);
        assert_eq!(store.next_delivery().unwrap(), Some(due));
    });
}

#[test]
fn what_is_published_wakes_only_where_somebody_hears_of_it() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let publish = || {
            let event = NewEvent {
                kind: EventKind::MemoryChanged,
                session_id: None,
                compilation_id: None,
                data: RawJson::new("{}"),
            };
            tenant.write(move |tx| tx.publish(&event)).unwrap();
        };
        let is_woken = || store.queued().now_or_never().is_some();
        publish();
        assert!(is_woken(), "nobody has looked yet");
        assert!(!store.look_for_followers(false).unwrap());
        publish();
        assert!(!is_woken());
        assert!(store.look_for_followers(true).unwrap(), "one of the operator's");
        publish();
        assert!(is_woken());
        assert!(!store.look_for_followers(false).unwrap());
        tenant.write(|tx| tx.follow_events("h", true)).unwrap();
        assert!(is_woken(), "so that it is looked again");
        assert!(store.look_for_followers(false).unwrap());
        publish();
        assert!(is_woken());
    });
}
