//! The store in one file: write-ahead log, one connection that writes, others that read.
//!
//! `synchronous=NORMAL`: a commit survives the end of the process and costs no flush; what the
//! machine's power takes with it is the last commits, never the file. What must not be lost so is
//! written by `Writer::run_durable`.

mod adapters;
mod answers;
mod artifacts;
mod connect;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use self::writer::Writer;
use super::backend::{Backend, Entry, NewAdapter, Write};
use super::batch::ChainHash;
use super::error::{Error, OpenError};
use super::pack::Packed;
use crate::domain::{Artifact, ArtifactId, ContentHash, StoredAdapter, Timestamp};

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
        let connection = connect::writer(file)?;
        let readers = Readers { file: file.into(), idle: Mutex::default() };
        let failed = |error| connect::failed(file, error);
        let writer = Writer::start(connection).map_err(failed)?;
        Ok(Self { writer, readers })
    }
}

impl Sqlite {
    /// Runs `work` in one transaction after another, until it says that there is no more to do.
    fn repeat(
        &self,
        work: impl Fn(&Connection) -> rusqlite::Result<bool> + Clone + Send + 'static,
    ) -> Result<(), Error> {
        loop {
            let work = work.clone();
            if !self.writer.run(move |connection| work(connection).map_err(error))? {
                return Ok(());
            }
        }
    }
}

/// Connections for reading: each sees what was committed when its read began.
#[derive(Debug)]
struct Readers {
    file: Box<Path>,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Error> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let connection = match kept {
            Some(connection) => connection,
            None => connect::reader(&self.file).map_err(error)?,
        };
        // One transaction: all of a read sees the same state.
        let result = connection.unchecked_transaction().and_then(|transaction| {
            let found = read(&transaction)?;
            transaction.commit()?;
            Ok(found)
        });
        let result = result.map_err(error);
        if result.is_ok() {
            let mut idle = idle();
            if idle.len() < IDLE_READERS {
                idle.push(connection);
            }
        }
        result
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
fn shrink(connection: &Connection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("PRAGMA incremental_vacuum(4096)")?;
    let mut rows = statement.query([])?;
    // A page a step.
    while rows.next()?.is_some() {}
    Ok(())
}

impl Backend for Sqlite {
    fn commit(&self, tenant: &Arc<str>, write: Write) -> Result<Vec<Artifact>, Error> {
        let tenant = Arc::clone(tenant);
        self.writer.run(move |connection| {
            let stored = artifacts::put(connection, &tenant, &write)?;
            answers::put(connection, &tenant, &write).map_err(error)?;
            Ok(stored)
        })
    }

    fn artifact(
        &self,
        tenant: &str,
        id: ArtifactId,
        now: Timestamp,
    ) -> Result<Option<(Artifact, Packed)>, Error> {
        self.readers.read(|connection| artifacts::find(connection, tenant, id, now))
    }

    fn touch(&self, tenant: &Arc<str>, id: ArtifactId, now: Timestamp) {
        let tenant = Arc::clone(tenant);
        self.writer.run_later(move |connection| {
            artifacts::touch(connection, &tenant, id, now).map_err(error)
        });
    }

    fn has_artifacts(&self, tenant: &str, hashes: &[ContentHash]) -> Result<Vec<bool>, Error> {
        if hashes.is_empty() {
            return Ok(Vec::new());
        }
        self.readers.read(|connection| artifacts::has(connection, tenant, hashes))
    }

    fn artifacts(&self, tenant: &str) -> Result<Vec<Entry>, Error> {
        // Behind the notes of reads that still wait: they decide what goes.
        let tenant = tenant.to_owned();
        self.writer.run(move |connection| artifacts::list(connection, &tenant).map_err(error))
    }

    fn remove(&self, tenant: &Arc<str>, entries: Vec<Entry>) -> Result<Vec<bool>, Error> {
        let tenant = Arc::clone(tenant);
        self.writer
            .run(move |connection| artifacts::remove(connection, &tenant, &entries).map_err(error))
    }

    fn has_messages(
        &self,
        tenant: &str,
        ids: &[ContentHash],
        until: Timestamp,
    ) -> Result<Vec<bool>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.readers.read(|connection| answers::has_messages(connection, tenant, ids, until))
    }

    fn chains(
        &self,
        tenant: &str,
        chains: &[ChainHash],
        now: Timestamp,
    ) -> Result<Vec<Option<(ContentHash, Timestamp)>>, Error> {
        self.readers.read(|connection| answers::chains(connection, tenant, chains, now))
    }

    fn answer(
        &self,
        tenant: &str,
        id: &str,
        now: Timestamp,
    ) -> Result<Option<Vec<ContentHash>>, Error> {
        self.readers.read(|connection| answers::find(connection, tenant, id, now))
    }

    fn messages(
        &self,
        tenant: &str,
        ids: &[ContentHash],
        now: Timestamp,
    ) -> Result<Vec<Option<Packed>>, Error> {
        self.readers.read(|connection| answers::messages(connection, tenant, ids, now))
    }

    fn put_adapter(
        &self,
        tenant: &Arc<str>,
        adapter: NewAdapter,
        most: u64,
    ) -> Result<(StoredAdapter, bool), Error> {
        let tenant = Arc::clone(tenant);
        self.writer
            .run_durable(move |connection| adapters::put(connection, &tenant, &adapter, most))
    }

    fn adapters(
        &self,
        tenant: &str,
        names: &[&str],
    ) -> Result<Vec<Option<(StoredAdapter, String)>>, Error> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        self.readers.read(|connection| adapters::find(connection, tenant, names))
    }

    fn list_adapters(
        &self,
        tenant: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<StoredAdapter>, Error> {
        self.readers.read(|connection| adapters::list(connection, tenant, after, limit))
    }

    fn remove_adapter(&self, tenant: &Arc<str>, name: &str) -> Result<bool, Error> {
        let (tenant, name) = (Arc::clone(tenant), name.to_owned());
        self.writer.run_durable(move |connection| {
            adapters::remove(connection, &tenant, &name).map_err(error)
        })
    }

    fn tenants(&self) -> Result<Vec<String>, Error> {
        self.readers.read(answers::tenants)
    }

    fn purge(&self, now: Timestamp, max_bytes: u64) -> Result<(), Error> {
        for tenant in self.tenants()? {
            let tenant: Arc<str> = tenant.into();
            let name = Arc::clone(&tenant);
            self.repeat(move |connection| answers::forget(connection, &name, now))?;
            let first =
                |connection: &Connection| answers::first_within(connection, &tenant, max_bytes);
            if let Some(last) = self.readers.read(first)? {
                self.repeat(move |connection| answers::forget_messages(connection, &tenant, last))?;
            }
        }
        self.writer.run(|connection| shrink(connection).map_err(error))
    }
}

#[cfg(test)]
mod tests;
