//! Writes tables as the body of a block: forms first, then every line in its place.

use std::ops::Range;

use super::form::{Form, Piece};
use super::shape::{Part, Table};

/// Forms of a block. More would be a dictionary to look things up in.
const FORMS: usize = 26;
/// Tags, in the order in which they are given.
const TAGS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A table with its rows, which lack their tag.
struct Written {
    form: Form,
    lines: Vec<usize>,
    rows: Vec<String>,
    gain: i64,
}

/// The lines that the block stands for, its body, and how many forms that begins with.
pub(super) fn body(
    lines: &[&str],
    tables: Vec<Table<'_>>,
) -> Option<(Range<usize>, Vec<String>, usize)> {
    let mut tables: Vec<Written> =
        tables.into_iter().filter_map(|table| written(lines, table)).collect();
    tables.sort_by_key(|table| (-table.gain, table.lines.first().copied()));
    tables.truncate(FORMS);
    tables.sort_by_key(|table| table.lines.first().copied());
    let first = tables.iter().filter_map(|table| table.lines.first()).min().copied()?;
    let last = tables.iter().filter_map(|table| table.lines.last()).max().copied()?;
    let range = first..last + 1;

    let mut places: Vec<Option<(usize, usize)>> = vec![None; lines.len()];
    for (table, written) in tables.iter().enumerate() {
        for (row, line) in written.lines.iter().enumerate() {
            if let Some(place) = places.get_mut(*line) {
                *place = Some((table, row));
            }
        }
    }
    let plain = lines.iter().zip(&places).filter(|(_, place)| place.is_none());
    tag(&mut tables, plain.map(|(line, _)| *line));

    let mut body: Vec<String> = tables.iter().map(|table| table.form.write()).collect();
    for (line, place) in lines.iter().zip(&places).take(range.end).skip(range.start) {
        let row = place.and_then(|(table, row)| {
            let table = tables.get(table)?;
            Some(format!("{}{}", table.form.tag, table.rows.get(row)?))
        });
        body.push(row.unwrap_or_else(|| escaped(&tables, line)));
    }
    Some((range, body, tables.len()))
}

/// Gives every form a letter that no line begins with which stays as it is, while there are any.
fn tag<'a>(tables: &mut [Written], plain: impl Iterator<Item = &'a str>) {
    let mut begun = [false; 128];
    for line in plain {
        let byte = line.bytes().next().unwrap_or(0);
        if let Some(begun) = begun.get_mut(usize::from(byte)) {
            *begun = true;
        }
    }
    let is_begun = |tag: &char| begun.get(*tag as usize).copied().unwrap_or(false);
    let free = TAGS.chars().filter(|tag| !is_begun(tag));
    let taken = TAGS.chars().filter(is_begun);
    for (table, tag) in tables.iter_mut().zip(free.chain(taken)) {
        table.form.tag = tag;
    }
}

fn escaped(tables: &[Written], line: &str) -> String {
    let is_row = tables.iter().any(|table| table.form.row(line).is_some());
    if is_row || line.starts_with('\\') { format!("\\{line}") } else { line.to_owned() }
}

fn written(lines: &[&str], table: Table<'_>) -> Option<Written> {
    let cells: Vec<_> = table
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Column(column) if column.hole.first.is_none() => Some(column),
            _ => None,
        })
        .collect();
    let mut tally = Tally::default();
    let mut grid = Vec::with_capacity(table.lines.len() * cells.len());
    for row in 0..table.lines.len() {
        let from = grid.len();
        grid.extend(cells.iter().map(|column| column.cell(row)));
        tally.add(grid.get(from..).unwrap_or_default());
    }
    let separator = tally.separator()?;
    let rows: Vec<String> = if cells.is_empty() {
        vec![String::new(); table.lines.len()]
    } else {
        grid.chunks_exact(cells.len()).map(|cells| row(cells, separator)).collect()
    };
    drop(cells);
    let pieces = table.parts.into_iter().map(|part| match part {
        Part::Text(text) => Piece::Text(text),
        Part::Column(column) => Piece::Hole(column.hole),
    });
    let form = Form { tag: 'A', separator, pieces: pieces.collect() };
    let before: i64 =
        table.lines.iter().filter_map(|line| lines.get(*line)).map(|line| weight(line)).sum();
    let after: i64 = rows.iter().map(|row| 1 + weight(row)).sum();
    let gain = before - after - weight(&form.write()) - 2;
    (gain > 0).then_some(Written { form, lines: table.lines, rows, gain })
}

fn row(cells: &[&str], separator: char) -> String {
    let filled = cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
    let mut out = String::with_capacity(cells.iter().map(|cell| cell.len() + 1).sum());
    for (at, cell) in cells.iter().take(filled).enumerate() {
        if at > 0 || !cell.starts_with(|c: char| c.is_ascii_digit()) {
            out.push(separator);
        }
        out.push_str(cell);
    }
    out
}

/// What the cells of a table hold, to choose what separates them.
#[derive(Default)]
struct Tally {
    seen: u128,
    words: usize,
    empty: usize,
}

impl Tally {
    fn add(&mut self, cells: &[&str]) {
        let filled = cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        for (at, cell) in cells.iter().take(filled).enumerate() {
            self.empty += usize::from(cell.is_empty());
            self.words += usize::from(cell.starts_with(|c: char| c.is_alphabetic()));
            // The last cell may hold anything.
            if at + 1 < cells.len() {
                for byte in cell.bytes().filter(u8::is_ascii) {
                    self.seen |= 1 << byte;
                }
            }
        }
    }

    /// Commas where many cells are empty, for a run of commas is one token; spaces where words
    /// follow, for a word and the space before it are one.
    fn separator(&self) -> Option<char> {
        let order = if self.words > 2 * self.empty {
            [' ', ',', '|', ';', '\t', '~']
        } else {
            [',', '|', ';', ' ', '\t', '~']
        };
        order.into_iter().find(|c| self.seen & (1 << (*c as u32)) == 0)
    }
}

/// About how many tokens a text has: runs of letters, groups of three digits, runs of signs.
fn weight(text: &str) -> i64 {
    let mut tokens = 0;
    let mut kind = 3;
    let mut length = 0_i64;
    for byte in text.bytes() {
        let next = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => 0,
            b'0'..=b'9' => 1,
            b' ' => 2,
            _ => 3,
        };
        if next == kind {
            length += 1;
            tokens += i64::from(match kind {
                0 => length % 7 == 0,
                1 => length % 3 == 0,
                _ => length % 4 == 0,
            });
        } else {
            // A word takes the space before it along.
            tokens += i64::from(!(kind == 2 && length == 0 && next == 0));
            (kind, length) = (next, 0);
        }
    }
    tokens
}
