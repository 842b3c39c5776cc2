//! Opening the file: its rights, its settings, its schema.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::access::AccessQueue;
use crate::store::deliveries::{BATCH_CALLS, make_lines};
use crate::store::error::OpenError;
use crate::store::memory::index_all;

/// The schema, a file a step; a step that is listed here is never changed.
const MIGRATIONS: &[&str] = &[
    include_str!("../../../migrations/sqlite/0001_originals.sql"),
    include_str!("../../../migrations/sqlite/0002_adapters.sql"),
    include_str!("../../../migrations/sqlite/0003_keys.sql"),
    include_str!("../../../migrations/sqlite/0004_memory.sql"),
    include_str!("../../../migrations/sqlite/0005_candidates.sql"),
    include_str!("../../../migrations/sqlite/0006_hooks.sql"),
    include_str!("../../../migrations/sqlite/0007_sessions.sql"),
    include_str!("../../../migrations/sqlite/0008_deliveries.sql"),
    include_str!("../../../migrations/sqlite/0009_packs.sql"),
    include_str!("../../../migrations/sqlite/0010_compilations.sql"),
    include_str!("../../../migrations/sqlite/0011_skills.sql"),
    include_str!("../../../migrations/sqlite/0012_outcomes.sql"),
    include_str!("../../../migrations/sqlite/0013_words.sql"),
    include_str!("../../../migrations/sqlite/0014_summaries.sql"),
    include_str!("../../../migrations/sqlite/0015_golden.sql"),
    include_str!("../../../migrations/sqlite/0016_tickets.sql"),
    include_str!("../../../migrations/sqlite/0017_summary_turns.sql"),
    include_str!("../../../migrations/sqlite/0018_hooks_scope.sql"),
    include_str!("../../../migrations/sqlite/0019_delivery_lines.sql"),
    include_str!("../../../migrations/sqlite/0020_quotas.sql"),
    include_str!("../../../migrations/sqlite/0021_memory_scope.sql"),
    include_str!("../../../migrations/sqlite/0022_calibration.sql"),
    include_str!("../../../migrations/sqlite/0023_fair_shares.sql"),
    include_str!("../../../migrations/sqlite/0024_sent_history.sql"),
    include_str!("../../../migrations/sqlite/0025_costs.sql"),
    include_str!("../../../migrations/sqlite/0026_reported_costs.sql"),
    include_str!("../../../migrations/sqlite/0027_lineages.sql"),
    include_str!("../../../migrations/sqlite/0028_usage_hours.sql"),
    include_str!("../../../migrations/sqlite/0029_hook_responses.sql"),
    include_str!("../../../migrations/sqlite/0030_original_bytes.sql"),
    include_str!("../../../migrations/sqlite/0031_row_security.sql"),
];

/// The step from which on the words of memory are made as they are now.
const WORDS_STEP: i64 = 13;

/// Time to wait for another process that has locked the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes of a file that is read through before it is used: more would take too long at a start.
pub(super) const MAX_CHECKED_BYTES: u64 = 64 << 20;

/// Statements that a connection keeps compiled.
const MAX_STATEMENTS: usize = 64;

/// The location of a database.
#[derive(Debug)]
pub(super) enum DatabaseLocation {
    File(Box<Path>),
    /// In memory, under a name that all its connections open.
    Memory {
        name: String,
        access: AccessQueue,
    },
}

impl DatabaseLocation {
    /// A new database in memory. Its name is unique in this process.
    pub(super) fn memory() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("file:/memory-{}?vfs=memdb", COUNT.fetch_add(1, Ordering::Relaxed));
        Self::Memory { name, access: AccessQueue::default() }
    }

    /// The order of reads and writes, which a file does not need: its readers and its writer do not
    /// wait for each other.
    pub(super) fn access(&self) -> Option<&AccessQueue> {
        match self {
            Self::File(_) => None,
            Self::Memory { access, .. } => Some(access),
        }
    }

    /// The size of the file.
    pub(super) fn bytes(&self) -> u64 {
        let file = self.path();
        std::fs::metadata(file).map_or(0, |file| file.len())
    }

    pub(super) fn path(&self) -> PathBuf {
        match self {
            Self::File(file) => file.to_path_buf(),
            Self::Memory { .. } => "memory".into(),
        }
    }
}

pub(super) fn open_error(
    place: &DatabaseLocation,
    source: impl std::error::Error + Send + Sync + 'static,
) -> OpenError {
    use rusqlite::ErrorCode::{DatabaseCorrupt, DiskFull, NotADatabase};
    let source: Arc<dyn std::error::Error + Send + Sync> = Arc::new(source);
    let code =
        source.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
    match code {
        Some(DatabaseCorrupt | NotADatabase) => OpenError::Damaged { file: place.path(), source },
        Some(DiskFull) => OpenError::Full { file: place.path(), source },
        _ => OpenError::Open { file: place.path(), source },
    }
}

/// The connection that writes. The file is there: who takes its lock makes it.
pub(super) fn writer(place: &DatabaseLocation) -> Result<Connection, OpenError> {
    let mut connection = open(place).map_err(|error| open_error(place, error))?;
    // Before anything is written to it.
    if place.bytes() <= MAX_CHECKED_BYTES {
        check_over(place, &connection)?;
    }
    prepare(place, &connection).map_err(|error| open_error(place, error))?;
    migrate(place, &mut connection)?;
    Ok(connection)
}

/// The connection that writes, next to a process that owns the file: its schema is not touched.
pub(super) fn writer_beside(place: &DatabaseLocation) -> Result<Connection, OpenError> {
    let connection = open(place).map_err(|error| open_error(place, error))?;
    known_schema(place, &connection)?;
    connection
        .pragma_update(None, "secure_delete", true)
        .map_err(|error| open_error(place, error))?;
    connection
        .pragma_update(None, "foreign_keys", true)
        .map_err(|error| open_error(place, error))?;
    Ok(connection)
}

/// Refuses a file whose schema is not the one of this program.
pub(super) fn known_schema(
    place: &DatabaseLocation,
    connection: &Connection,
) -> Result<(), OpenError> {
    let (found, known) = (schema(place, connection)?, latest_step());
    match found.cmp(&known) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Less => Err(OpenError::Older { file: place.path(), found, known }),
        std::cmp::Ordering::Greater => Err(OpenError::Newer { file: place.path(), found, known }),
    }
}

/// The steps of the schema that a file has seen.
pub(super) fn schema(place: &DatabaseLocation, connection: &Connection) -> Result<i64, OpenError> {
    connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(|error| open_error(place, error))
}

/// The steps of the schema that there are.
pub(super) fn latest_step() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Reads the whole file and checks that it is sound.
pub(super) fn check(place: &DatabaseLocation) -> Result<(), OpenError> {
    let connection = reader(place).map_err(|error| open_error(place, error))?;
    check_over(place, &connection)
}

pub(super) fn check_over(
    place: &DatabaseLocation,
    connection: &Connection,
) -> Result<(), OpenError> {
    let found: String = connection
        .pragma_query_value(None, "quick_check", |row| row.get(0))
        .map_err(|error| open_error(place, error))?;
    if found == "ok" {
        return Ok(());
    }
    Err(OpenError::Damaged { file: place.path(), source: Arc::new(UnsoundFile(found)) })
}

/// Reads the whole file, its indexes too; a line for each thing that is unsound.
pub(super) fn faults(place: &DatabaseLocation) -> Result<Vec<String>, OpenError> {
    let connection = reader(place).map_err(|error| open_error(place, error))?;
    known_schema(place, &connection)?;
    let mut faults = Vec::new();
    let checked = connection
        .pragma_query(None, "integrity_check", |row| {
            let line: String = row.get(0)?;
            faults.extend((line != "ok").then_some(line));
            Ok(())
        })
        .and_then(|()| {
            connection.pragma_query(None, "foreign_key_check", |row| {
                let (table, of): (String, String) = (row.get(0)?, row.get(2)?);
                faults.push(format!("a row of {table} names one of {of} that is not there"));
                Ok(())
            })
        });
    checked.map_err(|error| open_error(place, error))?;
    Ok(faults)
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct UnsoundFile(String);

/// A connection that reads.
pub(super) fn reader(place: &DatabaseLocation) -> rusqlite::Result<Connection> {
    let connection = open(place)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn open(place: &DatabaseLocation) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let (connection, patience) = match place {
        DatabaseLocation::File(file) => (Connection::open_with_flags(file, flags)?, BUSY_TIMEOUT),
        DatabaseLocation::Memory { name, .. } => {
            let named = OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_CREATE;
            // Who has access finds no lock.
            (Connection::open_with_flags(name, flags | named)?, Duration::ZERO)
        }
    };
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(MAX_STATEMENTS);
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "cache_size", -8192)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

/// Settings of the file, and of the one connection that writes it.
fn prepare(place: &DatabaseLocation, connection: &Connection) -> rusqlite::Result<()> {
    // Must precede the first table: it lets a cleanup return space to the disk.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    let log = if matches!(place, DatabaseLocation::File(_)) { "WAL" } else { "MEMORY" };
    connection.pragma_update(None, "journal_mode", log)?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    // Deleted content is overwritten: texts may contain secrets.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// Runs the steps that the file has not seen, all in one transaction, and then what they left to be
/// done in batches.
fn migrate(place: &DatabaseLocation, connection: &mut Connection) -> Result<(), OpenError> {
    let known = latest_step();
    let wrong = |error: rusqlite::Error| open_error(place, error);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)?;
    let found: i64 =
        transaction.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(wrong)?;
    if found > known {
        return Err(OpenError::Newer { file: place.path(), found, known });
    }
    // Else nothing is written, because there may be no room for it.
    if found < known {
        for step in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
            transaction.execute_batch(step).map_err(wrong)?;
        }
        if found < WORDS_STEP {
            index_all(&*transaction).map_err(|error| open_error(place, error))?;
        }
        transaction.pragma_update(None, "user_version", known).map_err(wrong)?;
    }
    transaction.commit().map_err(wrong)?;
    // A process that ended before has left some of it.
    let mut goes_on = true;
    while goes_on {
        let batch =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)?;
        goes_on = make_lines(&*batch, BATCH_CALLS).map_err(|error| open_error(place, error))?;
        batch.commit().map_err(wrong)?;
    }
    Ok(())
}

/// Makes a file with the schema of an older release: the first `steps` of the migrations.
#[cfg(test)]
pub(super) fn make_older(file: &Path, steps: usize) {
    let connection = Connection::open(file).unwrap();
    prepare(&DatabaseLocation::File(file.into()), &connection).unwrap();
    for step in &MIGRATIONS[..steps] {
        connection.execute_batch(step).unwrap();
    }
    connection.pragma_update(None, "user_version", i64::try_from(steps).unwrap()).unwrap();
}
