//! JSON as an outline with tables: `§json`.
//!
//! One block is one JSON document, or several documents of one line each. The words of the header
//! say how the white space of the document was: nothing (none), `python` (a space after each comma
//! and colon), `indent 2`, `tab` (a value a line); `ascii` says that strings held `\u` escapes for
//! all that is not ASCII, `slashes` that they held `\/` for each slash, and `lines` that each row
//! is a document on its own line.
//!
//! ```text
//! §json 15 python
//! user: u_77
//! address:
//!  city: New York
//!  zip: "90210"
//! tags: [a,b]
//! flights[2]{origin,destination,date=2024-05-24,price{amount,currency=USD}}
//! MIA,EWR,174
//! EWR,IAH,
//! cards{2}{*,brand,last_four:str,id=*}
//! card_124,visa,1167
//! card_604,mastercard,2076
//! notes[2]
//! Called twice, no answer
//! -:
//!  by: support
//! ```
//!
//! - `key: value` is a member (`key:12` if it is a number); `key:` an object whose members
//!   follow, one space deeper.
//! - `key[n]` is an array: one item a line. An item of several lines begins with `-` in the place
//!   of a key.
//! - `key[n]{columns}` is an array of objects: one row a line. `a{b,c}` is an object inside the
//!   rows, `a=value` a value that all rows have and none shows, `a:str` a column of strings only.
//!   A row without anything to show has no line. An empty cell is a key that the row does not
//!   have; `null` and `""` represent themselves. Columns are parted by `,`, or by `|`, and so are
//!   the cells; `=` is the cell before once more. `{}` says that the columns are those of the table before.
//! - `key{n}{*,columns}` is an object of objects: `*` is the key of each row, and `a=*` a member
//!   that has the same text.
//! - A string is bare, unless it would read as something else: then it is a JSON string. An
//!   array or object inside a line is JSON without the quotes that it can be read without.
//! - `key: """` is a string; its lines follow as they are, up to a line `"""`.
//! - `key"json python":` is a string that holds the JSON that follows, laid out as the words say.
//! - The document itself is `[n]…`, `{n}…`, or its members.
//! - `cut 2` says that the document ends where two brackets are open: after the line `…` is the rest
//!   as it stood. `repr` says that it is a list or dict as Python prints it.
//! - With `*1 repeats &1`, equal arrays and objects are written once; see [`shared`].
//!
//! With `lines`, a row that begins with `{` is a document as it is: lines that report errors
//! are not taken apart.
//!
//! Numbers and quoted strings keep their own bytes. A bare string is written back with the
//! escapes that JSON asks for; if the document has others, the string stays in quotes.

mod cell;
mod cut_off;
mod grid;
mod grid_heads;
mod inline_value;
mod loose;
mod outline;
mod reader;
mod repr;
mod row_merge;
mod scalar;
mod shared;
mod style;
mod styled_writer;
mod tree;
mod xml;
mod yaml;

#[cfg(test)]
mod shared_tests;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::{BlockBody, FoundBlock, MARK, Notation, NotationBlock, NotationKind, reports_error};
use crate::domain::ValueClass;
use crate::json::tape::{Tape, TapeKind, TapeNode};
use grid::TableRows;
pub(crate) use loose::{LooseJsonNotation, may_be_loose_json};
use repr::REPR_WORD;
use row_merge::RowMerge;
use style::JsonStyle;
pub(crate) use xml::XmlNotation;
pub(crate) use yaml::YamlNotation;

/// Bytes of the shortest document that is rewritten: a header costs as much as less than that.
const MIN_DOCUMENT_BYTES: usize = 48;
/// Hundredths of the form that names for equal values must save.
const MIN_SHARED_PERCENT: usize = 10;
/// The word of a header for one document a row.
const LINES_WORD: &str = "lines";

/// The notation of this module.
pub(crate) struct TableNotation;

impl Notation for TableNotation {
    fn name(&self) -> &'static str {
        "json"
    }

    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(rest) = lines.get(at..).filter(|rest| !rest.is_empty()) {
            let mut add = |lines: Range<usize>, block: Option<NotationBlock>| {
                let lines = at + lines.start..at + lines.end;
                found.extend(block.map(|block| FoundBlock { lines, block }));
            };
            at += match rest.first() {
                Some(&("{" | "[")) => {
                    let (taken, closed) = extent(rest);
                    let text = rest.get(..taken).unwrap_or_default().join("\n");
                    add(0..taken, closed.then(|| document(&text, values)).flatten());
                    taken
                }
                Some(line) if is_line_document(line) => {
                    let run = rest.iter().take_while(|line| is_line_document(line)).count();
                    documents(rest.get(..run).unwrap_or_default(), values, &mut add);
                    run
                }
                _ => 1,
            };
        }
        found
    }

    fn kind(&self, args: &str, _: &[&str]) -> NotationKind {
        if cut_off::read_words(args).is_some() {
            return NotationKind::CutJson;
        }
        match JsonStyle::read(args) {
            Some((style, _)) if style.shared => NotationKind::SharedJson,
            Some((_, true)) => NotationKind::JsonLines,
            _ => NotationKind::Json,
        }
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        if args == REPR_WORD {
            return repr::decode(body, limit);
        }
        if let Some((words, open)) = cut_off::read_words(args) {
            return cut_off::decode(words, open, body, limit);
        }
        let (style, rows) = JsonStyle::read(args)?;
        reader::read(body, style, rows, limit)
    }
}

/// The lines of a document that closes its bracket at the margin, and whether it does.
fn extent(lines: &[&str]) -> (usize, bool) {
    let closing = if lines.first() == Some(&"{") { "}" } else { "]" };
    let inner = lines.iter().skip(1).take_while(|line| line.starts_with([' ', '\t'])).count();
    match lines.get(1 + inner) {
        Some(line) if *line == closing => (inner + 2, true),
        _ => (inner + 1, false),
    }
}

fn is_line_document(line: &str) -> bool {
    line.starts_with('{') && line.ends_with('}') || line.starts_with('[') && line.ends_with(']')
}

/// One document a line: consecutive objects that are alike become the rows of one table. A line
/// that reports an error is in it as it is.
fn documents(
    lines: &[&str],
    values: ValueClass,
    add: &mut dyn FnMut(Range<usize>, Option<NotationBlock>),
) {
    if let [line] = lines {
        add(0..1, document(line, values));
        return;
    }
    let mut tape = Tape::default();
    let mut strings = ErrorStrings::default();
    let entries: Vec<DocumentLine<'_>> =
        lines.iter().map(|line| DocumentLine::new(line, &mut tape, &mut strings)).collect();
    let escapes = entries.iter().any(DocumentLine::escapes);
    let mut at = 0;
    while let Some(rest) = entries.get(at..).filter(|rest| !rest.is_empty()) {
        let mut group = DocumentGroup::new(&tape, escapes);
        let _ = rest.iter().take_while(|entry| group.add(entry)).count();
        let taken = group.taken;
        if let Some(block) = group.block(rest) {
            let is_allowed = values >= NotationKind::JsonLines.values();
            add(at..at + taken, is_allowed.then_some(block));
        } else {
            for (index, entry) in rest.iter().enumerate().take(taken.max(1)) {
                add(at + index..at + index + 1, entry.block(&tape, values));
            }
        }
        at += taken.max(1);
    }
}

/// A line of a text of one document a line.
struct DocumentLine<'a> {
    line: &'a str,
    reports: bool,
    /// The document, unless the line is to be as it is: its number and style.
    document: Option<(u32, JsonStyle)>,
}

impl<'a> DocumentLine<'a> {
    fn new(line: &'a str, tape: &mut Tape<'a>, strings: &mut ErrorStrings<'a>) -> Self {
        let document = one(line, tape);
        let reports = match document.and_then(|(root, _)| tape.node(root)) {
            Some(root) => strings.report(root),
            None => reports_error(line),
        };
        Self { line, reports, document: document.filter(|_| !reports) }
    }

    /// Whether its style escapes more than JSON asks for.
    fn escapes(&self) -> bool {
        self.document.is_some_and(|(_, style)| style.ascii || style.slashes)
    }

    fn block(&self, tape: &Tape<'a>, values: ValueClass) -> Option<NotationBlock> {
        let (root, style) = self.document?;
        let (args, body) = outlined(tape.node(root)?, style, values)?;
        shorter(args, body, self.line.len())
    }
}

/// The strings of the line before, and which of them report errors. Lines that are alike have
/// most strings in common.
#[derive(Default)]
struct ErrorStrings<'a>(Vec<(&'a str, bool)>);

impl<'a> ErrorStrings<'a> {
    /// Whether a document that is a line reports an error: nothing but its strings can.
    fn report(&mut self, root: TapeNode<'_, 'a>) -> bool {
        let mut reports = false;
        let strings = root.all().filter(|node| node.kind() == TapeKind::String);
        for (index, node) in strings.enumerate() {
            let raw = node.raw();
            match self.0.get_mut(index) {
                Some((before, verdict)) if *before == raw => reports |= *verdict,
                before => {
                    let verdict = node.text().is_some_and(reports_error);
                    reports |= verdict;
                    match before {
                        Some(before) => *before = (raw, verdict),
                        None => self.0.push((raw, verdict)),
                    }
                }
            }
        }
        reports
    }
}

/// Lines on their way into one table.
struct DocumentGroup<'n, 'a> {
    tape: &'n Tape<'a>,
    merge: RowMerge<'n, 'a>,
    style: Option<JsonStyle>,
    /// Lines so far, including lines that report errors.
    seen: usize,
    /// Lines up to the last row: a report at the end belongs to no table.
    taken: usize,
    rows: usize,
    /// Whether any line has a style that the next two decide about.
    escapes: bool,
    /// Whether a line has a character outside of printable ASCII.
    wide: bool,
    /// Whether a line has slashes without escapes.
    bare: bool,
}

impl<'n, 'a> DocumentGroup<'n, 'a> {
    fn new(tape: &'n Tape<'a>, escapes: bool) -> Self {
        let merge = RowMerge::default();
        let (seen, taken, rows) = (0, 0, 0);
        Self { tape, merge, style: None, seen, taken, rows, escapes, wide: false, bare: false }
    }

    /// Whether the line belongs to the table.
    fn add(&mut self, entry: &DocumentLine<'a>) -> bool {
        let fits = if entry.reports {
            // Only what opens a brace is read as a whole line.
            self.rows > 0 && entry.line.starts_with('{')
        } else {
            self.add_row(entry)
        };
        self.seen += usize::from(fits);
        fits
    }

    fn add_row(&mut self, entry: &DocumentLine<'a>) -> bool {
        let Some((root, own)) = entry.document else { return false };
        let Some(root) = self.tape.node(root).filter(|root| root.is_full_object()) else {
            return false;
        };
        let before = self.style.unwrap_or(own);
        let slashes = before.slashes || own.slashes;
        let joint = JsonStyle { ascii: before.ascii || own.ascii, slashes, ..own };
        // Characters that a style with escapes would write in another way.
        let wide =
            || !entry.line.is_ascii() || memchr::memchr(0x7f, entry.line.as_bytes()).is_some();
        let wide = self.wide || self.escapes && wide();
        let bare = self.bare || self.escapes && !own.slashes && entry.line.contains('/');
        if joint.slashes && bare {
            return false;
        }
        if before.layout != own.layout || (joint.ascii && wide) || !self.merge.add(root) {
            return false;
        }
        (self.style, self.wide, self.bare) = (Some(joint), wide, bare);
        self.rows += 1;
        self.taken = self.seen + 1;
        true
    }

    fn block(self, entries: &[DocumentLine<'_>]) -> Option<NotationBlock> {
        let style = self.style.filter(|_| self.rows > 1 && self.merge.is_shared())?;
        let columns = self.merge.finish()?;
        let rows = TableRows { columns: &columns, keys: None, objects: &[], count: self.rows };
        let grid = grid::write(&rows, style, None);
        let entries = entries.get(..self.taken)?;
        let mut body = BlockBody::default();
        body.push(&format!("[{}]{}", self.taken, grid.columns));
        if grid.rows.is_empty() {
            if self.rows < self.taken {
                return None;
            }
        } else {
            let mut rows = grid.rows.lines();
            for entry in entries {
                let row = if entry.reports { None } else { rows.next() };
                // A row that opens a brace is read as a whole line.
                let row = row.filter(|row| !row.starts_with('{'));
                body.push(row.unwrap_or(entry.line));
            }
        }
        let mut args = style.words();
        if !args.is_empty() {
            args.push(' ');
        }
        args.push_str(LINES_WORD);
        shorter(args, body, entries.iter().map(|entry| entry.line.len() + 1).sum())
    }
}

/// The document that a text is: its number and style.
fn one<'a>(text: &'a str, tape: &mut Tape<'a>) -> Option<(u32, JsonStyle)> {
    let style = JsonStyle::detect(text)?;
    let mut read = |style: JsonStyle| Some((tape.read(text, style.form())?, style));
    // A key of the other kind has no quotes by which it would be recognised.
    read(style).or_else(|| read(style.without_escapes()?))
}

fn document(text: &str, values: ValueClass) -> Option<NotationBlock> {
    if text.len() < MIN_DOCUMENT_BYTES {
        return None;
    }
    let mut tape = Tape::default();
    let (root, style) = one(text, &mut tape)?;
    let (args, body) = outlined(tape.node(root)?, style, values)?;
    shorter(args, body, text.len())
}

/// A document as an outline, with the words of its header.
fn outlined(
    root: TapeNode<'_, '_>,
    style: JsonStyle,
    values: ValueClass,
) -> Option<(String, BlockBody)> {
    if root.raw().len() < MIN_DOCUMENT_BYTES {
        return None;
    }
    let plain = outline::write(root, style)?;
    if values < NotationKind::SharedJson.values() {
        return Some((style.words(), plain));
    }
    // Names are worth their reading only if they save a good part.
    let most = plain.text().len() * 100 / (100 + MIN_SHARED_PERCENT);
    let shared = outline::write_shared(root, style).filter(|body| body.text().len() <= most);
    Some(match shared {
        Some(body) => (JsonStyle { shared: true, ..style }.words(), body),
        None => (style.words(), plain),
    })
}

/// The block, if it is shorter than the text, and no line of it looks like a mark.
fn shorter(args: String, body: BlockBody, bytes: usize) -> Option<NotationBlock> {
    // Only an escape can bring a mark in.
    let marked = args.contains("ascii") && body.text().contains(MARK);
    (body.text().len() < bytes && !marked).then_some(NotationBlock { args, body })
}
