//! The results of `view`: a directory as a list, and a file with numbers of its lines.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::files::Directory;
use super::path::{MEMORY_ROOT, shown_path};
use super::text::shown_size;
use crate::domain::value_text;

/// Levels below a directory that are listed.
const MAX_LEVELS: usize = 2;

/// Lists a directory with sizes, by the names of its files and directories.
pub(super) fn list(key: &str, directory: &Directory) -> String {
    let depth = if key.is_empty() { 0 } else { key.split('/').count() };
    // By names: a directory is followed by what is in it.
    let mut sizes: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    let mut total = 0;
    for file in &directory.files {
        let names: Vec<&str> = file.key.split('/').skip(depth).collect();
        if names.iter().any(|name| name.starts_with('.') || *name == "node_modules") {
            continue;
        }
        let size = value_text(&file.value).len();
        total += size;
        for level in 1..=names.len().min(MAX_LEVELS) {
            if let Some(above) = names.get(..level) {
                *sizes.entry(above.to_vec()).or_default() += size;
            }
        }
    }
    let path = shown_path(key);
    let mut text = format!(
        "Here're the files and directories up to {MAX_LEVELS} levels deep in {path}, excluding hidden \
         items and node_modules:\n{}\t{path}",
        shown_size(total)
    );
    for (names, size) in sizes {
        let names = names.join("/");
        let shown = shown_size(size);
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{shown}\t{path}/{names}");
    }
    if directory.has_more {
        let _ = write!(
            text,
            "\nThere are more files than are listed here: view a directory below {MEMORY_ROOT}, or a \
             file by its path."
        );
    }
    text
}
