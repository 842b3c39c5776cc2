//! The values of quoted strings in a text: JSON, whole or inside of other text.

use std::borrow::Cow;
use std::ops::Range;

/// The JSON strings of a text whose value differs from their characters: the range of each, with
/// its quotation marks, and its value. In JSON these are all its strings with an escape.
pub(super) fn strings(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    if !text.contains('\\') {
        return found;
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        in_line(line, start, &mut found);
        start += line.len();
    }
    found
}

/// A JSON string has no line break in it, so one that is left open ends with its line.
fn in_line(line: &str, start: usize, found: &mut Vec<(Range<usize>, String)>) {
    let bytes = line.as_bytes();
    let mut open: Option<usize> = None;
    let mut has_escape = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (byte, open) {
            (b'"', None) => (open, has_escape) = (Some(at), false),
            (b'"', Some(from)) => {
                open = None;
                let said = line.get(from..=at).filter(|_| has_escape);
                let said = said.and_then(|quoted| serde_json::from_str(quoted).ok());
                found.extend(said.map(|said| (start + from..start + at + 1, said)));
            }
            (b'\\', _) => {
                // An escaped character begins or ends nothing.
                has_escape = true;
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// The same text with spaces for escaped white space, so that a word begins after it; every byte
/// keeps its position.
pub(super) fn blank(text: &str) -> Cow<'_, str> {
    const WHITE: [&str; 3] = ["\\n", "\\r", "\\t"];
    if WHITE.iter().any(|escape| text.contains(escape)) {
        let blank = |text: String, escape: &&str| text.replace(escape, "  ");
        Cow::Owned(WHITE.iter().fold(text.to_owned(), blank))
    } else {
        Cow::Borrowed(text)
    }
}
