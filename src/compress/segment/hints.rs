//! Hints of the kinds that a short line can be, from one look at its bytes. A rule that needs a
//! colon is not asked about a line without one, so a text of many short lines that are nothing
//! costs little.

use crate::compress::text::LineTable;

/// Bytes of a line that is looked at. A longer one may be anything: its bytes pay for the rules.
const HEAD_BYTES: usize = 32;

const COLON: u8 = 1;
const SPACE: u8 = 2;
/// A slash or a dot, as paths have them.
const PATH: u8 = 4;
const EQUALS: u8 = 8;
/// Class of the bytes that part the fields of a table, not at the end of the line.
const SEPARATOR: u8 = 16;
/// A letter or a digit.
const WORD: u8 = 32;

#[derive(Debug, Clone, Copy)]
pub(super) struct LineHints {
    marks: u8,
    length: usize,
    first: u8,
    second: u8,
    last: u8,
    indent: usize,
    /// The first byte of the next line.
    next: u8,
}

impl LineHints {
    pub(super) fn new(lines: &LineTable<'_>, at: usize) -> Self {
        let body = lines.body(at);
        let marks = if body.len() > HEAD_BYTES {
            u8::MAX
        } else {
            let (last, rest) = body.split_last().unwrap_or((&0, &[]));
            rest.iter().fold(mark(*last) & !SEPARATOR, |marks, byte| marks | mark(*byte))
        };
        Self {
            marks,
            length: body.len(),
            first: body.first().copied().unwrap_or(0),
            second: body.get(1).copied().unwrap_or(0),
            // White space may follow what ends a line.
            last: body.trim_ascii_end().last().copied().unwrap_or(0),
            indent: lines.indent(at),
            next: lines.first_byte(at + 1),
        }
    }

    fn has(self, mark: u8) -> bool {
        self.marks & mark != 0
    }

    /// Hits have a colon, or are numbered below the path that they are in.
    pub(super) fn search(self) -> bool {
        self.has(COLON) || self.next.is_ascii_digit()
    }

    pub(super) fn listing(self) -> bool {
        let draws = |byte| matches!(byte, 0xe2 | b'|' | b'`');
        // `total 12`, and a mode with a blank after it.
        let is_long = self.has(SPACE) && self.length > 6 && b"t-dlbcps".contains(&self.first);
        self.has(PATH) || is_long || draws(self.first) || draws(self.next)
    }

    pub(super) fn yaml(self) -> bool {
        self.has(COLON) || self.first == b'?'
    }

    pub(super) fn code(self) -> bool {
        let by_first = match self.first {
            b'/' | b'*' | b'#' | b'"' | b'@' | b'r' => true,
            b'-' => self.second == b'-',
            b'<' => self.second == b'/',
            b'i' | b'f' | b'p' | b'u' | b'c' | b'l' | b'v' | b'e' | b't' | b's' => self.has(SPACE),
            _ => !self.has(WORD),
        };
        by_first
            || self.indent >= 2
            || self.has(EQUALS)
            || matches!(self.last, b';' | b'{' | b')' | b':' | b']')
    }

    /// Whether it has a first word of some letters and something after it.
    pub(super) fn words(self) -> bool {
        self.has(SPACE) && self.length > 4 && self.first.is_ascii_alphabetic()
    }

    pub(super) fn csv(self) -> bool {
        self.has(SEPARATOR)
    }
}

fn mark(byte: u8) -> u8 {
    match byte {
        b':' => COLON,
        b' ' => SPACE,
        b'/' | b'.' => PATH,
        b'=' => EQUALS,
        b',' | b';' | b'|' | b'\t' => SEPARATOR,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => WORD,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{code, csv, listing, log, search, yaml};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn no_rule_that_would_hold_is_passed_over(
            text in "([ \t]{0,3}([a-zA-Z0-9:/.=,;?|<>(){}\\[\\]#\"@*`-]|total |return|import |def |```|\t|, ){0,6} ?\n){1,5}"
        ) {
            let lines = LineTable::new(&text);
            let hints = LineHints::new(&lines, 0);
            prop_assert!(hints.search() || search::end(&lines, 0).is_none());
            prop_assert!(hints.listing() || listing::end(&lines, 0).is_none());
            prop_assert!(hints.yaml() || yaml::region(&lines, 0).is_none());
            prop_assert!(hints.code() || code::region(&lines, 0).is_none());
            prop_assert!(hints.words() || log::alike_end(&lines, 0).is_none());
            prop_assert!(hints.csv() || csv::find(&lines, 0).is_none());
        }
    }
}
