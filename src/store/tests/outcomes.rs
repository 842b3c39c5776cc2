//! Outcomes of hooks, and the hooks that events wake.

use futures_util::FutureExt as _;

use super::*;

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
        assert!(!tenant.write(|tx| tx.forget_outcomes_of("a")).unwrap());
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
fn what_is_published_wakes_only_where_somebody_hears_of_it() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let is_woken = || store.queued().now_or_never().is_some();
        publish(&tenant);
        assert!(is_woken(), "nobody has looked yet");
        assert!(!store.look_for_followers(false).unwrap());
        publish(&tenant);
        assert!(!is_woken());
        assert!(store.look_for_followers(true).unwrap(), "one of the operator's");
        publish(&tenant);
        assert!(is_woken());
        assert!(!store.look_for_followers(false).unwrap());
        tenant.write(|tx| tx.follow_events("h", true)).unwrap();
        assert!(is_woken(), "so that it is looked again");
        assert!(store.look_for_followers(false).unwrap());
        publish(&tenant);
        assert!(is_woken());
    });
}
