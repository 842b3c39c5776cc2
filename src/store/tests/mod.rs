//! Tests of every backend. A new one is a row in `each`.

mod adapters;
mod candidates;
mod costs;
mod deliveries;
mod golden;
mod keys;
mod lineages;
mod memory;
mod messages;
mod outcomes;
mod retention;
mod summaries;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::postgres::scratch::scratch;
use super::*;
use crate::domain::{
    ArtifactId, Compilation, CompilationStatus, ContentHash, EventKind, NewEvent, RawJson,
    RecordLevel, Timestamp,
};

const TEXT: &str = "text/plain; charset=utf-8";
const HOUR: Duration = Duration::from_hours(1);
const TTL: Duration = Duration::from_hours(7 * 24);

/// Runs a test over each backend, with a clock that does not move.
fn each(retention: &Retention, test: impl Fn(Store, Clock)) {
    let clock = || Clock::standing(Timestamp::from_micros(1_800_000_000_000_000));
    let memory = clock();
    test(Store::memory(retention.clone(), memory.clone()).unwrap(), memory);
    let folder = tempfile::tempdir().unwrap();
    let file = clock();
    let path = folder.path().join("store.db");
    test(Store::sqlite(&path, retention.clone(), file.clone()).unwrap(), file);
    if let Some(scratch) = scratch() {
        let shared = clock();
        test(Store::postgres(&scratch.url, retention.clone(), shared.clone()).unwrap(), shared);
    }
}

fn put(tenant: &Tenant, text: &str) -> ArtifactId {
    tenant.put_artifact(text, TEXT).unwrap().unwrap().id
}

fn text(tenant: &Tenant, id: ArtifactId) -> Option<String> {
    tenant.artifact(id).unwrap().map(|(_, text)| text)
}

/// A record that nothing was stored with.
fn record(store: &Store, id: &str, session: Option<&str>, level: RecordLevel) -> Compilation {
    Compilation {
        id: id.into(),
        created_at: store.now(),
        expires_at: store.now().after(HOUR),
        session_id: session.map(Arc::from),
        target: "openai".into(),
        model: "gpt-4o".into(),
        level,
        status: CompilationStatus::Compiled,
        engine: "e".into(),
        payload_hash: ContentHash::of("p"),
        tokens_before: 1,
        tokens_after: 1,
        fits: true,
        body: RawJson::new("{}".to_owned()),
        reported_cost: None,
    }
}

fn publish(tenant: &Tenant) {
    let event = NewEvent {
        kind: EventKind::MemoryChanged,
        session_id: None,
        compilation_id: None,
        data: RawJson::new("{}"),
        at: None,
    };
    tenant.write(move |tx| tx.publish(&event)).unwrap();
}

fn chain(name: u8) -> ChainHash {
    ChainHash([name; 32])
}

#[test]
fn an_artifact_comes_back_byte_for_byte() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let long = "a\tline \r\n\u{1F600}\0".repeat(100_000);
        for original in ["", "x", "two\nlines\n", &long] {
            let stored = tenant.put_artifact(original, TEXT).unwrap().unwrap();
            assert_eq!(stored.hash, ContentHash::of(original));
            assert_eq!(stored.bytes, original.len() as u64);
            assert_eq!(stored.lines, original.matches('\n').count() as u64 + 1);
            assert_eq!(stored.expires_at, clock.now().after(TTL));
            assert_eq!(tenant.artifact(stored.id).unwrap(), Some((stored, original.to_owned())));
        }
        assert_eq!(text(&tenant, ArtifactId::from(&ContentHash::of("never"))), None);
    });
}

#[test]
fn a_name_with_nul_is_refused_and_the_store_goes_on() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        assert!(matches!(tenant.read(|tx| tx.session("a\0b")), Err(Error::Nul)));
        // No key has such a tenant: what the error says is the database's affair.
        assert!(store.tenant("a\0b").put_artifact("text", TEXT).is_err());
        let id = put(&tenant, "text");
        assert_eq!(text(&tenant, id).as_deref(), Some("text"));
    });
}

#[test]
fn putting_again_renews_and_keeps_one() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let first = tenant.put_artifact("text", TEXT).unwrap().unwrap();
        clock.advance(HOUR);
        let second = tenant.put_artifact("text", TEXT).unwrap().unwrap();
        assert_eq!(second.created_at, first.created_at);
        assert_eq!(second.expires_at, first.expires_at.after(HOUR));
        let caps = Caps { max_count: Some(1), ..Caps::default() };
        assert_eq!(tenant.cleanup(&caps).unwrap(), Cleanup::default());
    });
}

#[test]
fn an_artifact_is_gone_when_it_expires_and_can_be_put_again() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let id = put(&tenant, "text");
        clock.advance(TTL.saturating_sub(Duration::from_micros(1)));
        assert!(text(&tenant, id).is_some());
        clock.advance(Duration::from_micros(1));
        assert_eq!(text(&tenant, id), None);
        put(&tenant, "text");
        assert_eq!(text(&tenant, id).as_deref(), Some("text"));
    });
}

#[test]
fn nobody_sees_another_tenants_things() {
    each(&Retention::default(), |store, _| {
        let (ours, theirs) = (store.tenant("ours"), store.tenant("theirs"));
        let mut batch = Batch::default();
        let id = batch.artifact("secret", TEXT);
        let original = batch.message("{}");
        batch.answer("cpr_1", vec![ResponseMessage { chain: chain(1), original }]);
        ours.commit(batch).unwrap();

        assert_eq!(text(&theirs, id), None);
        assert!(!theirs.delete_artifact(id).unwrap());
        assert_eq!(theirs.answer("cpr_1").unwrap(), None);
        assert_eq!(theirs.originals(&[chain(1)]).unwrap(), [None]);
        assert_eq!(theirs.messages(&[original]).unwrap(), [None]);
        let all = Caps { max_count: Some(0), ..Caps::default() };
        assert_eq!(theirs.cleanup(&all).unwrap(), Cleanup::default());

        put(&theirs, "secret");
        assert!(ours.delete_artifact(id).unwrap());
        answer_of(&theirs, "{}");
        assert_eq!(theirs.messages(&[original]).unwrap(), [Some("{}".to_owned())]);
        assert_eq!(theirs.originals(&[chain(1)]).unwrap(), [Some(original)]);
        assert_eq!(text(&theirs, id).as_deref(), Some("secret"));
    });
}

#[test]
fn what_goes_for_one_tenant_stays_for_another() {
    each(&Retention { originals_max_bytes: 5, ..Retention::default() }, |store, clock| {
        // Cleaned up in the order of their names.
        let (early, late) = (store.tenant("2"), store.tenant("1"));
        let same = ContentHash::of("{}");
        // The early one's content is an artifact too, and so outlives its message.
        answer_of(&early, "{}");
        clock.advance(TTL / 2);
        put(&early, "{}");
        answer_of(&late, "{}");
        clock.advance(TTL * 3 / 4);
        store.clean().unwrap();
        assert_eq!(early.messages(&[same]).unwrap(), [None]);
        assert_eq!(early.answer("cpr_1").unwrap(), None);
        assert_eq!(late.messages(&[same]).unwrap(), [Some("{}".to_owned())]);
        assert_eq!(late.originals(&[chain(1)]).unwrap(), [Some(same)]);
        assert_eq!(late.answer("cpr_1").unwrap(), Some(vec![same]));

        // One goes beyond its cap, the other has the same messages and does not.
        clock.advance(HOUR);
        answer_of(&early, "12");
        answer_of(&late, "12");
        clock.advance(HOUR);
        answer_of(&early, "3456");
        store.clean().unwrap();
        let older = [ContentHash::of("12")];
        assert_eq!(early.messages(&older).unwrap(), [None]);
        assert_eq!(late.messages(&older).unwrap(), [Some("12".to_owned())]);
    });
}

#[test]
fn reading_anothers_artifact_is_no_use_of_ours() {
    each(&Retention::default(), |store, clock| {
        let (ours, theirs) = (store.tenant("ours"), store.tenant("theirs"));
        let oldest = put(&ours, "1");
        put(&theirs, "1");
        clock.advance(HOUR);
        put(&ours, "2");
        clock.advance(HOUR);
        assert!(text(&theirs, oldest).is_some());
        let caps = Caps { max_count: Some(1), ..Caps::default() };
        assert_eq!(ours.cleanup(&caps).unwrap().evicted, [oldest]);
    });
}

#[test]
fn a_deleted_artifact_is_gone_and_deleting_again_says_so() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let id = put(&tenant, "text");
        assert!(tenant.delete_artifact(id).unwrap());
        assert!(!tenant.delete_artifact(id).unwrap());
        assert_eq!(text(&tenant, id), None);
    });
}

#[test]
fn a_batch_gives_back_its_messages_by_chain_and_by_answer() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let mut batch = Batch::default();
        let long = format!("{{\"content\":\"{}\"}}", "word ".repeat(1000));
        let first = batch.message(r#"{"role":"user"}"#);
        let second = batch.message(long.clone());
        // The same message twice in one conversation.
        let third = batch.message(r#"{"role":"user"}"#);
        let originals = [first, second, third];
        let items = originals
            .iter()
            .zip(0..)
            .map(|(original, at)| ResponseMessage { chain: chain(at), original: *original })
            .collect();
        batch.answer("cpr_1", items);
        tenant.commit(batch).unwrap();

        assert_eq!(tenant.answer("cpr_1").unwrap(), Some(originals.to_vec()));
        assert_eq!(tenant.answer("cpr_2").unwrap(), None);
        let asked = [chain(2), chain(9), chain(1)];
        assert_eq!(tenant.originals(&asked).unwrap(), [Some(third), None, Some(second)]);
        let unknown = ContentHash::of("unknown");
        let found = tenant.messages(&[second, unknown, first]).unwrap();
        assert_eq!(found, [Some(long), None, Some(r#"{"role":"user"}"#.to_owned())]);
    });
}

fn answer_of(tenant: &Tenant, message: &str) -> CommittedBatch {
    let mut batch = Batch::default();
    let original = batch.message(message);
    batch.answer("cpr_1", vec![ResponseMessage { chain: chain(1), original }]);
    tenant.commit(batch).unwrap()
}

#[test]
fn an_answer_lives_as_long_as_its_last_commit_says() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let lives = || {
            let original = ContentHash::of("{}");
            let answer = tenant.answer("cpr_1").unwrap() == Some(vec![original]);
            let chain = tenant.originals(&[chain(1)]).unwrap() == [Some(original)];
            let message = tenant.messages(&[original]).unwrap() == [Some("{}".to_owned())];
            assert!(answer == chain && chain == message, "{answer} {chain} {message}");
            answer
        };
        // Often enough that some commits find nothing to write.
        let mut expires_at = clock.now();
        for _ in 0..50 {
            expires_at = answer_of(&tenant, "{}").expires_at;
            assert_eq!(expires_at, clock.now().after(TTL));
            clock.advance(HOUR);
        }
        clock.advance(expires_at.since(clock.now()).saturating_sub(Duration::from_micros(1)));
        store.clean().unwrap();
        assert!(lives());
        clock.advance(TTL / 24 + Duration::from_micros(1));
        assert!(!lives());
        store.clean().unwrap();
        assert!(!lives());
    });
}

#[test]
fn a_chain_of_two_originals_leads_to_neither_and_a_recipe_takes_the_place_of_one() {
    let recipe = format!("{RECIPE_PREFIX}m 0");
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let shown = || {
            let found = tenant.originals(&[chain(1)]).unwrap();
            let [Some(hash)] = found[..] else { panic!("{found:?}") };
            tenant.messages(&[hash]).unwrap().remove(0)
        };
        for message in ["1", &recipe, "1", "1"] {
            answer_of(&tenant, message);
            assert_eq!(shown().as_deref(), Some(message));
        }
        for message in ["2", "1", "2"] {
            answer_of(&tenant, message);
            assert_eq!(shown(), None);
        }
    });
}

#[test]
fn a_text_that_is_artifact_and_message_stays_while_one_needs_it() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let both = ContentHash::of("{}");
        let id = put(&tenant, "{}");
        answer_of(&tenant, "{}");
        assert!(tenant.delete_artifact(id).unwrap());
        assert_eq!(tenant.messages(&[both]).unwrap(), [Some("{}".to_owned())]);

        clock.advance(TTL);
        put(&tenant, "{}");
        clock.advance(TTL / 24);
        store.clean().unwrap();
        assert_eq!(tenant.messages(&[both]).unwrap(), [None]);
        assert_eq!(text(&tenant, id).as_deref(), Some("{}"));
        assert!(tenant.delete_artifact(id).unwrap());
        put(&tenant, "{}");
        assert_eq!(text(&tenant, id).as_deref(), Some("{}"));
    });
}

#[test]
fn reading_counts_as_use_and_the_least_used_go_first() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let ids: Vec<_> = ["1", "2", "3", "4", "5"]
            .iter()
            .map(|name| {
                clock.advance(HOUR);
                put(&tenant, name)
            })
            .collect();
        clock.advance(HOUR);
        assert!(text(&tenant, ids[0]).is_some() && text(&tenant, ids[1]).is_some());
        let caps = Caps { max_count: Some(3), ..Caps::default() };
        let done = tenant.cleanup(&caps).unwrap();
        assert_eq!(done.evicted, [ids[2], ids[3]]);
        assert_eq!((done.evicted_by_count, done.evicted_bytes), (2, 2));
        assert_eq!(tenant.cleanup(&caps).unwrap(), Cleanup::default());
        assert_eq!(text(&tenant, ids[2]), None);
        assert_eq!(text(&tenant, ids[4]).as_deref(), Some("5"));
    });
}

#[test]
fn bytes_are_those_of_utf_8() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let stored = tenant.put_artifact("\u{1F600}".repeat(12), TEXT).unwrap().unwrap();
        assert_eq!(stored.bytes, 48);
        let caps = Caps { max_bytes: Some(47), ..Caps::default() };
        let done = tenant.cleanup(&caps).unwrap();
        assert_eq!((done.evicted_by_bytes, done.evicted_bytes), (1, 48));
    });
}

#[test]
fn the_background_cleanup_keeps_to_the_settings_and_tells_of_evictions() {
    let told: Arc<Mutex<Vec<Eviction>>> = Arc::default();
    let caps = Caps { max_count: Some(1), ..Caps::default() };
    each(&Retention { caps, ..Retention::default() }, |store, clock| {
        let heard = Arc::clone(&told);
        let store = store.on_evicted(move |evicted| heard.lock().unwrap().push(evicted.clone()));
        let ids = [("a", "one"), ("a", "two"), ("b", "one"), ("c", "one"), ("c", "three")].map(
            |(tenant, text)| {
                clock.advance(HOUR);
                put(&store.tenant(tenant), text)
            },
        );
        store.clean().unwrap();
        let evicted = |tenant: &str, artifact| Eviction {
            tenant: tenant.into(),
            artifact,
            bytes: 3,
            reason: Reason::Count,
        };
        let told = std::mem::take(&mut *told.lock().unwrap());
        assert_eq!(told, [evicted("a", ids[0]), evicted("c", ids[3])]);
    });
}

#[test]
fn messages_beyond_their_cap_go_oldest_first() {
    each(&Retention { originals_max_bytes: 25, ..Retention::default() }, |store, clock| {
        let tenant = store.tenant("default");
        let hashes = ["first, ten", "second ten", "third, ten"].map(|message| {
            clock.advance(HOUR);
            let mut batch = Batch::default();
            let hash = batch.message(message);
            tenant.commit(batch).unwrap();
            hash
        });
        store.clean().unwrap();
        let found = tenant.messages(&hashes).unwrap();
        assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, true]);
    });
}

#[test]
fn thousands_of_chains_are_found_in_one_call() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let chains: Vec<_> =
            (0..3000_u32).map(|at| ChainHash(ContentHash::of(&at.to_string()).0)).collect();
        let mut batch = Batch::default();
        let items: Vec<_> = chains
            .iter()
            .zip(0..)
            .map(|(chain, at): (_, u32)| ResponseMessage {
                chain: *chain,
                original: batch.message(format!("{{\"at\":{at}}}")),
            })
            .collect();
        let originals: Vec<_> = items.iter().map(|item| Some(item.original)).collect();
        batch.answer("cpr_1", items);
        tenant.commit(batch).unwrap();
        assert_eq!(tenant.originals(&chains).unwrap(), originals);
    });
}

#[test]
fn a_cleanup_forgets_more_than_fits_into_one_transaction() {
    each(&Retention { originals_max_bytes: 0, ..Retention::default() }, |store, clock| {
        let tenant = store.tenant("default");
        let commit = || {
            let mut batch = Batch::default();
            let items: Vec<_> = (0..2500_u32)
                .map(|at| {
                    let original = batch.message(at.to_string());
                    ResponseMessage { chain: ChainHash(original.0), original }
                })
                .collect();
            let originals: Vec<_> = items.iter().map(|item| item.original).collect();
            batch.answer("cpr_1", items);
            tenant.commit(batch).unwrap();
            originals
        };
        let originals = commit();
        store.clean().unwrap();
        assert!(tenant.messages(&originals).unwrap().iter().all(Option::is_none));
        let chains: Vec<_> = originals.iter().map(|original| ChainHash(original.0)).collect();
        assert!(tenant.originals(&chains).unwrap().iter().all(Option::is_some));
        clock.advance(TTL + TTL / 24);
        store.clean().unwrap();
        assert_eq!(store.tenants().unwrap().len(), 0, "a row is left");
    });
}

#[test]
fn many_threads_read_what_they_have_put() {
    each(&Retention::default(), |store, _| {
        let puts = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for name in 0..8 {
                let (store, puts) = (&store, &puts);
                scope.spawn(move || {
                    let tenant = store.tenant(if name % 2 == 0 { "even" } else { "odd" });
                    for round in 0..50 {
                        // Half of the texts are everybody's.
                        let own = format!("{name}/{round}");
                        let original = if round % 2 == 0 { own } else { round.to_string() };
                        let id = put(&tenant, &original);
                        assert_eq!(text(&tenant, id), Some(original));
                        puts.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(puts.load(Ordering::Relaxed), 400);
        let none = Caps { max_count: Some(0), ..Caps::default() };
        let count = |tenant: &str| store.tenant(tenant).cleanup(&none).unwrap().evicted.len();
        assert_eq!((count("even"), count("odd")), (4 * 25 + 25, 4 * 25 + 25));
    });
}
