//! Writes tables as the body of a block: forms first, then every line in its place.

use std::fmt::Write as _;
use std::ops::Range;

use super::super::BlockBody;
use super::super::weight::{weight, weights};
use super::column::{Cell, HoleColumn};
use super::form::{FormPiece, Hole, RowForm};
use super::shape::{RowPlace, ShapePart, ShapeTable};
use super::{COUNTER_WORDS, EMPTY_CELL_WORDS, FOLDER_WORDS, FORMS_WORD, STEP_WORDS, share};
use crate::domain::ValueClass;

/// Forms of a block. More would be a dictionary to look things up in.
const MAX_FORMS: usize = 26;
/// Tags, in the order in which they are given.
const FORM_TAGS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The body of a block.
pub(super) struct TemplateBody {
    /// The lines that the block represents.
    pub(super) lines: Range<usize>,
    pub(super) body: BlockBody,
    /// The arguments of its header.
    pub(super) args: String,
}

/// Writes the body of the block of some tables; none if none of them saves tokens.
pub(super) fn body(
    lines: &[&str],
    tables: Vec<ShapeTable<'_>>,
    values: ValueClass,
) -> Option<TemplateBody> {
    let mut tables = select_tables(lines, tables);
    let first = tables.iter().filter_map(|table| table.lines.first()).min().copied()?;
    let last = tables.iter().filter_map(|table| table.lines.last()).max().copied()?;
    let range = first..last + 1;
    let places = places(&tables, lines.len());
    if values == ValueClass::Computed {
        share::name(&mut tables, &places);
    }
    let grids = grids(&tables, &places);
    let plain = lines.iter().zip(&places).filter(|(_, place)| place.is_none());
    // Rows of one form need no tags unless there are other lines between them.
    let is_tagged =
        tables.len() > 1 || places.iter().take(range.end).skip(range.start).any(Option::is_none);
    let tags = tags(plain.map(|(line, _)| *line)).into_iter().map(|tag| is_tagged.then_some(tag));
    let forms: Vec<RowForm> = tables
        .iter()
        .zip(&grids)
        .zip(tags)
        .map(|((table, grid), tag)| form(table, grid, tag))
        .collect();

    let plain = lines.get(range.clone()).unwrap_or_default();
    let mut body = BlockBody::with_capacity(plain.iter().map(|line| line.len() + 1).sum());
    for form in &forms {
        body.push(&form.write());
    }
    for (line, place) in lines.iter().zip(&places).take(range.end).skip(range.start) {
        let row = place.and_then(|(table, row)| Some((grids.get(table)?, row, forms.get(table)?)));
        match row {
            Some((grid, row, form)) => grid.row(row, form, body.line()),
            None => write_escaped(&forms, line, body.line()),
        }
    }
    Some(TemplateBody { lines: range, body, args: header_words(&forms, &grids) })
}

/// What the header says: the number of forms, and which cells do not show their values.
fn header_words(forms: &[RowForm], grids: &[RowGrid<'_>]) -> String {
    let has_hole = |has: &dyn Fn(&Hole) -> bool| forms.iter().any(|form| form.holes().any(has));
    let has_cell =
        |has: &dyn Fn(&Cell<'_>) -> bool| grids.iter().any(|grid| grid.cells.iter().any(has));
    let is_counter = |hole: &Hole| hole.first.is_some();
    let words = [
        (has_cell(&|cell| cell.is_empty()), EMPTY_CELL_WORDS),
        (has_hole(&|hole| hole.step != 0 && !is_counter(hole)), STEP_WORDS),
        (has_hole(&is_counter), COUNTER_WORDS),
        (has_cell(&|cell| cell.ups > 0), FOLDER_WORDS),
    ];
    let mut args = format!("{FORMS_WORD}{}", forms.len());
    for (_, words) in words.into_iter().filter(|(is_said, _)| *is_said) {
        // Writing to a string does not fail.
        let _ = write!(args, ", {words}");
    }
    args
}

fn places(tables: &[ShapeTable<'_>], lines: usize) -> Vec<RowPlace> {
    let mut places = vec![None; lines];
    for (table, held) in tables.iter().enumerate() {
        for (row, line) in held.lines.iter().enumerate() {
            if let Some(place) = places.get_mut(*line) {
                *place = Some((table, row));
            }
        }
    }
    places
}

/// The tables that save tokens, the best of them if there are many, by their first lines.
fn select_tables<'a>(lines: &[&str], tables: Vec<ShapeTable<'a>>) -> Vec<ShapeTable<'a>> {
    let gains = tables.into_iter().map(|table| (gain(lines, &table), table));
    let mut gains: Vec<_> = gains.filter(|(gain, _)| *gain > 0).collect();
    gains.sort_by_key(|(gain, table)| (-gain, table.lines.first().copied()));
    gains.truncate(MAX_FORMS);
    let mut tables: Vec<_> = gains.into_iter().map(|(_, table)| table).collect();
    tables.sort_by_key(|table| table.lines.first().copied());
    tables
}

/// About how many tokens a table saves, were no value shared with others: from its first rows.
fn gain(lines: &[&str], table: &ShapeTable<'_>) -> i64 {
    const SAMPLE_ROWS: usize = 12;
    let seen = table.lines.len().min(SAMPLE_ROWS);
    let held = table.lines.iter().take(seen).filter_map(|line| lines.get(*line));
    let mut saved = weights(held.copied());
    let mut form = 4;
    for part in &table.parts {
        match part {
            ShapePart::Text(text) => form += weight(text),
            ShapePart::Column(column) => {
                form += 2;
                let mut before: Option<&str> = None;
                for value in column.values.iter().take(seen) {
                    let cell = column.cell(value, before);
                    saved -= if cell.is_empty() || !column.has_cell() {
                        0
                    } else {
                        1 + cell_weight(cell)
                    };
                    before = Some(value);
                }
            }
        }
    }
    let count = |rows: usize| i64::try_from(rows).unwrap_or(i64::MAX);
    // A row has a tag.
    (saved - count(seen)).saturating_mul(count(table.lines.len())) / count(seen).max(1) - form
}

/// The cells of a table, row by row.
struct RowGrid<'a> {
    width: usize,
    cells: Vec<Cell<'a>>,
    /// Number of cells in each row: empty ones at its end do not count.
    filled: Vec<u8>,
    tally: CellTally,
}

/// Finds the cells of all tables in the order of their lines, for a value may be foretold by
/// another table's.
fn grids<'a>(tables: &'a [ShapeTable<'_>], places: &[RowPlace]) -> Vec<RowGrid<'a>> {
    // The values before: those with a letter, then one for every other column.
    let mut before: Vec<Option<&str>> = vec![None; 26];
    let mut columns: Vec<Vec<(&HoleColumn<'_>, usize)>> = Vec::with_capacity(tables.len());
    let mut grids: Vec<RowGrid<'_>> = Vec::with_capacity(tables.len());
    for table in tables {
        let held = table.columns().filter(|column| column.has_cell()).map(|column| {
            let named = column.hole.name.map(|name| name as usize - 'a' as usize);
            let place = named.unwrap_or_else(|| {
                before.push(None);
                before.len() - 1
            });
            (column, place)
        });
        let held: Vec<_> = held.collect();
        let rows = table.lines.len();
        let (cells, filled) = (Vec::with_capacity(rows * held.len()), Vec::with_capacity(rows));
        grids.push(RowGrid { width: held.len(), cells, filled, tally: CellTally::default() });
        columns.push(held);
    }
    for (table, row) in places.iter().flatten() {
        let (Some(columns), Some(grid)) = (columns.get(*table), grids.get_mut(*table)) else {
            continue;
        };
        let from = grid.cells.len();
        grid.cells.extend(columns.iter().map(|(column, place)| {
            let value = column.values.get(*row).copied().unwrap_or("");
            let before = before.get_mut(*place).and_then(|before| before.replace(value));
            column.cell(value, before)
        }));
        let cells = grid.cells.get(from..).unwrap_or_default();
        let filled = cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        grid.filled.push(u8::try_from(filled).unwrap_or(u8::MAX));
        let held = cells.iter().zip(columns).take(filled);
        grid.tally.add(held.map(|(cell, (column, _))| (*cell, column.is_run)), cells.len());
    }
    grids
}

fn form(table: &ShapeTable<'_>, grid: &RowGrid<'_>, tag: Option<char>) -> RowForm {
    let pieces = table.parts.iter().map(|part| match part {
        ShapePart::Text(text) => FormPiece::Text(text.clone()),
        ShapePart::Column(column) => FormPiece::Hole(column.hole.clone()),
    });
    RowForm { tag, separator: grid.tally.separator(), pieces: pieces.collect() }
}

impl RowGrid<'_> {
    fn row(&self, row: usize, form: &RowForm, out: &mut String) {
        let start = row * self.width;
        let cells = self.cells.get(start..start + self.width).unwrap_or_default();
        let filled = self.filled.get(row).copied().unwrap_or_default();
        out.extend(form.tag);
        for (at, cell) in cells.iter().take(usize::from(filled)).enumerate() {
            // A tag next to a value would read as a part of it.
            if at > 0 || form.tag.is_some() {
                out.push(form.separator);
            }
            if cell.ups > 0 {
                out.extend(std::iter::repeat_n('^', cell.ups));
            }
            out.push_str(cell.text);
        }
    }
}

/// Tags: first the letters that no line begins with which stays as it is, then the others.
fn tags<'a>(plain: impl Iterator<Item = &'a str>) -> Vec<char> {
    let mut begun = 0_u128;
    for byte in plain.filter_map(|line| line.bytes().next()).filter(u8::is_ascii) {
        begun |= 1 << byte;
    }
    let (taken, mut tags): (Vec<char>, Vec<char>) =
        FORM_TAGS.chars().partition(|tag| begun & (1 << (*tag as u32)) != 0);
    tags.extend(taken);
    tags
}

fn write_escaped(forms: &[RowForm], line: &str, out: &mut String) {
    let first = line.bytes().next().map_or('\n', char::from);
    let is_row = || forms.iter().any(|form| form.tag == Some(first) && form.row(line).is_some());
    if first == '\\' || is_row() {
        out.push('\\');
    }
    out.push_str(line);
}

/// Tally of the cells of a table, to choose their separator.
struct CellTally {
    /// The bytes that are in cells that may not hold a separator.
    bytes: [bool; 256],
    words: usize,
    empty: usize,
}

impl Default for CellTally {
    fn default() -> Self {
        Self { bytes: [false; 256], words: 0, empty: 0 }
    }
}

impl CellTally {
    /// Takes in the cells that are in a row of so many, and whether those of their columns are
    /// runs.
    fn add<'a>(&mut self, cells: impl Iterator<Item = (Cell<'a>, bool)>, width: usize) {
        for (at, (cell, is_run)) in cells.enumerate() {
            self.empty += usize::from(cell.is_empty());
            self.words += usize::from(cell.ups == 0 && begins_word(cell.text));
            // The last cell may hold anything.
            if is_run || at + 1 == width {
                continue;
            }
            for byte in cell.text.bytes() {
                if let Some(seen) = self.bytes.get_mut(usize::from(byte)) {
                    *seen = true;
                }
            }
        }
    }

    /// Commas if many cells are empty, for a run of commas is one token; spaces if words
    /// follow, for a word and the space before it are one.
    ///
    /// If all of these are in cells already, a control character that does not.
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
            .find(|c| self.bytes.get(*c as usize) == Some(&false))
            .unwrap_or('\t')
    }
}

/// Whether a letter comes first.
fn begins_word(text: &str) -> bool {
    let first = text.bytes().next().unwrap_or(0);
    first.is_ascii_alphabetic() || !first.is_ascii() && text.starts_with(char::is_alphabetic)
}

/// A run of `^` is a token or two.
fn cell_weight(cell: Cell<'_>) -> i64 {
    i64::from(cell.ups > 0) + weight(cell.text)
}
