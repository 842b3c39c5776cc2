//! `template`: runs of log lines as forms and rows.
//!
//! ```text
//! §template 7 with 2, empty as before, {=n+1} counts
//! A,=2024-05-01T12:{a}:{b} INFO worker-{} done in {}ms
//! B,=2024-05-01T12:{a}:{b} INFO cache holds {} pages, tick {=1+1}
//! A,00,01,3,417
//! B,,,940
//! A,,02,4,530
//! A,,,,512
//! B,01,07,944
//! ```
//!
//! The first lines of the body, as many as `with` says, are *forms*: a tag (an ASCII letter), the
//! character that separates cells, `=`, and the text of a line with holes. Each line after them
//! is a row of a form, or a line of the text as it is. Lines keep their order. If all lines are rows
//! of one form, there are no tags: a row begins with its first cell. Above, the second
//! row says `2024-05-01T12:00:01 INFO cache holds 940 pages, tick 1`.
//!
//! A *row* is a tag and the cells for the holes of its form, from left to right, with a separator
//! before each; earlier releases left the first out before a digit. Every cell but the last is free
//! of separators. An empty cell says what its hole foretells: the value before, in the same hole.
//! Empty cells at the end are left out.
//!
//! The header says which cells do not show their values: `empty as before`, `in {+n} n more` (the
//! empty ones of these holes), `{=n+1} counts`, `^ its folder`. If all cells are filled, no hole is of
//! these kinds, and the header says nothing.
//!
//! Holes, whose signs are in this order if there are several:
//!
//! - `{}` is a cell.
//! - `{>8}` and `{<8}` fill the value with spaces to 8 characters, on its left or its right.
//!   `{>}` is no text: its value is the width that the next hole is filled to, on its left.
//! - `{/}` is a path. A cell `^x` is `x` in the folder of the value before (its text up to the
//!   last `/`), `^^x` in the one above that.
//! - `{a}` shares the value before with all holes of that letter, in all forms.
//! - `{=7+1}` has no cell: 7, then 8, and so on.
//! - `{+2}` foretells the number before and 2 more, at least as wide as that was.
//!
//! `{{` is a brace. A line of the text that could be read as a row, or that begins with `\`, has
//! a `\` before it. Lines that report errors stay as they are, unless they are more than a third of
//! the text's: then all cells are filled, so that each value is shown.

mod column;
mod cut;
mod decoder;
mod fixed;
mod form;
mod group;
mod group_sizes;
mod keys;
mod shape;
mod share;
mod words;
mod writer;

use super::{DecodeSink, ErrorLines, FoundBlock, Notation, NotationBlock, NotationKind};
use crate::domain::ValueClass;

/// Beginning of the arguments of a header, before the number of forms.
const FORMS_WORD: &str = "with ";
/// Words of a header about cells that do not show their values.
const EMPTY_CELL_WORDS: &str = "empty as before";
const STEP_WORDS: &str = "in {+n} n more";
const COUNTER_WORDS: &str = "{=n+1} counts";
const FOLDER_WORDS: &str = "^ its folder";

/// Rows and forms; see the module.
#[derive(Debug)]
pub(crate) struct TemplateNotation;

impl Notation for TemplateNotation {
    fn name(&self) -> &'static str {
        "template"
    }

    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock> {
        self.encode_seen(lines, values, &mut ErrorLines::new(lines.len()))
    }

    fn encode_seen(
        &self,
        lines: &[&str],
        values: ValueClass,
        seen: &mut ErrorLines<'_>,
    ) -> Vec<FoundBlock> {
        if values < NotationKind::Template.values() {
            return Vec::new();
        }
        let group::FormGroups { groups, words, have_errors } = group::groups(lines, seen);
        let values = if have_errors { ValueClass::Plain } else { values };
        let source = |group| shape::GroupSource { lines, words: &words, group, values };
        let tables = groups.iter().filter_map(|group| shape::table(source(group))).collect();
        let Some(written) = writer::body(lines, tables, values) else { return Vec::new() };
        let block = NotationBlock { args: written.args, body: written.body };
        vec![FoundBlock { lines: written.lines, block }]
    }

    fn kind(&self, args: &str, _: &[&str]) -> NotationKind {
        let is_plain = |forms: &str| forms.bytes().all(|byte| byte.is_ascii_digit());
        if args.strip_prefix(FORMS_WORD).is_some_and(is_plain) {
            NotationKind::Template
        } else {
            NotationKind::ComputedTemplate
        }
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        let mut out = DecodeSink::with_limit(limit);
        self.write(args, body, &mut out)?;
        Some(out.into_text())
    }

    fn write(&self, args: &str, body: &[&str], out: &mut DecodeSink<'_>) -> Option<()> {
        match out {
            DecodeSink::Made(made) => decoder::text(args, body, made),
            DecodeSink::Expected(expected) => decoder::text(args, body, expected),
        }
    }
}

#[cfg(test)]
mod measure;
#[cfg(test)]
mod tests;
