//! Summaries: the first wins for good, and is removed with what uses it.

use super::*;
use crate::domain::Summary;

fn summary(text: &str) -> Summary {
    Summary { text: text.into(), by: "model:m".into() }
}

fn keep(tenant: &Tenant, session: &'static str, text: &str) -> Summary {
    let new = summary(text);
    let key = ContentHash::of("key");
    tenant.write::<_, Error>(move |tx| tx.keep_summary(&key, session, &new)).unwrap()
}

fn find(tenant: &Tenant, session: &str) -> Option<(Summary, bool)> {
    tenant.read::<_, Error>(|tx| tx.find_summary(&ContentHash::of("key"), session)).unwrap()
}

#[test]
fn the_first_summary_of_a_key_stands_for_everybody() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        assert_eq!(find(&tenant, ""), None);
        assert_eq!(keep(&tenant, "", "first"), summary("first"));
        assert_eq!(keep(&tenant, "s", "second"), summary("first"));
        assert_eq!(find(&tenant, "s"), Some((summary("first"), false)));
        // One that has not used it yet has to say so.
        assert_eq!(find(&tenant, "other"), Some((summary("first"), true)));
        assert_eq!(find(&store.tenant("another"), ""), None);
    });
}

#[test]
fn one_at_a_time_has_a_summary_written_and_nobody_for_ever() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let key = ContentHash::of("key");
        let claim = |holder: &'static str| {
            let until = clock.now().after(HOUR);
            tenant.write::<_, Error>(move |tx| tx.claim_summary(&key, holder, until)).unwrap()
        };
        let release = |holder: &'static str| {
            tenant.write::<_, Error>(move |tx| tx.release_summary(&key, holder)).unwrap();
        };
        assert!(claim("one") && !claim("two"));
        release("two");
        assert!(!claim("two"), "it is not his to end");
        release("one");
        assert!(claim("two"));
        clock.advance(HOUR * 2);
        assert!(claim("three"), "the second is no more");
        assert!(!claim("two"));
        clock.advance(HOUR * 2);
        store.clean().unwrap();
        assert!(claim("two"));
    });
}

#[test]
fn a_summary_that_nobody_uses_goes_and_one_of_a_session_goes_with_it() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let erase = || tenant.write::<_, Error>(|tx| tx.erase_session("s")).unwrap();
        keep(&tenant, "s", "first");
        erase();
        assert_eq!(find(&tenant, "s"), None);
        keep(&tenant, "", "second");
        clock.advance(HOUR * 167);
        assert!(find(&tenant, "").unwrap().1, "an old use is noted anew");
        keep(&tenant, "", "third");
        clock.advance(HOUR * 2);
        store.clean().unwrap();
        assert_eq!(find(&tenant, ""), Some((summary("second"), true)));
        clock.advance(TTL);
        store.clean().unwrap();
        assert_eq!(find(&tenant, ""), None);
        assert_eq!(store.tenants().unwrap().len(), 0);
    });
}
