//! Decisions of the gateway: the first stands, for its tenant, for as long as it is used.

use super::*;
use crate::store::StoredDecision;

fn decision(key: &str, text: &str) -> StoredDecision {
    StoredDecision { digest: ContentHash::of(key), decision: text.as_bytes().to_vec() }
}

fn keep(tenant: &Tenant, new: &[StoredDecision]) -> Vec<StoredDecision> {
    let new = new.to_vec();
    tenant.write::<_, Error>(move |tx| tx.keep_decisions(&new)).unwrap()
}

fn find(tenant: &Tenant, keys: &[&str]) -> Vec<StoredDecision> {
    let digests: Vec<_> = keys.iter().map(|key| ContentHash::of(key)).collect();
    let mut found = tenant.read::<_, Error>(|tx| tx.decisions(&digests)).unwrap().decisions;
    found.sort_by(|a, b| a.decision.cmp(&b.decision));
    found
}

#[test]
fn the_first_decision_about_a_message_stands() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        assert!(!tenant.read::<_, Error>(|tx| tx.has_decisions()).unwrap());
        assert_eq!(keep(&tenant, &[decision("a", "1"), decision("b", "2")]), []);
        let lost = keep(&tenant, &[decision("c", "3"), decision("a", "4")]);
        assert_eq!(lost, [decision("a", "1")]);
        let all = [decision("a", "1"), decision("b", "2"), decision("c", "3")];
        assert_eq!(find(&tenant, &["b", "a", "x", "c"]), all);
        assert_eq!(find(&store.tenant("another"), &["a"]), []);
        assert!(tenant.read::<_, Error>(|tx| tx.has_decisions()).unwrap());
    });
}

#[test]
fn what_was_sent_otherwise_replaces_a_decision() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        keep(&tenant, &[decision("a", "1"), decision("b", "2")]);
        let new = [decision("a", "3"), decision("c", "4")];
        tenant.write::<_, Error>(move |tx| tx.replace_decisions(&new)).unwrap();
        let all = [decision("b", "2"), decision("a", "3"), decision("c", "4")];
        assert_eq!(find(&tenant, &["a", "b", "c"]), all);
    });
}

#[test]
fn a_decision_is_kept_for_thirty_days_after_its_last_use() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        keep(&tenant, &[decision("used", "1"), decision("unused", "2")]);
        for _ in 0..3 {
            clock.advance(20 * 24 * HOUR);
            let digest = ContentHash::of("used");
            let found = tenant.read::<_, Error>(|tx| tx.decisions(&[digest])).unwrap();
            assert!(found.has_old_use);
            tenant.write::<_, Error>(move |tx| tx.note_decisions(&[digest])).unwrap();
            let found = tenant.read::<_, Error>(|tx| tx.decisions(&[digest])).unwrap();
            assert!(!found.has_old_use);
            store.clean().unwrap();
        }
        assert_eq!(find(&tenant, &["used", "unused"]), [decision("used", "1")]);
    });
}
