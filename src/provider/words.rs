//! Names from the request, as notes and faults show them: shortened, and never all of many.

use std::collections::HashSet;
use std::fmt::Write as _;

/// Most names that one note shows.
const MAX_NAMES: usize = 10;

/// A name, never longer than a line.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Lists names; if they are too many, the number of further ones.
pub(super) fn list_names<T: AsRef<str>>(names: &[T]) -> String {
    let first: Vec<String> =
        names.iter().take(MAX_NAMES).map(|name| shown(name.as_ref())).collect();
    let mut text = first.join(", ");
    if let Some(more) = names.len().checked_sub(MAX_NAMES).filter(|more| *more > 0) {
        let _ = write!(text, " and {more} more");
    }
    text
}

/// [`list_names`], each name once.
pub(super) fn list_distinct<T: AsRef<str>>(names: &[T]) -> String {
    let mut seen = HashSet::new();
    let names: Vec<&str> =
        names.iter().map(AsRef::as_ref).filter(|name| seen.insert(*name)).collect();
    list_names(&names)
}

/// Members that programs put into parts while they collect a stream or parse an answer. Their own
/// provider refuses them.
pub(super) fn is_leftover(name: &str, raw: &str) -> bool {
    const NAMES: &[&str] =
        &["__json_buf", "index", "parsed", "parsed_arguments", "parsed_output", "partial_json"];
    NAMES.contains(&name) || (name == "status" && raw == "null")
}
