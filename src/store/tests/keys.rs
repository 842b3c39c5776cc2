//! Keys, usage and replies, over each backend.

use super::*;
use crate::domain::{CostTotals, Day, Key, KeyHash, KeyLimits, KeywordSet, PrincipalKind};

fn key(id: &str, tenant: &str) -> Key {
    Key {
        id: id.into(),
        tenant: tenant.into(),
        name: "bot".to_owned(),
        kind: PrincipalKind::Agent,
        scopes: KeywordSet::parse("compile memory:read").unwrap(),
        roles: KeywordSet::parse("auditor").unwrap(),
        limits: KeyLimits { requests_per_minute: Some(5), tokens_per_day: None },
        defaults: Some("{\"target\":\"gemini\"}".into()),
        created_at: Timestamp::default(),
        updated_at: Timestamp::default(),
    }
}

fn insert(tenant: &Tenant, key: &Key) -> Result<Key, Error> {
    let (key, hash) = (key.clone(), KeyHash([7; 32]));
    tenant.write_durable(move |tx| tx.insert_key(&key, &hash))
}

#[test]
fn a_key_is_found_by_its_id_whoever_s_it_is_until_it_is_revoked() {
    each(&Retention::default(), |store, clock| {
        assert!(!store.has_keys().unwrap());
        let (a, b) = (store.tenant("a"), store.tenant("b"));
        let stored = insert(&a, &key("k1", "a")).unwrap();
        let wanted = Key { created_at: clock.now(), updated_at: clock.now(), ..key("k1", "a") };
        assert_eq!(stored, wanted);
        assert_eq!(store.find_key("k1").unwrap(), Some((wanted, KeyHash([7; 32]))));
        assert_eq!(b.read(|tx| tx.key("k1")).unwrap(), None);
        assert!(insert(&b, &key("k1", "b")).is_err(), "an id is one key's");

        clock.advance(HOUR);
        let changed = Key { name: "other".to_owned(), defaults: None, ..stored };
        let change = changed.clone();
        assert_eq!(b.write(move |tx| tx.update_key(&change)).unwrap(), None);
        let change = changed.clone();
        let now = a.write(move |tx| tx.update_key(&change)).unwrap();
        assert_eq!(now, Some(Key { updated_at: clock.now(), ..changed }));

        assert!(!b.write(|tx| tx.revoke_key("k1")).unwrap());
        assert!(a.write(|tx| tx.revoke_key("k1")).unwrap());
        assert!(!a.write(|tx| tx.revoke_key("k1")).unwrap());
        assert_eq!(store.find_key("k1").unwrap(), None);
        assert!(store.has_keys().unwrap(), "there was one");
        assert!(insert(&a, &key("k1", "a")).is_err(), "an id is never another's");
    });
}

#[test]
fn keys_are_listed_by_id_from_where_one_is() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("a");
        for id in ["c", "a", "b", "d"] {
            insert(&tenant, &key(id, "a")).unwrap();
        }
        tenant.write(|tx| tx.revoke_key("b")).unwrap();
        let ids = |after, limit| -> Vec<String> {
            let keys = tenant.read(|tx| tx.list_keys(after, limit)).unwrap();
            keys.iter().map(|key| key.id.to_string()).collect()
        };
        assert_eq!(ids(None, 2), ["a", "c"]);
        assert_eq!(ids(Some("c"), 9), ["d"]);
        assert!(store.tenant("b").read(|tx| tx.list_keys(None, 9)).unwrap().is_empty());
    });
}

fn used(day: i64, key: &str, model: &str, tokens: u64) -> UsageRow {
    UsageRow {
        day: Day(day),
        hour: None,
        session: None,
        key: key.to_owned(),
        model: model.to_owned(),
        requests: 1,
        tokens_before: tokens,
        tokens_after: tokens / 2,
        unique_saved_tokens: tokens / 4,
        cost: CostTotals::default(),
    }
}

#[test]
fn what_is_used_is_added_up_and_filtered() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("a");
        let rows = [(1, "k", "m", 10), (1, "k", "m", 6), (1, "k", "n", 4), (2, "", "", 8)];
        for (day, key, model, tokens) in rows {
            let row = used(day, key, model, tokens);
            tenant.write(move |tx| tx.add_usage(&row)).unwrap();
        }
        let list = |filter: &UsageFilter, after: Option<&UsageCursor>, limit| {
            tenant.read(|tx| tx.list_usage(filter, after, limit)).unwrap()
        };
        let all = UsageFilter::default();
        let sum = UsageRow { requests: 2, unique_saved_tokens: 3, ..used(1, "k", "m", 16) };
        let rows = [sum, used(1, "k", "n", 4), used(2, "", "", 8)];
        assert_eq!(list(&all, None, 9), rows);
        let (key, model) = ("k".to_owned(), "m".to_owned());
        let after = UsageCursor { session: None, day: Day(1), hour: None, key, model };
        assert_eq!(list(&all, Some(&after), 1), rows[1..2]);
        let one = |filter| list(&filter, None, 9).len();
        assert_eq!(one(UsageFilter { key: Some("k".to_owned()), ..all.clone() }), 2);
        assert_eq!(one(UsageFilter { model: Some(String::new()), ..all.clone() }), 1);
        assert_eq!(one(UsageFilter { from: Some(Day(2)), ..all.clone() }), 1);
        assert_eq!(one(UsageFilter { to: Some(Day(0)), ..all.clone() }), 0);
        let sum = |tenant: &str, day| {
            store.tenant(tenant).read(|tx| tx.tokens_of_day("k", Day(day))).unwrap()
        };
        assert_eq!((sum("a", 1), sum("a", 2), sum("b", 1)), (20, 0, 0));
    });
}

#[test]
fn a_reply_is_remembered_with_the_effect_or_not_at_all() {
    const DAY: Duration = Duration::from_hours(24);
    each(&Retention::default(), |store, clock| {
        let (a, b) = (store.tenant("a"), store.tenant("b"));
        let digest = ContentHash::of("request");
        let until = clock.now().after(DAY);
        let remember = |fails: bool| {
            a.write(move |tx| {
                tx.put_adapter("one", "{}")?;
                tx.remember_reply("PUT", "k", &digest, "201 {}", until)?;
                if fails { Err(Error::no_row()) } else { Ok(()) }
            })
        };
        let found = |tenant: &Tenant, route: &str| {
            tenant.read(|tx| tx.find_reply(route, "k")).unwrap().map(|(_, answer)| answer)
        };
        assert!(remember(true).is_err());
        assert_eq!(found(&a, "PUT"), None);
        assert_eq!(a.read(|tx| tx.adapters(&["one"])).unwrap(), [None]);
        remember(false).unwrap();
        assert_eq!(found(&a, "PUT").as_deref(), Some("201 {}"));
        assert_eq!((found(&a, "POST"), found(&b, "PUT")), (None, None));
        assert!(remember(false).is_err(), "who comes second does nothing");

        clock.advance(DAY);
        assert_eq!(found(&a, "PUT"), None);
        store.clean().unwrap();
        remember(false).unwrap();
        store.probe().unwrap();
        assert_eq!(store.condition(), StoreCondition::Good);
    });
}
