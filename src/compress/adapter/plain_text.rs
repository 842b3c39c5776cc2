//! A text as its format is read: without what a terminal, an editor or an old line end puts into it.

use std::borrow::Cow;

use crate::compress::text::without_codes;

/// What some editors write at the beginning of a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text without terminal codes and without a byte order mark, with line feeds at the ends of
/// its lines. Borrowed from its first letter on if there is nothing else in it.
pub(crate) fn plain_text(text: &str) -> Cow<'_, str> {
    let without_mark = |text: &str| text.trim_start_matches(BYTE_ORDER_MARK).len();
    match without_codes(text) {
        Cow::Borrowed(text) => {
            with_line_feeds(text.get(text.len() - without_mark(text)..).unwrap_or_default())
        }
        Cow::Owned(text) => {
            let bare = text.get(text.len() - without_mark(&text)..).unwrap_or_default();
            Cow::Owned(with_line_feeds(bare).into_owned())
        }
    }
}

/// The text with a line feed in the place of each carriage return that has none after it.
pub(crate) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_alone = |at: &usize| bytes.get(at + 1).is_some_and(|next| *next != b'\n');
    let mut alone = memchr::memchr_iter(b'\r', bytes).filter(is_alone).peekable();
    if alone.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for at in alone {
        out.push_str(text.get(copied..at).unwrap_or_default());
        // A line that ends with several of them ends once.
        if bytes.get(at + 1) != Some(&b'\r') {
            out.push('\n');
        }
        copied = at + 1;
    }
    let rest = text.get(copied..).unwrap_or_default();
    out.push_str(rest.strip_suffix('\r').unwrap_or(rest));
    out.push_str(if rest.ends_with('\r') { "\n" } else { "" });
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_marks_and_old_line_ends_are_no_part_of_a_format() {
        assert_eq!(plain_text("\u{feff}a,b\r1,2\r3,4\r"), "a,b\n1,2\n3,4\n");
        assert_eq!(plain_text("\u{1b}[1m\u{feff}{\u{1b}[0m\r\n}"), "{\r\n}");
        assert_eq!(plain_text("\u{feff}"), "");
        assert_eq!(plain_text("5 %\r50 %\r\r\ndone\n"), "5 %\n50 %\r\ndone\n");
        for text in ["", "a\r\nb\r\n", "a\n", "a \u{feff} b", "a\r"] {
            assert!(matches!(plain_text(text), Cow::Borrowed(own) if own == text), "{text:?}");
        }
    }
}
