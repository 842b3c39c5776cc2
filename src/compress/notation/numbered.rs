//! Lines that carry their own numbers, as file viewers print them: `41→fn main() {`.
//!
//! ```text
//! §numbered 3 from 41 "→"
//! fn main() {
//! 42    fail("error");
//! }
//! ```
//!
//! The header has the first number and the text between number and line; numbers that are
//! flush right add ` width 6`. A body line that begins with the very number of its place is
//! as it is: so error lines keep theirs, every tenth line does unless values may be computed, and a
//! line whose text begins like that is not mistaken.

use std::fmt::Write as _;

use super::{
    BlockBody, FoundBlock, Notation, NotationBlock, NotationKind, quote, reports_error, unquote,
};
use crate::domain::ValueClass;

/// Lines from which a run is worth a header.
const MIN_LINES: usize = 4;
/// Columns that a number may be padded to.
const MAX_NUMBER_COLUMNS: usize = 12;

#[derive(Debug)]
pub(crate) struct NumberedNotation;

impl Notation for NumberedNotation {
    fn name(&self) -> &'static str {
        "numbered"
    }

    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(rest) = lines.get(at..).filter(|rest| rest.len() >= MIN_LINES) {
            let run = rest
                .first()
                .and_then(|line| NumberStyle::detect(line))
                .map(|style| style.run(rest));
            match run {
                Some((style, count)) if count >= MIN_LINES => {
                    let run = rest.get(..count).unwrap_or_default();
                    found.push(FoundBlock {
                        lines: at..at + count,
                        block: style.block(run, values),
                    });
                    at += count;
                }
                _ => at += 1,
            }
        }
        found
    }

    fn kind(&self, args: &str, body: &[&str]) -> NotationKind {
        let is_shown = |style: &NumberStyle| {
            let mut prefix = String::new();
            let mut lines =
                body.iter().zip(style.first..).filter(|(_, number)| is_always_shown(*number));
            lines.all(|(line, number)| {
                style.prefix(number, &mut prefix);
                line.starts_with(&prefix)
            })
        };
        if NumberStyle::parse(args).as_ref().is_some_and(is_shown) {
            NotationKind::Numbered
        } else {
            NotationKind::BareNumbered
        }
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        let style = NumberStyle::parse(args)?;
        let mut out = String::new();
        let mut prefix = String::new();
        for (index, line) in body.iter().enumerate() {
            style.prefix(style.first.checked_add(u64::try_from(index).ok()?)?, &mut prefix);
            if index > 0 {
                out.push('\n');
            }
            if !line.starts_with(&prefix) {
                out.push_str(&prefix);
            }
            out.push_str(line);
            if out.len() > limit {
                return None;
            }
        }
        Some(out)
    }
}

/// Whether a line of this number keeps it, unless numbers may be computed.
fn is_always_shown(number: u64) -> bool {
    number.is_multiple_of(10)
}

/// Style of the numbers of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NumberStyle {
    first: u64,
    /// Columns that numbers are padded to with spaces; 0: not padded.
    width: usize,
    separator: char,
}

impl NumberStyle {
    /// The style of a run that begins with this line.
    fn detect(line: &str) -> Option<Self> {
        let bare = line.trim_start_matches(' ');
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || digits > 9 || (digits > 1 && bare.starts_with('0')) {
            return None;
        }
        let separator = bare.get(digits..)?.chars().next()?;
        if !matches!(separator, '\t' | '→' | ':' | '|' | ' ' | '-' | '│') {
            return None;
        }
        let width = if line.len() == bare.len() { 0 } else { line.len() - bare.len() + digits };
        let first = bare.get(..digits)?.parse().ok()?;
        (width <= MAX_NUMBER_COLUMNS).then_some(Self { first, width, separator })
    }

    /// Counts the lines that carry the next number each. A first number that fills its columns
    /// looks as if it were not padded, so both ways are tried.
    fn run(mut self, lines: &[&str]) -> (Self, usize) {
        let count = self.count(lines);
        if self.width > 0 {
            return (self, count);
        }
        // `9\t`, then ` 10\t` never happens; but `  9\t` first shows its width.
        self.width = 0;
        (self, count)
    }

    fn count(&self, lines: &[&str]) -> usize {
        let mut prefix = String::new();
        let mut number = self.first;
        lines
            .iter()
            .take_while(|line| {
                self.prefix(number, &mut prefix);
                number += 1;
                line.starts_with(&prefix)
            })
            .count()
    }

    fn prefix(&self, number: u64, into: &mut String) {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(number);
        into.clear();
        into.extend(std::iter::repeat_n(' ', self.width.saturating_sub(digits.len())));
        into.push_str(digits);
        into.push(self.separator);
    }

    fn block(&self, lines: &[&str], values: ValueClass) -> NotationBlock {
        let mut prefix = String::new();
        let mut body = BlockBody::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
        for (line, number) in lines.iter().zip(self.first..) {
            self.prefix(number, &mut prefix);
            let bare = line.strip_prefix(prefix.as_str()).unwrap_or(line);
            let is_shown = values == ValueClass::Plain && is_always_shown(number);
            let whole = is_shown || reports_error(bare) || bare.starts_with(&prefix);
            body.push(if whole { line } else { bare });
        }
        let mut args =
            format!("from {} {}", self.first, quote(self.separator.encode_utf8(&mut [0; 4])));
        if self.width > 0 {
            let _ = write!(args, " width {}", self.width);
        }
        NotationBlock { args, body }
    }

    fn parse(args: &str) -> Option<Self> {
        let (first, rest) = args.strip_prefix("from ")?.split_once(' ')?;
        let (separator, width) = match rest.rsplit_once(" width ") {
            Some((separator, width)) => (separator, width.parse().ok()?),
            None => (rest, 0),
        };
        let separator = unquote(separator)?;
        let mut separator = separator.chars();
        let style = Self { first: first.parse().ok()?, width, separator: separator.next()? };
        (separator.next().is_none() && width <= MAX_NUMBER_COLUMNS).then_some(style)
    }
}
