//! Terminal codes.

use std::borrow::Cow;

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
