//! Writes tables as the body of a block: forms first, then every line in its place.

use std::borrow::Cow;
use std::ops::Range;

use super::form::{Form, Piece};
use super::shape::{Part, Table};
use super::share;

/// Forms of a block. More would be a dictionary to look things up in.
const FORMS: usize = 26;
/// Tags, in the order in which they are given.
const TAGS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A form and the rows of its lines, which lack their tag.
struct Written {
    form: Form,
    lines: Vec<usize>,
    rows: Vec<String>,
}

/// The lines that the block stands for, its body, and how many forms that begins with.
pub(super) fn body(
    lines: &[&str],
    tables: Vec<Table<'_>>,
) -> Option<(Range<usize>, Vec<String>, usize)> {
    let mut tables = worthy(lines, tables);
    share::name(&mut tables, lines.len());
    let mut written = written(tables, lines.len());
    let first = written.iter().filter_map(|table| table.lines.first()).min().copied()?;
    let last = written.iter().filter_map(|table| table.lines.last()).max().copied()?;
    let range = first..last + 1;
    let places = places(written.iter().map(|table| table.lines.as_slice()), lines.len());
    let plain = lines.iter().zip(&places).filter(|(_, place)| place.is_none());
    tag(&mut written, plain.map(|(line, _)| *line));

    let mut body: Vec<String> = written.iter().map(|table| table.form.write()).collect();
    for (line, place) in lines.iter().zip(&places).take(range.end).skip(range.start) {
        let row = place.and_then(|(table, row)| {
            let table = written.get(table)?;
            Some(format!("{}{}", table.form.tag, table.rows.get(row)?))
        });
        body.push(row.unwrap_or_else(|| escaped(&written, line)));
    }
    Some((range, body, written.len()))
}

/// Table and row of every line that has them.
pub(super) fn places<'a>(
    tables: impl Iterator<Item = &'a [usize]>,
    lines: usize,
) -> Vec<Option<(usize, usize)>> {
    let mut places = vec![None; lines];
    for (table, lines) in tables.enumerate() {
        for (row, line) in lines.iter().enumerate() {
            if let Some(place) = places.get_mut(*line) {
                *place = Some((table, row));
            }
        }
    }
    places
}

/// The tables that save tokens, the best of them where there are many, by their first lines.
fn worthy<'a>(lines: &[&str], tables: Vec<Table<'a>>) -> Vec<Table<'a>> {
    let gains = tables.into_iter().map(|table| (gain(lines, &table), table));
    let mut gains: Vec<_> = gains.filter(|(gain, _)| *gain > 0).collect();
    gains.sort_by_key(|(gain, table)| (-gain, table.lines.first().copied()));
    gains.truncate(FORMS);
    let mut tables: Vec<_> = gains.into_iter().map(|(_, table)| table).collect();
    tables.sort_by_key(|table| table.lines.first().copied());
    tables
}

/// About how many tokens a table saves, were no value shared with others.
fn gain(lines: &[&str], table: &Table<'_>) -> i64 {
    let before: i64 =
        table.lines.iter().filter_map(|line| lines.get(*line)).map(|line| weight(line)).sum();
    let mut after = 0;
    for part in &table.parts {
        match part {
            Part::Text(text) => after += weight(text),
            Part::Column(column) => {
                after += 2;
                let mut earlier: Option<&str> = None;
                for (row, value) in column.values.iter().enumerate().filter(|_| column.has_cell()) {
                    let cell = column.cell(row, earlier);
                    after += if cell.is_empty() { 0 } else { 1 + weight(&cell) };
                    earlier = Some(value);
                }
            }
        }
    }
    // A tag a row; and a form has a tag, a separator, a sign and a line break.
    before - after - i64::try_from(table.lines.len()).unwrap_or(i64::MAX / 2) - 4
}

/// Writes the rows of all tables in the order of their lines, for a value may be foretold by
/// another table's.
fn written(tables: Vec<Table<'_>>, lines: usize) -> Vec<Written> {
    let mut named: [Option<&str>; 26] = [None; 26];
    let mut own: Vec<Vec<Option<&str>>> =
        tables.iter().map(|table| vec![None; table.columns().count()]).collect();
    let mut grids: Vec<Grid<'_>> = tables.iter().map(|_| Grid::default()).collect();
    for (table, row) in
        places(tables.iter().map(|table| table.lines.as_slice()), lines).into_iter().flatten()
    {
        let (Some(own), Some(grid)) = (own.get_mut(table), grids.get_mut(table)) else { continue };
        let from = grid.cells.len();
        let columns = tables.get(table).into_iter().flat_map(Table::columns);
        for (column, own) in columns.zip(own.iter_mut()).filter(|(column, _)| column.has_cell()) {
            let place = column.hole.name.map(|name| name as usize - 'a' as usize);
            let before = place.and_then(|place| named.get_mut(place)).unwrap_or(own);
            grid.cells.push(column.cell(row, *before));
            *before = column.values.get(row).map(AsRef::as_ref);
        }
        grid.tally.add(grid.cells.get(from..).unwrap_or_default());
    }
    let mut written = Vec::with_capacity(tables.len());
    for (table, grid) in tables.iter().zip(grids) {
        let width = table.columns().filter(|column| column.has_cell()).count();
        // Every common sign stands in some cell: such rows are written apart from others' values,
        // so leaving them out would take values from the others. They get a sign that none holds.
        let separator = grid.tally.separator();
        let rows = if width == 0 {
            vec![String::new(); table.lines.len()]
        } else {
            grid.cells.chunks_exact(width).map(|cells| row(cells, separator)).collect()
        };
        let pieces = table.parts.iter().map(|part| match part {
            Part::Text(text) => Piece::Text(text.clone()),
            Part::Column(column) => Piece::Hole(column.hole.clone()),
        });
        let form = Form { tag: 'A', separator, pieces: pieces.collect() };
        written.push(Written { form, lines: table.lines.clone(), rows });
    }
    written
}

#[derive(Default)]
struct Grid<'a> {
    cells: Vec<Cow<'a, str>>,
    tally: Tally,
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

fn row(cells: &[Cow<'_, str>], separator: char) -> String {
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
    fn add(&mut self, cells: &[Cow<'_, str>]) {
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
    ///
    /// Where all of these stand in cells already, a control character that does not.
    fn separator(&self) -> char {
        let order = if self.words > 2 * self.empty {
            [' ', ',', '|', ';', '\t', '~']
        } else {
            [',', '|', ';', ' ', '\t', '~']
        };
        let others = (1_u8..b' ').filter(|byte| !matches!(byte, b'\n' | b'\r')).map(char::from);
        order
            .into_iter()
            .chain(others)
            .find(|c| self.seen & (1 << (*c as u32)) == 0)
            .unwrap_or('\t')
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
