//! Tests of PostgreSQL alone, on a database that `CONTEXTURE_TEST_POSTGRES` names.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::scratch::{ScratchSchema, scratch};
use super::*;
use crate::config::{DatabaseUrl, PostgresUrl};
use crate::domain::{Clock, EventKind, NewEvent, RawJson, Session, Timestamp};
use crate::store::sql::values;
use crate::store::{Claims, FeedRead, NewDelivery, Retention, Store, Tenant, Tx};

fn open(scratch: &ScratchSchema) -> Store {
    Store::postgres(&scratch.url, Retention::default(), Clock::system()).unwrap()
}

fn event() -> NewEvent {
    NewEvent {
        kind: EventKind::MemoryChanged,
        session_id: None,
        compilation_id: None,
        data: RawJson::new("{}"),
        at: None,
    }
}

fn publish(tenant: &Tenant) -> u64 {
    tenant.write(|tx| tx.publish(&event())).unwrap()
}

#[test]
fn a_second_node_finds_the_schema_and_the_rows_of_the_first() {
    let Some(scratch) = scratch() else { return };
    assert!(matches!(Postgres::migrate(&scratch.url), Ok((0, known)) if known > 0));
    let (first, second) = (open(&scratch), open(&scratch));
    assert!(matches!(Postgres::migrate(&scratch.url), Ok((found, known)) if found == known));
    let stored = first.tenant("t").put_artifact("text", "text/plain").unwrap().unwrap();
    let found = second.tenant("t").artifact(stored.id).unwrap();
    assert_eq!(found, Some((stored, "text".to_owned())));
}

#[test]
fn a_schema_that_no_longer_goes_with_this_program_is_refused() {
    let Some(scratch) = scratch() else { return };
    let set = |step: i64, oldest: i64| {
        open(&scratch);
        let target = PostgresTarget::new(&scratch.url).unwrap();
        let connection = target.connect().unwrap();
        let sql = "UPDATE contexture_schema SET step = ?1, oldest = ?2";
        connection.execute(sql, values![step, oldest]).unwrap();
    };
    // The next release has only added something.
    set(1_000, 1);
    open(&scratch);
    set(1_001, 1_001);
    let refused = Postgres::migrate(&scratch.url).unwrap_err();
    assert!(matches!(refused, OpenError::TooNew { found: 1_001, oldest: 1_001, .. }), "{refused}");
}

#[test]
fn the_writes_of_a_tenant_run_one_after_another_on_all_nodes() {
    let Some(scratch) = scratch() else { return };
    let nodes = [open(&scratch), open(&scratch), open(&scratch)];
    let numbers = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for node in &nodes {
            for _ in 0..4 {
                let numbers = &numbers;
                scope.spawn(move || {
                    for _ in 0..10 {
                        let number = publish(&node.tenant("t"));
                        numbers.lock().unwrap().push(number);
                    }
                });
            }
        }
    });
    let mut numbers = numbers.into_inner().unwrap();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=120).collect::<Vec<u64>>());
    let found = nodes[0].tenant("t").read(|tx| tx.events(0, 1_000)).unwrap();
    assert_eq!(found.iter().map(|event| event.seq).collect::<Vec<_>>(), numbers);
}

#[test]
fn rows_of_every_table_are_in_sight_of_their_own_tenant_alone() {
    let Some(scratch) = scratch() else { return };
    open(&scratch);
    let target = PostgresTarget::new(&scratch.url).unwrap();
    let connection = target.connect().unwrap();
    let tables = |condition: &str| {
        let mut names: Vec<String> = Vec::new();
        let sql = format!(
            "SELECT CAST(c.relname AS TEXT) FROM pg_class c
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant'
             JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()
             WHERE c.relkind = 'r' AND {condition}
             ORDER BY 1"
        );
        let mut push = |row: &dyn crate::store::sql::Row| {
            names.push(row.get(0)?);
            Ok(())
        };
        connection.query(&sql, &[], &mut push).unwrap();
        names
    };
    assert!(tables("c.relforcerowsecurity").contains(&"memory".to_owned()));
    // A caller shows a key before its tenant is known.
    assert_eq!(tables("NOT (c.relrowsecurity AND c.relforcerowsecurity)"), ["keys"]);
}

#[test]
fn a_statement_that_forgets_its_tenant_finds_no_row_of_another() {
    let Some(scratch) = scratch() else { return };
    let store = open(&scratch);
    publish(&store.tenant("theirs"));
    publish(&store.tenant("ours"));
    let all = |tenant: &str| {
        store.tenant(tenant).read(|tx| {
            tx.all("SELECT tenant FROM events WHERE ?1 <> ''", values![], |row| {
                row.get::<String>(0)
            })
        })
    };
    assert_eq!(all("ours").unwrap(), ["ours"]);
    assert_eq!(all("others").unwrap(), Vec::<String>::new());
    let taken = store.tenant("ours").write(|tx| {
        tx.execute("UPDATE events SET data = '{}' WHERE tenant = 'theirs' AND ?1 <> ''", values![])
    });
    assert_eq!(taken.unwrap(), 0);
    assert_eq!(store.tenants().unwrap(), ["ours", "theirs"]);
}

#[test]
fn what_one_node_tells_is_heard_on_the_others() {
    let Some(scratch) = scratch() else { return };
    let (first, second) = (open(&scratch), open(&scratch));
    publish(&first.tenant("t"));
    let feed = second.tenant("t").feed();
    second.follow().unwrap();
    assert!(matches!(feed.take(0, usize::MAX), FeedRead::Elsewhere), "the store has the first");
    publish(&first.tenant("t"));
    publish(&second.tenant("t"));
    publish(&first.tenant("t"));
    second.follow().unwrap();
    let FeedRead::Events(found) = feed.take(2, usize::MAX) else { panic!("3 was told here") };
    assert_eq!(found.iter().map(|told| told.event.seq).collect::<Vec<_>>(), [3, 4]);
    assert!(matches!(feed.take(4, usize::MAX), FeedRead::Nothing));
}

fn pid(tx: &Tx<'_>) -> Result<i64, Error> {
    let pid = tx.first("SELECT pg_backend_pid() WHERE ?1 <> ''", values![], |row| row.get(0))?;
    pid.ok_or_else(Error::no_row)
}

#[test]
fn a_connection_that_was_cut_is_made_anew() {
    let Some(scratch) = scratch() else { return };
    let store = open(&scratch);
    let tenant = store.tenant("t");
    scratch.cut(tenant.read(pid).unwrap());
    scratch.cut(tenant.write(pid).unwrap());
    assert_eq!(publish(&tenant), 1);
    assert_eq!(tenant.read(|tx| tx.event_bounds()).unwrap(), (1, 1));
    assert_eq!(store.condition(), StoreCondition::Good);
}

#[test]
fn a_write_that_lost_its_connection_is_done_once() {
    let Some(scratch) = scratch() else { return };
    let scratch = Arc::new(scratch);
    let store = open(&scratch);
    let tenant = store.tenant("t");
    let (tries, cut) = (Arc::new(AtomicUsize::new(0)), Arc::clone(&scratch));
    let counted = Arc::clone(&tries);
    let number = tenant.write(move |tx| {
        let number = tx.publish(&event())?;
        if counted.fetch_add(1, Ordering::Relaxed) == 0 {
            cut.cut(pid(tx)?);
        }
        tx.event_bounds()?;
        Ok::<_, Error>(number)
    });
    assert_eq!((number.unwrap(), tries.load(Ordering::Relaxed)), (1, 2));
    assert_eq!(tenant.read(|tx| tx.event_bounds()).unwrap(), (1, 1));
}

#[test]
fn a_database_that_is_not_there_is_named_without_its_password() {
    let url: PostgresUrl = match "postgres://me:secret@127.0.0.1:1/none".parse() {
        Ok(DatabaseUrl::Postgres(url)) => url,
        other => panic!("{other:?}"),
    };
    let refused = Postgres::open(&url).unwrap_err();
    let told = format!("{refused} {refused:?}");
    assert!(told.contains("127.0.0.1:1/none") && !told.contains("secret"), "{told}");
}

/// Two nodes read the same queue at once: no call is claimed twice.
#[test]
fn nodes_that_claim_at_once_share_the_queue() {
    let Some(scratch) = scratch() else { return };
    let nodes = [open(&scratch), open(&scratch)];
    for number in 0..120 {
        let (tenant, id) = (nodes[0].tenant(&format!("t{}", number % 3)), number.to_string());
        tenant
            .write(move |tx| {
                tx.enqueue(&NewDelivery {
                    id: &id,
                    hook: "h",
                    point: "event",
                    session_id: Some(&id),
                    compilation_id: None,
                    agent: None,
                    turn: None,
                    hops: 0,
                    occurrence: 0,
                    input: "{}",
                })
            })
            .unwrap();
    }
    let claims = Claims {
        calls: 6,
        retries: 3,
        lease: std::time::Duration::from_secs(40),
        per_hook: 2,
        per_tenant: 6,
        ..Claims::default()
    };
    let claimed = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for node in &nodes {
            let (claims, claimed) = (&claims, &claimed);
            scope.spawn(move || {
                loop {
                    let found = node.claim_deliveries(claims).unwrap();
                    if found.is_empty() {
                        break;
                    }
                    claimed.lock().unwrap().extend(found.into_iter().map(|call| call.id));
                }
            });
        }
    });
    let mut claimed = claimed.into_inner().unwrap();
    claimed.sort_unstable();
    let all = claimed.len();
    claimed.dedup();
    assert_eq!((all, claimed.len()), (120, 120));
}

#[test]
fn implausible_factors_that_an_older_release_learnt_are_forgotten() {
    let Some(scratch) = scratch() else { return };
    let store = open(&scratch);
    let factors =
        [("claude-opus-4-1", 2400), ("gpt-4o", 2001), ("o3", 499), ("gemini", 525), ("mine", 550)];
    let mut session = Session::new("s".into(), store.now());
    session.expires_at = Timestamp::from_micros(9_000_000_000_000_000);
    for (model, factor) in factors {
        session.note_compile(&model.into(), 7);
        session.learn(model, factor);
    }
    let empty = Session { id: "none".into(), measured: Vec::new(), ..session.clone() };
    let tenant = store.tenant("t");
    tenant.write(move |tx| tx.put_session(&session).and_then(|()| tx.put_session(&empty))).unwrap();
    let target = PostgresTarget::new(&scratch.url).unwrap();
    let connection = target.connect().unwrap();
    connection.batch("BEGIN").unwrap();
    connection.batch(&writers::scope_statement(None)).unwrap();
    let step = include_str!("../../../migrations/postgres/0022_calibration.sql");
    connection.batch(step).unwrap();
    connection.batch("COMMIT").unwrap();
    let read = |id| tenant.read(|tx| tx.session(id)).unwrap().unwrap().measured;
    assert_eq!(read("none"), []);
    let found = read("s");
    let found: Vec<_> =
        found.iter().map(|own| (&*own.model, own.raw, own.factor_milli, own.reports)).collect();
    assert_eq!(
        found,
        [
            ("claude-opus-4-1", 7, Some(2400), 1),
            ("gpt-4o", 7, None, 0),
            ("o3", 7, None, 0),
            ("gemini", 7, Some(525), 1),
            ("mine", 7, Some(550), 1),
        ]
    );
}
