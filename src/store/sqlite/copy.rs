//! A copy of the file, made while it is in use; and one put in its place.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

use super::connect::{self, DatabaseLocation};
use crate::store::error::OpenError;

/// Copies the database into a new file, which nobody but its owner may read, and checks it. Sees
/// what was committed when it began; holds up no writer.
pub(super) fn backup(from: &Path, to: &Path) -> Result<(), OpenError> {
    let place = DatabaseLocation::File(from.into());
    let connection = connect::reader(&place).map_err(|error| connect::failed(&place, error))?;
    connect::known_schema(&place, &connection)?;
    copy(&connection, to)
}

/// Puts a copy of `from`, which is checked, in the place of the database `file`, which nobody may
/// have meanwhile. The copy may be of an older schema: the next start brings it up to date. What
/// stood there before is kept where `replace` allows it; answers under which name.
pub(super) fn restore(
    file: &Path,
    from: &Path,
    replace: bool,
) -> Result<Option<PathBuf>, OpenError> {
    if file.exists() && !replace {
        return Err(OpenError::Exists { file: file.to_owned() });
    }
    let place = DatabaseLocation::File(from.into());
    let connection = connect::reader(&place).map_err(|error| connect::failed(&place, error))?;
    let (found, known) = (connect::schema(&place, &connection)?, connect::known());
    if found > known {
        return Err(OpenError::Newer { file: place.path(), found, known });
    }
    connect::check(&place)?;
    let refused = |source: std::io::Error| OpenError::Copy {
        file: file.to_owned(),
        source: Arc::new(source),
    };
    let made = beside(file, "-restoring");
    // What a restore that was killed has left.
    let _ = std::fs::remove_file(&made);
    copy(&connection, &made)?;
    let kept = file.exists().then(|| free_name(file));
    if let Some(kept) = &kept {
        // Its log belongs to it: without, what was committed last would be gone.
        for part in ["-wal", "-shm", ""] {
            let moved = std::fs::rename(beside(file, part), beside(kept, part));
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

/// A name that nothing has, for what stood in the place of a copy.
fn free_name(file: &Path) -> PathBuf {
    let mut names = (1_u32..).map(|number| beside(file, &format!("-replaced-{number}")));
    names.find(|name| !name.exists()).unwrap_or_else(|| beside(file, "-replaced"))
}

fn beside(file: &Path, end: &str) -> PathBuf {
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
        .and_then(|()| connect::check(&DatabaseLocation::File(to.into())));
    if checked.is_err() {
        // Half a copy is worse than none.
        let _ = std::fs::remove_file(to);
    }
    checked
}
