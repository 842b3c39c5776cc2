//! Values with an end of their own: quoted scalars and flow collections.

use crate::compress::text::yaml_quote_end;

/// Collections inside one another.
const MAX_DEPTH: usize = 64;

/// The byte after the quoted scalar that begins at a byte.
pub(super) fn quoted_end(text: &str, at: usize) -> Option<usize> {
    let end = at + yaml_quote_end(text.as_bytes().get(at..)?)?;
    // A document that ends in the middle of a string is none.
    let raw = text.get(at..end)?;
    let is_parted = memchr::memmem::find(raw.as_bytes(), b"\n---").is_some()
        || memchr::memmem::find(raw.as_bytes(), b"\n...").is_some();
    (!is_parted).then_some(end)
}

/// The byte after the flow collection that begins at a byte.
pub(super) fn collection(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = Vec::new();
    // The last byte before, white space aside: a quote inside a word opens nothing.
    let mut before = b'[';
    let mut at = at;
    loop {
        let byte = *bytes.get(at)?;
        match byte {
            b'[' | b'{' => {
                open.push(byte + 2);
                if open.len() > MAX_DEPTH {
                    return None;
                }
            }
            b']' | b'}' => {
                if open.pop() != Some(byte) {
                    return None;
                }
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            b'"' | b'\'' if matches!(before, b'[' | b'{' | b',' | b':') => {
                at = quoted_end(text, at)?;
                before = b'"';
                continue;
            }
            b'#' if at
                .checked_sub(1)
                .and_then(|at| bytes.get(at))
                .is_some_and(u8::is_ascii_whitespace) =>
            {
                at += memchr::memchr(b'\n', bytes.get(at..)?)?;
                continue;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        at += 1;
    }
}
