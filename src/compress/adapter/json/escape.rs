//! Strings in the escaping that they had.

use std::fmt::Write as _;

use crate::json;

/// Appends a text as a JSON string, with the escapes that the string `like` has if JSON leaves
/// a choice: all that is not ASCII, and slashes.
pub(super) fn write(out: &mut String, text: &str, like: &str) {
    let is_ascii = like.is_ascii() && like.contains("\\u");
    let slashes = like.contains("\\/");
    let mut plain = String::with_capacity(text.len() + 2);
    json::write_string(&mut plain, text);
    if !(is_ascii && !plain.is_ascii() || slashes) {
        out.push_str(&plain);
        return;
    }
    for letter in plain.chars() {
        if letter == '/' && slashes {
            out.push_str("\\/");
        } else if is_ascii && !letter.is_ascii() {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_the_string_before() {
        let written = |text: &str, like: &str| {
            let mut out = String::new();
            write(&mut out, text, like);
            out
        };
        assert_eq!(written("a/é\n😀", "\"plain é\""), "\"a/é\\n😀\"");
        assert_eq!(written("a/é😀", "\"\\u00e9\""), "\"a/\\u00e9\\ud83d\\ude00\"");
        assert_eq!(written("a/é", "\"x\\/y é\""), "\"a\\/é\"");
    }
}
