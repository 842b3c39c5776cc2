//! The shape of a line: its words without the numbers, ids, paths and values in it.

use crate::compress::notation::{hash, mix};

/// A hash of the words of a line; lines that differ in numbers, ids and paths alone have the same.
pub(super) fn shape(line: &str) -> u64 {
    let mut shape = 0;
    let mut was_data = false;
    let mut rest = line.as_bytes();
    while let Some(first) = rest.first() {
        if matches!(first, b' ' | b'\t') {
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        let letters = rest.iter().take_while(|byte| is_letter(**byte)).count();
        let others = rest.iter().skip(letters);
        let length = letters + others.take_while(|byte| !matches!(byte, b' ' | b'\t')).count();
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        // Most tokens are nothing but letters.
        let word = if letters == length { token } else { word(token) };
        rest = after;
        if word.is_empty() && was_data {
            continue;
        }
        was_data = word.is_empty();
        shape = mix(shape, hash(word));
    }
    shape
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}

/// The letters of a word, the key of `key=value`, nothing of what is data.
fn word(token: &[u8]) -> &[u8] {
    let token = token.trim_ascii();
    let is_mark = |byte: &u8| byte.is_ascii_punctuation() && !matches!(byte, b'/' | b'\\' | b'_');
    let from = token.iter().take_while(|byte| is_mark(byte)).count();
    let to = token.len() - token.iter().rev().take_while(|byte| is_mark(byte)).count();
    let bare = token.get(from..to).unwrap_or_default();
    let letters = bare.iter().take_while(|byte| is_letter(**byte)).count();
    let key = bare.get(letters..).unwrap_or_default();
    let key = letters + key.iter().take_while(|byte| is_letter(**byte) || **byte == b'_').count();
    match bare.get(key) {
        None if letters == bare.len() => bare,
        Some(b'=' | b':') => bare.get(..key).unwrap_or_default(),
        _ => &[],
    }
}

/// The word that a line begins with, if tools that say what they do begin so: `Compiling`,
/// `Collecting`.
pub(super) fn opening(body: &str) -> Option<&str> {
    let letters = body.bytes().take_while(u8::is_ascii_alphabetic).count();
    let after = body.as_bytes().get(letters..).unwrap_or_default();
    let is_word = letters >= 3 && matches!(after, [b' ' | b'\t', ..] | [b':', b' ' | b'\t', ..]);
    let colon = usize::from(after.first() == Some(&b':'));
    body.get(..letters + colon).filter(|_| is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_has_no_shape() {
        let same = |a: &str, b: &str| shape(a) == shape(b);
        assert!(same("12:01 INFO took job 12 in 3ms", "12:02 INFO took job 907 in 14ms"));
        assert!(same("read src/a.rs: ok", "read /tmp/b_c.py: ok"));
        assert!(same("user=ann id=0x1f", "user=bob id=77"));
        assert!(!same("INFO took job 12", "INFO lost job 12"));
        assert!(!same("user=ann", "host=ann"));
    }

    #[test]
    fn lines_of_tools_open_with_a_word() {
        assert_eq!(opening("Compiling serde v1.0.2"), Some("Compiling"));
        assert_eq!(opening("Get: http://x"), Some("Get:"));
        assert_eq!(opening("Compiling"), None);
        assert_eq!(opening("12 files"), None);
    }
}
