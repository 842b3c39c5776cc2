//! Sums of costs of sessions, and prefixes that run out.

use super::*;
use crate::domain::{CostTotals, Day, DurationBucket, Session};

fn row(session: Option<&str>, day: i64, payload_micros: i64) -> UsageRow {
    UsageRow {
        day: Day(day),
        hour: None,
        session: session.map(str::to_owned),
        key: "k".to_owned(),
        model: "m".to_owned(),
        requests: 1,
        tokens_before: 10,
        tokens_after: 6,
        unique_saved_tokens: 3,
        cost: CostTotals {
            priced_requests: 1,
            reported_requests: 1,
            payload_micros,
            output_micros: 2,
            unshortened_micros: 30,
            unique_saved_micros: 4,
            cache_read_tokens: 5,
            cache_write_tokens: 1,
            priced_tokens: 6,
        },
    }
}

fn open(tenant: &Tenant, id: &str) {
    let id: Arc<str> = id.into();
    tenant
        .write(move |tx| {
            let mut session = Session::new(Arc::clone(&id), tx.now());
            session.touch(tx.now(), HOUR);
            tx.put_session(&session)
        })
        .unwrap();
}

#[test]
fn the_share_of_a_session_is_kept_with_it_and_lowered_by_corrections() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("a");
        open(&tenant, "s");
        open(&tenant, "t");
        for (session, day, payload) in [
            (Some("s"), 1, 20),
            (Some("s"), 1, -5),
            (Some("t"), 2, 7),
            (Some("gone"), 2, 1),
            (None, 1, 9),
        ] {
            let row = row(session, day, payload);
            tenant.write(move |tx| tx.add_usage(&row)).unwrap();
        }
        let filter = UsageFilter::default();
        let list = |session: Option<&str>, after: Option<&UsageCursor>| {
            let read = |tx: &Tx<'_>| tx.list_session_usage(session, &filter, after, 9);
            tenant.read(read).unwrap()
        };
        let of = |rows: &[UsageRow]| -> Vec<(Option<String>, u64, i64)> {
            rows.iter()
                .map(|row| (row.session.clone(), row.requests, row.cost.payload_micros))
                .collect()
        };
        let (s, t) = ((Some("s".to_owned()), 2, 15), (Some("t".to_owned()), 1, 7));
        assert_eq!(of(&list(None, None)), [s.clone(), t.clone()]);
        assert_eq!(of(&list(Some("s"), None)), [s]);
        let (key, model) = ("k".to_owned(), "m".to_owned());
        let after =
            UsageCursor { session: Some("s".to_owned()), day: Day(1), hour: None, key, model };
        assert_eq!(of(&list(None, Some(&after))), std::slice::from_ref(&t));
        assert!(list(Some("s"), Some(&after)).is_empty());
        let sum = tenant.read(|tx| tx.list_usage(&filter, None, 9)).unwrap();
        assert_eq!(of(&sum), [(None, 3, 24), (None, 2, 8)]);
        assert_eq!((sum[0].unique_saved_tokens, sum[0].cost.unique_saved_micros), (9, 12));
        assert_eq!((sum[0].cost.output_micros, sum[0].cost.unshortened_micros), (6, 90));
        assert_eq!((sum[0].cost.cache_read_tokens, sum[0].cost.cache_write_tokens), (15, 3));
        assert_eq!(list(Some("t"), None)[0].cost.priced_tokens, 6);
        assert!(tenant.write(|tx| tx.erase_session("s")).unwrap());
        assert_eq!(of(&list(None, None)), [t]);
    });
}

#[test]
fn the_share_of_a_gateway_session_has_no_session_and_goes_after_thirty_days() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("a");
        open(&tenant, "s");
        let today = Day::new(clock.now()).0;
        for (session, day) in
            [("gws_1", today - 31), ("gws_1", today - 30), ("gwt_1", today), ("s", today - 31)]
        {
            let row = row(Some(session), day, 1);
            tenant.write(move |tx| tx.add_usage(&row)).unwrap();
        }
        let list = || {
            let filter = UsageFilter::default();
            let rows = tenant.read(|tx| tx.list_session_usage(None, &filter, None, 9)).unwrap();
            rows.iter()
                .map(|row| (row.session.clone().unwrap(), row.day.0 - today))
                .collect::<Vec<_>>()
        };
        let (old, kept) = (("gws_1".to_owned(), -31), ("gws_1".to_owned(), -30));
        let other = ("s".to_owned(), -31);
        assert_eq!(list(), [old, kept.clone(), other.clone()]);
        tenant.write(|tx| tx.forget_old_usage()).unwrap();
        assert_eq!(list(), [kept, other]);
    });
}

#[test]
fn usage_is_listed_by_hour_and_goes_after_a_month() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("a");
        let today = Day::new(clock.now()).0;
        let places = [
            (today, 23, "m"),
            (today, 2, "n"),
            (today, 2, "m"),
            (today, 2, "m"),
            (today - 32, 5, "m"),
        ];
        for (day, hour, model) in places {
            let (hour, model) = (Some(hour), model.to_owned());
            let row = UsageRow { hour, model, ..row(None, day, 1) };
            tenant.write(move |tx| tx.add_usage(&row)).unwrap();
        }
        let list = |after: Option<&UsageCursor>| {
            let filter = UsageFilter::default();
            let rows = tenant.read(|tx| tx.list_hour_usage(&filter, after, 9)).unwrap();
            rows.iter()
                .map(|row| (row.day.0 - today, row.hour.unwrap(), row.model.clone(), row.requests))
                .collect::<Vec<_>>()
        };
        let of = |day, hour, model: &str, requests| (day, hour, model.to_owned(), requests);
        let newest = [of(0, 2, "m", 2), of(0, 2, "n", 1), of(0, 23, "m", 1)];
        assert_eq!(list(None), [&[of(-32, 5, "m", 1)], &newest[..]].concat());
        let (key, model) = ("k".to_owned(), "m".to_owned());
        let after = UsageCursor { session: None, day: Day(today), hour: Some(2), key, model };
        assert_eq!(list(Some(&after)), newest[1..]);
        tenant.write(|tx| tx.forget_old_usage()).unwrap();
        assert_eq!(list(None), newest);
        let days = tenant.read(|tx| tx.list_usage(&UsageFilter::default(), None, 9)).unwrap();
        assert_eq!(days.iter().map(|row| row.requests).collect::<Vec<_>>(), [1, 3, 1]);
    });
}

#[test]
fn durations_are_added_up_over_days() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("a");
        for (day, bucket, requests) in [(1, 9, 2), (1, 9, 3), (2, 9, 1), (2, 4, 7), (3, 1, 1)] {
            let bucket = DurationBucket(bucket);
            tenant.write(move |tx| tx.add_durations(Day(day), bucket, requests)).unwrap();
        }
        let of = |from, to| tenant.read(|tx| tx.list_durations(from, to)).unwrap();
        let (slow, fast) = (DurationBucket(9), DurationBucket(4));
        assert_eq!(of(None, Some(Day(2))), [(fast, 7), (slow, 6)]);
        assert_eq!(of(Some(Day(1)), Some(Day(1))), [(slow, 5)]);
        assert!(store.tenant("b").read(|tx| tx.list_durations(None, None)).unwrap().is_empty());
    });
}

#[test]
fn a_prefix_that_runs_out_is_claimed_once_for_each_use() {
    const MINUTES: Duration = Duration::from_mins(5);
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("a");
        let prefix = CachedPrefix {
            session: "s".into(),
            expires_at: clock.now().after(MINUTES),
            ttl_seconds: 300,
            compilation: "cmp".into(),
            model: "m".into(),
            hash: ContentHash::of("text"),
            tokens: 7,
            rewrite_micros: None,
        };
        let put = |prefix: &CachedPrefix| {
            let prefix = prefix.clone();
            tenant.write(move |tx| tx.put_cached_prefix(&prefix)).unwrap();
        };
        let claim = |prefix: &CachedPrefix| {
            let prefix = prefix.clone();
            tenant.write(move |tx| tx.claim_expiring_cache(&prefix)).unwrap()
        };
        let due = |by| tenant.read(|tx| tx.expiring_caches(by, 9)).unwrap();
        put(&prefix);
        let by = prefix.expires_at;
        let early = clock.now().after(MINUTES.saturating_sub(Duration::from_micros(1)));
        assert!(
            due(early).is_empty()
                && store.tenants_with_expiring_caches(early, 9).unwrap().is_empty()
        );
        assert_eq!(due(by), std::slice::from_ref(&prefix));
        assert_eq!(store.tenants_with_expiring_caches(by, 9).unwrap(), ["a".into()]);
        // Another node has read the same.
        assert!(claim(&prefix));
        assert!(!claim(&prefix));
        assert!(
            due(by).is_empty() && store.tenants_with_expiring_caches(by, 9).unwrap().is_empty()
        );
        let later =
            CachedPrefix { expires_at: by.after(HOUR), rewrite_micros: Some(9), ..prefix.clone() };
        put(&later);
        // The prefix was used since it was read.
        assert!(!claim(&prefix));
        assert_eq!(tenant.read(|tx| tx.cached_prefix("s")).unwrap(), Some(later.clone()));
        tenant.write(|tx| tx.forget_cached_prefix("s")).unwrap();
        assert!(!claim(&later));
        assert_eq!(tenant.read(|tx| tx.cached_prefix("s")).unwrap(), None);
    });
}
