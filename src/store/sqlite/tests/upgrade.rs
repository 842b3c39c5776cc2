//! Files of older releases: what becomes of their rows when the schema is brought up to date.

use super::*;
use crate::domain::{MemoryScope, MemoryStatus};
use crate::store::{Claims, MemoryFilter};

/// A file of the release before the queue had lines: its calls are made after the upgrade.
#[test]
fn calls_that_an_older_release_queued_are_claimed() {
    let folder = Folder::new();
    connection::make_older(&folder.file(), 18);
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
    connection::make_older(&folder.file(), 19);
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
            ("reply_bytes", 0),
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
    connection::make_older(&folder.file(), 20);
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
    let found = tenant.read(|tx| tx.list_memory(&MemoryFilter::default(), None, 10)).unwrap().rows;
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
    connection::make_older(&folder.file(), 20);
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

/// A file of the release that added the sizes of originals up.
#[test]
fn bytes_of_originals_of_an_older_release_are_counted() {
    let folder = Folder::new();
    connection::make_older(&folder.file(), 29);
    let rows = "
        INSERT INTO blobs (tenant, digest, form, size, content, expires_at)
        VALUES ('t', zeroblob(32), 0, 7, x'00', 1),
            ('t', randomblob(32), 0, 5, x'00', 9),
            ('t', randomblob(32), 0, 100, x'00', NULL);";
    folder.raw().execute_batch(rows).unwrap();
    let store = folder.open().unwrap();
    assert_eq!(store.tenant("t").read(|tx| tx.original_bytes()).unwrap(), 12);
    assert_eq!(store.check_all().unwrap().faults, [""; 0]);
}
