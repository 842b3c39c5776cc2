//! Tests of a file: it stays, may be newer, full or locked.

mod upgrade;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::Connection;

use super::*;
use crate::domain::{Clock, ContentHash};
use crate::store::sql::values;
use crate::store::{Batch, ChainHash, OpenError, ResponseMessage, Retention, Store};

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

/// The name of the thread that this runs on.
fn thread_name() -> Option<String> {
    std::thread::current().name().map(str::to_owned)
}

#[test]
fn a_write_that_finds_the_connection_free_takes_no_other_thread_and_others_wait_in_order() {
    let folder = Folder::new();
    let sqlite = Sqlite::open(&folder.file()).unwrap();
    let own = thread_name();
    // The writer's own thread has the connection for a moment when it begins.
    assert!((0..10_000).any(|_| run(&sqlite, RELAXED, |_| Ok(thread_name())).unwrap() == own));
    let (begun, has_begun) = std::sync::mpsc::channel();
    let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
    let numbers = Arc::new(Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            run(&sqlite, RELAXED, move |_| {
                begun.send(()).unwrap();
                may_go_on.recv().unwrap();
                Ok(())
            })
        });
        has_begun.recv().unwrap();
        let waiting: Vec<_> = (0..8)
            .map(|number| {
                let numbers = Arc::clone(&numbers);
                let (job, pending) = job(None, RELAXED, move |_| {
                    numbers.lock().unwrap().push(number);
                    Ok::<_, Error>(thread_name())
                });
                sqlite.write(job).unwrap();
                pending
            })
            .collect();
        assert!(numbers.lock().unwrap().is_empty());
        go_on.send(()).unwrap();
        first.join().unwrap().unwrap();
        for pending in waiting {
            assert_eq!(pending.wait().unwrap().as_deref(), Some("store-writer"));
        }
    });
    assert_eq!(*numbers.lock().unwrap(), (0..8).collect::<Vec<_>>());
}

#[test]
fn reads_and_writes_in_memory_wait_for_each_other_and_none_fails() {
    let sqlite = Sqlite::memory().unwrap();
    run(&sqlite, RELAXED, |sql| sql.execute("CREATE TABLE t (n INTEGER)", &[])).unwrap();
    let is_over = AtomicBool::new(false);
    let read = || {
        let count = &mut |sql: &dyn Sql| {
            sql.query("SELECT count(*) FROM t", &[], &mut |row| row.get::<i64>(0).map(drop))
        };
        let mut reads = Vec::new();
        while !is_over.load(Ordering::Relaxed) {
            reads.push(sqlite.readers.read("tenant", count));
        }
        reads
    };
    let write = || run(&sqlite, RELAXED, |sql| sql.execute("INSERT INTO t VALUES (1)", &[]));
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..4).map(|_| scope.spawn(read)).collect();
        let written: Vec<_> = (0..300).map(|_| write()).collect();
        is_over.store(true, Ordering::Relaxed);
        for result in written {
            assert_eq!(result.unwrap(), 1);
        }
        for reader in readers {
            reader.join().unwrap().into_iter().for_each(|read| read.unwrap());
        }
    });
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
    pages(140).unwrap();
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
fn a_list_of_snapshots_reads_an_index_only() {
    let folder = Folder::new();
    drop(folder.open().unwrap());
    let plan = "EXPLAIN QUERY PLAN
        SELECT id, session, label, created_at, length(digests), hooks_scoped FROM snapshots
        WHERE tenant = 't' AND session = 's' AND id > '' ORDER BY id LIMIT 9";
    let plan: String = folder.raw().query_row(plan, [], |row| row.get(3)).unwrap();
    assert!(plan.contains("COVERING INDEX snapshots_list"), "{plan}");
}

#[test]
fn writes_of_another_tenant_come_between_those_of_a_busy_one() {
    let folder = Folder::new();
    let sqlite = Sqlite::open(&folder.file()).unwrap();
    let order = Arc::new(Mutex::new(String::new()));
    let (hold, release) = std::sync::mpsc::channel::<()>();
    let write = |tenant: &'static str, pause: Duration| {
        let order = Arc::clone(&order);
        let (job, pending) = job(Some(&tenant.into()), RELAXED, move |_| {
            order.lock().unwrap().push_str(tenant);
            std::thread::sleep(pause);
            Ok::<_, Error>(())
        });
        sqlite.queue_write(job).unwrap();
        pending
    };
    // While the writer is held, much of one tenant and little of another is queued.
    let (first, begun) = job(Some(&"a".into()), RELAXED, move |_| {
        let _ = release.recv();
        Ok::<_, Error>(())
    });
    sqlite.queue_write(first).unwrap();
    let slow = Duration::from_millis(30);
    let mut pending: Vec<_> = (0..6).map(|_| write("a", slow)).collect();
    pending.push(write("b", Duration::ZERO));
    drop(hold);
    begun.wait().unwrap();
    for pending in pending {
        pending.wait().unwrap();
    }
    let order = order.lock().unwrap().clone();
    assert!(order.find('b').unwrap() <= 1, "{order}");
}

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
    sqlite.queue_write(held).unwrap();
    is_held.recv().unwrap();
    let others: Vec<_> = (0..20_u8)
        .map(|name| {
            let sql = if name % 5 == 0 { BAD } else { GOOD };
            let (put, pending) = job::<_, Error>(None, RELAXED, move |connection| {
                connection.execute(sql, values![&[name; 32]])
            });
            sqlite.queue_write(put).unwrap();
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
    raw.execute_batch(include_str!("../../../../migrations/sqlite/0001_originals.sql")).unwrap();
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
