//! White space between the tokens of a text that is one JSON document.

use crate::json;

/// Nesting of a JSON text that is still rewritten.
const DEPTH: usize = 64;
/// Values of a JSON text that is still rewritten.
const VALUES: usize = 500_000;

/// The document without white space between its tokens, if it is one and has any.
pub(super) fn minified(text: &str) -> Option<String> {
    let bare = text.trim_matches([' ', '\t', '\r', '\n']);
    if !bare.starts_with(['{', '[']) || !bare.contains([' ', '\t', '\n']) {
        return None;
    }
    let limits = json::Limits { depth: DEPTH, values: VALUES };
    // A key that stands twice makes readers disagree about the value: such a text stays.
    json::parse(bare, limits).ok()?;
    let short = json::minify(bare);
    (short.len() < text.len()).then_some(short)
}
