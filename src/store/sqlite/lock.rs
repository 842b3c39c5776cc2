//! One process per file: its owner writes a lock file next to it, and locks the file itself.
//!
//! The first lock is by name, names its holder, and exists before the database does. The second is
//! on the database by whatever name ([`inode`]). Both are locks of the operating system and end
//! with the process, however that ends; neither is one of SQLite's own.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::inode;

/// Links that lead from one to the next before they count as a circle.
const MAX_LINKS: usize = 40;

/// Held until it is dropped, which must be after the last connection of SQLite is closed.
#[derive(Debug)]
pub(super) struct FileLock {
    name: File,
    /// The database itself; none while it is not there.
    database: Option<File>,
}

impl Drop for FileLock {
    /// Unlocks both files. Closing them is not enough: a child process that this one has just forked
    /// has them open too until it runs its program.
    fn drop(&mut self) {
        let unlocked = self.database.as_ref().map_or(Ok(()), inode::unlock);
        if let Err(error) = unlocked.and_then(|()| self.name.unlock()) {
            tracing::debug!(
                %error,
                "the database could not be unlocked; closing its files unlocks it"
            );
        }
    }
}

/// Why it cannot be had.
#[derive(Debug)]
pub(super) enum Error {
    /// Another process has it: its number, if that can be read.
    Held(Option<u32>),
    /// Another process has it, under an unknown name.
    HeldElsewhere,
    Io(io::Error),
}

/// Treatment of a missing database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingFile {
    /// It is created, readable by its owner only: it contains conversations.
    Make,
    Leave,
}

impl FileLock {
    /// Takes the lock of a database, which is named as [`real_path`] has it.
    pub(super) fn take(database: &Path, missing: MissingFile) -> Result<Self, Error> {
        let mut name = open(&lock_file(database), MissingFile::Make).map_err(Error::Io)?;
        match name.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let read = name.read_to_string(&mut text);
                return Err(Error::Held(read.ok().and_then(|_| text.trim().parse().ok())));
            }
            Err(TryLockError::Error(error)) => return Err(Error::Io(error)),
        }
        let database = match open(database, missing) {
            Ok(file) => Some(file),
            Err(error) if missing == MissingFile::Leave && error.kind() == ErrorKind::NotFound => {
                None
            }
            Err(error) => return Err(Error::Io(error)),
        };
        let database = database.map(lock_inode).transpose()?;
        // For people, and for the message above; the lock works without it.
        let written = name
            .set_len(0)
            .and_then(|()| name.rewind())
            .and_then(|()| writeln!(name, "{}", std::process::id()));
        if let Err(error) = written {
            tracing::debug!(%error, "the process id could not be written into the lock file");
        }
        Ok(Self { name, database })
    }
}

fn lock_inode(file: File) -> Result<File, Error> {
    if inode::try_lock(&file).map_err(Error::Io)? {
        return Ok(file);
    }
    inode::leave_open(file);
    Err(Error::HeldElsewhere)
}

/// Refuses a database that another process has by another name: what is in its log cannot be seen by
/// this one. Takes no lock.
pub(super) fn check_name(database: &Path) -> Result<(), Error> {
    // A file that cannot be opened is refused by the caller that opens it next.
    let Ok(file) = open(database, MissingFile::Leave) else { return Ok(()) };
    if !inode::is_locked(&file) {
        return Ok(());
    }
    inode::leave_open(file);
    // Held briefly, and only while no process could start under this name anyway.
    let name = open(&lock_file(database), MissingFile::Leave).map_err(|_| Error::HeldElsewhere)?;
    match name.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(()),
        _ => Err(Error::HeldElsewhere),
    }
}

/// The canonical path of a file, through no link, whether or not the file exists.
pub(super) fn real_path(file: &Path) -> io::Result<PathBuf> {
    let mut file = file.to_path_buf();
    for _ in 0..MAX_LINKS {
        match file.canonicalize() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            found => return found,
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize()?;
        let name = file.file_name().ok_or(ErrorKind::InvalidInput)?;
        let place = folder.join(name);
        match place.read_link() {
            // SQLite makes the file that a link leads to.
            Ok(to) => file = folder.join(to),
            Err(_) => return Ok(place),
        }
    }
    Err(ErrorKind::InvalidInput.into())
}

fn open(file: &Path, missing: MissingFile) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(missing == MissingFile::Make).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

fn lock_file(database: &Path) -> PathBuf {
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
        let first = FileLock::take(&database, MissingFile::Leave).unwrap();
        assert!(!database.exists());
        let id = std::process::id();
        let second = FileLock::take(&database, MissingFile::Make);
        assert!(matches!(second, Err(Error::Held(Some(found))) if found == id));
        drop(first);
        std::fs::write(folder.path().join("store.db-lock"), "4294967295999").unwrap();
        let third = FileLock::take(&database, MissingFile::Make);
        assert!(third.is_ok(), "what an ended process left does not block");
        assert!(database.exists());
    }

    #[test]
    fn a_lock_that_is_dropped_ends_while_a_copy_of_its_files_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("store.db");
        let first = FileLock::take(&database, MissingFile::Make).unwrap();
        // As a child process has them between its fork and its program.
        let copies = [first.name.try_clone(), first.database.as_ref().unwrap().try_clone()];
        assert!(matches!(FileLock::take(&database, MissingFile::Make), Err(Error::Held(_))));
        drop(first);
        assert!(FileLock::take(&database, MissingFile::Make).is_ok());
        drop(copies);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_has_one_lock_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let [database, link] = ["store.db", "link.db"].map(|name| folder.path().join(name));
        let first = FileLock::take(&database, MissingFile::Make).unwrap();
        std::fs::hard_link(&database, &link).unwrap();
        assert!(check_name(&database).is_ok(), "next to its holder it may be read");
        assert!(matches!(check_name(&link), Err(Error::HeldElsewhere)));
        assert!(matches!(FileLock::take(&link, MissingFile::Make), Err(Error::HeldElsewhere)));
        drop(first);
        assert!(check_name(&link).is_ok());
        assert!(FileLock::take(&link, MissingFile::Make).is_ok());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_lock_that_is_refused_leaves_those_of_sqlite() {
        use std::os::unix::fs::MetadataExt as _;
        let folder = tempfile::tempdir().unwrap();
        let [database, link] = ["store.db", "link.db"].map(|name| folder.path().join(name));
        let _first = FileLock::take(&database, MissingFile::Make).unwrap();
        std::fs::hard_link(&database, &link).unwrap();
        let connection = rusqlite::Connection::open(&database).unwrap();
        connection.execute_batch("CREATE TABLE t (a); BEGIN EXCLUSIVE").unwrap();
        let inode = format!(":{} ", std::fs::metadata(&database).unwrap().ino());
        let locks = || {
            let all = std::fs::read_to_string("/proc/locks").unwrap();
            all.lines().filter(|line| line.contains(&inode) && line.contains("POSIX")).count()
        };
        let before = locks();
        assert!(before > 0);
        assert!(FileLock::take(&link, MissingFile::Make).is_err());
        assert!(check_name(&link).is_err());
        assert_eq!(locks(), before);
    }

    #[cfg(unix)]
    #[test]
    fn every_path_of_a_file_leads_to_one() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap().join("store.db");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("inner")).unwrap();
        std::os::unix::fs::symlink("../store.db", at("inner/link.db")).unwrap();
        std::os::unix::fs::symlink("inner/link.db", at("again.db")).unwrap();
        std::os::unix::fs::symlink("inner", at("folder")).unwrap();
        let names =
            ["store.db", "inner/../store.db", "inner/link.db", "again.db", "folder/link.db"];
        // Whether the file is there or not.
        for _ in 0..2 {
            for name in names {
                assert_eq!(real_path(&at(name)).unwrap(), real, "{name}");
            }
            std::fs::write(&real, "").unwrap();
        }
        std::os::unix::fs::symlink("circle.db", at("circle.db")).unwrap();
        assert!(real_path(&at("circle.db")).is_err());
        assert!(real_path(&at("none/store.db")).is_err());
    }
}
