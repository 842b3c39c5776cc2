//! Adapters.

use super::*;
use crate::domain::StoredAdapter;

fn put(tenant: &Tenant, name: &str, definition: &str) -> (StoredAdapter, bool) {
    try_put(tenant, name, definition).unwrap()
}

fn try_put(tenant: &Tenant, name: &str, definition: &str) -> Result<(StoredAdapter, bool), Error> {
    let (name, definition) = (name.to_owned(), definition.to_owned());
    tenant.write(move |tx| tx.put_adapter(&name, &definition))
}

fn find(tenant: &Tenant, names: &[&str]) -> Vec<Option<(StoredAdapter, String)>> {
    tenant.read(|tx| tx.adapters(names)).unwrap()
}

fn delete(tenant: &Tenant, name: &str) -> bool {
    let name = name.to_owned();
    tenant.write(move |tx| tx.delete_adapter(&name)).unwrap()
}

fn names(tenant: &Tenant, after: Option<&str>, limit: usize) -> Vec<String> {
    let list = tenant.read(|tx| tx.list_adapters(after, limit)).unwrap();
    list.into_iter().map(|stored| stored.name.to_string()).collect()
}

#[test]
fn an_adapter_is_kept_as_it_was_given_until_it_is_replaced_or_deleted() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let born = clock.now();
        let (first, is_new) = put(&tenant, "ledger", "{ \"a\": 1 }");
        assert!(is_new);
        assert_eq!((&*first.name, first.version), ("ledger", 1));
        assert_eq!((first.created_at, first.updated_at), (born, born));

        clock.advance(HOUR);
        assert_eq!(put(&tenant, "ledger", "{ \"a\": 1 }"), (first.clone(), false));
        let (second, is_new) = put(&tenant, "ledger", "{}");
        assert!(!is_new);
        assert_eq!(second.version, 2);
        assert_eq!((second.created_at, second.updated_at), (born, clock.now()));
        let found = find(&tenant, &["nobody", "ledger", "Ledger"]);
        assert_eq!(found, [None, Some((second.clone(), "{}".to_owned())), None]);
        assert_eq!(tenant.read(|tx| tx.list_adapters(None, 9)).unwrap(), [second]);

        // Nothing of it goes with time.
        clock.advance(TTL * 2);
        store.clean().unwrap();
        assert_eq!(names(&tenant, None, 9), ["ledger"]);

        assert!(delete(&tenant, "ledger"));
        assert!(!delete(&tenant, "ledger"));
        assert_eq!(find(&tenant, &["ledger"]), [None]);
        let (again, is_new) = put(&tenant, "ledger", "{}");
        assert_eq!((again.version, again.created_at, is_new), (1, clock.now(), true));
    });
}

#[test]
fn adapters_are_listed_in_the_byte_order_of_their_names() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        for name in ["b", "a-b", "B", "a", "a.b", "a_b"] {
            put(&tenant, name, "{}");
        }
        assert_eq!(names(&tenant, None, 9), ["B", "a", "a-b", "a.b", "a_b", "b"]);
        assert_eq!(names(&tenant, None, 2), ["B", "a"]);
        assert_eq!(names(&tenant, Some("a"), 2), ["a-b", "a.b"]);
        assert_eq!(names(&tenant, Some("a.a"), 1), ["a.b"]);
        assert_eq!(names(&tenant, Some("b"), 9), [""; 0]);
    });
}

#[test]
fn nobody_sees_another_tenants_adapters() {
    each(&Retention::default(), |store, _| {
        let (ours, theirs) = (store.tenant("ours"), store.tenant("theirs"));
        put(&ours, "ledger", "{}");
        assert_eq!(find(&theirs, &["ledger"]), [None]);
        assert_eq!(names(&theirs, None, 9), [""; 0]);
        assert!(!delete(&theirs, "ledger"));
        let (own, is_new) = put(&theirs, "ledger", "{\"own\": 1}");
        assert_eq!((own.version, is_new), (1, true));
        assert!(delete(&theirs, "ledger"));
        assert_eq!(names(&ours, None, 9), ["ledger"]);
    });
}

#[test]
fn a_tenant_stores_so_many_adapters_and_no_more() {
    each(&Retention::default(), |store, _| {
        let (full, other) = (store.tenant("a"), store.tenant("b"));
        for count in 0..1_000 {
            put(&full, &format!("adapter_{count}"), "{}");
        }
        assert!(matches!(try_put(&full, "more", "{}"), Err(Error::TooManyAdapters(1_000))));
        assert!(!put(&full, "adapter_7", "{}").1, "one that is there may be put again");
        assert!(put(&other, "more", "{}").1);
        assert!(delete(&full, "adapter_7"));
        assert!(put(&full, "more", "{}").1);
    });
}
