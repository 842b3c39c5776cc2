//! The shape of a line: its words without the numbers, ids, paths and values in it.

use crate::compress::text::{ByteTable, byte_table, hash, mix};

/// A hash of the words of a line; lines that differ in numbers, ids and paths alone have the same.
pub(super) fn line_shape(line: &str) -> u64 {
    let bytes = line.as_bytes();
    let mut shape = LineShape::default();
    let (mut begin, mut kinds) = (0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        let kind = kind(*byte);
        if kind == BLANK {
            shape.take(bytes.get(begin..at).unwrap_or_default(), kinds);
            (begin, kinds) = (at + 1, 0);
        } else {
            kinds |= kind;
        }
    }
    shape.take(bytes.get(begin..).unwrap_or_default(), kinds);
    shape.hash
}

/// The same, if what is in quotes is data and line breaks are blanks.
pub(crate) fn line_kind(text: &str) -> u64 {
    /// Words of the longest quotation.
    const MAX_QUOTED_WORDS: usize = 12;
    let mut shape = LineShape::default();
    let mut open: Option<(u8, usize)> = None;
    for token in text.split_ascii_whitespace() {
        let bytes = token.as_bytes();
        let bare = token.trim_end_matches([',', ';', '.', ')', ']', '}']);
        if let Some((quote, words)) = open {
            let ends = bare.as_bytes().last() == Some(&quote) || words >= MAX_QUOTED_WORDS;
            open = if ends { None } else { Some((quote, words + 1)) };
            continue;
        }
        let quote = bytes.first().copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        // A key in quotes is a word.
        if let Some(quote) = quote.filter(|_| !token.ends_with(':')) {
            let ends = bare.len() > 1 && bare.as_bytes().last() == Some(&quote);
            open = if ends { None } else { Some((quote, 1)) };
            shape.take(b"0", OTHER);
        } else {
            shape.take(bytes, bytes.iter().fold(0, |kinds, byte| kinds | kind(*byte)));
        }
    }
    shape.hash
}

#[derive(Debug, Default)]
struct LineShape {
    hash: u64,
    was_data: bool,
}

impl LineShape {
    /// Takes in what is between two blanks, and what is in it.
    #[inline]
    fn take(&mut self, token: &[u8], kinds: u8) {
        let word = match kinds {
            0 => return,
            LETTER => token,
            OTHER => &[],
            _ => word(token),
        };
        if word.is_empty() && self.was_data {
            return;
        }
        self.was_data = word.is_empty();
        self.hash = mix(self.hash, hash(word));
    }
}

/// Classes of the bytes of a line: blanks, letters and all that is not ASCII, `_`, and others.
const BLANK: u8 = 0;
const LETTER: u8 = 1;
const UNDER: u8 = 1 << 1;
const OTHER: u8 = 1 << 2;

static KINDS: ByteTable<u8> = byte_table!(kind_of);

const fn kind_of(byte: u8) -> u8 {
    match byte {
        b' ' | b'\t' => BLANK,
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => LETTER,
        b'_' => UNDER,
        _ => OTHER,
    }
}

#[inline]
fn kind(byte: u8) -> u8 {
    KINDS.get(byte)
}

/// The letters of a word, the key of `key=value`, nothing of what is data.
fn word(token: &[u8]) -> &[u8] {
    let token = token.trim_ascii();
    let is_mark = |byte: &u8| byte.is_ascii_punctuation() && !matches!(byte, b'/' | b'\\' | b'_');
    let from = token.iter().take_while(|byte| is_mark(byte)).count();
    let to = token.len() - token.iter().rev().take_while(|byte| is_mark(byte)).count();
    let bare = token.get(from..to).unwrap_or_default();
    let letters = bare.iter().take_while(|byte| kind(**byte) == LETTER).count();
    let key = bare.get(letters..).unwrap_or_default();
    let key =
        letters + key.iter().take_while(|byte| matches!(kind(**byte), LETTER | UNDER)).count();
    match bare.get(key) {
        None if letters == bare.len() => bare,
        Some(b'=' | b':') => bare.get(..key).unwrap_or_default(),
        _ => &[],
    }
}

/// The word that a line begins with, if tools that say what they do begin so: `Compiling`,
/// `Collecting`.
pub(super) fn opening_word(body: &str) -> Option<&str> {
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
        let same = |a: &str, b: &str| line_shape(a) == line_shape(b);
        assert!(same("12:01 INFO took job 12 in 3ms", "12:02 INFO took job 907 in 14ms"));
        assert!(same("read src/a.rs: ok", "read /tmp/b_c.py: ok"));
        assert!(same("user=ann id=0x1f", "user=bob id=77"));
        assert!(!same("INFO took job 12", "INFO lost job 12"));
        assert!(!same("user=ann", "host=ann"));
    }

    #[test]
    fn lines_of_tools_open_with_a_word() {
        assert_eq!(opening_word("Compiling serde v1.0.2"), Some("Compiling"));
        assert_eq!(opening_word("Get: http://x"), Some("Get:"));
        assert_eq!(opening_word("Compiling"), None);
        assert_eq!(opening_word("12 files"), None);
    }
}
