//! Cuts a text where no match of a pattern can reach over.

use std::ops::Range;

/// Pieces of whole lines, each of at most `max_bytes` if its lines allow it. A text whose matches
/// may contain a line break, and an empty text, is one piece.
pub(super) fn split(
    text: &str,
    max_bytes: usize,
    crosses_lines: bool,
) -> impl Iterator<Item = Range<usize>> {
    let is_whole = crosses_lines || text.len() <= max_bytes;
    let mut start = 0;
    let mut is_first = true;
    std::iter::from_fn(move || {
        if start >= text.len() && !std::mem::take(&mut is_first) {
            return None;
        }
        is_first = false;
        let end = if is_whole { text.len() } else { end_of_piece(text, start, max_bytes) };
        let piece = start..end;
        start = end;
        Some(piece)
    })
}

/// The end of the last line that fits, or of the first one if that does not.
fn end_of_piece(text: &str, start: usize, max_bytes: usize) -> usize {
    let bytes = text.as_bytes();
    let end = start.saturating_add(max_bytes).min(bytes.len());
    if end == bytes.len() {
        return end;
    }
    let window = bytes.get(start..end).unwrap_or_default();
    if let Some(at) = memchr::memrchr(b'\n', window) {
        return start + at + 1;
    }
    let rest = bytes.get(end..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(bytes.len(), |at| end + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, max_bytes: usize) -> Vec<&str> {
        split(text, max_bytes, false).map(|piece| &text[piece]).collect()
    }

    #[test]
    fn pieces_are_whole_lines() {
        assert_eq!(cut("ab\ncd\nef", 6), ["ab\ncd\n", "ef"]);
        assert_eq!(cut("ab\ncd\nef", 5), ["ab\n", "cd\nef"]);
        assert_eq!(cut("ab\ncd\nef", 1), ["ab\n", "cd\n", "ef"]);
        assert_eq!(cut("ab\n\n\ncd\n", 2), ["ab\n", "\n\n", "cd\n"]);
        assert_eq!(cut("", 2), [""]);
        assert!(split("ab\ncd\nef", 2, true).eq(std::iter::once(0..8)));
    }
}
