//! Logs: runs of lines that begin with a time or a level, or that are made alike.

use super::line_bytes::{digits, run_of};
use crate::compress::text::LineTable;
use crate::domain::MONTH_NAMES;

/// Lines without a time that a message may go on for.
const MAX_MESSAGE_LINES: usize = 16;
/// Lines made alike that are no chance.
const MIN_ALIKE_LINES: usize = 4;

const LEVELS: [&[u8]; 12] = [
    b"TRACE",
    b"DEBUG",
    b"INFO",
    b"NOTICE",
    b"WARN",
    b"WARNING",
    b"ERROR",
    b"FATAL",
    b"CRITICAL",
    b"CRIT",
    b"ERR",
    b"SEVERE",
];
const SMALL_LEVELS: [&[u8]; 7] =
    [b"error", b"warning", b"warn", b"info", b"debug", b"note", b"trace"];

/// The line after the log that begins at a line.
pub(super) fn end(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    if !is_entry(lines.body(at)) {
        return None;
    }
    let mut count = 1;
    let mut end = at + 1;
    let mut line = end;
    while line < lines.len() && line - end <= MAX_MESSAGE_LINES {
        if is_entry(lines.body(line)) {
            count += 1;
            end = line + 1;
        } else if lines.is_blank(line) || lines.indent(line) == 0 || line - end == MAX_MESSAGE_LINES
        {
            break;
        }
        line += 1;
    }
    (count >= 2).then_some(end)
}

/// Whether a line begins as an entry of a log does.
pub(crate) fn is_entry(body: &[u8]) -> bool {
    match body.first() {
        Some(b'0'..=b'9') => has_time(body) || has_address(body),
        Some(b'[') => body.get(1..).is_some_and(|body| {
            has_time(body)
                || has_level(body, &LEVELS)
                || has_level(body, &SMALL_LEVELS)
                || is_step(body)
        }),
        Some(b'A'..=b'Z') => has_level(body, &LEVELS) || has_month(body) || is_klog(body),
        Some(b'e' | b'w' | b'i' | b'd' | b'n' | b't' | b'l') => {
            has_small_level(body) || is_logfmt(body)
        }
        Some(b'<') => {
            digits(body.get(1..).unwrap_or_default()) > 0
                && body.get(..6).is_some_and(|head| head.contains(&b'>'))
        }
        _ => false,
    }
}

/// `2024-01-02T03:04`, `2024/01/02 03:04`, `03:04:05`, `1700000000.123`.
fn has_time(body: &[u8]) -> bool {
    let pattern = |pattern: &[u8]| {
        body.len() >= pattern.len()
            && body.iter().zip(pattern).all(|(byte, like)| match like {
                b'0' => byte.is_ascii_digit(),
                b'-' => matches!(byte, b'-' | b'/' | b'.'),
                b' ' => matches!(byte, b' ' | b'T' | b'_' | b'\t' | b':'),
                like => byte == like,
            })
    };
    pattern(b"00:00:00")
        || pattern(b"0000-00-00 00:00")
        || pattern(b"00-00-0000 00:00")
        || pattern(b"0000000000.000")
        || (pattern(b"00") && has_month(body.get(3..).unwrap_or_default()))
}

/// `1.2.3.4 - - [`, as servers of pages write.
fn has_address(body: &[u8]) -> bool {
    let head = body.get(..body.len().min(64)).unwrap_or_default();
    let address = head.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    address >= 7 && memchr::memmem::find(head, b" [").is_some()
}

/// `Jan  2 03:04`, `Jan/2024:03:04`.
fn has_month(body: &[u8]) -> bool {
    let Some(head) = body.get(..body.len().min(16)) else { return false };
    let Some((name, rest)) = head.split_at_checked(3) else { return false };
    // Of most words another letter follows.
    rest.first().is_some_and(|byte| matches!(byte, b' ' | b'/' | b'-'))
        && MONTH_NAMES.iter().any(|month| month.as_bytes() == name)
        && rest.contains(&b':')
        && rest.iter().any(u8::is_ascii_digit)
}

/// A level and something that ends it: `ERROR:`, `INFO  x`, `INFO]`.
fn has_level(body: &[u8], levels: &[&[u8]]) -> bool {
    // All letters of a level are capitals, or none is: most other words end here with the first.
    let is_small = body.first().is_some_and(u8::is_ascii_lowercase);
    let is_alike = |byte: &&u8| byte.is_ascii_alphabetic() && byte.is_ascii_lowercase() == is_small;
    let letters = body.iter().take(9).take_while(is_alike).count();
    let Some((word, rest)) = body.split_at_checked(letters) else { return false };
    matches!(rest.first(), Some(b':' | b' ' | b']' | b'[' | b'\t' | b'|')) && levels.contains(&word)
}

/// `error: x`, `warning[E1]: x`, `npm warn x`; the word alone is a word.
fn has_small_level(body: &[u8]) -> bool {
    let letters = body.iter().take(9).take_while(|byte| byte.is_ascii_lowercase()).count();
    let Some((word, rest)) = body.split_at_checked(letters) else { return false };
    match word {
        b"npm" => {
            let heads = [&b" ERR!"[..], b" WARN", b" error", b" warn"];
            heads.iter().any(|head| rest.starts_with(head))
        }
        _ => matches!(rest.first(), Some(b':' | b'[')) && SMALL_LEVELS.contains(&word),
    }
}

/// `time=… level=…`.
fn is_logfmt(body: &[u8]) -> bool {
    [&b"time="[..], b"level=", b"ts=", b"lvl="].iter().any(|head| body.starts_with(head))
}

/// `I0102 03:04:05`.
fn is_klog(body: &[u8]) -> bool {
    body.first().is_some_and(|byte| b"IWEF".contains(byte))
        && digits(body.get(1..).unwrap_or_default()) == 4
        && body.get(5) == Some(&b' ')
        && digits(body.get(6..).unwrap_or_default()) == 2
}

/// `3/8] Compiling`.
fn is_step(body: &[u8]) -> bool {
    let body = body.get(run_of(body, b' ')..).unwrap_or_default();
    let first = digits(body);
    let Some(rest) = body.get(first..) else { return false };
    let second = rest.strip_prefix(b"/").map_or(0, digits);
    first > 0 && second > 0 && rest.get(second + 1) == Some(&b']')
}

/// The line after a run of lines that begin with the same word and are no sentences: what a tool
/// says about each of many things.
pub(super) fn alike_end(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    let word = opening_word(lines.body(at))?;
    let is_alike = |line: usize| {
        let rest = head(lines.body(line)).strip_prefix(word);
        let data = rest.and_then(|rest| rest.strip_prefix(b" "));
        data.is_some_and(is_data) && lines.indent(line) == lines.indent(at)
    };
    let mut line = at + 1;
    while is_alike(line) {
        line += 1;
    }
    (line - at >= MIN_ALIKE_LINES).then_some(line)
}

/// The first word of a line that goes on with data.
fn opening_word(body: &[u8]) -> Option<&[u8]> {
    let head = head(body);
    let (word, rest) = head.split_at_checked(memchr::memchr(b' ', head)?)?;
    let letters = word.strip_suffix(b":").unwrap_or(word);
    let is_word = letters.len() >= 3 && letters.iter().all(u8::is_ascii_alphabetic);
    (is_word && is_data(rest)).then_some(word)
}

/// The part of a line that is looked at.
fn head(body: &[u8]) -> &[u8] {
    const MAX_SEARCH_BYTES: usize = 96;
    body.get(..body.len().min(MAX_SEARCH_BYTES)).unwrap_or_default()
}

/// Whether digits or the marks of paths and keys are in it.
fn is_data(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b'0'..=b':' | b'_' | b'/' | b'=' | b'['))
}
