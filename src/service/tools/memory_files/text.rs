//! Texts of memory files by their lines: numbered, replaced, and with lines inserted.

use std::fmt::Write as _;

use super::command::LineRange;

/// Lines that a snippet has before and after what changed.
const SNIPPET_MARGIN_LINES: usize = 2;

/// The lines of a text. A line feed at the end of the text ends its last line.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    lines
}

/// The lines of a range with their numbers; none if the text ends before the range.
pub(super) fn numbered(text: &str, range: Option<LineRange>) -> Option<String> {
    let range = range.unwrap_or(LineRange { first: 1, last: None });
    let lines = lines(text);
    if range.first > lines.len().max(1) {
        return None;
    }
    let count = range.last.map_or(usize::MAX, |last| last - range.first + 1);
    let mut numbered = String::new();
    for (index, line) in lines.iter().enumerate().skip(range.first - 1).take(count) {
        // Writing to a string cannot fail.
        let _ = writeln!(numbered, "{:>6}\t{line}", index + 1);
    }
    if numbered.ends_with('\n') {
        numbered.pop();
    }
    Some(numbered)
}

/// The numbers of the lines in which a part begins, each once.
pub(super) fn lines_with(text: &str, part: &str) -> Vec<usize> {
    let (mut found, mut line, mut end) = (Vec::new(), 1, 0);
    for (at, _) in text.match_indices(part) {
        line += line_feeds(text.get(end..at).unwrap_or_default());
        end = at;
        if found.last() != Some(&line) {
            found.push(line);
        }
    }
    found
}

/// A text in which a part was replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EditedFile {
    pub(super) text: String,
    /// The lines around the change, with their numbers.
    pub(super) snippet: String,
}

/// Replaces the first occurrence of a part; none if there is none.
pub(super) fn replace(text: &str, old: &str, new: &str) -> Option<EditedFile> {
    let (before, after) = text.split_once(old)?;
    let replaced = [before, new, after].concat();
    let first = line_feeds(before) + 1;
    let last = first + line_feeds(new) + SNIPPET_MARGIN_LINES;
    let first = first.saturating_sub(SNIPPET_MARGIN_LINES).max(1);
    let snippet = numbered(&replaced, Some(LineRange { first, last: Some(last) }));
    Some(EditedFile { text: replaced, snippet: snippet.unwrap_or_default() })
}

/// Inserts a text as lines of its own after so many lines, which the text must have.
pub(super) fn insert(text: &str, after: usize, inserted: &str) -> String {
    let at: usize = text.split_inclusive('\n').take(after).map(str::len).sum();
    let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    let mut whole = before.to_owned();
    if !whole.is_empty() && !whole.ends_with('\n') {
        whole.push('\n');
    }
    whole.push_str(inserted);
    if !rest.is_empty() && !inserted.ends_with('\n') {
        whole.push('\n');
    }
    whole.push_str(rest);
    whole
}

fn line_feeds(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// A size as `du -h` shows it, such as `512B` and `1.5K`.
pub(super) fn shown_size(bytes: usize) -> String {
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let (mut unit, mut size) = ('K', bytes);
    for larger in ['M', 'G'] {
        if size >= 1024 * 1024 {
            (unit, size) = (larger, size / 1024);
        }
    }
    let tenths = (size * 10 + 512) / 1024;
    format!("{}.{}{unit}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_inserted_where_they_are_asked_for() {
        for (text, after, inserted, whole) in [
            ("", 0, "a", "a"),
            ("a\nb\n", 0, "x", "x\na\nb\n"),
            ("a\nb\n", 1, "x\ny", "a\nx\ny\nb\n"),
            ("a\nb\n", 2, "x\n", "a\nb\nx\n"),
            ("a\nb", 2, "x", "a\nb\nx"),
            ("a\nb", 1, "x\n", "a\nx\nb"),
            ("\n\n", 1, "x", "\nx\n\n"),
        ] {
            assert_eq!(insert(text, after, inserted), whole, "{text:?} {after} {inserted:?}");
        }
    }

    #[test]
    fn parts_are_found_by_their_lines() {
        assert_eq!(lines_with("a b a\nb\na\n", "a"), [1, 3]);
        assert_eq!(lines_with("a\nb\na\nb", "a\nb"), [1, 3]);
        assert!(lines_with("a", "b").is_empty());
        let done = replace("1\n2\n3\n4\n5\n6\n", "4\n", "x\ny\n").unwrap();
        assert_eq!(done.text, "1\n2\n3\nx\ny\n5\n6\n");
        assert_eq!(
            done.snippet,
            "     2\t2\n     3\t3\n     4\tx\n     5\ty\n     6\t5\n     7\t6"
        );
    }

    #[test]
    fn a_range_counts_from_one() {
        let range = |first, last| Some(LineRange { first, last });
        assert_eq!(numbered("a\nb\nc\n", None).unwrap(), "     1\ta\n     2\tb\n     3\tc");
        assert_eq!(numbered("a\nb\nc", range(2, Some(2))).unwrap(), "     2\tb");
        assert_eq!(numbered("a\nb\nc", range(2, Some(9))).unwrap(), "     2\tb\n     3\tc");
        assert_eq!(numbered("a\nb\nc", range(3, None)).unwrap(), "     3\tc");
        assert_eq!(numbered("a\nb\nc", range(4, None)), None);
        assert_eq!(numbered("", None).unwrap(), "");
    }

    #[test]
    fn sizes_are_short() {
        let sizes = [(0, "0B"), (1023, "1023B"), (1536, "1.5K"), (4096, "4.0K"), (2 << 20, "2.0M")];
        for (bytes, shown) in sizes {
            assert_eq!(shown_size(bytes), shown);
        }
    }
}
