//! Responses to queued calls about compiles whose record is in full.

use super::*;
use crate::domain::RecordLevel;

/// Stores a record with a queued call about it, and claims the call.
fn claimed(store: &Store, tenant: &Tenant, id: &str, level: RecordLevel) -> ClaimedDelivery {
    let (own, record) = (id.to_owned(), record(store, id, Some("s"), level));
    tenant
        .write(move |tx| {
            tx.insert_compilation(&record, &[])?;
            tx.enqueue(&NewDelivery {
                id: &format!("msg_{own}"),
                hook: "h",
                point: "before_compile",
                session_id: Some("s"),
                compilation_id: Some(&own),
                agent: None,
                turn: None,
                hops: 0,
                occurrence: 2,
                input: "{}",
            })
        })
        .unwrap();
    claim(store).remove(0)
}

fn put(store: &Store, call: &ClaimedDelivery, number: u32, response: Option<&'static str>) {
    let attempt = AttemptRow {
        number,
        at: store.now(),
        status: response.map(|_| 200),
        cause: None,
        detail: None,
        took: Duration::ZERO,
    };
    let (tenant, call) = (store.tenant(&call.tenant), call.clone());
    tenant.write(move |tx| tx.put_hook_response(&call, &attempt, response)).unwrap();
}

fn responses(tenant: &Tenant, id: &str) -> Vec<(u32, Option<u16>, Option<Arc<str>>)> {
    let found = tenant.read(|tx| tx.hook_responses(id)).unwrap();
    let row = |own: HookResponse| {
        assert_eq!((&*own.hook, &*own.point, own.occurrence), ("h", "before_compile", 2));
        assert_eq!(*own.delivery, *format!("msg_{id}"));
        (own.number, own.status, own.response)
    };
    found.into_iter().map(row).collect()
}

#[test]
fn the_newest_response_of_a_call_is_kept_with_a_record_in_full() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let call = claimed(&store, &tenant, "cmp_full", RecordLevel::Full);
        put(&store, &call, 1, None);
        assert_eq!(responses(&tenant, "cmp_full"), [(1, None, None)]);
        put(&store, &call, 2, Some("{}"));
        assert_eq!(responses(&tenant, "cmp_full"), [(2, Some(200), Some("{}".into()))]);
        assert!(settle(&store, &call, true));

        let other = claimed(&store, &tenant, "cmp_hashes", RecordLevel::Hashes);
        put(&store, &other, 1, Some("{}"));
        assert_eq!(responses(&tenant, "cmp_hashes"), []);

        // A record that has expired gets none, and its own go with it.
        clock.advance(HOUR);
        put(&store, &call, 3, Some("late"));
        assert_eq!(responses(&tenant, "cmp_full"), [(2, Some(200), Some("{}".into()))]);
        tenant.write(|tx| tx.forget_compilations()).unwrap();
        assert_eq!(responses(&tenant, "cmp_full"), []);
    });
}

#[test]
fn responses_go_with_their_session() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let call = claimed(&store, &tenant, "cmp_full", RecordLevel::Full);
        put(&store, &call, 1, Some("{}"));
        assert_eq!(responses(&tenant, "cmp_full").len(), 1);
        tenant.write(|tx| tx.erase_session("s")).unwrap();
        assert_eq!(responses(&tenant, "cmp_full"), []);
        put(&store, &call, 2, Some("{}"));
        assert_eq!(responses(&tenant, "cmp_full"), []);
    });
}
