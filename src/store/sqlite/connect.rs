//! Opening the file: its rights, its settings, its schema.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::store::error::OpenError;

/// The schema, a file a step; what stands here is never changed again.
const MIGRATIONS: &[&str] = &[
    include_str!("../../../migrations/sqlite/0001_originals.sql"),
    include_str!("../../../migrations/sqlite/0002_adapters.sql"),
];

/// How long to wait for another process that holds the file.
const BUSY: Duration = Duration::from_secs(5);

/// Statements that a connection keeps compiled.
const STATEMENTS: usize = 64;

pub(super) fn failed(
    file: &Path,
    source: impl std::error::Error + Send + Sync + 'static,
) -> OpenError {
    OpenError::Open { file: file.into(), source: Arc::new(source) }
}

/// The connection that writes.
pub(super) fn writer(file: &Path) -> Result<Connection, OpenError> {
    make(file).map_err(|error| failed(file, error))?;
    let mut connection = open(file).map_err(|error| failed(file, error))?;
    prepare(&connection).map_err(|error| failed(file, error))?;
    migrate(file, &mut connection)?;
    Ok(connection)
}

/// A connection that reads.
pub(super) fn reader(file: &Path) -> rusqlite::Result<Connection> {
    let connection = open(file)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Makes the file where it is missing. Nobody but its owner may read it: it holds conversations.
fn make(file: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file).map(drop)
}

fn open(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "cache_size", -8192)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

/// What holds for the file, and for the one connection that writes it.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    // Before the first table, or it has no effect: a cleanup gives its room back to the disk.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    // What was deleted is overwritten: texts may hold secrets.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// Runs the steps that the file has not seen, all in one transaction.
fn migrate(file: &Path, connection: &mut Connection) -> Result<(), OpenError> {
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let wrong = |error: rusqlite::Error| failed(file, error);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)?;
    let found: i64 =
        transaction.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(wrong)?;
    if found > known {
        return Err(OpenError::Newer { file: file.into(), found, known });
    }
    let done = usize::try_from(found).unwrap_or(0);
    for step in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(step).map_err(wrong)?;
    }
    transaction.pragma_update(None, "user_version", known).map_err(wrong)?;
    transaction.commit().map_err(wrong)
}
