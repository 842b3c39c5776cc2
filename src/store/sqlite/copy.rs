//! A copy of the file, made while it is in use; and one put in its place.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

use super::connection::{self, DatabaseLocation};
use crate::store::error::OpenError;

/// Copies the database into a new file that only its owner may read, and checks it. The copy has
/// the state at its start; no writer is blocked.
pub(super) fn backup(from: &Path, to: &Path) -> Result<(), OpenError> {
    let place = DatabaseLocation::File(from.into());
    let connection =
        connection::reader(&place).map_err(|error| connection::open_error(&place, error))?;
    connection::known_schema(&place, &connection)?;
    copy(&connection, to)
}

/// Replaces the database `file`, which must not be in use, with a copy of `from`, which is checked.
/// The copy may have an older schema: the next start brings it up to date. An existing database is
/// kept if `replace` is set; returns the name that it is kept under.
pub(super) fn restore(
    file: &Path,
    from: &Path,
    replace: bool,
) -> Result<Option<PathBuf>, OpenError> {
    if file.exists() && !replace {
        return Err(OpenError::Exists { file: file.to_owned() });
    }
    let place = DatabaseLocation::File(from.into());
    let connection = open_copy(&place).map_err(OpenError::of_copy)?;
    let refused = |source: std::io::Error| OpenError::Copy {
        file: file.to_owned(),
        source: Arc::new(source),
    };
    let made = sibling_path(file, "-restoring");
    // The remains of a restore that was killed.
    let _ = std::fs::remove_file(&made);
    copy(&connection, &made)?;
    let kept = file.exists().then(|| free_name(file));
    if let Some(kept) = &kept {
        // Its log belongs to it: without, what was committed last would be gone.
        for part in ["-wal", "-shm", ""] {
            let moved = std::fs::rename(sibling_path(file, part), sibling_path(kept, part));
            match moved {
                Err(error) if part.is_empty() || error.kind() != ErrorKind::NotFound => {
                    return Err(refused(error));
                }
                _ => {}
            }
        }
    }
    std::fs::rename(&made, file).map_err(refused)?;
    // The names, too, must survive a loss of power.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new(".")));
    folder.and_then(|folder| folder.sync_all()).map_err(refused)?;
    Ok(kept)
}

/// Refuses a copy that is not there, before a lock is made.
pub(super) fn check_exists(from: &Path) -> Result<(), OpenError> {
    let found = std::fs::metadata(from).map(drop);
    found
        .map_err(|source| OpenError::CopyUnread { file: from.to_owned(), source: Arc::new(source) })
}

/// Opens a copy and checks it.
fn open_copy(place: &DatabaseLocation) -> Result<Connection, OpenError> {
    let connection =
        connection::reader(place).map_err(|error| connection::open_error(place, error))?;
    let (found, known) = (connection::schema(place, &connection)?, connection::latest_step());
    if found > known {
        return Err(OpenError::Newer { file: place.path(), found, known });
    }
    connection::check(place)?;
    Ok(connection)
}

/// An unused name for the database that a copy replaces.
fn free_name(file: &Path) -> PathBuf {
    let mut names = (1_u32..).map(|number| sibling_path(file, &format!("-replaced-{number}")));
    names.find(|name| !name.exists()).unwrap_or_else(|| sibling_path(file, "-replaced"))
}

fn sibling_path(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn copy(connection: &Connection, to: &Path) -> Result<(), OpenError> {
    let refused =
        |source: std::io::Error| OpenError::Copy { file: to.to_owned(), source: Arc::new(source) };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(to).map_err(refused)?;
    let copied = connection
        .pragma_update(None, "query_only", false)
        .and_then(|()| connection.execute("VACUUM INTO ?1", [to.to_string_lossy()]));
    let checked = copied
        .map_err(|error| OpenError::Copy { file: to.to_owned(), source: Arc::new(error) })
        .and_then(|_| file.sync_all().map_err(refused))
        .and_then(|()| connection::check(&DatabaseLocation::File(to.into())))
        .map_err(OpenError::of_copy);
    if checked.is_err() {
        // Half a copy is worse than none.
        let _ = std::fs::remove_file(to);
    }
    checked
}
