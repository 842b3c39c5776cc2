//! Header of `§csv`, and the way in which a row is cut into its fields.

use std::ops::Range;

use super::count::CountStep;
use super::{COUNTS_WORDS, DITTO, DITTO_WORDS, MAX_COLUMNS, SEPARATORS};
use crate::compress::text::doubled_quote_end;

/// The fields of a row and those of the row above it.
#[derive(Clone, Copy)]
pub(super) struct RowFields<'r> {
    pub(super) row: &'r [&'r str],
    pub(super) above: &'r [&'r str],
}

/// Some columns of a table.
#[derive(Default)]
pub(super) struct ColumnSet(Vec<bool>);

impl ColumnSet {
    pub(super) fn new(width: usize, holds: impl Fn(usize) -> bool) -> Self {
        let columns: Vec<bool> = (0..width).map(holds).collect();
        // Nothing is in an empty list.
        Self(if columns.contains(&true) { columns } else { Vec::new() })
    }

    /// Adds a column; `None` if no table has so many.
    pub(super) fn insert(&mut self, column: usize) -> Option<()> {
        if column >= self.0.len() {
            self.0.resize(Some(column + 1).filter(|width| *width <= MAX_COLUMNS)?, false);
        }
        self.0.get_mut(column).map(|holds| *holds = true)
    }

    pub(super) fn contains(&self, column: usize) -> bool {
        self.0.get(column) == Some(&true)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().filter(|(_, holds)| **holds).map(|(column, _)| column)
    }
}

/// Style of a table, as its header has it.
pub(super) struct ColumnStyle {
    pub(super) separator: char,
    /// Columns whose fields are put in quotes.
    pub(super) quoted: ColumnSet,
    pub(super) ditto: bool,
    /// Columns that count, in their order.
    pub(super) counts: Vec<(usize, CountStep)>,
}

impl ColumnStyle {
    pub(super) fn words(&self) -> String {
        let known = SEPARATORS.iter().find(|(separator, _)| *separator == self.separator);
        let mut words = known.map_or_else(String::new, |(_, word)| (*word).to_owned());
        if !self.quoted.is_empty() {
            words.push_str(", quoted");
            for column in self.quoted.columns() {
                words.push(' ');
                words.push_str(&(column + 1).to_string());
            }
        }
        for (column, step) in &self.counts {
            words.push_str(", ");
            words.push_str(&(column + 1).to_string());
            words.push_str(COUNTS_WORDS);
            words.push_str(&step.words());
        }
        if self.ditto {
            words.push_str(", ");
            words.push_str(DITTO_WORDS);
        }
        words
    }

    pub(super) fn read(words: &str) -> Option<Self> {
        let mut parts = words.split(", ").peekable();
        let word = parts.next()?;
        let (separator, _) = SEPARATORS.iter().find(|(_, known)| *known == word)?;
        let mut quoted = ColumnSet::default();
        if let Some(columns) = parts.peek().and_then(|part| part.strip_prefix("quoted ")) {
            for column in columns.split(' ') {
                quoted.insert(column.parse::<usize>().ok()?.checked_sub(1)?)?;
            }
            parts.next();
        }
        let mut counts: Vec<(usize, CountStep)> = Vec::new();
        while let Some((column, step)) = parts.peek().and_then(|part| part.split_once(COUNTS_WORDS))
        {
            let column = column.parse::<usize>().ok()?.checked_sub(1)?;
            if column >= MAX_COLUMNS || counts.last().is_some_and(|(last, _)| *last >= column) {
                return None;
            }
            counts.push((column, CountStep::read(step)?));
            parts.next();
        }
        let ditto = parts.next_if_eq(&DITTO_WORDS).is_some();
        let style = Self { separator: *separator, quoted, ditto, counts };
        parts.next().is_none().then_some(style)
    }

    /// The step of a column that counts.
    pub(super) fn step(&self, column: usize) -> Option<CountStep> {
        self.counts.iter().find(|(known, _)| *known == column).map(|(_, step)| *step)
    }

    /// Writes a field as it was; `above` is where the one of the row above is.
    pub(super) fn field(
        &self,
        out: &mut String,
        shown: &str,
        column: usize,
        above: Option<&Range<usize>>,
    ) -> Option<()> {
        if self.ditto && shown == DITTO {
            out.extend_from_within(above?.clone());
        } else if self.quoted.contains(column) && !shown.starts_with('"') {
            out.push('"');
            out.push_str(shown);
            out.push('"');
        } else {
            out.push_str(shown);
        }
        Some(())
    }
}

/// The first row of a block as it was, and the constant values after its fields.
pub(super) fn first_row(line: &str, separator: char) -> Option<(String, Vec<Option<&str>>)> {
    let mut out = String::new();
    let mut constants = Vec::new();
    let mut rest = line;
    loop {
        let (name, after) = field(rest, &[separator, '='])?;
        out.push_str(name);
        rest = after;
        let constant = match rest.strip_prefix('=') {
            Some(value) => {
                let (value, after) = field(value, &[separator])?;
                rest = after;
                Some(value)
            }
            None => None,
        };
        constants.push(constant);
        if rest.is_empty() {
            return Some((out, constants));
        }
        rest = rest.strip_prefix(separator)?;
        out.push(separator);
    }
}

/// The field at the head of a text, quotes included, and what follows it.
pub(super) fn field<'a>(text: &'a str, ends: &[char]) -> Option<(&'a str, &'a str)> {
    if !text.starts_with('"') {
        let end = match ends {
            [end] if end.is_ascii() => memchr::memchr(*end as u8, text.as_bytes()),
            _ => text.find(ends),
        };
        return text.split_at_checked(end.unwrap_or(text.len()));
    }
    let (field, rest) = text.split_at_checked(doubled_quote_end(text.as_bytes())?)?;
    (rest.is_empty() || rest.starts_with(ends)).then_some((field, rest))
}

/// Adds the fields of a row to a list.
pub(super) fn fields<'a>(line: &'a str, separator: char, fields: &mut Vec<&'a str>) -> Option<()> {
    let bytes = line.as_bytes();
    if separator.is_ascii() && memchr::memchr(b'"', bytes).is_none() {
        let mut start = 0;
        for end in memchr::memchr_iter(separator as u8, bytes) {
            fields.push(line.get(start..end)?);
            start = end + 1;
        }
        fields.push(line.get(start..)?);
        return Some(());
    }
    let mut rest = line;
    loop {
        let (next, after) = field(rest, &[separator])?;
        fields.push(next);
        if after.is_empty() {
            return Some(());
        }
        rest = after.strip_prefix(separator)?;
    }
}
