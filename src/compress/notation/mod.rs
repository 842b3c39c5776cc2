//! Notations: ways of writing lines shorter that decode from their own text, byte for byte.
//!
//! A *block* is a header line, `§` + name + number of body lines + what else the notation needs
//! to say, and then the body lines:
//!
//! ```text
//! §numbered 2 from 41 "\t"
//! fn main() {
//! }
//! ```
//!
//! The header is meant to be read by a model and by a person (`docs/encodings.md`). A line that
//! holds a `§` of its own is never part of a block, so no body line can be taken for a mark.
//! The engine decodes every block that it shows and compares, so a notation whose `decode`
//! does not undo its `encode` costs savings, never bytes.

mod beginning;
mod body;
mod columns;
mod error_lines;
mod legend;
mod numbered;
mod records;
mod repeat;
mod severity;
mod sink;
mod table;
mod template;
mod tree;
mod verdict;
mod weight;

use std::ops::Range;

use super::segment::{Kind, Part};
use crate::domain::ValueClass;
use crate::json;

pub(crate) use body::BlockBody;
pub(crate) use error_lines::{ErrorLines, TextErrors};
pub use legend::NotationKinds;
pub(crate) use legend::{LEGEND_MARK, NotationKind};
pub(crate) use severity::{is_levelled, may_report, reporting, reports_error};
pub(crate) use sink::DecodeSink;
#[cfg(fuzzing)]
pub(crate) use table::LooseJsonNotation;
pub(crate) use table::may_be_loose_json;

/// The first character of every mark of ours, at the start of a line.
pub(crate) const MARK: char = '§';

/// Lines in their shorter form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotationBlock {
    /// Arguments in the header after the number of body lines; no line break, may be empty.
    pub(crate) args: String,
    pub(crate) body: BlockBody,
}

/// A block, and the lines of the run that it represents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundBlock {
    pub(crate) lines: Range<usize>,
    pub(crate) block: NotationBlock,
}

/// A way of writing lines shorter.
pub(crate) trait Notation: Sync {
    /// The word after the mark: lower case letters.
    fn name(&self) -> &'static str;

    /// Finds what this notation can write shorter in a run of lines: disjoint, in order. No line
    /// holds a `§` or a line break. Pure, and linear in the bytes of the run. `values`: the class
    /// of values that the blocks may have.
    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock>;

    /// The same, if others are asked about these lines, too: what one found out of them the
    /// next need not.
    fn encode_seen(
        &self,
        lines: &[&str],
        values: ValueClass,
        _seen: &mut ErrorLines<'_>,
    ) -> Vec<FoundBlock> {
        self.encode(lines, values)
    }

    /// The kind of a block, which has its legend.
    fn kind(&self, args: &str, body: &[&str]) -> NotationKind;

    /// Bytes that its blocks for these lines cannot save more than, found much faster than they
    /// are; none if nothing is known of that.
    fn at_most(&self, _lines: &[&str]) -> Option<usize> {
        None
    }

    /// The lines, joined by line breaks, that a block represents; `None` if it is not one of
    /// ours, or would be longer than `limit` bytes. Never panics: the block may be anybody's.
    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String>;

    /// The same, to where the rest of a text goes.
    fn write(&self, args: &str, body: &[&str], out: &mut DecodeSink<'_>) -> Option<()> {
        out.push(&self.decode(args, body, out.bytes_left())?)
    }
}

/// Notations of which the one that saves most takes a run of lines.
#[derive(Clone, Copy)]
pub(crate) struct NotationGroup {
    pub(crate) notations: &'static [&'static dyn Notation],
    /// Hundredths of their bytes that the blocks must save.
    pub(crate) least_share: usize,
}

/// Groups that are tried one after the other: what one has written is out of reach for the next.
type NotationGroups = &'static [NotationGroup];

/// A group whose blocks may save as little as they do.
const fn group(notations: &'static [&'static dyn Notation]) -> NotationGroup {
    NotationGroup { notations, least_share: 0 }
}

/// A group for lines that may be writing: words that people wrote have no shape that would save so
/// much; reports of tools that no kind is known for have.
const fn strict_group(notations: &'static [&'static dyn Notation]) -> NotationGroup {
    NotationGroup { notations, least_share: 25 }
}

const REPEATS: &[&dyn Notation] = &[&repeat::RepeatNotation];
const CELLS: &[&dyn Notation] = &[&tree::TreeNotation, &template::TemplateNotation];
const ROWS: &[&dyn Notation] =
    &[&tree::TreeNotation, &template::TemplateNotation, &beginning::BeginningNotation];

/// Notations that are tried on lines of any kind, if the kinds of the parts leave much of a text.
pub(crate) const ANY_LINES: NotationGroups = &[group(REPEATS), strict_group(ROWS)];

/// Notations that are tried on a whole text that is not JSON, but begins like it.
pub(crate) const LOOSE_JSON: NotationGroups = &[group(&[&table::LooseJsonNotation])];

/// Notations that are tried on a part of a text. Prose, markup and source code read best as they
/// are.
pub(crate) fn groups(kind: Kind) -> NotationGroups {
    const JSON: NotationGroups = &[group(&[&table::TableNotation])];
    const YAML: NotationGroups = &[
        group(&[&table::YamlNotation, &records::YamlRecordsNotation]),
        group(REPEATS),
        strict_group(ROWS),
    ];
    const XML: NotationGroups =
        &[group(&[&table::XmlNotation, &records::XmlRecordsNotation]), group(REPEATS)];
    // A blank in a field is no border between fields.
    const CSV: NotationGroups = &[group(&[&columns::ColumnsNotation]), group(CELLS)];
    const NUMBERED: NotationGroups = &[group(&[&numbered::NumberedNotation]), group(REPEATS)];
    const REPORT: NotationGroups = &[group(REPEATS), group(ROWS)];
    // A part of an unknown kind may be rows all the same.
    const PROSE: NotationGroups = &[strict_group(REPEATS), strict_group(ROWS)];
    const OTHER: NotationGroups = &[group(REPEATS)];
    match kind {
        Kind::Json | Kind::JsonLines => JSON,
        Kind::Yaml => YAML,
        Kind::Xml => XML,
        Kind::Csv { .. } => CSV,
        Kind::Numbered => NUMBERED,
        Kind::Search | Kind::Listing | Kind::Log | Kind::Test => REPORT,
        Kind::Prose => PROSE,
        Kind::Markdown(Part::Table) | Kind::Diff | Kind::Trace => ANY_LINES,
        Kind::Base64 => &[],
        _ => OTHER,
    }
}

const NOTATIONS: &[&dyn Notation] = &[
    &table::TableNotation,
    &table::YamlNotation,
    &table::XmlNotation,
    &columns::ColumnsNotation,
    &numbered::NumberedNotation,
    &repeat::RepeatNotation,
    &tree::TreeNotation,
    &template::TemplateNotation,
    &beginning::BeginningNotation,
    // It decodes what is written for XML, too.
    &records::YamlRecordsNotation,
];

/// The names of all notations, as their headers have them.
pub fn names() -> impl Iterator<Item = &'static str> {
    NOTATIONS.iter().map(|notation| notation.name())
}

/// The name of the notation of a kind; none for references.
pub(crate) fn notation_name(kind: NotationKind) -> Option<&'static str> {
    Some(match kind {
        NotationKind::Reference => return None,
        NotationKind::Repeat => "repeat",
        NotationKind::Tree => "tree",
        NotationKind::Numbered | NotationKind::BareNumbered => "numbered",
        NotationKind::Template | NotationKind::ComputedTemplate => "template",
        NotationKind::Beginning => "lines",
        NotationKind::Json
        | NotationKind::JsonLines
        | NotationKind::SharedJson
        | NotationKind::CutJson => "json",
        NotationKind::Yaml => "yaml",
        NotationKind::Xml => "xml",
        NotationKind::Csv | NotationKind::DittoCsv | NotationKind::CountedCsv => "csv",
        NotationKind::Records => "records",
    })
}

/// The notation of that name.
pub(crate) fn find_notation(name: &str) -> Option<&'static dyn Notation> {
    NOTATIONS.iter().find(|known| known.name() == name).copied()
}

/// A text of a header's arguments, as a JSON string.
fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    json::write_string(&mut out, text);
    out
}

/// The text that [`quoted`] wrote.
fn unquote(text: &str) -> Option<String> {
    let node = json::parse(text, json::Limits::default()).ok()?;
    node.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests;
