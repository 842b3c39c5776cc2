//! Messages of sessions: read in order, those that the process knows without the database.

use super::*;
use crate::domain::RawJson;

fn add(tenant: &Tenant, session: &'static str, texts: &[String]) {
    let messages: Vec<RawJson> = texts.iter().map(|text| RawJson::new(text.as_str())).collect();
    tenant.write::<_, Error>(move |tx| tx.add_session_messages(session, &messages)).unwrap();
}

/// The messages of a session, and the bytes that were asked for.
fn read(tenant: &Tenant, session: &str) -> (Vec<String>, usize) {
    let mut admitted = 0;
    let found = tenant.read::<_, Error>(|tx| {
        tx.session_messages(session, |bytes| {
            admitted = bytes;
            Ok(())
        })
    });
    (found.unwrap().iter().map(|text| (**text).to_owned()).collect(), admitted)
}

/// More than one statement reads, some of them packed, and some equal.
fn texts(from: usize) -> Vec<String> {
    let text = |at: usize| format!("\"{} {}\"", at % 90, "word ".repeat(at % 90 * 10));
    (from..from + 150).map(text).collect()
}

#[test]
fn messages_come_in_order_from_the_cache_and_from_the_database() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let mut all = texts(0);
        add(&tenant, "s", &all);
        let bytes = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
        assert_eq!(read(&tenant, "s"), (all.clone(), bytes(&all)));
        store.inner.message_texts.clear();
        assert_eq!(read(&tenant, "s"), (all.clone(), bytes(&all)));
        // Known ones and new ones, of another process.
        store.inner.message_texts.clear();
        add(&tenant, "s", &texts(1000));
        all.extend(texts(1000));
        assert_eq!(read(&tenant, "s"), (all.clone(), bytes(&all)));
        assert_eq!(read(&store.tenant("another"), "s"), (Vec::new(), 0));
    });
}

#[test]
fn messages_that_are_too_many_are_not_read() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        add(&tenant, "s", &texts(0));
        store.inner.message_texts.clear();
        let refused = tenant.read(|tx| tx.session_messages("s", |_| Err(Error::Nul)));
        assert!(matches!(refused, Err(Error::Nul)));
        let known = |text: &String| store.inner.message_texts.get(&ContentHash::of(text)).is_some();
        assert!(!texts(0).iter().any(known));
    });
}

#[test]
fn a_session_that_is_erased_leaves_no_text_in_memory() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        add(&tenant, "s", &texts(0));
        let known = |text: &String| store.inner.message_texts.get(&ContentHash::of(text)).is_some();
        assert!(texts(0).iter().all(known));
        tenant.write::<_, Error>(|tx| tx.erase_session("s")).unwrap();
        assert!(!texts(0).iter().any(known));
        assert_eq!(read(&tenant, "s"), (Vec::new(), 0));
    });
}

#[test]
fn a_message_that_is_gone_is_damage() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        add(&tenant, "s", &texts(0));
        store.inner.message_texts.clear();
        let lost = ContentHash::of(&texts(0)[3]);
        tenant
            .write(move |tx| {
                let rows = "DELETE FROM message_texts WHERE tenant = ?1 AND digest = ?2";
                tx.execute(rows, super::super::sql::values![&lost])
            })
            .unwrap();
        let found = tenant.read(|tx| tx.session_messages("s", |_| Ok::<_, Error>(())));
        assert!(matches!(found, Err(Error::Corrupt(_))));
    });
}
