//! The lines of a text: where each starts, where its first character is, where it ends.
//!
//! Most lines are read in one of two ways. A [`LineTable`] has them without `\r\n` or `\n`, and no
//! line begins after the last break; [`lines_of`] gives what line feeds part, nothing else.

use std::ops::Range;

use super::breaks;

/// The lines of a text, found once. Indices past the end give empty lines, so a rule may look ahead
/// without a check.
#[derive(Debug)]
pub(crate) struct LineTable<'t> {
    pub(crate) text: &'t str,
    lines: Vec<LineSpan>,
}

/// A line without its break. `head` is the first byte that is no space or tab, `end` at the most.
#[derive(Debug, Clone, Copy)]
struct LineSpan {
    start: usize,
    head: usize,
    end: usize,
}

impl<'t> LineTable<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        /// Bytes of a line, about.
        const DEFAULT_LINE_BYTES: usize = 40;
        let bytes = text.as_bytes();
        let mut lines = Vec::with_capacity(text.len() / DEFAULT_LINE_BYTES + 1);
        let mut start = 0;
        for at in breaks(text) {
            lines.push(LineSpan::new(bytes, start, at));
            start = at + 1;
        }
        if start < bytes.len() {
            lines.push(LineSpan::new(bytes, start, bytes.len()));
        }
        Self { text, lines }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Start of a line; the end of the text for the line after the last.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.text.len(), |line| line.start)
    }

    pub(crate) fn head(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.text.len(), |line| line.head)
    }

    /// End of a line, without its break.
    pub(crate) fn end(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.text.len(), |line| line.end)
    }

    /// Bytes of white space at the beginning of a line.
    pub(crate) fn indent(&self, line: usize) -> usize {
        self.lines.get(line).map_or(0, |line| line.head - line.start)
    }

    /// Whether nothing but spaces and tabs is in a line.
    pub(crate) fn is_blank(&self, line: usize) -> bool {
        self.lines.get(line).is_none_or(|line| line.head == line.end)
    }

    /// The whole line, without its break.
    pub(crate) fn line(&self, line: usize) -> &'t str {
        self.lines.get(line).map_or("", |line| line.slice(self.text))
    }

    /// All lines, without their breaks.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'t str> {
        self.lines.iter().map(|line| line.slice(self.text))
    }

    /// The bytes of a line, without its break.
    pub(crate) fn bytes(&self, line: usize) -> &'t [u8] {
        self.slice(self.start(line)..self.end(line))
    }

    /// The bytes of a line from its first character on, without its break.
    pub(crate) fn body(&self, line: usize) -> &'t [u8] {
        self.slice(self.head(line)..self.end(line))
    }

    pub(crate) fn first_byte(&self, line: usize) -> u8 {
        self.body(line).first().copied().unwrap_or(b'\n')
    }

    /// The line that a byte is in.
    pub(crate) fn at(&self, byte: usize) -> usize {
        self.lines.partition_point(|line| line.start <= byte).saturating_sub(1)
    }

    /// The line after the last of a run: lines that `takes` is true for, from a line on, and blank
    /// lines between them.
    pub(crate) fn run_end(&self, first: usize, mut takes: impl FnMut(usize) -> bool) -> usize {
        let mut end = first;
        for line in (first..self.len()).filter(|line| !self.is_blank(*line)) {
            if !takes(line) {
                break;
            }
            end = line + 1;
        }
        end
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> &'t [u8] {
        self.text.as_bytes().get(range).unwrap_or_default()
    }
}

impl LineSpan {
    fn new(bytes: &[u8], start: usize, at: usize) -> Self {
        let line = bytes.get(start..at).unwrap_or_default();
        let end = if line.last() == Some(&b'\r') { at - 1 } else { at };
        Self { start, head: (start + blanks(line)).min(end), end }
    }

    fn slice<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// Spaces and tabs that some bytes begin with.
fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The spaces and tabs that a line begins with.
pub(crate) fn indent(line: &str) -> &str {
    line.get(..blanks(line.as_bytes())).unwrap_or_default()
}

/// Lines between line feeds: an empty text, and one that ends with a line feed, end with an empty
/// line.
pub(crate) fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    let ends = breaks(text).chain([text.len()]);
    let mut start = 0;
    ends.map(move |end| text.get(std::mem::replace(&mut start, end + 1)..end).unwrap_or_default())
}

/// Number of lines that [`lines_of`] gives.
pub(crate) fn count_lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_know_their_parts() {
        let lines = LineTable::new("  ab\r\n\t\n\nlast");
        assert_eq!(lines.len(), 4);
        assert_eq!((lines.bytes(0), lines.body(0), lines.indent(0)), (&b"  ab"[..], &b"ab"[..], 2));
        assert!(lines.is_blank(1) && lines.is_blank(2) && !lines.is_blank(3));
        assert_eq!((lines.start(3), lines.end(3), lines.start(4)), (9, 13, 13));
        assert_eq!((lines.at(0), lines.at(5), lines.at(6), lines.at(12)), (0, 0, 1, 3));
        assert_eq!((lines.body(9), lines.first_byte(9), lines.line(9)), (&b""[..], b'\n', ""));
        assert!(lines.iter().eq(["  ab", "\t", "", "last"]));
    }

    #[test]
    fn blank_lines_end_no_run() {
        let lines = LineTable::new("a\n\na\n\nb\na\n");
        assert_eq!(lines.run_end(0, |line| lines.body(line) == b"a"), 3);
        assert_eq!(lines.run_end(4, |line| lines.body(line) == b"a"), 4);
    }

    #[test]
    fn a_break_at_the_end_begins_no_line() {
        assert_eq!(LineTable::new("").len(), 0);
        assert_eq!(LineTable::new("a\n").len(), 1);
        assert_eq!(LineTable::new("\r").bytes(0), b"");
        assert!(lines_of("a\r\n").eq(["a\r", ""]));
        assert_eq!((count_lines("a\r\n"), count_lines("")), (2, 1));
    }
}
