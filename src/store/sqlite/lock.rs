//! One process a file: who has it says so in a file beside it.
//!
//! The lock is the operating system's and ends with the process, however that ends. It is not on
//! the database itself, whose locks are SQLite's own.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// Why it cannot be had.
#[derive(Debug)]
pub(super) enum Error {
    /// Another process has it: its number, where that can be read.
    Held(Option<u32>),
    Io(io::Error),
}

impl Lock {
    /// Takes the lock of a database.
    pub(super) fn take(database: &Path) -> Result<Self, Error> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(place(database)).map_err(Error::Io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let read = file.read_to_string(&mut text);
                return Err(Error::Held(read.ok().and_then(|_| text.trim().parse().ok())));
            }
            Err(TryLockError::Error(error)) => return Err(Error::Io(error)),
        }
        // For people and for the message above; the lock holds without.
        let written = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        if let Err(error) = written {
            tracing::debug!(%error, "the lock does not say whose it is");
        }
        Ok(Self { _file: file })
    }
}

fn place(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-lock");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one_and_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("store.db");
        let first = Lock::take(&database).unwrap();
        let id = std::process::id();
        assert!(matches!(Lock::take(&database), Err(Error::Held(Some(found))) if found == id));
        drop(first);
        std::fs::write(folder.path().join("store.db-lock"), "4294967295999").unwrap();
        assert!(Lock::take(&database).is_ok(), "what an ended process left does not block");
    }
}
