//! Scalars as text: where one ends, and which strings may be without quotes.

use super::style::JsonStyle;
use crate::compress::text::escaped_quote_end;
use crate::json;
use crate::json::tape::TapeNode;

/// The first value of `text` and what follows it; a value without quotes ends where a byte
/// `is_end`.
pub(super) fn split(text: &str, is_end: impl Fn(u8) -> bool) -> Option<(&str, &str)> {
    let end = match text.as_bytes().first() {
        Some(b'"' | b'[' | b'{') => value_end(text)?,
        _ => text.bytes().position(is_end).unwrap_or(text.len()),
    };
    text.split_at_checked(end)
}

/// The byte after the string, array or object at the head of `text`.
pub(super) fn value_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at += escaped_quote_end(bytes.get(at..)?)? - 1,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Whether the style writes this string as it is in the document.
pub(super) fn is_canonical(node: TapeNode<'_, '_>, style: JsonStyle) -> bool {
    let is_strange = node.marks().has(style.odd_marks());
    !(is_strange || style.slashes && node.has_bare_slash())
}

/// Whether a text without control characters begins or ends with white space.
pub(super) fn has_outer_space(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    *first == b' '
        || *last == b' '
        || (!first.is_ascii() && text.starts_with(char::is_whitespace))
        || (!last.is_ascii() && text.ends_with(char::is_whitespace))
}

/// Whether `text` is a number, `null`, `true` or `false`.
pub(super) fn is_other_than_string(text: &str) -> bool {
    if !matches!(text.as_bytes().first(), Some(b'-' | b'0'..=b'9' | b'n' | b't' | b'f')) {
        return false;
    }
    matches!(text, "null" | "true" | "false") || is_number(text)
}

/// Whether `text` is a JSON number.
pub(super) fn is_number(text: &str) -> bool {
    json::number(text.as_bytes()) == Some(text.len())
}
