//! The lines of a text, found once: where each starts, where its first character is, where it
//! ends. Indices past the end give empty lines, so a rule may look ahead without asking.

use std::ops::Range;

use crate::compress::text::breaks;

/// A line without its break. `head` is the first byte that is no space or tab, `end` at the most.
#[derive(Debug, Clone, Copy)]
struct LineSpan {
    start: usize,
    head: usize,
    end: usize,
}

#[derive(Debug)]
pub(super) struct SegmentLines<'a> {
    pub(super) text: &'a str,
    lines: Vec<LineSpan>,
}

impl<'a> SegmentLines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut lines = Vec::with_capacity(text.len() / 48 + 1);
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

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Where a line starts; the end of the text for the line after the last.
    pub(super) fn start(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.text.len(), |line| line.start)
    }

    pub(super) fn head(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.text.len(), |line| line.head)
    }

    /// Where a line ends, without its break.
    pub(super) fn end(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.text.len(), |line| line.end)
    }

    /// Bytes of white space at the beginning of a line.
    pub(super) fn indent(&self, line: usize) -> usize {
        self.lines.get(line).map_or(0, |line| line.head - line.start)
    }

    pub(super) fn is_blank(&self, line: usize) -> bool {
        self.lines.get(line).is_none_or(|line| line.head == line.end)
    }

    /// The whole line, without its break.
    pub(super) fn bytes(&self, line: usize) -> &'a [u8] {
        self.slice(self.start(line)..self.end(line))
    }

    /// The line from its first character on, without its break.
    pub(super) fn body(&self, line: usize) -> &'a [u8] {
        self.slice(self.head(line)..self.end(line))
    }

    pub(super) fn first_byte(&self, line: usize) -> u8 {
        self.body(line).first().copied().unwrap_or(b'\n')
    }

    /// The line that a byte is in.
    pub(super) fn at(&self, byte: usize) -> usize {
        self.lines.partition_point(|line| line.start <= byte).saturating_sub(1)
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'a [u8] {
        self.text.as_bytes().get(range).unwrap_or_default()
    }
}

impl LineSpan {
    fn new(bytes: &[u8], start: usize, at: usize) -> Self {
        let line = bytes.get(start..at).unwrap_or_default();
        let end = if line.last() == Some(&b'\r') { at - 1 } else { at };
        let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        Self { start, head: (start + blanks).min(end), end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_know_their_parts() {
        let lines = SegmentLines::new("  ab\r\n\t\n\nlast");
        assert_eq!(lines.len(), 4);
        assert_eq!((lines.bytes(0), lines.body(0), lines.indent(0)), (&b"  ab"[..], &b"ab"[..], 2));
        assert!(lines.is_blank(1) && lines.is_blank(2) && !lines.is_blank(3));
        assert_eq!((lines.start(3), lines.end(3), lines.start(4)), (9, 13, 13));
        assert_eq!((lines.at(0), lines.at(5), lines.at(6), lines.at(12)), (0, 0, 1, 3));
        assert_eq!((lines.body(9), lines.first_byte(9)), (&b""[..], b'\n'));
    }

    #[test]
    fn a_break_at_the_end_begins_no_line() {
        assert_eq!(SegmentLines::new("").len(), 0);
        assert_eq!(SegmentLines::new("a\n").len(), 1);
        assert_eq!(SegmentLines::new("\r").bytes(0), b"");
    }
}
