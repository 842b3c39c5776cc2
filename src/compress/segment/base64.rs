//! Base64: lines of nothing else, PEM blocks, lines that are mostly a data URI.

use std::ops::Range;

use crate::compress::text::{ByteTable, LineTable, byte_table};

/// Bytes that are worth a part of their own.
const MIN_PART_BYTES: usize = 200;
/// Shortest line of a run; writers break at 64 or 76.
const MIN_LINE_BYTES: usize = 60;

/// The line after the base64 that begins at a line.
pub(super) fn end(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    let body = lines.body(at);
    if body.starts_with(b"-----BEGIN ") {
        return pem(lines, at);
    }
    if body.len() < MIN_LINE_BYTES {
        return None;
    }
    if is_encoded(body) {
        let mut line = at + 1;
        while lines.body(line).len() >= MIN_LINE_BYTES && is_encoded(lines.body(line)) {
            line += 1;
        }
        // The last line may be short.
        if line > at + 1 && lines.body(line).len() < MIN_LINE_BYTES && is_tail(lines.body(line)) {
            line += 1;
        }
        return (lines.start(line) - lines.start(at) >= MIN_PART_BYTES).then_some(line);
    }
    // A text of one line is parted inside the line.
    let uri = uri(body, 0).filter(|_| lines.len() > 1)?;
    (uri.len() >= MIN_PART_BYTES && uri.len() * 2 >= body.len()).then_some(at + 1)
}

fn pem(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    const MAX_SEARCH_BYTES: usize = 256;
    let end = (at + 1..lines.len().min(at + MAX_SEARCH_BYTES))
        .find(|line| !is_tail(lines.body(*line)) && !lines.body(*line).contains(&b':'))?;
    lines.body(end).starts_with(b"-----END ").then_some(end + 1)
}

/// The next data URI in base64 from a byte on.
pub(super) fn uri(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let mut from = from;
    loop {
        let mark = from + memchr::memmem::find(bytes.get(from..)?, b";base64,")?;
        let data = mark + b";base64,".len();
        let length = bytes.get(data..)?.iter().take_while(|byte| is_base64_letter(**byte)).count();
        // `data:image/png` precedes it.
        let head = bytes.get(mark.saturating_sub(80).max(from)..mark)?;
        if let Some(at) = memchr::memmem::rfind(head, b"data:") {
            return Some(mark - head.len() + at..data + length);
        }
        from = data + length;
    }
}

/// Whether a byte is of the alphabet of base64, or of the one of its form for addresses.
#[inline]
pub(crate) fn is_base64_letter(byte: u8) -> bool {
    static LETTERS: ByteTable<bool> = byte_table!(is_letter);
    LETTERS.get(byte)
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

fn is_tail(body: &[u8]) -> bool {
    let body = body.trim_ascii_end();
    let marks = body.iter().rev().take_while(|byte| **byte == b'=').count();
    let letters = body.get(..body.len() - marks).unwrap_or_default();
    marks <= 2
        && letters.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

/// A line of the alphabet in which capitals, small letters and digits are mixed: a word or a path
/// is not.
fn is_encoded(body: &[u8]) -> bool {
    const SAMPLE_BYTES: usize = 128;
    let sample = body.get(..body.len().min(SAMPLE_BYTES)).unwrap_or_default();
    let count = |holds: fn(&u8) -> bool| sample.iter().filter(|byte| holds(byte)).count();
    let least = sample.len() / 32;
    is_tail(body)
        && count(u8::is_ascii_uppercase) > least * 3
        && count(u8::is_ascii_lowercase) > least * 3
        && count(u8::is_ascii_digit) > least
}
