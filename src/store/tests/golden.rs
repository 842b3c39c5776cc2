//! Golden sets: a whole one at a time, a tenant's own, and what is of a session goes with it.

use super::*;

const PACK: (&str, [u64; 3]) = ("pack.a", [1, 2, 3]);

fn row(name: &str, session: Option<&str>) -> GoldenRow {
    GoldenRow {
        compilation: name.into(),
        session_id: session.map(Into::into),
        created_at: Timestamp::from_micros(7),
        packet: format!("{{\"of\":\"{name}\"}}").into(),
    }
}

fn put(tenant: &Tenant, rows: Vec<GoldenRow>) {
    tenant.write::<_, Error>(move |tx| tx.put_golden_set(PACK.0, PACK.1, &rows)).unwrap();
}

fn get(tenant: &Tenant) -> Vec<GoldenRow> {
    tenant.read::<_, Error>(|tx| tx.golden_set(PACK.0, PACK.1)).unwrap()
}

#[test]
fn a_set_is_put_whole_and_kept_in_its_order() {
    each(&Retention::default(), |store, _| {
        let (tenant, other) = (store.tenant("default"), store.tenant("another"));
        assert_eq!(get(&tenant), []);
        let set = vec![row("b", None), row("a", Some("s"))];
        put(&tenant, set.clone());
        assert_eq!(get(&tenant), set);
        assert_eq!(get(&other), []);
        put(&other, vec![row("c", None)]);
        put(&tenant, vec![row("a", Some("s"))]);
        assert_eq!(get(&tenant), [row("a", Some("s"))]);
        assert_eq!(get(&other), [row("c", None)]);
        let next = tenant.read::<_, Error>(|tx| tx.golden_set(PACK.0, [1, 2, 4])).unwrap();
        assert_eq!(next, []);
    });
}

#[test]
fn what_is_of_a_session_goes_with_it() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        put(&tenant, vec![row("a", None), row("b", Some("s")), row("c", Some("t"))]);
        tenant.write::<_, Error>(|tx| tx.erase_session("s")).unwrap();
        assert_eq!(get(&tenant), [row("a", None), row("c", Some("t"))]);
    });
}
