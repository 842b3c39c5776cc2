//! Halves of surrogate pairs in JSON text. Programs that cut a text in the middle of an emoji write
//! them as escapes; no Unicode text can hold one, so U+FFFD replaces it before the text is read.

use memchr::{memchr, memchr2, memmem};

/// The escape that replaces half a pair. It is U+FFFD in a spelling that no encoder writes, so that
/// a reader can tell a text that was changed from one that came with U+FFFD.
pub(super) const REPLACED_HALF: &str = r"\ufFfD";

/// Replaces halves of surrogate pairs in the values of a JSON text. Keys keep theirs: which key is
/// meant cannot be known. Escapes have the same length, so no other byte moves.
pub fn replace_halves(text: String) -> String {
    let places = halves(text.as_bytes());
    if places.is_empty() {
        return text;
    }
    let mut bytes = text.into_bytes();
    for at in places {
        if let Some(escape) = bytes.get_mut(at..at + REPLACED_HALF.len()) {
            escape.copy_from_slice(REPLACED_HALF.as_bytes());
        }
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Whether half of a pair was replaced in a JSON text.
pub fn has_replaced_half(raw: &str) -> bool {
    memmem::find(raw.as_bytes(), REPLACED_HALF.as_bytes()).is_some()
}

/// The bytes at which such escapes begin, in values alone.
fn halves(bytes: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let has = |start: &[u8]| memmem::find(bytes, start).is_some();
    if !has(br"\ud") && !has(br"\uD") {
        return found;
    }
    let mut at = 0;
    while let Some(step) = memchr(b'"', bytes.get(at..).unwrap_or_default()) {
        let before = found.len();
        let end = string_halves(bytes, at + step + 1, &mut found);
        let rest = bytes.get(end..).unwrap_or_default();
        let next = rest.iter().find(|byte| !byte.is_ascii_whitespace());
        if next == Some(&b':') {
            found.truncate(before);
        }
        at = end;
    }
    found
}

/// Adds the halves in the string whose text begins at `at`; returns where its end is.
fn string_halves(bytes: &[u8], mut at: usize, found: &mut Vec<usize>) -> usize {
    while let Some(step) = memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += step;
        if bytes.get(at) == Some(&b'"') {
            return at + 1;
        }
        let (high, low) = (0xD800..=0xDBFF, 0xDC00..=0xDFFF);
        at += match unit(bytes, at) {
            Some(first) if high.contains(&first) => {
                if unit(bytes, at + 6).is_some_and(|second| low.contains(&second)) {
                    12
                } else {
                    found.push(at);
                    6
                }
            }
            Some(first) if low.contains(&first) => {
                found.push(at);
                6
            }
            Some(_) => 6,
            None => 2,
        };
    }
    bytes.len()
}

/// The UTF-16 unit of the escape at `at`.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(br"\u")?;
    digits.iter().try_fold(0, |code, byte| Some(code * 16 + char::from(*byte).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_in_values_are_replaced_and_nothing_else() {
        for (before, after) in [
            (r#"{"a":"x\ud83d"}"#, r#"{"a":"x\ufFfD"}"#),
            (r#"["\uDE00y","\ud83d\ude00"]"#, r#"["\ufFfDy","\ud83d\ude00"]"#),
            (r#"["\ud83d\ud83d\ude00"]"#, r#"["\ufFfD\ud83d\ude00"]"#),
            (r#"["\ud83d\u0041"]"#, r#"["\ufFfD\u0041"]"#),
            (r#"["\\ud83d","\"\ud83d"]"#, r#"["\\ud83d","\"\ufFfD"]"#),
            (r#"{"\ud83d" : "\ud83d"}"#, r#"{"\ud83d" : "\ufFfD"}"#),
            (r#"["\ud8"#, r#"["\ud8"#),
            (r"\ud83d", r"\ud83d"),
        ] {
            assert_eq!(replace_halves(before.to_owned()), after);
        }
    }
}
