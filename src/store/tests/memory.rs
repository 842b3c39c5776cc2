//! Memory entries and events.

use super::*;
use crate::domain::{
    Classification, EventKind, MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, MemoryStatus,
    MemoryTier, MemoryTtl, NewEvent, RawJson,
};
use crate::store::sql::values;

fn scope(subject: &str, session: &str, agent: &str) -> MemoryScope {
    let part = |text: &str| (!text.is_empty()).then(|| text.into());
    MemoryScope {
        subject: part(subject),
        session_id: part(session),
        agent: part(agent),
        pack_tenant: None,
    }
}

fn entry(key: &str, value: &str, now: Timestamp) -> MemoryEntry {
    MemoryEntry {
        scope: MemoryScope::default(),
        key: key.into(),
        value: RawJson::new(serde_json::to_string(value).unwrap()),
        description: None,
        tags: Vec::new(),
        importance: 0.5,
        tier: MemoryTier::Semantic,
        classification: Classification::Internal,
        status: MemoryStatus::Promoted,
        source: None,
        author: None,
        metadata: None,
        version: 1,
        update_count: 1,
        created_at: now,
        updated_at: now,
        ttl: None,
        expires_at: None,
        expires_at_turn: None,
    }
}

fn put(tenant: &Tenant, entry: &MemoryEntry) {
    let entry = entry.clone();
    tenant.write(move |tx| tx.put_memory(&entry, MemoryAction::Set, MemoryOrigin::Direct)).unwrap();
}

fn keys<'e>(entries: impl IntoIterator<Item = &'e MemoryEntry>) -> Vec<String> {
    entries.into_iter().map(|entry| entry.key.to_string()).collect()
}

fn recalled(tenant: &Tenant, scope: MemoryScope, question: &str) -> Vec<(String, bool)> {
    let view = MemoryView::new(scope);
    let found = tenant.read(|tx| tx.recall_memory(&view, question, 50)).unwrap();
    found.into_iter().map(|one| (one.entry.key.to_string(), one.relevance > 0.0)).collect()
}

#[test]
fn an_entry_comes_back_with_every_member() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let now = clock.now();
        let mut full = entry("k", "a \"quoted\" \u{1F600}\n", now);
        full.scope = scope("ann", "s", "coder");
        full.description = Some("about".into());
        full.tags = vec!["a\"b".into(), "c".into()];
        full.importance = 0.125;
        full.tier = MemoryTier::Episodic;
        full.classification = Classification::Restricted;
        full.status = MemoryStatus::Deprecated;
        full.source = Some("import".into());
        full.author = Some("ann".into());
        full.metadata = Some(RawJson::new("{\"n\": 1.50}"));
        full.version = 7;
        full.update_count = 5;
        full.expire(Some(MemoryTtl::Turns(3)), now, 0);
        for entry in [full, entry("plain", "v", now)] {
            put(&tenant, &entry);
            let find = |tx: &Tx<'_>| tx.memory(&entry.scope, &entry.key);
            assert_eq!(tenant.read(find).unwrap().as_ref(), Some(&entry));
            let versions =
                tenant.read(|tx| tx.memory_versions(&entry.scope, &entry.key, None, 9)).unwrap();
            assert_eq!(versions[0].entry, entry);
        }
        assert_eq!(tenant.read(|tx| tx.memory_state()).unwrap(), (2, 2));
    });
}

#[test]
fn a_tag_is_found_in_its_own_case_and_whole() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        for (key, tag) in [("a", "Ops"), ("b", "ops"), ("c", "ops%"), ("d", "o\"ps")] {
            let mut entry = entry(key, "v", clock.now());
            entry.tags = vec![tag.into(), "all".into()];
            put(&tenant, &entry);
        }
        for (tag, wanted) in [("ops", &["b"][..]), ("Ops", &["a"]), ("op", &[]), ("o\"ps", &["d"])]
        {
            let filter = MemoryFilter { tag: Some(tag.to_owned()), ..MemoryFilter::default() };
            let found = tenant.read(|tx| tx.list_memory(&filter, None, 9)).unwrap().rows;
            assert_eq!(keys(&found), wanted, "{tag}");
        }
    });
}

#[test]
fn no_read_shows_what_has_expired() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let mut timed = entry("timed", "words", clock.now());
        timed.expire(Some(MemoryTtl::Seconds(60)), clock.now(), 0);
        let mut turned = entry("turned", "words", clock.now());
        turned.scope = scope("", "s", "");
        turned.expire(Some(MemoryTtl::Turns(1)), clock.now(), 0);
        put(&tenant, &timed);
        put(&tenant, &turned);
        let shown = || {
            let list =
                tenant.read(|tx| tx.list_memory(&MemoryFilter::default(), None, 9)).unwrap().rows;
            let sight = recalled(&tenant, scope("", "s", ""), "words");
            assert_eq!(keys(&list).len(), sight.len());
            let found = |entry: &MemoryEntry| {
                tenant.read(|tx| tx.memory(&entry.scope, &entry.key)).unwrap().is_some()
            };
            (found(&timed), found(&turned), keys(&list).len())
        };
        assert_eq!(shown(), (true, true, 2));
        tenant.write(|tx| tx.count_turn("another")).unwrap();
        assert_eq!(shown(), (true, true, 2));
        tenant.write(|tx| tx.count_turn("s")).unwrap();
        assert_eq!(shown(), (true, false, 1));
        clock.advance(Duration::from_mins(1));
        assert_eq!(shown(), (false, false, 0));

        let view = MemoryView::new(scope("", "s", ""));
        let expired = tenant.read(|tx| tx.expired_in_sight(&view)).unwrap();
        assert_eq!(keys(&expired), ["timed", "turned"]);
        let late = || tenant.read(|tx| tx.expired_memory(9)).unwrap();
        assert_eq!(keys(&late()), [""; 0], "they are left to a compile for a while");
        clock.advance(HOUR * 2);
        assert_eq!(keys(&late()), ["timed", "turned"]);
    });
}

#[test]
fn what_is_deleted_is_found_by_nothing() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        put(&tenant, &entry("k", "zebra", clock.now()));
        assert_eq!(recalled(&tenant, MemoryScope::default(), "zebra"), [("k".to_owned(), true)]);
        let none = MemoryScope::default();
        let delete = || tenant.write(|tx| tx.delete_memory(&MemoryScope::default(), "k")).unwrap();
        assert!(delete());
        assert!(!delete());
        assert!(recalled(&tenant, none.clone(), "zebra").is_empty());
        let versions = tenant.read(|tx| tx.memory_versions(&none, "k", None, 9)).unwrap();
        assert!(versions.is_empty());
        assert_eq!(tenant.read(|tx| tx.memory_state()).unwrap(), (2, 0));
    });
}

#[test]
fn who_looks_sees_what_is_shared_and_what_is_theirs() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        for (key, subject, session) in [
            ("all", "", ""),
            ("ann", "ann", ""),
            ("bob", "bob", ""),
            ("ann_s", "ann", "s"),
            ("s", "", "s"),
        ] {
            let mut one = entry(key, "words to find", clock.now());
            one.scope = scope(subject, session, "");
            put(&tenant, &one);
            clock.advance(Duration::from_secs(1));
        }
        let seen = |subject: &str, session: &str| {
            let by_words = recalled(&tenant, scope(subject, session, ""), "find");
            assert!(by_words.iter().all(|(_, answers)| *answers), "{by_words:?}");
            let by_weight = recalled(&tenant, scope(subject, session, ""), "");
            let keys =
                |found: Vec<(String, bool)>| found.into_iter().map(|one| one.0).collect::<Vec<_>>();
            let (words, weight) = (keys(by_words), keys(by_weight));
            assert_eq!(words, weight);
            words
        };
        assert_eq!(seen("", ""), ["all"]);
        assert_eq!(seen("ann", ""), ["all", "ann"]);
        assert_eq!(seen("ann", "s"), ["all", "ann", "ann_s", "s"]);
        assert_eq!(seen("eve", "t"), ["all"]);
    });
}

#[test]
fn nobody_sees_another_tenants_memory_or_events() {
    each(&Retention::default(), |store, clock| {
        let (ours, theirs) = (store.tenant("ours"), store.tenant("theirs"));
        put(&ours, &entry("k", "secret words", clock.now()));
        let none = MemoryScope::default();
        assert_eq!(theirs.read(|tx| tx.memory(&none, "k")).unwrap(), None);
        assert!(recalled(&theirs, none.clone(), "secret words").is_empty());
        let list = |tenant: &Tenant| {
            tenant.read(|tx| tx.list_memory(&MemoryFilter::default(), None, 9)).unwrap().rows.len()
        };
        assert_eq!((list(&ours), list(&theirs)), (1, 0));
        assert!(!theirs.write(|tx| tx.delete_memory(&MemoryScope::default(), "k")).unwrap());
        assert_eq!(theirs.read(|tx| tx.memory_state()).unwrap(), (0, 0));
        put(&theirs, &entry("k", "theirs", clock.now()));
        assert!(recalled(&theirs, none, "secret").iter().all(|(_, answers)| !answers));

        let publish = |tenant: &Tenant| {
            tenant.write(|tx| {
                tx.publish(&NewEvent {
                    kind: EventKind::MemoryChanged,
                    session_id: None,
                    compilation_id: None,
                    data: RawJson::new("{}"),
                    at: None,
                })
            })
        };
        assert_eq!(
            [publish(&ours), publish(&theirs), publish(&ours)].map(Result::unwrap),
            [1, 1, 2]
        );
        assert_eq!(theirs.read(|tx| tx.events(0, 9)).unwrap().len(), 1);
    });
}

#[test]
fn a_write_that_fails_leaves_nothing() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let kept = entry("k", "v", clock.now());
        let result = tenant.write(move |tx| {
            tx.put_memory(&kept, MemoryAction::Set, MemoryOrigin::Direct)?;
            tx.count_turn("s")?;
            Err::<(), Error>(Error::TooManyPacks(0))
        });
        assert!(matches!(result, Err(Error::TooManyPacks(0))));
        assert_eq!(tenant.read(|tx| tx.memory(&MemoryScope::default(), "k")).unwrap(), None);
        assert_eq!(tenant.read(|tx| tx.session_turns("s")).unwrap(), 0);
        assert_eq!(tenant.read(|tx| tx.memory_state()).unwrap(), (0, 0));
    });
}

#[test]
fn only_the_last_hundred_versions_are_kept() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        for version in 1..=130 {
            put(&tenant, &MemoryEntry { version, ..entry("k", "v", clock.now()) });
        }
        let versions =
            tenant.read(|tx| tx.memory_versions(&MemoryScope::default(), "k", None, 500)).unwrap();
        let numbers: Vec<u64> = versions.iter().map(|one| one.entry.version).collect();
        assert_eq!(numbers, (31..=130).rev().collect::<Vec<_>>());
    });
}

#[test]
fn events_are_numbered_without_a_gap_and_forgotten_when_they_are_old() {
    let retention = Retention { events: HOUR, ..Retention::default() };
    each(&retention, |store, clock| {
        let tenant = store.tenant("default");
        let publish = || {
            let event = NewEvent {
                kind: EventKind::MemoryChanged,
                session_id: Some("s".into()),
                compilation_id: None,
                data: RawJson::new("{\"key\":\"k\"}"),
                at: None,
            };
            tenant.write(move |tx| tx.publish(&event)).unwrap()
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..25).for_each(|_| assert!(publish() > 0)));
            }
        });
        let numbers = |after| {
            let events = tenant.read(|tx| tx.events(after, 1000)).unwrap();
            events.into_iter().map(|event| event.seq).collect::<Vec<_>>()
        };
        assert_eq!(numbers(0), (1..=100).collect::<Vec<_>>());
        assert_eq!(numbers(98), [99, 100]);
        clock.advance(HOUR * 2);
        assert_eq!(publish(), 101);
        store.clean().unwrap();
        assert_eq!(numbers(0), [101]);
        assert_eq!(publish(), 102);
    });
}

#[test]
fn an_event_is_as_old_as_those_after_it() {
    let retention = Retention { events: HOUR, ..Retention::default() };
    each(&retention, |store, clock| {
        let tenant = store.tenant("default");
        let old = clock.now().before(HOUR * 2);
        // The clock was ahead for the first event; the last two are new.
        let ages = [Some(clock.now().after(HOUR * 9)), Some(old), None, None];
        for at in ages {
            let event = NewEvent {
                kind: EventKind::MemoryChanged,
                session_id: None,
                compilation_id: None,
                data: RawJson::new("{}"),
                at,
            };
            tenant.write(move |tx| tx.publish(&event)).unwrap();
        }
        store.clean().unwrap();
        let left = tenant.read(|tx| tx.events(0, 9)).unwrap();
        assert_eq!(left.iter().map(|event| event.seq).collect::<Vec<_>>(), [3, 4]);
    });
}

#[test]
fn more_events_than_one_batch_are_forgotten() {
    let retention = Retention { events: HOUR, ..Retention::default() };
    each(&retention, |store, clock| {
        let tenant = store.tenant("default");
        let publish = |count: usize| {
            tenant
                .write(move |tx| {
                    for _ in 0..count {
                        tx.publish(&NewEvent {
                            kind: EventKind::MemoryChanged,
                            session_id: None,
                            compilation_id: None,
                            data: RawJson::new("{}"),
                            at: None,
                        })?;
                    }
                    Ok::<_, Error>(())
                })
                .unwrap();
        };
        publish(1_250);
        clock.advance(HOUR * 2);
        publish(2);
        store.clean().unwrap();
        let left = tenant.read(|tx| tx.events(0, 9)).unwrap();
        assert_eq!(left.iter().map(|event| event.seq).collect::<Vec<_>>(), [1_251, 1_252]);
    });
}

/// Entries that are written by one statement, without their words.
fn fill(tenant: &Tenant, count: u64) {
    tenant
        .write(move |tx| {
            tx.execute(
                "INSERT INTO memory (tenant, subject, session, agent, pack_tenant, key, value, tags,
                     importance, tier, classification, status, version, update_count, created_at,
                     updated_at)
                 WITH RECURSIVE number (n) AS (
                     SELECT 100001 UNION ALL SELECT n + 1 FROM number WHERE n < 100000 + ?2)
                 SELECT ?1, CASE WHEN n % 2 = 0 THEN 'even' ELSE '' END,
                     CASE WHEN n % 1000 = 0 THEN 's' ELSE '' END, '', '', CAST(n AS TEXT), '1',
                     CASE WHEN n = 105500 THEN '[\"last\"]' ELSE '[]' END,
                     0.5, 'semantic', 'internal', 'promoted', 1, 0, 1, 1
                 FROM number",
                values![count],
            )
        })
        .unwrap();
}

#[test]
fn a_page_of_a_list_looks_at_some_rows_only() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        fill(&tenant, 5_500);
        let list = |filter: &MemoryFilter, after: Option<&MemoryCursor>| {
            let page = tenant.read(|tx| tx.list_memory(filter, after, 9)).unwrap();
            let found: Vec<String> = page.rows.iter().map(|one| one.key.to_string()).collect();
            (found, page.next)
        };
        let tagged = MemoryFilter { tag: Some("last".to_owned()), ..MemoryFilter::default() };
        let (found, next) = list(&tagged, None);
        assert_eq!(found, [""; 0]);
        let next = next.expect("the list goes on");
        assert_eq!(next.key, "105000");
        assert_eq!(list(&tagged, Some(&next)), (vec!["105500".to_owned()], None));
        // A subject, and a session, have an index: only their rows are looked at.
        let even = MemoryFilter { subject: Some("even".to_owned()), ..tagged.clone() };
        assert_eq!(list(&even, None), (vec!["105500".to_owned()], None));
        let session = MemoryFilter { session_id: Some("s".to_owned()), ..MemoryFilter::default() };
        let (found, next) = list(&session, None);
        assert_eq!(
            (found, next),
            (["101000", "102000", "103000", "104000", "105000"].map(str::to_owned).to_vec(), None)
        );
        let (found, next) = list(&MemoryFilter::default(), None);
        assert_eq!((found.len(), next.map(|next| next.key).as_deref()), (9, Some("100009")));
    });
}
