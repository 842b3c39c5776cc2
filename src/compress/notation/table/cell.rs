//! Single values: which strings may be without quotes, and where a quoted value ends.

use super::inline_value;
pub(super) use super::scalar::is_canonical;
use super::scalar::{has_outer_space, is_other_than_string, value_end};
use super::shared::may_be_mark;
use super::style::JsonStyle;
use super::styled_writer::StyledWriter;
use crate::json::Marks;
use crate::json::tape::{TapeKind, TapeNode};

/// Line breaks and bytes from which on a string is written out as lines.
const MIN_TEXT_BREAKS: usize = 3;
const MIN_TEXT_BYTES: usize = 200;
/// The fence before and after the lines of a string.
pub(super) const FENCE: &str = "\"\"\"";

/// The cell that says the same as the one before it.
pub(super) const SAME_CELL: &str = "=";

/// Characters that end a value in a list of columns.
const COLUMN_MARKS: [char; 4] = [',', '|', '{', '}'];

/// Place of a value.
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
            Some(text)
                if stands_bare(text, node.marks(), place, strings)
                    && !(style.shared && may_be_mark(text)) =>
            {
                out.push_str(text);
            }
            _ => out.push_str(node.raw()),
        },
        TapeKind::Array | TapeKind::Object => inline_value::write(out, node, style),
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

/// Appends a key if its value or its columns follow.
pub(super) fn write_key(out: &mut String, key: TapeNode<'_, '_>, style: JsonStyle) {
    match key.text() {
        Some(text) if key.marks().has(Marks::WORD) || is_plain_key(text) => out.push_str(text),
        text => style.string(out, text.unwrap_or_default()),
    }
}

/// Whether a string is written out as the lines that it holds.
pub(super) fn is_text(node: TapeNode<'_, '_>, style: JsonStyle) -> bool {
    // A line break is an escape.
    if !node.is_escaped() || node.raw().len() < MIN_TEXT_BYTES {
        return false;
    }
    let Some(text) = node.text() else { return false };
    text.len() >= MIN_TEXT_BYTES
        && memchr::memchr_iter(b'\n', text.as_bytes()).count() >= MIN_TEXT_BREAKS
        && !text
            .chars()
            .any(|character| character.is_control() && !matches!(character, '\n' | '\t'))
        && text.split('\n').all(|line| line != FENCE)
        && is_canonical(node, style)
}

/// Reads a whole value and writes it.
pub(super) fn read<'b>(writer: &mut StyledWriter<'b>, text: &'b str, strings: bool) -> Option<()> {
    match text.as_bytes().first()? {
        b'[' | b'{' => inline_value::read(writer, text),
        b'"' => writer.write_quoted(text),
        _ if !strings && is_other_than_string(text) => writer.raw(text),
        _ => writer.string(text),
    }
}

/// The first cell of a row and what follows it.
pub(super) fn split_cell(text: &str, separator: char) -> Option<(&str, &str)> {
    let end = match text.as_bytes().first() {
        Some(b'"' | b'[' | b'{') => value_end(text)?,
        _ => memchr::memchr(u8::try_from(separator).ok()?, text.as_bytes()).unwrap_or(text.len()),
    };
    text.split_at_checked(end)
}

/// Whether a string may be without quotes; `marks` is what it holds.
fn stands_bare(text: &str, marks: Marks, place: CellPlace, strings: bool) -> bool {
    let Some(first) = text.as_bytes().first() else { return false };
    if matches!(first, b'"' | b'[' | b'{') || marks.has(Marks::CONTROL) || has_outer_space(text) {
        return false;
    }
    let clear = match place {
        CellPlace::Line => !starts_item(text),
        CellPlace::Row(separator) => !marks.has(separator_mark(separator)) && text != SAME_CELL,
        CellPlace::Columns => text != "*" && !text.contains(COLUMN_MARKS),
    };
    clear && (strings || !is_other_than_string(text))
}

/// The mark of a string that holds a separator.
pub(super) fn separator_mark(separator: char) -> Marks {
    if separator == ',' { Marks::COMMA } else { Marks::BAR }
}

/// Whether a line of a list opens an item of several lines.
pub(super) fn starts_item(line: &str) -> bool {
    line.strip_prefix('-').is_some_and(|rest| rest.starts_with([':', '[', '{']))
}

/// Keys that are without quotes: words, with the joints that names and paths have.
fn is_plain_key(key: &str) -> bool {
    let joint = |c: char| matches!(c, '_' | '-' | '.' | '/' | '$' | '@' | '+' | '#');
    !key.is_empty()
        && !key.starts_with('-')
        && key.chars().all(|character| character.is_alphanumeric() || joint(character))
}
