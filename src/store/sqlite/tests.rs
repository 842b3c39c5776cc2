//! Tests of a file: it stays, may be newer, full or locked.

use std::time::Duration;

use rusqlite::Connection;

use super::*;
use crate::domain::{Clock, ContentHash, MemoryScope, MemoryStatus};
use crate::store::sql::values;
use crate::store::{
    Batch, ChainHash, Claims, MemoryFilter, OpenError, ResponseMessage, Retention, Store,
};

const RELAXED: WriteNeeds = WriteNeeds { is_durable: false, frees_room: false };
const TEXT: &str = "text/plain; charset=utf-8";

/// Has a job done, and waits for it.
fn run<T: Send + 'static>(
    sqlite: &Sqlite,
    needs: WriteNeeds,
    work: impl FnMut(&dyn Sql) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let (job, pending) = job(None, needs, work);
    sqlite.write(job)?;
    pending.wait()
}

struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("store.db")
    }

    fn open(&self) -> Result<Store, OpenError> {
        Store::sqlite(&self.file(), Retention::default(), Clock::system())
    }

    fn raw(&self) -> Connection {
        Connection::open(self.file()).unwrap()
    }
}

#[test]
fn the_built_in_sqlite_has_no_known_fault() {
    // Before this version, two connections that reset the log at once could damage it.
    assert!(rusqlite::version_number() >= 3_051_003);
}

#[test]
fn what_was_stored_is_there_after_opening_again() {
    let folder = Folder::new();
    let mut batch = Batch::default();
    let id = batch.artifact("text", TEXT);
    let original = batch.message("{}");
    batch.answer("cpr_1", vec![ResponseMessage { chain: ChainHash([1; 32]), original }]);
    folder.open().unwrap().tenant("default").commit(batch).unwrap();

    let tenant = folder.open().unwrap().tenant("default");
    assert_eq!(tenant.artifact(id).unwrap().unwrap().1, "text");
    assert_eq!(tenant.answer("cpr_1").unwrap(), Some(vec![original]));
    assert_eq!(tenant.messages(&[original]).unwrap(), [Some("{}".to_owned())]);
}

#[test]
fn a_newer_schema_is_refused_and_left_as_it_is() {
    let folder = Folder::new();
    drop(folder.open().unwrap());
    folder.raw().pragma_update(None, "user_version", 99).unwrap();
    let error = folder.open().unwrap_err();
    assert!(matches!(error, OpenError::Newer { found: 99, .. }), "{error}");
    let version: i64 =
        folder.raw().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 99);
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_as_it_is() {
    let folder = Folder::new();
    let text = "not a database at all".repeat(100);
    std::fs::write(folder.file(), &text).unwrap();
    let error = folder.open().unwrap_err();
    assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(folder.file()).unwrap(), text);
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let store = folder.open().unwrap();
    store.tenant("default").put_artifact("text", TEXT).unwrap();
    for entry in std::fs::read_dir(folder.folder.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{:?}", entry.path());
    }
}

#[test]
fn another_text_with_the_same_id_is_refused() {
    let folder = Folder::new();
    let tenant = folder.open().unwrap().tenant("default");
    let id = tenant.put_artifact("text", TEXT).unwrap().unwrap().id;
    folder.raw().execute("UPDATE artifacts SET digest = zeroblob(32)", []).unwrap();
    let mut batch = Batch::default();
    batch.artifact("another", TEXT);
    batch.artifact("text", TEXT);
    let error = tenant.commit(batch).unwrap_err();
    assert!(matches!(error, Error::Collision(found) if found == id), "{error}");
    let count: i64 =
        folder.raw().query_row("SELECT count(*) FROM artifacts", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1, "nothing of the batch is stored");
}

#[test]
fn a_damaged_content_is_told_and_not_given_out() {
    let folder = Folder::new();
    let tenant = folder.open().unwrap().tenant("default");
    let id = tenant.put_artifact("text", TEXT).unwrap().unwrap().id;
    folder.raw().execute("UPDATE blobs SET content = x'74657874ff'", []).unwrap();
    assert!(matches!(tenant.artifact(id), Err(Error::Corrupt(_))));
}

#[test]
fn a_full_store_stores_nothing_in_part_and_goes_on_when_there_is_room() {
    let folder = Folder::new();
    let sqlite = Sqlite::open(&folder.file()).unwrap();
    let pages = |most: i64| {
        let limit = format!("PRAGMA max_page_count = {most}");
        run(&sqlite, WriteNeeds::FREES_ROOM, move |sql| sql.execute(&limit, &[]))
    };
    pages(120).unwrap();
    let fill = |name: u8| {
        run(&sqlite, RELAXED, move |sql| {
            sql.execute(
                "INSERT INTO blobs (tenant, digest, form, size, content)
                 VALUES ('t', ?1, 0, 1, zeroblob(20000))",
                values![&[name; 32]],
            )
        })
    };
    let results: Vec<_> = (0..20).map(fill).collect();
    let stored = results.iter().filter(|result| result.is_ok()).count();
    assert!(stored > 0);
    assert!(results.iter().all(|result| matches!(result, Ok(1) | Err(Error::Full(_)))));
    let mut count = 0;
    let read = &mut |sql: &dyn Sql| {
        sql.query("SELECT count(*) FROM blobs", &[], &mut |row| {
            count = row.get(0)?;
            Ok(())
        })
    };
    sqlite.read(None, read).unwrap();
    assert_eq!(count, stored);
    pages(10_000).unwrap();
    // The reserve is tried to be taken back once a second.
    let start = std::time::Instant::now();
    let filled = loop {
        match fill(99) {
            Err(Error::Full(_)) if start.elapsed() < Duration::from_secs(20) => {
                std::thread::yield_now();
            }
            result => break result,
        }
    };
    assert_eq!(filled.unwrap(), 1);
}

const GOOD: &str = "INSERT INTO chains VALUES ('t', ?1, zeroblob(32), 1)";
const BAD: &str = "INSERT INTO chains VALUES ('t', ?1, zeroblob(3), 1)";

#[test]
fn a_write_that_fails_takes_no_other_of_its_group_along() {
    let folder = Folder::new();
    let sqlite = Sqlite::open(&folder.file()).unwrap();
    // Holds the writer, so that all others wait in its queue and become one group.
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let (begun, is_held) = std::sync::mpsc::channel::<()>();
    let (held, holding) = job::<_, Error>(None, RELAXED, move |_| {
        begun.send(()).unwrap();
        Ok(wait.recv().is_ok())
    });
    sqlite.write(held).unwrap();
    is_held.recv().unwrap();
    let others: Vec<_> = (0..20_u8)
        .map(|name| {
            let sql = if name % 5 == 0 { BAD } else { GOOD };
            let (put, pending) = job::<_, Error>(None, RELAXED, move |connection| {
                connection.execute(sql, values![&[name; 32]])
            });
            sqlite.write(put).unwrap();
            (name, pending)
        })
        .collect();
    drop(go);
    assert!(holding.wait().is_ok());
    for (name, pending) in others {
        assert_eq!(pending.wait().is_ok(), name % 5 != 0, "{name}");
    }
    let count: i64 =
        folder.raw().query_row("SELECT count(*) FROM chains", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 16);
}

#[test]
fn a_panic_in_a_write_is_an_error_and_the_writer_goes_on() {
    let folder = Folder::new();
    let sqlite = Sqlite::open(&folder.file()).unwrap();
    run(&sqlite, RELAXED, |sql| sql.execute(GOOD, values![&[1; 32]])).unwrap();
    let result = run(&sqlite, RELAXED, |sql| -> Result<(), Error> {
        sql.execute("DELETE FROM chains", &[])?;
        panic!("on purpose")
    });
    assert!(matches!(result, Err(Error::Unavailable(_))));
    let changed = run(&sqlite, RELAXED, |sql| sql.execute("UPDATE chains SET expires_at = 2", &[]));
    assert_eq!(changed.unwrap(), 1, "what it wrote is taken back");
}

#[test]
fn another_process_is_waited_for() {
    let folder = Folder::new();
    let store = folder.open().unwrap();
    let other = folder.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| store.tenant("default").put_artifact("text", TEXT));
        // The wait inside SQLite cannot be seen from here; a write that did not wait has failed by now.
        std::thread::sleep(Duration::from_millis(50));
        assert!(!waiting.is_finished());
        other.execute_batch("COMMIT").unwrap();
        assert!(waiting.join().unwrap().is_ok());
    });
}

#[test]
fn what_cannot_be_removed_stays_and_is_told_and_the_others_go() {
    let folder = Folder::new();
    let tenant = folder.open().unwrap().tenant("default");
    let ids = ["1", "2", "3"].map(|text| tenant.put_artifact(text, TEXT).unwrap().unwrap().id);
    let refuse = format!(
        "CREATE TRIGGER refuse BEFORE DELETE ON artifacts WHEN OLD.id = x'{}'
         BEGIN SELECT RAISE(ABORT, 'on purpose'); END",
        ids[1]
    );
    folder.raw().execute_batch(&refuse).unwrap();
    let none = crate::store::Caps { max_count: Some(0), ..crate::store::Caps::default() };
    let done = tenant.cleanup(&none).unwrap();
    assert_eq!((done.evicted, done.failed), (vec![ids[0], ids[2]], vec![ids[1]]));
    assert_eq!((done.evicted_bytes, done.evicted_by_count), (2, 2));
    assert_eq!(tenant.artifact(ids[1]).unwrap().unwrap().1, "2");
}

#[test]
fn a_cleanup_gives_its_room_back_to_the_disk() {
    let folder = Folder::new();
    let store = folder.open().unwrap();
    let tenant = store.tenant("default");
    let pages =
        || folder.raw().pragma_query_value(None, "page_count", |row| row.get::<_, i64>(0)).unwrap();
    let before = pages();
    for name in 0..200_u32 {
        // Hashes cannot be compressed by much.
        let hashes: Vec<_> =
            (0..300).map(|at| format!("{:?}", ContentHash::of(&format!("{name}/{at}")))).collect();
        tenant.put_artifact(hashes.concat(), TEXT).unwrap();
    }
    assert!(pages() > before + 500);
    let none = crate::store::Caps { max_count: Some(0), ..crate::store::Caps::default() };
    assert_eq!(tenant.cleanup(&none).unwrap().evicted.len(), 200);
    store.clean().unwrap();
    assert!(pages() < before + 20, "{} pages, {before} before", pages());
}

#[test]
fn a_file_of_the_first_schema_gets_the_tables_that_came_later() {
    let folder = Folder::new();
    let raw = folder.raw();
    raw.execute_batch(include_str!("../../../migrations/sqlite/0001_originals.sql")).unwrap();
    raw.pragma_update(None, "user_version", 1).unwrap();
    drop(raw);
    let tenant = folder.open().unwrap().tenant("default");
    tenant.write(|tx| tx.put_adapter("ledger", "{}")).unwrap();
    drop(tenant);
    let tenant = folder.open().unwrap().tenant("default");
    let found = tenant.read(|tx| tx.adapters(&["ledger"])).unwrap();
    assert!(found.iter().flatten().any(|(_, text)| text == "{}"), "{found:?}");
}

#[test]
fn what_must_survive_a_loss_of_power_is_flushed_and_the_rest_is_not() {
    let folder = Folder::new();
    let sqlite = Sqlite::open(&folder.file()).unwrap();
    let level = |is_durable: bool| {
        run(&sqlite, WriteNeeds { is_durable, ..RELAXED }, |sql| {
            let mut level = 0;
            sql.query("PRAGMA synchronous", &[], &mut |row| {
                level = row.get(0)?;
                Ok(())
            })?;
            Ok(level)
        })
    };
    let (normal, full) = (1_i64, 2);
    assert_eq!([false, true, false].map(|durable| level(durable).unwrap()), [normal, full, normal]);
}

#[test]
fn one_store_has_the_file_and_another_may_look_in_beside_it() {
    let folder = Folder::new();
    let store = folder.open().unwrap();
    let id = std::process::id();
    assert!(matches!(folder.open(), Err(OpenError::InUse { pid: Some(pid), .. }) if pid == id));
    let beside = Sqlite::open_beside(&folder.file()).unwrap();
    assert_eq!(
        run(&beside, WriteNeeds::DURABLE, |sql| sql.execute(GOOD, values![&[1; 32]])).unwrap(),
        1
    );
    folder.raw().pragma_update(None, "user_version", 1).unwrap();
    let older = Sqlite::open_beside(&folder.file());
    assert!(matches!(older, Err(OpenError::Older { found: 1, .. })));
    drop(store);
}

#[test]
fn a_store_that_cannot_be_written_is_told_and_a_write_that_is_wrong_is_not() {
    let folder = Folder::new();
    let sqlite = Sqlite::open(&folder.file()).unwrap();
    let put = |name: u8| {
        run(&sqlite, WriteNeeds::DURABLE, move |sql| sql.execute(GOOD, values![&[name; 32]]))
    };
    put(1).unwrap();
    assert!(run(&sqlite, RELAXED, |sql| sql.execute(BAD, values![&[2; 32]])).is_err());
    assert_eq!(sqlite.health().condition(), StoreCondition::Good);
    run(&sqlite, RELAXED, |sql| sql.execute("PRAGMA query_only = true", &[])).unwrap();
    let Err(Error::Unavailable(cause)) = put(3) else { panic!("it was written") };
    assert!(cause.to_string().contains("readonly"), "{cause}");
    assert_eq!(sqlite.health().condition(), StoreCondition::Unavailable);
}

/// A file of the release before the queue had lines: its calls are made after the upgrade.
#[test]
fn calls_that_an_older_release_queued_are_claimed() {
    let folder = Folder::new();
    connect::make_older(&folder.file(), 18);
    let calls = "
        WITH RECURSIVE call (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM call WHERE n < 25000)
        INSERT INTO deliveries (tenant, id, hook, session, point, hops, occurrence, input, state,
            attempts, tries, created_at, updated_at, due_at, fence)
        SELECT 't', 'd' || n, 'h' || (n % 4), 's' || (n % 100), 'event', 0, 0, '{}', 'queued',
            0, 0, n, n, n, 0 FROM call";
    folder.raw().execute_batch(calls).unwrap();
    let store = folder.open().unwrap();
    let queues = store.tenant("t").read(|tx| tx.hook_queues()).unwrap();
    assert_eq!(queues.values().map(|queue| queue.queued).collect::<Vec<_>>(), [6_250; 4]);
    let claims = Claims {
        calls: 64,
        retries: 32,
        lease: Duration::from_secs(40),
        per_hook: 8,
        per_tenant: 32,
        ..Claims::default()
    };
    let claimed = store.claim_deliveries(&claims).unwrap();
    let mut ids: Vec<&str> = claimed.iter().map(|call| &*call.id).collect();
    ids.sort_unstable_by_key(|id| id[1..].parse::<u32>().unwrap());
    // Eight of each hook, the oldest of their sessions.
    assert_eq!(ids, (1..=32).map(|n| format!("d{n}")).collect::<Vec<_>>());
}

/// A file of the release before there were quotas.
#[test]
fn what_an_older_release_kept_counts_in_the_quotas() {
    let folder = Folder::new();
    connect::make_older(&folder.file(), 19);
    let rows = "
        INSERT INTO sessions (tenant, id, version, points, measured, created_at, updated_at,
            used_at, expires_at)
        SELECT 't', value, 1, '[]', '[]', 1, 1, 1, 9000000000000000
        FROM json_each('[\"a\", \"b\", \"c\"]');
        INSERT INTO session_texts (tenant, session, kind, digest, form, size, content) VALUES
            ('t', 'a', 1, x'01', 0, 4, x'00010203'), ('t', 'b', 1, x'01', 0, 4, x'00010203'),
            ('t', 'b', 1, x'02', 0, 2, x'0001'), ('t', 'b', 0, x'01', 0, 1, x'09');
        INSERT INTO skills VALUES ('t', 'one', 1, 1, 1, '{}');
        INSERT INTO compilations VALUES ('t', 'cmp_1', 1, 9000000000000000, 'a', '', '', '', '', '',
            zeroblob(32), 0, 0, 0, '{\"é\":1}');
        INSERT INTO blobs (tenant, digest, form, size, content)
            VALUES ('t', zeroblob(32), 0, 100, zeroblob(100));
        INSERT INTO compilation_texts VALUES ('t', 'cmp_1', zeroblob(32)), ('t', 'cmp_2', zeroblob(32));
        INSERT INTO memory_log VALUES ('t', 'captures', 1, zeroblob(32), zeroblob(32),
            '{\"candidate\":\"mcd_0199aa2b7c3d7e1f8a90b1c2d3e4f506\",\"seq\":1}', 'secret');";
    folder.raw().execute_batch(rows).unwrap();
    let store = folder.open().unwrap();
    let tenant = store.tenant("t");
    let used = || {
        let uses = tenant.read(|tx| tx.quota_uses()).unwrap();
        uses.into_iter().map(|found| (found.quota.as_str(), found.used)).collect::<Vec<_>>()
    };
    assert_eq!(
        used(),
        [
            ("sessions", 3),
            ("turn_bytes", 6),
            ("memory_entries", 0),
            ("candidates", 0),
            ("skills", 1),
            ("compilation_bytes", 108),
        ]
    );
    tenant.write(|tx| tx.erase_session("a")).unwrap();
    assert_eq!(used()[1], ("turn_bytes", 6), "the text is that of another session too");
    assert_eq!(used()[5], ("compilation_bytes", 100), "another record needs the text");
    tenant.write(|tx| tx.erase_session("b")).unwrap();
    assert_eq!((used()[0], used()[1]), (("sessions", 1), ("turn_bytes", 0)));
    let blocks: i64 =
        folder.raw().query_row("SELECT count(*) FROM message_texts", [], |row| row.get(0)).unwrap();
    assert_eq!(blocks, 0);
    tenant.write(|tx| tx.delete_candidate("mcd_0199aa2b7c3d7e1f8a90b1c2d3e4f506")).unwrap();
    let content: Option<String> =
        folder.raw().query_row("SELECT content FROM memory_log", [], |row| row.get(0)).unwrap();
    assert_eq!(content, None);
}

/// A file of the release before scopes had a pack tenant.
#[test]
fn entries_that_a_model_wrote_last_in_an_older_release_are_captured() {
    let folder = Folder::new();
    connect::make_older(&folder.file(), 20);
    let rows = "
        INSERT INTO memory (id, tenant, subject, session, agent, key, value, tags, importance, tier,
            classification, status, version, update_count, created_at, updated_at)
        VALUES (7, 't', '', '', '', 'app', '\"red apple\"', '[]', 0.5, 'semantic', 'internal', 'promoted', 1, 1, 1, 1),
            (8, 't', 'ann', '', '', 'model', '2', '[]', 0.5, 'semantic', 'internal', 'promoted', 2, 2, 1, 1),
            (9, 't', '', 's', '', 'both', '3', '[]', 0.5, 'semantic', 'internal', 'promoted', 2, 2, 1, 1),
            (10, 't', '', '', '', 'gone', '4', '[]', 0.5, 'semantic', 'internal', 'retracted', 1, 1, 1, 1);
        INSERT INTO memory_versions (tenant, subject, session, agent, key, value, tags, importance, tier,
            classification, status, version, update_count, created_at, updated_at, action, origin)
        VALUES ('t', '', '', '', 'app', '1', '[]', 0.5, 'semantic', 'internal', 'promoted', 1, 1, 1, 1, 'set', 'direct'),
            ('t', 'ann', '', '', 'model', '1', '[]', 0.5, 'semantic', 'internal', 'promoted', 1, 1, 1, 1, 'set', 'direct'),
            ('t', 'ann', '', '', 'model', '2', '[]', 0.5, 'semantic', 'internal', 'promoted', 2, 2, 1, 1, 'set', 'model'),
            ('t', '', 's', '', 'both', '1', '[]', 0.5, 'semantic', 'internal', 'promoted', 1, 1, 1, 1, 'set', 'model'),
            ('t', '', 's', '', 'both', '3', '[]', 0.5, 'semantic', 'internal', 'promoted', 2, 2, 1, 1, 'set', 'direct'),
            ('t', '', '', '', 'gone', '4', '[]', 0.5, 'semantic', 'internal', 'retracted', 1, 1, 1, 1, 'set', 'model');
        INSERT INTO memory_state VALUES ('t', 6, 4);
        INSERT INTO memory_words (rowid, words) VALUES (7, 'x');";
    folder.raw().execute_batch(rows).unwrap();
    let tenant = folder.open().unwrap().tenant("t");
    let found = tenant.read(|tx| tx.list_memory(&MemoryFilter::default(), None, 10)).unwrap();
    let found: Vec<_> = found.iter().map(|entry| (&*entry.key, entry.status)).collect();
    assert_eq!(
        found,
        [
            ("app", MemoryStatus::Promoted),
            ("both", MemoryStatus::Promoted),
            ("gone", MemoryStatus::Retracted),
            ("model", MemoryStatus::Captured)
        ]
    );
    let scope = MemoryScope { subject: Some("ann".into()), ..MemoryScope::default() };
    let versions = tenant.read(|tx| tx.memory_versions(&scope, "model", None, 10)).unwrap();
    assert_eq!(versions.len(), 2);
    // The rows keep their numbers, by which the words find them.
    let id: i64 = folder
        .raw()
        .query_row("SELECT id FROM memory WHERE key = 'app'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(id, 7);
}

/// A file of the release that learnt any factor from a report.
#[test]
fn implausible_factors_that_an_older_release_learnt_are_forgotten() {
    let folder = Folder::new();
    connect::make_older(&folder.file(), 20);
    let rows = r#"
        INSERT INTO sessions (tenant, id, version, points, measured, created_at, updated_at,
            used_at, expires_at)
        VALUES ('t', 'none', 1, '[]', '[]', 1, 1, 1, 9000000000000000),
            ('t', 's', 1, '[]', '[{"model":"claude-sonnet-4-5","raw":301,"factor_milli":59970,"reports":2},
                {"model":"claude-opus-4-1","raw":7,"factor_milli":2400,"reports":1},
                {"model":"gpt-4o","raw":8,"factor_milli":2001,"reports":1},
                {"model":"o3","raw":8,"factor_milli":499,"reports":4},
                {"model":"gemini","raw":9,"factor_milli":525,"reports":1},
                {"model":"of the caller''s","raw":9,"factor_milli":550,"reports":3},
                {"model":"anthropic","raw":9,"factor_milli":null,"reports":0}]',
            1, 1, 1, 9000000000000000)"#;
    folder.raw().execute_batch(rows).unwrap();
    let store = folder.open().unwrap();
    let read = |id| store.tenant("t").read(|tx| tx.session(id)).unwrap().unwrap().measured;
    assert_eq!(read("none"), []);
    let found = read("s");
    let found: Vec<_> =
        found.iter().map(|own| (&*own.model, own.raw, own.factor_milli, own.reports)).collect();
    assert_eq!(
        found,
        [
            ("claude-sonnet-4-5", 301, None, 0),
            ("claude-opus-4-1", 7, Some(2400), 1),
            ("gpt-4o", 8, None, 0),
            ("o3", 8, None, 0),
            ("gemini", 9, Some(525), 1),
            ("of the caller's", 9, Some(550), 3),
            ("anthropic", 9, None, 0),
        ]
    );
}
