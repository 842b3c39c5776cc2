//! JSON among lines: a value that begins a line and ends one. A look at brackets and quotes finds
//! where a value would end; the crate's reader says whether it is one.

use std::ops::Range;

use super::Kind;
use super::lines::Lines;
use crate::json::{self, Limits, Value};

/// Nesting beyond this is no JSON to us.
const DEPTH: usize = 64;
const VALUES: usize = 500_000;
/// A string shorter than this is not worth looking into.
const LONG: usize = 400;

/// The value that begins at a line, and the line after it. Looking over several lines spends
/// `budget` where it fails; with none left a value must end on its own line.
pub(super) fn find(lines: &Lines<'_>, at: usize, budget: &mut usize) -> Option<(Kind, usize)> {
    let first = value(lines, at, budget)?;
    if first > at + 1 {
        return Some((Kind::Json, first));
    }
    let mut end = first;
    while matches!(lines.first(end), b'{' | b'[') && is_value(lines, end, lines.end(end)) {
        end += 1;
    }
    Some((if end > first { Kind::JsonLines } else { Kind::Json }, end))
}

/// Long strings of a JSON text whose own text has lines or structure: the raw tokens with their
/// quotes, in order.
pub(crate) fn strings(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = find_byte(bytes, from, b'"') {
        let Some(close) = string_end(bytes, open) else { break };
        from = close;
        let inner = bytes.get(open + 1..close - 1).unwrap_or_default();
        if inner.len() >= LONG && has_structure(inner) && !is_key(bytes, close) {
            found.push(open..close);
        }
    }
    found
}

fn has_structure(raw: &[u8]) -> bool {
    raw.starts_with(b"{\\\"")
        || raw.starts_with(b"[{")
        || memchr::memmem::find(raw, b"\\n").is_some()
}

fn is_key(bytes: &[u8], close: usize) -> bool {
    let rest = bytes.get(close..).unwrap_or_default();
    rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

fn find_byte(bytes: &[u8], from: usize, byte: u8) -> Option<usize> {
    memchr::memchr(byte, bytes.get(from..)?).map(|at| from + at)
}

/// The byte after the string that opens at `open`.
fn string_end(bytes: &[u8], open: usize) -> Option<usize> {
    let mut from = open + 1;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', bytes.get(from..)?)?;
        if bytes.get(at) == Some(&b'"') {
            return Some(at + 1);
        }
        from = at + 2;
    }
}

fn value(lines: &Lines<'_>, at: usize, budget: &mut usize) -> Option<usize> {
    let from = lines.head(at);
    let line_end = lines.end(at);
    let limit = lines.text.len().min(from.saturating_add(*budget)).max(line_end);
    let (end, reached) = match balanced(lines.slice(0..limit), from) {
        Ok(end) => (Some(end), end),
        Err(reached) => (None, reached),
    };
    if let Some(end) = end {
        let last = if end <= line_end { at } else { lines.at(end - 1) };
        if is_value(lines, at, end) && ends_line(lines, last, end) {
            return Some(last + 1);
        }
    }
    if reached > line_end {
        *budget = budget.saturating_sub(reached - from);
    }
    None
}

fn ends_line(lines: &Lines<'_>, line: usize, end: usize) -> bool {
    lines.slice(end..lines.end(line)).iter().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Whether the text from a line's first character to `end` is an object or an array that holds
/// something.
fn is_value(lines: &Lines<'_>, at: usize, end: usize) -> bool {
    lines.text.get(lines.head(at)..end).is_some_and(|text| is_document(text.trim_end()))
}

fn is_document(text: &str) -> bool {
    let Ok(node) = json::parse(text, Limits { depth: DEPTH, values: VALUES }) else { return false };
    match node.value {
        Value::Object(members) => !members.is_empty(),
        // `[1]` and `[]` are marks of a writer as often as arrays.
        Value::Array(items) => {
            items.len() > 1 || items.first().is_some_and(|item| item.raw.len() > 2)
        }
        _ => false,
    }
}

/// The byte after the bracket that closes the one at `from`; else how far the search came.
fn balanced(bytes: &[u8], from: usize) -> Result<usize, usize> {
    let mut depth = 0usize;
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string_end(bytes, at).ok_or(bytes.len())?;
                at = end;
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > DEPTH {
                    return Err(at);
                }
            }
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    Err(at)
}

/// The byte after the value that begins at `open`, wherever that is.
pub(super) fn inside(text: &str, open: usize) -> Option<usize> {
    let end = balanced(text.as_bytes(), open).ok()?;
    is_document(text.get(open..end)?).then_some(end)
}
