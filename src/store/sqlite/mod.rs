//! The store in one file: write-ahead log, one connection that writes, others that read. Or in
//! memory, where nothing of it outlives the process.
//!
//! `synchronous=NORMAL`: a commit survives the end of the process and costs no flush; what the
//! machine's power takes with it is the last commits, never the file. What must not be lost so is
//! written by jobs that say so.

mod connect;
mod sql;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use self::connect::Place;
use self::writer::Writer;
use super::backend::{Backend, Job, job};
use super::error::{Error, OpenError};
use super::sql::Sql;

/// Connections that read and are kept for the next reader.
const IDLE_READERS: usize = 8;

#[derive(Debug)]
pub(super) struct Sqlite {
    writer: Writer,
    readers: Readers,
}

impl Sqlite {
    /// Opens the file, made where it is missing, and brings its schema up to date.
    pub(super) fn open(file: &Path) -> Result<Self, OpenError> {
        Self::at(Place::File(file.into()))
    }

    /// A database that ends with this value.
    pub(super) fn memory() -> Result<Self, OpenError> {
        Self::at(Place::memory())
    }

    fn at(place: Place) -> Result<Self, OpenError> {
        let connection = connect::writer(&place)?;
        let writer = Writer::start(connection).map_err(|error| connect::failed(&place, error))?;
        Ok(Self { writer, readers: Readers { place, idle: Mutex::default() } })
    }
}

/// Connections for reading: each sees what was committed when its read began.
#[derive(Debug)]
struct Readers {
    place: Place,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    fn read(&self, read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>) -> Result<(), Error> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let connection = match kept {
            Some(connection) => connection,
            None => connect::reader(&self.place).map_err(error)?,
        };
        // One transaction: all of a read sees the same state.
        let transaction = connection.unchecked_transaction().map_err(error)?;
        read(&*transaction)?;
        transaction.commit().map_err(error)?;
        let mut idle = idle();
        if idle.len() < IDLE_READERS {
            idle.push(connection);
        }
        Ok(())
    }
}

/// What SQLite says, as what a caller can do about it.
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

/// Gives free pages back to the disk, some at a time, so that no write waits for long.
fn shrink(sql: &dyn Sql) -> Result<(), Error> {
    sql.execute("PRAGMA incremental_vacuum(4096)", &[]).map(drop)
}

impl Backend for Sqlite {
    fn read(&self, read: &mut dyn FnMut(&dyn Sql) -> Result<(), Error>) -> Result<(), Error> {
        self.readers.read(read)
    }

    fn write(&self, job: Box<dyn Job>) -> Result<(), Error> {
        self.writer.send(job)
    }

    fn write_later(&self, job: Box<dyn Job>) {
        self.writer.send_later(job);
    }

    fn shrink(&self) -> Result<(), Error> {
        let (job, pending) = job(false, shrink);
        self.writer.send(job)?;
        pending.wait()
    }
}

#[cfg(test)]
mod tests;
