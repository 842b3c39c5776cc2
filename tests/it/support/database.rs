//! The database of each test's server: memory, or, where `CONTEXTURE_TEST_STORE=postgres` says so, a
//! schema of its own in the database that `CONTEXTURE_TEST_POSTGRES` names.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_postgres::NoTls;

use super::prerequisite;

/// What begins the names of our schemas.
const PREFIX: &str = "contexture_it_";

static SWEPT: OnceLock<()> = OnceLock::new();
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The URL of an empty database.
pub fn url() -> String {
    if std::env::var("CONTEXTURE_TEST_STORE").as_deref() != Ok("postgres") {
        return "memory:".to_owned();
    }
    postgres().expect("CONTEXTURE_TEST_POSTGRES")
}

/// The URL of an empty schema in PostgreSQL. If there is no database to test with, the caller skips.
pub fn postgres() -> Option<String> {
    let place = prerequisite::variable("postgres")?;
    SWEPT.get_or_init(|| sweep(&place));
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let schema = format!("{PREFIX}{}_{number}", std::process::id());
    run(&place, &[format!("CREATE SCHEMA {schema}")]);
    let sign = if place.contains('?') { '&' } else { '?' };
    Some(format!("{place}{sign}options=-csearch_path%3D{schema}"))
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
