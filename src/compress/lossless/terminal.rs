//! Terminal codes and the ends of lines.

use std::borrow::Cow;

use crate::compress::text::breaks;

const ESCAPE: u8 = 0x1b;
/// Bytes of a sequence; what is longer is no terminal code.
const MAX_SEQUENCE_BYTES: usize = 4096;

/// Takes out CSI (`ESC [ … final byte`) and OSC (`ESC ] … BEL` or `ESC \`) sequences. Other
/// escapes, and sequences that never end, are text; so is a code in the middle of such a
/// sequence, which would end once the code is gone.
pub(crate) fn without_codes(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if memchr::memchr(ESCAPE, bytes).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    // Start in `out` of the last escape that stays, while its sequence has not ended.
    let mut open = None;
    for start in memchr::memchr_iter(ESCAPE, bytes) {
        // An earlier sequence may have taken this one in.
        if start < copied {
            continue;
        }
        out.push_str(text.get(copied..start).unwrap_or_default());
        copied = start;
        open = open.filter(|from| is_open(out.as_bytes().get(*from..).unwrap_or_default()));
        match code_end(bytes, start) {
            Some(end) if open.is_none() => copied = end,
            _ => open = Some(out.len()),
        }
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    if out.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Whether a sequence that begins with these bytes may still end.
fn is_open(bytes: &[u8]) -> bool {
    let body = bytes.get(2..).unwrap_or_default();
    bytes.len() < MAX_SEQUENCE_BYTES
        && match bytes.get(1) {
            None => true,
            Some(b'[') => body.iter().all(|byte| (0x20..=0x3f).contains(byte)),
            Some(b']') => !body.iter().any(|byte| matches!(byte, 0x07 | b'\n')),
            Some(_) => false,
        }
}

/// The byte after the sequence that begins at `start`.
fn code_end(bytes: &[u8], start: usize) -> Option<usize> {
    let body = bytes.get(start + 2..bytes.len().min(start + MAX_SEQUENCE_BYTES))?;
    match bytes.get(start + 1)? {
        b'[' => {
            let last = body.iter().position(|byte| !(0x20..=0x3f).contains(byte))?;
            (0x40..=0x7e).contains(body.get(last)?).then_some(start + 2 + last + 1)
        }
        b']' => {
            let last = body.iter().position(|byte| matches!(byte, 0x07 | 0x1b | b'\n'))?;
            match (body.get(last)?, body.get(last + 1)) {
                (0x07, _) => Some(start + 2 + last + 1),
                (0x1b, Some(b'\\')) => Some(start + 2 + last + 2),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Takes out carriage returns before line ends, and spaces and tabs at line ends. In a unified
/// diff the white space stays: it is part of what the patch says.
pub(super) fn without_line_ends(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    let loose = breaks(text)
        .chain([bytes.len()])
        .any(|end| end.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(is_blank));
    if !loose {
        return Cow::Borrowed(text);
    }
    let blanks: &[char] = if is_diff(text) { &['\r'] } else { &[' ', '\t', '\r'] };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        out.push_str(line.trim_end_matches(blanks));
        out.push('\n');
        rest = after;
    }
    // A carriage return at the very end precedes no line end.
    let blanks: &[char] = if blanks.len() == 1 { &[] } else { &[' ', '\t'] };
    out.push_str(rest.trim_end_matches(blanks));
    Cow::Owned(out)
}

fn is_diff(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("@@ -"))
}
