//! What a cleanup finds due, and how many rows one transaction removes.

use super::*;
use crate::domain::{Quota, RawJson, RecordLevel, Session};

/// The rows of a table that a session has.
fn count(tenant: &Tenant, table: &str, column: &str) -> u64 {
    let sql = format!("SELECT count(*) FROM {table} WHERE tenant = ?1 AND {column} = 's'");
    tenant.read(|tx| tx.first(&sql, &[], |row| row.get(0))).unwrap().unwrap()
}

/// Stores records of a session, each with so many texts of its own and one that all have.
fn put_records(store: &Store, tenant: &Tenant, records: usize, texts: usize) -> Vec<ContentHash> {
    let mut all = Vec::new();
    for at in 0..records {
        let mut batch = Batch::default();
        let own: Vec<_> =
            (0..texts).map(|text| batch.message(format!("\"{at} {text}\""))).collect();
        let shared = batch.message("\"shared\"");
        let record = record(store, &format!("cmp_{at:032}"), Some("s"), RecordLevel::Full);
        let needed: Vec<_> = own.iter().copied().chain([shared]).collect();
        tenant.commit_with(batch, move |tx, _| tx.insert_compilation(&record, &needed)).unwrap();
        all.extend(own);
        all.push(shared);
    }
    all
}

/// The names of the tenants with work, and which of it.
fn due(store: &Store) -> Vec<(String, Vec<DueWork>)> {
    let all = [
        DueWork::Memory,
        DueWork::Sessions,
        DueWork::Outcomes,
        DueWork::Hooks,
        DueWork::Artifacts,
        DueWork::Rows,
    ];
    let found = store.due_tenants().unwrap();
    let work = |of: &DueTenant| all.into_iter().filter(|work| of.has(*work)).collect();
    found.iter().map(|of| (of.name.clone(), work(of))).collect()
}

#[test]
fn only_a_tenant_of_which_something_is_due_has_work() {
    let retention = Retention { events: HOUR * 2, ..Retention::default() };
    each(&retention, |store, clock| {
        put(&store.tenant("artifact"), "text");
        publish(&store.tenant("event"));
        answer_of(&store.tenant("original"), "{}");
        let kept = record(&store, "cmp_1", None, RecordLevel::Full);
        let owner = store.tenant("record");
        owner.write(move |tx| tx.insert_compilation(&kept, &[])).unwrap();
        publish(&owner);
        let session = Session {
            expires_at: clock.now().after(HOUR * 3),
            ..Session::new("s".into(), clock.now())
        };
        store.tenant("session").write(move |tx| tx.put_session(&session)).unwrap();
        assert_eq!(due(&store), []);

        let of = |name: &str, work| (name.to_owned(), vec![work]);
        clock.advance(HOUR);
        assert_eq!(due(&store), [of("record", DueWork::Rows)]);
        store.clean().unwrap();
        assert_eq!(due(&store), []);
        clock.advance(HOUR + Duration::from_micros(1));
        assert_eq!(due(&store), [of("event", DueWork::Rows), of("record", DueWork::Rows)]);
        store.clean().unwrap();
        clock.advance(HOUR);
        assert_eq!(due(&store), [of("session", DueWork::Sessions)]);
        clock.advance(TTL + TTL / 24);
        assert_eq!(
            due(&store),
            [
                of("artifact", DueWork::Artifacts),
                of("original", DueWork::Rows),
                of("session", DueWork::Sessions)
            ]
        );
        store.clean().unwrap();
        assert_eq!(due(&store), [of("session", DueWork::Sessions)]);
    });
}

#[test]
fn a_cap_is_work_when_it_is_exceeded() {
    let caps = Caps { max_count: Some(1), ..Caps::default() };
    let retention = Retention { caps, originals_max_bytes: 2, ..Retention::default() };
    each(&retention, |store, clock| {
        let tenant = store.tenant("a");
        put(&tenant, "1");
        answer_of(&tenant, "{}");
        assert_eq!(due(&store), []);
        clock.advance(HOUR);
        put(&tenant, "2");
        answer_of(&tenant, "[]");
        assert_eq!(due(&store), [("a".to_owned(), vec![DueWork::Artifacts, DueWork::Rows])]);
        store.clean().unwrap();
        assert_eq!(due(&store), []);
        assert_eq!(
            tenant.messages(&[ContentHash::of("{}"), ContentHash::of("[]")]).unwrap(),
            [None, Some("[]".to_owned())]
        );
    });
}

#[test]
fn tenants_are_found_whose_number_is_more_than_one_read_has() {
    each(&Retention::default(), |store, _| {
        let names: Vec<String> = (0..405).map(|at| format!("{at:03}")).collect();
        for name in &names {
            put(&store.tenant(name), "text");
        }
        let tenants = store.tenants().unwrap();
        assert!(tenants == names, "{tenants:?}");
    });
}

#[test]
fn bytes_of_originals_are_counted_whatever_becomes_of_them() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("a");
        let bytes = || tenant.read(|tx| tx.original_bytes()).unwrap();
        assert_eq!(bytes(), 0);
        answer_of(&tenant, "12");
        answer_of(&tenant, "12");
        answer_of(&tenant, "345");
        assert_eq!(bytes(), 5);
        // Content that an artifact needs is no message once that has expired.
        put(&tenant, "12");
        put(&tenant, "artifact alone");
        assert_eq!(bytes(), 5);
        clock.advance(TTL / 2);
        put(&tenant, "12");
        answer_of(&tenant, "345");
        clock.advance(TTL / 2 + TTL / 24);
        store.clean().unwrap();
        assert_eq!(bytes(), 3);
        answer_of(&tenant, "12");
        assert_eq!(bytes(), 5);
        clock.advance(TTL * 2);
        store.clean().unwrap();
        assert_eq!(bytes(), 0);
        assert_eq!(store.check_all().unwrap().faults, [""; 0]);
    });
}

#[test]
fn a_session_is_erased_in_transactions_of_few_rows() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let session = Session {
            expires_at: clock.now().after(HOUR),
            ..Session::new("s".into(), clock.now())
        };
        let messages: Vec<RawJson> =
            (0..130).map(|at| RawJson::new(format!("\"message {at}\""))).collect();
        tenant
            .write(move |tx| {
                tx.put_session(&session)?;
                tx.add_session_messages("s", &messages)
            })
            .unwrap();
        let texts = put_records(&store, &tenant, 3, 120);
        // A text that something else needs stays.
        answer_of(&tenant, "\"0 0\"");

        let (mut calls, mut is_gone) = (0, false);
        while !is_gone {
            is_gone = tenant
                .write(|tx| {
                    let mut rows = 100;
                    tx.erase_session_rows("s", &mut rows)
                })
                .unwrap();
            calls += 1;
            assert!(is_gone || count(&tenant, "sessions", "id") == 1, "the session goes last");
        }
        // 363 texts, 3 records, 130 messages and their texts.
        assert!((7..=8).contains(&calls), "{calls}");
        for (table, column) in [
            ("sessions", "id"),
            ("session_turns", "id"),
            ("session_messages", "session"),
            ("session_texts", "session"),
            ("compilations", "session"),
        ] {
            assert_eq!(count(&tenant, table, column), 0, "{table}");
        }
        let left = tenant.messages(&texts).unwrap();
        assert_eq!(left.iter().flatten().collect::<Vec<_>>(), ["\"0 0\""]);
        let rows = "SELECT count(*) FROM compilation_texts WHERE tenant = ?1";
        let rows = tenant.read(|tx| tx.first(rows, &[], |row| row.get::<u64>(0))).unwrap();
        assert_eq!(rows, Some(0));
    });
}

#[test]
fn expired_records_go_with_any_number_of_texts() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let texts = put_records(&store, &tenant, 70, 3);
        clock.advance(HOUR);
        assert!(tenant.write(|tx| tx.forget_compilations()).unwrap());
        // 100 rows: 20 records with four texts each.
        assert_eq!(count(&tenant, "compilations", "session"), 50);
        while tenant.write(|tx| tx.forget_compilations()).unwrap() {}
        assert_eq!(count(&tenant, "compilations", "session"), 0);
        // The texts have an expiry of their own.
        assert!(tenant.messages(&texts).unwrap().iter().all(Option::is_some));
        // A text that all records had is discounted once.
        let uses = tenant.read(|tx| tx.quota_uses()).unwrap();
        let bytes = uses.iter().find(|found| found.quota == Quota::CompilationBytes).unwrap();
        assert_eq!(bytes.used, 0);
    });
}

#[test]
fn a_count_below_zero_counts_as_nothing() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        put_records(&store, &tenant, 1, 0);
        tenant
            .write(|tx| {
                tx.execute("UPDATE tenant_usage SET compilation_bytes = -9 WHERE tenant = ?1", &[])
            })
            .unwrap();
        let uses = tenant.read(|tx| tx.quota_uses()).unwrap();
        assert!(uses.iter().all(|found| found.used == 0), "{uses:?}");
    });
}

/// But for the parts of the statement itself, no table is read through.
#[test]
fn what_is_due_is_found_by_indexes() {
    let store = Store::memory(Retention::default(), Clock::system()).unwrap();
    let plan = format!("EXPLAIN QUERY PLAN {}", super::super::due_work::due_statement());
    let mut scans = Vec::new();
    let mut searches = 0;
    let mut each = |row: &dyn crate::store::sql::Row| {
        let step: String = row.get(3)?;
        searches += usize::from(step.starts_with("SEARCH"));
        let own = ["CONSTANT ROW", "names", "firsts", "next_", "oldest", "(subquery"];
        if step.starts_with("SCAN") && !own.iter().any(|own| step.contains(own)) {
            scans.push(step);
        }
        Ok(())
    };
    store.inner.backend.read(None, &mut |sql| sql.query(&plan, &[], &mut each)).unwrap();
    assert_eq!(scans, [""; 0]);
    assert!(searches > 30, "{searches}");
}

#[test]
fn a_session_that_has_ended_is_found_by_nobody() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let session = Session {
            expires_at: clock.now().after(HOUR),
            ..Session::new("s".into(), clock.now())
        };
        tenant.write(move |tx| tx.put_session(&session)).unwrap();
        tenant.write(|tx| tx.end_session("s")).unwrap();
        assert_eq!(tenant.read(|tx| tx.session("s")).unwrap(), None);
        let expired = tenant.read(|tx| tx.expired_sessions(tx.now(), 9)).unwrap();
        assert_eq!(expired, ["s"]);
    });
}
