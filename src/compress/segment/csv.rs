//! Tables of separated values by RFC 4180: at least three rows with as many fields each.

use super::Kind;
use super::line_bytes::is_sentence;
use crate::compress::text::{LineTable, doubled_quote_end};

const MIN_ROWS: usize = 3;
/// Lines that one record may take, with line breaks inside quotes.
const MAX_RECORD_LINES: usize = 32;
/// Fields beyond which blanks after commas no longer mean prose.
const MIN_MANY_FIELDS: usize = 4;
/// Rows of a table of fewer fields whose fields begin with blanks.
const MIN_PADDED_ROWS: usize = 5;
/// Rows of such a table that are read for a first digit. Each line of a text without any is a place
/// where a table could begin, so a search to the text's end would take quadratic time.
const MAX_ROWS_WITHOUT_DATA: usize = 16;
/// Bytes of a field that is looked at.
const MAX_FIELD_BYTES: usize = 48;

/// The table that begins at a line, and the line after it.
pub(super) fn find(lines: &LineTable<'_>, at: usize) -> Option<(Kind, usize)> {
    if lines.is_blank(at + 1) || lines.is_blank(at + 2) || lines.body(at).starts_with(b"|") {
        return None;
    }
    let line = lines.bytes(at);
    memchr::memchr3(b'\t', b',', b';', line).or_else(|| memchr::memchr(b'|', line))?;
    [b'\t', b',', b';', b'|'].into_iter().find_map(|separator| {
        // Indentation by tabs parts no fields, and arguments one on a line are no rows.
        let first = memchr::memchr(separator, line)? + lines.start(at);
        if first < lines.head(at) || first + 1 == lines.end(at) {
            return None;
        }
        Some((Kind::Csv { separator }, table(lines, at, separator)?))
    })
}

fn table(lines: &LineTable<'_>, at: usize, separator: u8) -> Option<usize> {
    let first = record(lines, at, separator)?;
    // Only in a table of few columns it matters how the first rows read.
    let is_told =
        |line: usize| first.fields < MIN_MANY_FIELDS && is_told(lines.bytes(line), separator);
    if first.fields < 2 {
        return None;
    }
    if is_told(at) {
        return padded_table(lines, at, separator, first.fields);
    }
    let mut rows = 1;
    let mut told = 0;
    let mut line = first.next;
    while line < lines.len() && !lines.is_blank(line) {
        let Some(row) = record(lines, line, separator) else { break };
        if row.fields != first.fields {
            break;
        }
        rows += 1;
        if rows <= MIN_ROWS {
            told += usize::from(is_told(line));
        }
        line = row.next;
        // Rows of prose agree by chance for a while.
        if rows == MIN_ROWS && told * 2 > rows {
            return padded_table(lines, at, separator, first.fields);
        }
    }
    (rows >= MIN_ROWS).then_some(line)
}

/// The line after a table of few columns with blanks after its separators: each row is as wide as the
/// first, its fields are short and no parts of sentences, and some of them contain digits.
fn padded_table(lines: &LineTable<'_>, at: usize, separator: u8, fields: usize) -> Option<usize> {
    // Bars with blanks around them are drawn by tools: `file | 12 ++--`.
    if !matches!(separator, b',' | b';') {
        return None;
    }
    let mut rows = 0;
    let mut line = at;
    let mut has_data = false;
    while line < lines.len() && !lines.is_blank(line) {
        let Some(row) = record(lines, line, separator) else { break };
        if row.fields != fields {
            break;
        }
        let bytes = lines.bytes(line);
        if rows < MIN_PADDED_ROWS && !bytes.split(|byte| *byte == separator).all(is_field) {
            return None;
        }
        has_data |= rows > 0 && bytes.iter().any(u8::is_ascii_digit);
        rows += 1;
        if rows == MAX_ROWS_WITHOUT_DATA && !has_data {
            return None;
        }
        line = row.next;
    }
    (rows >= MIN_PADDED_ROWS && has_data).then_some(line)
}

/// Whether some bytes are a field of a table and no part of a sentence.
fn is_field(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    let is_ended = field.len() > 1 && field.last().is_some_and(|last| b".!?:".contains(last));
    field.len() <= MAX_FIELD_BYTES && !is_ended && !is_sentence(field)
}

struct CsvRecord {
    fields: usize,
    next: usize,
}

fn record(lines: &LineTable<'_>, at: usize, separator: u8) -> Option<CsvRecord> {
    let bytes = lines.bytes(at);
    // The common case has no quotes.
    if memchr::memchr(b'"', bytes).is_none() {
        let fields = memchr::memchr_iter(separator, bytes).count() + 1;
        return Some(CsvRecord { fields, next: at + 1 });
    }
    let start = lines.start(at);
    let bytes = lines.slice(start..lines.end(at + MAX_RECORD_LINES - 1));
    let mut line = at;
    let mut fields = 1;
    let mut position = 0;
    loop {
        // Blanks may be behind a separator, before a quote. A line that begins with both is an item of
        // a list.
        let rest = bytes.get(position..)?;
        let blanks = rest.iter().take_while(|byte| **byte == b' ' && position > 0).count();
        if rest.get(blanks) == Some(&b'"') {
            position += blanks;
            position += doubled_quote_end(bytes.get(position..)?)?;
            if start + position > lines.end(line) {
                line = lines.at(start + position - 1);
            }
        }
        let rest = bytes.get(position..lines.end(line) - start)?;
        match memchr::memchr2(separator, b'"', rest) {
            None => return Some(CsvRecord { fields, next: line + 1 }),
            Some(found) if rest.get(found) == Some(&separator) => {
                fields += 1;
                position += found + 1;
            }
            // A quote inside a field that is not quoted.
            Some(_) => return None,
        }
    }
}

/// Whether a blank follows a separator, as in a sentence, in a line without quotes.
fn is_told(bytes: &[u8], separator: u8) -> bool {
    separator != b'\t'
        && memchr::memchr(b'"', bytes).is_none()
        && memchr::memchr_iter(separator, bytes).any(|at| bytes.get(at + 1) == Some(&b' '))
}
