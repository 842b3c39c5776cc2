//! A copy of the file, made while it is in use.

use std::fs::OpenOptions;
use std::path::Path;

use super::connect::{self, Place};
use crate::store::error::OpenError;

/// Copies the database into a new file, which nobody but its owner may read, and checks it. Sees
/// what was committed when it began; holds up no writer.
pub(super) fn backup(from: &Path, to: &Path) -> Result<(), OpenError> {
    let place = Place::File(from.into());
    let connection = connect::reader(&place).map_err(|error| connect::failed(&place, error))?;
    connect::known_schema(&place, &connection)?;
    let refused = |source: std::io::Error| OpenError::Copy {
        file: to.to_owned(),
        source: std::sync::Arc::new(source),
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(to).map_err(refused)?;
    let copied = connection
        .pragma_update(None, "query_only", false)
        .and_then(|()| connection.execute("VACUUM INTO ?1", [to.to_string_lossy()]));
    let checked = copied
        .map_err(|error| OpenError::Copy {
            file: to.to_owned(),
            source: std::sync::Arc::new(error),
        })
        .and_then(|_| file.sync_all().map_err(refused))
        .and_then(|()| connect::check(&Place::File(to.into())));
    if checked.is_err() {
        // Half a copy is worse than none.
        let _ = std::fs::remove_file(to);
    }
    checked
}
