//! The database of each test's server: memory, or, where `CONTEXTURE_TEST_STORE=postgres` says so, a
//! schema of its own in the database that `CONTEXTURE_TEST_POSTGRES` names.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use tokio_postgres::NoTls;

use super::prerequisite;

/// What begins the names of our schemas.
const PREFIX: &str = "contexture_it_";

static SWEPT: OnceLock<()> = OnceLock::new();
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Schemas of tests that have ended: to make one takes a second, to empty one a hundredth of that.
static USED: Mutex<Vec<String>> = Mutex::new(Vec::new());

thread_local! {
    /// The schemas of the running test, which has a thread of its own.
    static LEASES: RefCell<Vec<Lease>> = const { RefCell::new(Vec::new()) };
}

/// A schema that other tests may use after this one.
struct Lease(String);

impl Drop for Lease {
    fn drop(&mut self) {
        USED.lock().unwrap_or_else(PoisonError::into_inner).push(std::mem::take(&mut self.0));
    }
}

/// Whether the tests' servers use PostgreSQL.
pub fn is_postgres() -> bool {
    std::env::var("CONTEXTURE_TEST_STORE").as_deref() == Ok("postgres")
}

/// The URL of a database without rows. Tests that change its tables use [`postgres`] instead.
pub fn url() -> String {
    if !is_postgres() {
        return "memory:".to_owned();
    }
    let place = prerequisite::variable("postgres").expect("CONTEXTURE_TEST_POSTGRES");
    let schema = take_used(&place).unwrap_or_else(|| create(&place));
    let url = url_of(&place, &schema);
    // The thread of a test has its name. Others may end before the test does.
    if std::thread::current().name().is_some_and(|name| name.contains("::")) {
        LEASES.with_borrow_mut(|leases| leases.push(Lease(schema)));
    }
    url
}

/// The URL of a new schema in PostgreSQL, for this test alone. If there is no database to test with, the caller skips.
pub fn postgres() -> Option<String> {
    let place = prerequisite::variable("postgres")?;
    let schema = create(&place);
    Some(url_of(&place, &schema))
}

/// The name of the schema is also the name of its servers' connections.
fn url_of(place: &str, schema: &str) -> String {
    let sign = if place.contains('?') { '&' } else { '?' };
    format!("{place}{sign}application_name={schema}&options=-csearch_path%3D{schema}")
}

fn create(place: &str) -> String {
    SWEPT.get_or_init(|| sweep(place));
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let schema = format!("{PREFIX}{}_{number}", std::process::id());
    run(place, &[format!("CREATE SCHEMA {schema}")]);
    schema
}

/// Empties a schema that no server is connected to any more.
fn take_used(place: &str) -> Option<String> {
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    if used.is_empty() {
        return None;
    }
    let connected = "SELECT DISTINCT application_name FROM pg_stat_activity".to_owned();
    let connected = run(place, &[connected]);
    let at = used.iter().position(|schema| !connected.contains(schema))?;
    let schema = used.swap_remove(at);
    drop(used);
    let empty = format!(
        "SET session_replication_role = replica;
         DO $$ DECLARE name TEXT; BEGIN
             FOR name IN SELECT tablename FROM pg_tables
                 WHERE schemaname = '{schema}' AND tablename <> 'contexture_schema'
             LOOP EXECUTE format('DELETE FROM {schema}.%I', name); END LOOP;
             FOR name IN SELECT sequencename FROM pg_sequences
                 WHERE schemaname = '{schema}' AND last_value IS NOT NULL
             LOOP PERFORM setval(format('{schema}.%I', name)::regclass, 1, FALSE); END LOOP;
         END $$"
    );
    run(place, &[empty]);
    Some(schema)
}

/// Takes away what earlier runs have left.
fn sweep(place: &str) {
    let find = format!(
        "SELECT 'DROP SCHEMA ' || nspname || ' CASCADE' FROM pg_namespace
         WHERE nspname LIKE '{PREFIX}%'"
    );
    let found = run(place, &[find]);
    for drop in found {
        run(place, &[drop]);
    }
}

/// Runs statements; answers the first column of their rows.
pub fn run(place: &str, statements: &[String]) -> Vec<String> {
    let (place, statements) = (place.to_owned(), statements.to_vec());
    // A thread of its own: the caller may be inside of a runtime.
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&place, NoTls).await.unwrap();
            let driver = tokio::spawn(connection);
            let mut found = Vec::new();
            for statement in &statements {
                for message in client.simple_query(statement).await.unwrap() {
                    if let tokio_postgres::SimpleQueryMessage::Row(row) = message {
                        found.extend(row.get(0).map(str::to_owned));
                    }
                }
            }
            drop(client);
            drop(driver.await);
            found
        })
    });
    thread.join().expect("the database answers")
}
