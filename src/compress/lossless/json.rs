//! White space between the tokens of a text that is one JSON document.

use crate::json::tape::Tape;
use crate::json::{self, space_outside_strings};

/// Nesting and values of a JSON text that is still rewritten.
const REWRITE_LIMITS: json::Limits = json::Limits { depth: 64, values: 500_000 };

/// The document without white space between its tokens, if it is one and has any.
pub(super) fn minified(text: &str) -> Option<String> {
    let bare = text.trim_matches([' ', '\t', '\r', '\n']);
    if !bare.starts_with(['{', '[']) || !bare.ends_with(['}', ']']) {
        return None;
    }
    let none = || bare.len() == text.len() || !bare.contains([' ', '\t', '\n']);
    if space_outside_strings(bare).is_none() && none() {
        return None;
    }
    // A key that is twice makes readers disagree about the value: such a text stays.
    Tape::compact(bare, REWRITE_LIMITS)
}
