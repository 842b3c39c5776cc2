//! A look at a file that changes nothing: whether a server could open it.
//!
//! The file is read as one that nobody writes (`immutable`), for which SQLite makes no file next to it.
//! Only if there is a log already, what is in it is read, too.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{Connection, OpenFlags};

use super::connection::{self, DatabaseLocation, MAX_CHECKED_BYTES};
use crate::store::check::DatabaseState;
use crate::store::error::OpenError;

/// What is encoded in the path of a URI.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.');

/// Looks at a file, whose path goes through no link. Refuses what [`connection::writer`] would refuse.
pub(super) fn inspect(file: &Path) -> Result<DatabaseState, OpenError> {
    let refused =
        |source: io::Error| OpenError::Open { file: file.to_owned(), source: Arc::new(source) };
    check_folder(file)?;
    match std::fs::metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(DatabaseState::default()),
        Err(error) => return Err(refused(error)),
        Ok(metadata) if !metadata.is_file() => {
            return Err(refused(io::Error::other("it is no file")));
        }
        Ok(_) => {}
    }
    // To open a file for writing changes nothing.
    OpenOptions::new().read(true).write(true).open(file).map_err(refused)?;
    let place = DatabaseLocation::File(file.into());
    let has_log = std::fs::metadata(sibling(file, "-wal")).is_ok_and(|log| log.len() > 0);
    let connection = open(file, has_log).map_err(|error| connection::open_error(&place, error))?;
    let (found, known) = (connection::schema(&place, &connection)?, connection::latest_step());
    if found > known {
        return Err(OpenError::Newer { file: place.path(), found, known });
    }
    if !has_log && place.bytes() <= MAX_CHECKED_BYTES {
        connection::check_over(&place, &connection)?;
    }
    let has_keys = has_keys(&connection).map_err(|error| connection::open_error(&place, error))?;
    Ok(DatabaseState { exists: true, has_keys })
}

/// Refuses a folder that is not there, or in which this process may not create files.
pub(super) fn check_folder(file: &Path) -> Result<(), OpenError> {
    let refused =
        |source: io::Error| OpenError::Open { file: file.to_owned(), source: Arc::new(source) };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let text = format!("there is no folder {}", folder.display());
        return Err(refused(io::Error::new(ErrorKind::NotFound, text)));
    }
    #[cfg(target_os = "linux")]
    if let Err(error) = nix::unistd::access(folder, nix::unistd::AccessFlags::W_OK) {
        let text = format!("no file can be created in the folder {}: {error}", folder.display());
        return Err(refused(io::Error::new(ErrorKind::PermissionDenied, text)));
    }
    Ok(())
}

fn open(file: &Path, has_log: bool) -> rusqlite::Result<Connection> {
    let path = percent_encode(file.as_os_str().as_encoded_bytes(), PATH);
    let how = if has_log { "mode=ro" } else { "immutable=1" };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(format!("file:{path}?{how}"), flags)
}

fn has_keys(connection: &Connection) -> rusqlite::Result<bool> {
    let finds = |sql: &str| connection.prepare(sql)?.exists([]);
    let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'keys'";
    Ok(finds(table)? && finds("SELECT 1 FROM keys LIMIT 1")?)
}

fn sibling(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}
