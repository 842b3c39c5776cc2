//! The store in one file: write-ahead log, one connection that writes, others that read. Or in
//! memory, for the lifetime of the process.
//!
//! `synchronous=NORMAL`: a commit survives the end of the process and costs no flush; a loss of
//! power costs the last commits, never the file. Writes that must survive it are jobs that ask for
//! a flush.

mod access;
mod connection;
mod copy;
mod inode;
mod inspection;
mod lock;
mod reserve;
mod sql;
mod writer;
mod writer_connection;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use self::access::AccessQueue;
use self::connection::DatabaseLocation;
use self::lock::{FileLock, MissingFile};
use self::reserve::Reserve;
use self::writer::SqliteWriter;
use self::writer_connection::WriterConnection;
use super::backend::{Backend, WriteJob, WriteNeeds, job};
use super::check::DatabaseState;
use super::error::{Error, OpenError};
use super::health::{ConditionCell, StoreCondition};
use super::read_places::ReadPlaces;
use super::sql::Sql;

/// Connections that read at once; further reads wait. Each has a cache of its own.
const MAX_READERS: usize = 8;

/// Whether a process keeps room on the disk for removals ([`reserve`]): a server does, a command that
/// ends soon does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReserveRule {
    Keep,
    None,
}

#[derive(Debug)]
pub(super) struct Sqlite {
    writer: SqliteWriter,
    readers: SqliteReaders,
    health: Arc<ConditionCell>,
    /// Last, so that it outlives the connections.
    _lock: Option<FileLock>,
}

impl Sqlite {
    /// Opens the file, creating it if it is missing, and brings its schema up to date.
    pub(super) fn open(file: &Path) -> Result<Self, OpenError> {
        Self::open_owned(file, ReserveRule::Keep)
    }

    fn open_owned(file: &Path, rule: ReserveRule) -> Result<Self, OpenError> {
        let file = real_path(file)?;
        let lock = lock(&file, MissingFile::Make)?;
        let reserve = Reserve::new(&file);
        let place = DatabaseLocation::File(file.into());
        let mut is_full = false;
        let connection = match connection::writer(&place) {
            // A process that was killed has left its reserve.
            Err(OpenError::Full { .. }) if reserve.remove_left() => {
                is_full = true;
                connection::writer(&place)?
            }
            opened => opened?,
        };
        let reserve = Some(reserve).filter(|_| rule == ReserveRule::Keep);
        let store = Self::with_writer(place, connection, reserve, Some(lock))?;
        if is_full {
            store.health.note(StoreCondition::Full);
        }
        Ok(store)
    }

    /// Opens the file for a moment, whether another process has it or not; then the schema stays
    /// as it is. Takes no reserve.
    pub(super) fn open_beside(file: &Path) -> Result<Self, OpenError> {
        match Self::open_owned(file, ReserveRule::None) {
            Err(OpenError::InUse { file, .. }) => {
                let place = DatabaseLocation::File(file.into());
                let connection = connection::writer_beside(&place)?;
                Self::with_writer(place, connection, None, None)
            }
            opened => opened,
        }
    }

    /// Brings the schema of a file up to date, creating the file if it is missing; returns the
    /// steps before and after.
    pub(super) fn migrate(file: &Path) -> Result<(i64, i64), OpenError> {
        let file = real_path(file)?;
        let _lock = lock(&file, MissingFile::Make)?;
        let place = DatabaseLocation::File(file.into());
        let connection =
            connection::reader(&place).map_err(|error| connection::open_error(&place, error))?;
        let before = connection::schema(&place, &connection)?;
        drop(connection);
        connection::writer(&place)?;
        Ok((before, connection::latest_step()))
    }

    /// Copies a file into a new one, whether it is in use or not.
    pub(super) fn backup(from: &Path, to: &Path) -> Result<(), OpenError> {
        copy::backup(&holder_path(from)?, to)
    }

    /// Reads through a file, whether it is in use or not; a line for each thing that is unsound.
    pub(super) fn check(file: &Path) -> Result<Vec<String>, OpenError> {
        connection::faults(&DatabaseLocation::File(holder_path(file)?.into()))
    }

    /// Looks at a file without changing it, whether it is in use or not.
    pub(super) fn inspect(file: &Path) -> Result<DatabaseState, OpenError> {
        inspection::check_folder(file)?;
        inspection::inspect(&real_path(file)?)
    }

    /// Replaces a file that is not in use with a copy; returns the new path of the old file.
    pub(super) fn restore(
        file: &Path,
        from: &Path,
        replace: bool,
    ) -> Result<Option<PathBuf>, OpenError> {
        let file = real_path(file)?;
        let from = holder_path(from).map_err(OpenError::of_copy)?;
        copy::check_exists(&from)?;
        let _lock = lock(&file, MissingFile::Leave)?;
        copy::restore(&file, &from, replace)
    }

    /// A database that ends with this value.
    pub(super) fn memory() -> Result<Self, OpenError> {
        let place = DatabaseLocation::memory();
        let connection = connection::writer(&place)?;
        Self::with_writer(place, connection, None, None)
    }

    fn with_writer(
        place: DatabaseLocation,
        writer: Connection,
        reserve: Option<Reserve>,
        lock: Option<FileLock>,
    ) -> Result<Self, OpenError> {
        let health = Arc::new(ConditionCell::default());
        let access = place.access().cloned();
        let writer = WriterConnection::new(writer, Arc::clone(&health), reserve, access);
        let writer =
            SqliteWriter::start(writer).map_err(|error| connection::open_error(&place, error))?;
        Ok(Self { writer, readers: SqliteReaders::new(place), health, _lock: lock })
    }
}

/// A path without links: SQLite names the log after it, and so are the files next to it.
fn real_path(file: &Path) -> Result<PathBuf, OpenError> {
    lock::real_path(file).map_err(|error| lock_error(file, lock::Error::Io(error)))
}

fn lock(file: &Path, missing: MissingFile) -> Result<FileLock, OpenError> {
    FileLock::take(file, missing).map_err(|error| lock_error(file, error))
}

/// The path of a file that is read next to a process that may have it, by the same name.
fn holder_path(file: &Path) -> Result<PathBuf, OpenError> {
    let file = real_path(file)?;
    lock::check_name(&file).map_err(|error| lock_error(&file, error))?;
    Ok(file)
}

fn lock_error(file: &Path, error: lock::Error) -> OpenError {
    let file = file.to_owned();
    match error {
        lock::Error::Held(pid) => OpenError::InUse { file, pid },
        lock::Error::HeldElsewhere => OpenError::InUseElsewhere { file },
        lock::Error::Io(source) if source.kind() == std::io::ErrorKind::StorageFull => {
            OpenError::Full { file, source: Arc::new(source) }
        }
        lock::Error::Io(source) => OpenError::Open { file, source: Arc::new(source) },
    }
}

/// Connections for reading: each sees what was committed when its read began.
#[derive(Debug)]
struct SqliteReaders {
    location: DatabaseLocation,
    places: ReadPlaces,
    idle: Mutex<Vec<Connection>>,
}

impl SqliteReaders {
    fn new(location: DatabaseLocation) -> Self {
        Self { location, places: ReadPlaces::new(MAX_READERS), idle: Mutex::default() }
    }

    fn read(
        &self,
        tenant: &str,
        read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _permit = self.places.take(tenant);
        // Before a connection is opened, which reads too.
        let _access = self.location.access().map(AccessQueue::read);
        let kept = self.idle().pop();
        let connection = match kept {
            Some(connection) => connection,
            None => connection::reader(&self.location).map_err(error)?,
        };
        // One transaction, so a read sees one state throughout.
        let transaction = connection.unchecked_transaction().map_err(error)?;
        read(&*transaction)?;
        transaction.commit().map_err(error)?;
        self.idle().push(connection);
        Ok(())
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Converts an error of SQLite into the error that a caller can act on.
fn error(error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode;
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Error::Full(Arc::new(error)),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::Corrupt(Arc::new(error))
        }
        _ => Error::Unavailable(Arc::new(error)),
    }
}

/// The condition that an error predicts for the next write; `None` if it predicts nothing.
fn condition(error: &Error) -> Option<StoreCondition> {
    match error {
        Error::Full(_) => Some(StoreCondition::Full),
        Error::Unavailable(cause) => {
            use rusqlite::ErrorCode::{
                CannotOpen, DatabaseBusy, DatabaseLocked, PermissionDenied, ReadOnly,
                SystemIoFailure,
            };
            let error = cause.downcast_ref::<rusqlite::Error>()?.sqlite_error()?;
            if [FSYNC_ERROR, DIR_FSYNC_ERROR].contains(&error.extended_code) {
                return Some(StoreCondition::Lost);
            }
            let is_of_the_file = matches!(
                error.code,
                CannotOpen
                    | DatabaseBusy
                    | DatabaseLocked
                    | PermissionDenied
                    | ReadOnly
                    | SystemIoFailure
            );
            is_of_the_file.then_some(StoreCondition::Unavailable)
        }
        _ => None,
    }
}

const FSYNC_ERROR: i32 = rusqlite::ffi::SQLITE_IOERR_FSYNC;
const DIR_FSYNC_ERROR: i32 = rusqlite::ffi::SQLITE_IOERR_DIR_FSYNC;

/// Gives free pages back to the disk, some at a time, so that no write waits for long.
fn shrink(sql: &dyn Sql) -> Result<(), Error> {
    sql.execute("PRAGMA incremental_vacuum(4096)", &[]).map(drop)
}

impl Backend for Sqlite {
    fn read(
        &self,
        tenant: Option<&str>,
        read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.readers.read(tenant.unwrap_or_default(), read)
    }

    fn queue_write(&self, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.writer.queue(job)
    }

    fn write(&self, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.writer.send(job)
    }

    fn write_later(&self, job: Box<dyn WriteJob>) {
        self.writer.send_later(job);
    }

    fn health(&self) -> &ConditionCell {
        &self.health
    }

    fn shrink(&self) -> Result<(), Error> {
        let (job, pending) = job(None, WriteNeeds::FREES_ROOM, shrink);
        self.writer.send(job)?;
        pending.wait()
    }

    fn is_shared(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
