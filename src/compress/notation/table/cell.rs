//! Single values: which strings may stand without quotes, and where a quoted value ends.

use super::loose;
use super::style::{JsonStyle, StyledWriter};
use crate::json;
use crate::json::Marks;
use crate::json::tape::{TapeKind, TapeNode};

/// Nesting and values of a document that is rewritten.
pub(super) const LIMITS: json::Limits = json::Limits { depth: 64, values: 500_000 };

/// Line breaks and bytes from which on a string is written out as lines.
const TEXT_BREAKS: usize = 3;
const TEXT_BYTES: usize = 200;
/// What stands before and after the lines of a string.
pub(super) const FENCE: &str = "\"\"\"";

/// The cell that says the same as the one before it.
pub(super) const SAME: &str = "=";

/// Characters that end a value in a list of columns.
const COLUMN_MARKS: [char; 4] = [',', '|', '{', '}'];

/// Where a value stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum CellPlace {
    /// On the rest of a line.
    Line,
    /// In a row, between such characters.
    Row(char),
    /// In the list of columns.
    Columns,
}

/// Appends a value; of a column of strings only (`strings`), what looks like a number needs no
/// quotes.
pub(super) fn write(
    out: &mut String,
    node: TapeNode<'_, '_>,
    place: CellPlace,
    style: JsonStyle,
    strings: bool,
) {
    match node.kind() {
        TapeKind::String => match node.text().filter(|_| is_canonical(node, style)) {
            Some(text) if stands_bare(text, node.marks(), place, strings) => out.push_str(text),
            _ => out.push_str(node.raw()),
        },
        TapeKind::Array | TapeKind::Object => loose::write(out, node, style),
        _ => out.push_str(node.raw()),
    }
}

/// Appends a key as the first cell of its row.
pub(super) fn write_row_key(
    out: &mut String,
    key: TapeNode<'_, '_>,
    separator: char,
    style: JsonStyle,
) {
    match key.text() {
        Some(text) if stands_bare(text, key.marks(), CellPlace::Row(separator), true) => {
            out.push_str(text);
        }
        text => style.string(out, text.unwrap_or_default()),
    }
}

/// Appends a key where its value or its columns follow.
pub(super) fn write_key(out: &mut String, key: TapeNode<'_, '_>, style: JsonStyle) {
    match key.text() {
        Some(text) if key.marks().has(Marks::WORD) || is_plain_key(text) => out.push_str(text),
        text => style.string(out, text.unwrap_or_default()),
    }
}

/// Whether a string is written out as the lines that it holds.
pub(super) fn is_text(node: TapeNode<'_, '_>, style: JsonStyle) -> bool {
    // A line break is an escape.
    if !node.is_escaped() || node.raw().len() < TEXT_BYTES {
        return false;
    }
    let Some(text) = node.text() else { return false };
    text.len() >= TEXT_BYTES
        && memchr::memchr_iter(b'\n', text.as_bytes()).count() >= TEXT_BREAKS
        && !text
            .chars()
            .any(|character| character.is_control() && !matches!(character, '\n' | '\t'))
        && text.split('\n').all(|line| line != FENCE)
        && is_canonical(node, style)
}

/// Reads a whole value and writes it.
pub(super) fn read<'b>(writer: &mut StyledWriter<'b>, text: &'b str, strings: bool) -> Option<()> {
    match text.as_bytes().first()? {
        b'[' | b'{' => loose::read(writer, text),
        b'"' => writer.quoted(text),
        _ if !strings && is_other_than_string(text) => writer.raw(text),
        _ => writer.string(text),
    }
}

/// The first value of `text` and what follows it; a value without quotes ends where a byte
/// `is_end`.
pub(super) fn split(text: &str, is_end: impl Fn(u8) -> bool) -> Option<(&str, &str)> {
    let end = match text.as_bytes().first() {
        Some(b'"' | b'[' | b'{') => value_end(text)?,
        _ => text.bytes().position(is_end).unwrap_or(text.len()),
    };
    text.split_at_checked(end)
}

/// The first cell of a row and what follows it.
pub(super) fn split_cell(text: &str, separator: char) -> Option<(&str, &str)> {
    let end = match text.as_bytes().first() {
        Some(b'"' | b'[' | b'{') => value_end(text)?,
        _ => memchr::memchr(u8::try_from(separator).ok()?, text.as_bytes()).unwrap_or(text.len()),
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
            b'"' => {
                at += 1;
                loop {
                    at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
                    if bytes.get(at) == Some(&b'"') {
                        break;
                    }
                    at += 2;
                }
            }
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

/// Whether the style writes this string as it stands in the document.
pub(super) fn is_canonical(node: TapeNode<'_, '_>, style: JsonStyle) -> bool {
    let is_strange = node.marks().has(style.strange());
    !(is_strange || style.slashes && node.has_bare_slash())
}

/// Whether a string may stand without quotes; `marks` is what it holds.
fn stands_bare(text: &str, marks: Marks, place: CellPlace, strings: bool) -> bool {
    let Some(first) = text.as_bytes().first() else { return false };
    if matches!(first, b'"' | b'[' | b'{') || marks.has(Marks::CONTROL) || has_outer_space(text) {
        return false;
    }
    let clear = match place {
        CellPlace::Line => !starts_item(text),
        CellPlace::Row(separator) => !marks.has(separator_mark(separator)) && text != SAME,
        CellPlace::Columns => text != "*" && !text.contains(COLUMN_MARKS),
    };
    clear && (strings || !is_other_than_string(text))
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

/// The mark of a string that holds a separator.
pub(super) fn separator_mark(separator: char) -> Marks {
    if separator == ',' { Marks::COMMA } else { Marks::BAR }
}

/// Whether a line of a list opens an item of several lines.
pub(super) fn starts_item(line: &str) -> bool {
    line.strip_prefix('-').is_some_and(|rest| rest.starts_with([':', '[', '{']))
}

/// Keys that stand without quotes: words, with the joints that names and paths have.
fn is_plain_key(key: &str) -> bool {
    let joint = |c: char| matches!(c, '_' | '-' | '.' | '/' | '$' | '@' | '+' | '#');
    !key.is_empty()
        && !key.starts_with('-')
        && key.chars().all(|character| character.is_alphanumeric() || joint(character))
}

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
