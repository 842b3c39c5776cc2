//! Records of YAML and XML as tables, among lines that stay as they are: `§records`.
//!
//! Documents that are one tree are shorter as outlines (`§yaml`, `§xml`); this is for those with
//! comments, texts of several lines, and stretches that occur again.
//!
//! ```text
//! §records 6 indent 2
//! kind: Service
//! spec:
//!   ports:
//!   - {name,port,targetPort=http} ×2
//! web,80
//! admin,8080
//! ```
//!
//! A line that ends with `×` and a number is above so many rows; every other line represents
//! itself. It shows what a record looks like, with the names of its members in braces:
//!
//! | Line | Each row represents |
//! |---|---|
//! | `- {a,b} ×2` | `- a: 1`, then `b: 2` on a line of its own |
//! | `*: {a,b} ×2` | `key:`, then a member a line; the row begins with the key |
//! | `- { a,b } ×2`, `*: { a,b } ×2` | `- { a: 1, b: 2 }`, `key: { a: 1, b: 2 }` |
//! | `<t {a,b}/> ×2` | `<t a="1" b="2"/>` |
//! | `<t {a}>*</t> ×2` | `<t a="1">text</t>`; the row ends with the text |
//! | `<t>{a,b}</t> ×2` | `<t><a>1</a><b>2</b></t>` |
//! | `<t> {a,b} </t> ×2` | the same with each child on a line of its own |
//!
//! `a{b,c}` are members of a map or element `a` inside the record, `a=1` is a value that all rows
//! have and none shows; `*` among attributes is a cell that holds some with their names. `{}` are
//! the columns of the table before. An empty cell is a member that the record does not have.
//! Columns are parted by `,`, or by `|`, and so are the cells. Values are those of the text, quotes
//! included; those of XML are without quotes unless they would read as something else. `-[a,b]`
//! is a list in YAML with each item on a line of its own.
//!
//! Lines that occur again do so as aliases: see [`alias`].

mod alias;
mod cell;
mod columns;
mod form;
mod reader;
mod record;
mod writer;
mod xml;
mod yaml;

#[cfg(test)]
mod tests;

use super::{BlockBody, FoundBlock, Notation, NotationBlock, NotationKind};
use crate::domain::ValueClass;
use alias::AliasEntry;
use form::{RecordForm, RecordStyle, TableHead};
use reader::RecordHeads;
use record::LineRecord;

/// Bytes that a line costs in addition to its own, whatever its indentation.
const LINE_COST_BYTES: usize = 3;
/// Bytes that a table costs in addition to its rows and columns.
const TABLE_COST_BYTES: usize = 8;
/// One name for both: the block itself shows how it is read.
const NOTATION_NAME: &str = "records";
/// Bytes of the longest name of a line.
const MAX_ANCHOR_BYTES: usize = 48;
/// Lines that may be read for each line of a text: records begin inside of records.
const MAX_READS_PER_LINE: usize = 16;

/// Records of YAML.
pub(crate) struct YamlRecordsNotation;

/// Records of XML.
pub(crate) struct XmlRecordsNotation;

impl Notation for YamlRecordsNotation {
    fn name(&self) -> &'static str {
        NOTATION_NAME
    }

    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock> {
        if values < NotationKind::Records.values() {
            return Vec::new();
        }
        encode(lines, yaml::style, yaml::record)
    }

    fn kind(&self, _: &str, _: &[&str]) -> NotationKind {
        NotationKind::Records
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        decode(args, body, limit)
    }
}

impl Notation for XmlRecordsNotation {
    fn name(&self) -> &'static str {
        NOTATION_NAME
    }

    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock> {
        if values < NotationKind::Records.values() {
            return Vec::new();
        }
        encode(lines, xml::style, xml::record)
    }

    fn kind(&self, _: &str, _: &[&str]) -> NotationKind {
        NotationKind::Records
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        decode(args, body, limit)
    }
}

type RecordReader = for<'a> fn(&[&'a str], &RecordStyle) -> Option<LineRecord<'a>>;

fn encode(
    lines: &[&str],
    style: fn(&[&str]) -> RecordStyle,
    read: RecordReader,
) -> Vec<FoundBlock> {
    // Lines that all end with a carriage return are read without it.
    let bare: Option<Vec<&str>> = lines.iter().map(|line| line.strip_suffix('\r')).collect();
    let returns = bare.is_some();
    let lines = bare.as_deref().unwrap_or(lines);
    shortest(lines, &RecordStyle { returns, ..style(lines) }, read).into_iter().collect()
}

/// The block of some lines, with aliases or without: names keep records out of tables.
fn shortest(lines: &[&str], style: &RecordStyle, read: RecordReader) -> Option<FoundBlock> {
    let named = alias::write(lines);
    let plain = named.iter().any(|entry| entry.is_fixed).then(|| alias::unaliased(lines));
    let found = plain.iter().chain([&named]).filter_map(|entries| block(entries, style, read));
    found.max_by_key(|found| {
        let before = lines.get(found.lines.clone()).unwrap_or_default().iter().map(cost);
        let after: usize = found.block.body.lines().map(|line| cost(&line)).sum();
        before.sum::<usize>().saturating_sub(after)
    })
}

/// About what a line takes: its indentation is one token, whatever it is.
fn cost(line: &&str) -> usize {
    line.trim_start().len() + LINE_COST_BYTES
}

fn block(
    entries: &[AliasEntry<'_>],
    style: &RecordStyle,
    read: RecordReader,
) -> Option<FoundBlock> {
    let texts: Vec<&str> = entries.iter().map(|entry| &*entry.text).collect();
    let is_fixed = |at: usize| entries.get(at).is_some_and(|entry| entry.is_fixed);
    let mut shown = RecordsBlock::default();
    let mut reads = entries.len().saturating_mul(MAX_READS_PER_LINE);
    let (mut at, mut stop) = (0, 0);
    while at < texts.len() {
        if is_fixed(at) {
            shown.take(&texts, at..at + 1, &[]);
            at += 1;
            continue;
        }
        if stop <= at {
            stop = (at..texts.len()).find(|at| is_fixed(*at)).unwrap_or(texts.len());
        }
        if reads == 0 {
            at = stop;
            continue;
        }
        let rest = texts.get(at..stop).unwrap_or_default();
        let records = run(rest, style, read, &mut reads);
        if let Some((count, table)) = table(rest, &records, &mut shown.columns) {
            shown.take(&texts, at..at + count, &table);
            at += count;
        } else {
            // A run that does not pay as a whole may hold something that does.
            let is_line = records.first().is_some_and(|record| record.lines == 1);
            at += if is_line { records.len() } else { 1 };
        }
    }
    if shown.is_odd || shown.lines.is_empty() {
        return None;
    }
    let count = |range: std::ops::Range<usize>| -> usize {
        entries.get(range).unwrap_or_default().iter().map(|entry| entry.lines).sum()
    };
    let start = count(0..shown.lines.start);
    let lines = start..start + count(shown.lines);
    let style =
        RecordStyle { aliases: entries.iter().any(|entry| entry.is_fixed), ..style.clone() };
    Some(FoundBlock { lines, block: NotationBlock { args: style.words(), body: shown.body } })
}

/// A block while it is written.
#[derive(Default)]
struct RecordsBlock {
    body: BlockBody,
    /// The entries that it holds so far.
    lines: std::ops::Range<usize>,
    /// The columns of the table before.
    columns: String,
    /// Whether a line that stays as it is would be read as another.
    is_odd: bool,
}

impl RecordsBlock {
    /// Adds some entries, with those before them, and what is in their place, if anything.
    fn take(&mut self, texts: &[&str], range: std::ops::Range<usize>, table: &[String]) {
        if self.lines.is_empty() {
            self.lines = range.start..range.start;
        }
        let end = if table.is_empty() { range.end } else { range.start };
        for text in texts.get(self.lines.end..end).unwrap_or_default() {
            self.is_odd |= TableHead::parse(text).is_some();
            self.body.push(text);
        }
        for line in table {
            self.body.push(line);
        }
        self.lines.end = range.end;
    }
}

/// The records that are alike and follow each other from the first line on.
fn run<'a>(
    lines: &[&'a str],
    style: &RecordStyle,
    read: RecordReader,
    reads: &mut usize,
) -> Vec<LineRecord<'a>> {
    let mut records: Vec<LineRecord<'a>> = Vec::new();
    let mut at = 0;
    while let Some(record) = lines.get(at..).and_then(|rest| read(rest, style)) {
        *reads = reads.saturating_sub(record.lines);
        let is_alike =
            |first: &LineRecord<'_>| (first.form, first.indent) == (record.form, record.indent);
        if !records.first().is_none_or(is_alike) {
            break;
        }
        at += record.lines;
        records.push(record);
    }
    *reads = reads.saturating_sub(1);
    records
}

/// The lines that replace records, and how many lines those took; `None` if they
/// are no shorter.
fn table(
    lines: &[&str],
    records: &[LineRecord<'_>],
    columns: &mut String,
) -> Option<(usize, Vec<String>)> {
    let (first, _) = (records.first()?, records.get(1)?);
    let table = writer::write(records)?;
    let records = records.get(..table.records).filter(|records| records.len() > 1)?;
    let count = records.iter().map(|record| record.lines).sum();
    let list = if *columns == table.columns { "{}" } else { &table.columns };
    let head = first.form.head(first.indent, list, records.len());
    let plain: usize = lines.iter().take(count).map(cost).sum();
    let rows: usize = table.rows.iter().map(|row| cost(&row.as_str())).sum();
    if rows + cost(&head.as_str()) + TABLE_COST_BYTES >= plain {
        return None;
    }
    *columns = table.columns;
    Some((count, std::iter::once(head).chain(table.rows).collect()))
}

fn decode(args: &str, body: &[&str], limit: usize) -> Option<String> {
    let style = RecordStyle::read(args)?;
    let text = if style.aliases {
        // Names are shown and not part of the text.
        let named = body.iter().map(|line| line.len().min(MAX_ANCHOR_BYTES)).sum();
        alias::read(&expand(&style, body, limit.saturating_add(named))?, limit)?
    } else {
        expand(&style, body, limit)?
    };
    let text = if style.returns { text.replace('\n', "\r\n") + "\r" } else { text };
    (text.len() <= limit).then_some(text)
}

/// The lines with all tables as the records that they represent.
fn expand(style: &RecordStyle, body: &[&str], limit: usize) -> Option<String> {
    let mut out = String::new();
    let mut heads: Option<RecordHeads<'_>> = None;
    let mut lines = body.iter();
    let mut is_first = true;
    while let Some(line) = lines.next() {
        if !std::mem::take(&mut is_first) {
            out.push('\n');
        }
        let Some(head) = TableHead::parse(line) else {
            out.push_str(line);
            if out.len() > limit {
                return None;
            }
            continue;
        };
        let (form, columns) = RecordForm::read(head.form)?;
        if !columns.is_empty() {
            heads = Some(RecordHeads::read(columns, form.values())?);
        }
        let heads = heads.as_ref().filter(|heads| heads.values() == form.values())?;
        for row in 0..head.rows {
            if row > 0 {
                out.push('\n');
            }
            heads.write_row(&mut out, lines.next()?, form, head.indent, style)?;
            if out.len() > limit {
                return None;
            }
        }
    }
    (out.len() <= limit).then_some(out)
}
