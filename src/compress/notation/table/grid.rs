//! Tables: the list of columns, and a line for each row.

use super::cell::{self, CellPlace};
use super::row_merge::{ColumnCells, TableColumn};
use super::scalar;
use super::style::{JsonStyle, StyledWriter};
use crate::compress::notation::{BlockBody, reports_error};
use crate::json::tape::{TapeKind, TapeNode};

/// The sign, in the list of columns, of the key that opens each row.
const ROW_KEY: &str = "*";
/// Suffix of the name of a column of strings only, if some look like numbers.
const STRINGS_SUFFIX: &str = ":str";

/// Bytes from which on a value may be written as the one before it.
const MIN_SAME_BYTES: usize = 6;
/// Separators that cost as much as the quotes of a string.
const SEPARATORS_PER_QUOTES: usize = 8;

/// A table as text.
pub(super) struct TableGrid {
    /// The list of columns, braces included.
    pub(super) columns: String,
    pub(super) rows: BlockBody,
}

/// A column whose values are in the rows.
struct GridField<'t, 'n, 'a> {
    cells: &'t [Option<TapeNode<'n, 'a>>],
    strings: bool,
}

/// Writes a table; `keys` are those of an object whose values are the rows.
pub(super) fn write(
    columns: &[TableColumn<'_, '_>],
    keys: Option<&[TapeNode<'_, '_>]>,
    rows: usize,
    style: JsonStyle,
) -> TableGrid {
    let separator = separator(columns);
    let mut head =
        ColumnList { list: String::from("{"), fields: Vec::new(), keys, separator, style };
    if keys.is_some() {
        head.list.push_str(ROW_KEY);
        head.list.push(separator);
    }
    head.write_columns(columns);
    let ColumnList { list, fields, .. } = head;
    // A value that has its line to itself needs no separator.
    let place = if keys.is_none() && fields.len() == 1 {
        CellPlace::Line
    } else {
        CellPlace::Row(separator)
    };
    let lines = if fields.is_empty() && keys.is_none() { 0 } else { rows };
    let mut body = BlockBody::default();
    for row in 0..lines {
        let line = body.line();
        if let Some(key) = keys.and_then(|keys| keys.get(row)) {
            cell::write_row_key(line, *key, separator, style);
        }
        for (index, field) in fields.iter().enumerate() {
            if index > 0 || keys.is_some() {
                line.push(separator);
            }
            if let Some(node) = field.cells.get(row).copied().flatten() {
                let before = index.checked_sub(1).and_then(|before| fields.get(before));
                if before.is_some_and(|before| is_same(before, field, row, node)) {
                    line.push_str(cell::SAME_CELL);
                } else {
                    cell::write(line, node, place, style, field.strings);
                }
            }
        }
    }
    TableGrid { columns: list, rows: body }
}

/// Whether a value is that of the field before, and long enough to say so.
fn is_same(
    before: &GridField<'_, '_, '_>,
    field: &GridField<'_, '_, '_>,
    row: usize,
    node: TapeNode<'_, '_>,
) -> bool {
    let other = before.cells.get(row).copied().flatten();
    node.raw().len() >= MIN_SAME_BYTES
        && before.strings == field.strings
        && other.is_some_and(|other| other.raw() == node.raw())
}

/// A comma, the cheapest, unless it would put many strings in quotes.
fn separator(columns: &[TableColumn<'_, '_>]) -> char {
    let commas = strings_with(columns, ',');
    let is_bar =
        SEPARATORS_PER_QUOTES * commas > cells(columns) && commas > strings_with(columns, '|');
    if is_bar { '|' } else { ',' }
}

fn cells(columns: &[TableColumn<'_, '_>]) -> usize {
    let in_column = |column: &TableColumn<'_, '_>| match &column.cells {
        ColumnCells::Nested(columns) => cells(columns),
        ColumnCells::Leaf(cells) => cells.len(),
    };
    columns.iter().map(in_column).sum()
}

fn strings_with(columns: &[TableColumn<'_, '_>], separator: char) -> usize {
    let in_column = |column: &TableColumn<'_, '_>| match &column.cells {
        ColumnCells::Nested(columns) => strings_with(columns, separator),
        ColumnCells::Leaf(cells) => {
            let mark = cell::separator_mark(separator);
            let holds = |node: &&TapeNode<'_, '_>| {
                node.kind() == TapeKind::String && node.marks().has(mark)
            };
            cells.iter().flatten().filter(holds).count()
        }
    };
    columns.iter().map(in_column).sum()
}

/// The list of columns while it is written, and the fields that the rows show.
struct ColumnList<'t, 'n, 'a> {
    list: String,
    fields: Vec<GridField<'t, 'n, 'a>>,
    keys: Option<&'t [TapeNode<'t, 't>]>,
    separator: char,
    style: JsonStyle,
}

impl<'t, 'n, 'a> ColumnList<'t, 'n, 'a> {
    fn write_columns(&mut self, columns: &'t [TableColumn<'n, 'a>]) {
        for (index, column) in columns.iter().enumerate() {
            if index > 0 {
                self.list.push(self.separator);
            }
            cell::write_key(&mut self.list, column.key, self.style);
            let cells = match &column.cells {
                ColumnCells::Nested(columns) => {
                    self.list.push('{');
                    self.write_columns(columns);
                    continue;
                }
                ColumnCells::Leaf(cells) => cells,
            };
            if self.keys.is_some_and(|keys| repeats(cells, keys, self.style)) {
                self.list.push('=');
                self.list.push_str(ROW_KEY);
            } else if let Some(value) = constant(cells) {
                self.list.push('=');
                cell::write(&mut self.list, value, CellPlace::Columns, self.style, false);
            } else {
                let strings = are_strings(cells);
                if strings {
                    self.list.push_str(STRINGS_SUFFIX);
                }
                self.fields.push(GridField { cells, strings });
            }
        }
        self.list.push('}');
    }
}

/// Whether each row holds its own key.
fn repeats(
    cells: &[Option<TapeNode<'_, '_>>],
    keys: &[TapeNode<'_, '_>],
    style: JsonStyle,
) -> bool {
    let same = |cell: &Option<TapeNode<'_, '_>>, key: &TapeNode<'_, '_>| {
        cell.is_some_and(|node| {
            node.kind() == TapeKind::String
                && node.text() == key.text()
                && scalar::is_canonical(node, style)
        })
    };
    cells.len() == keys.len() && cells.iter().zip(keys).all(|(cell, key)| same(cell, key))
}

/// The one value that all rows have. One that reports an error is shown in each of them.
fn constant<'n, 'a>(cells: &[Option<TapeNode<'n, 'a>>]) -> Option<TapeNode<'n, 'a>> {
    let first = cells.first().copied().flatten()?;
    if !cells.iter().all(|cell| cell.is_some_and(|node| node.raw() == first.raw())) {
        return None;
    }
    let reports = || first.all().any(|node| node.text().is_some_and(reports_error));
    (cells.len() == 1 || !reports()).then_some(first)
}

/// Whether there are strings only, and some that would be read as something else.
fn are_strings(cells: &[Option<TapeNode<'_, '_>>]) -> bool {
    let mut some = false;
    for node in cells.iter().flatten() {
        let Some(text) = node.text() else { return false };
        some = some || scalar::is_other_than_string(text);
    }
    some
}

/// A column as it was read.
struct GridHead<'b> {
    /// The key as it is in the document, with its colon.
    key: String,
    source: GridSource<'b>,
}

enum GridSource<'b> {
    Nested(Vec<GridHead<'b>>),
    Constant(&'b str),
    /// The row's own key once more.
    Key,
    /// The so-many-th cell.
    Cell {
        index: usize,
        strings: bool,
    },
}

/// The columns of a table as they were read.
pub(super) struct GridHeads<'b> {
    list: Vec<GridHead<'b>>,
    separator: char,
    /// Cells of a row, its key included.
    count: usize,
    keyed: bool,
    /// Those of the row that is read.
    cells: Vec<&'b str>,
}

/// Nesting of columns that is read.
const MAX_DEPTH: usize = 64;
/// Columns that are read.
const MAX_COLUMNS: usize = 10_000;

impl<'b> GridHeads<'b> {
    /// Reads a list of columns, braces included.
    pub(super) fn read(list: &'b str, keyed: bool, writer: &mut StyledWriter<'b>) -> Option<Self> {
        let mut rest = list.strip_prefix('{')?;
        let (list, cells) = (Vec::new(), Vec::new());
        let mut heads = Self { list, separator: ',', count: 0, keyed, cells };
        let mut separator = None;
        if keyed {
            rest = rest.strip_prefix(ROW_KEY)?;
            let first = rest.chars().next().filter(|c| matches!(c, ',' | '|'))?;
            rest = rest.strip_prefix(first)?;
            separator = Some(first);
            heads.count = 1;
        }
        let (read, rest) = heads.columns(rest, &mut separator, writer, MAX_DEPTH)?;
        heads.list = read;
        heads.separator = separator.unwrap_or(',');
        rest.is_empty().then_some(heads)
    }

    fn columns(
        &mut self,
        mut rest: &'b str,
        separator: &mut Option<char>,
        writer: &mut StyledWriter<'b>,
        depth: usize,
    ) -> Option<(Vec<GridHead<'b>>, &'b str)> {
        let depth = depth.checked_sub(1)?;
        let mut heads = Vec::new();
        loop {
            let (key, after) = scalar::split(rest, |byte| b",|{}=:".contains(&byte))?;
            if key.is_empty() {
                return None;
            }
            let (source, after) = if let Some(inner) = after.strip_prefix('{') {
                let (columns, after) = self.columns(inner, separator, writer, depth)?;
                (GridSource::Nested(columns), after)
            } else if let Some(value) = after.strip_prefix('=') {
                let (value, after) = scalar::split(value, |byte| b",|}".contains(&byte))?;
                (
                    if value == ROW_KEY { GridSource::Key } else { GridSource::Constant(value) },
                    after,
                )
            } else {
                let strings = after.strip_prefix(STRINGS_SUFFIX);
                let index = self.count;
                self.count = Some(index + 1).filter(|count| *count <= MAX_COLUMNS)?;
                (GridSource::Cell { index, strings: strings.is_some() }, strings.unwrap_or(after))
            };
            heads.push(GridHead { key: writer.written_key(key)?, source });
            if let Some(after) = after.strip_prefix('}') {
                return Some((heads, after));
            }
            let next = after.chars().next().filter(|c| matches!(c, ',' | '|'))?;
            if *separator.get_or_insert(next) != next {
                return None;
            }
            rest = after.strip_prefix(next)?;
        }
    }

    pub(super) fn is_keyed(&self) -> bool {
        self.keyed
    }

    /// Whether rows are on lines of their own.
    pub(super) fn has_lines(&self) -> bool {
        self.count > 0
    }

    /// Writes the object of one row.
    pub(super) fn row(&mut self, writer: &mut StyledWriter<'b>, line: &'b str) -> Option<()> {
        self.cells.clear();
        let mut rest = line;
        if self.count == 1 && !self.keyed {
            self.cells.push(line);
            rest = "";
        }
        for index in self.cells.len()..self.count {
            if index > 0 {
                rest = rest.strip_prefix(self.separator)?;
            }
            let (cell, after) = cell::split_cell(rest, self.separator)?;
            let same = self.cells.last().filter(|_| cell == cell::SAME_CELL).copied();
            self.cells.push(same.unwrap_or(cell));
            rest = after;
        }
        if !rest.is_empty() {
            return None;
        }
        if self.keyed {
            writer.shown_key(self.cells.first()?)?;
        }
        write_object(writer, &self.list, &self.cells)
    }
}

fn write_object<'b>(
    writer: &mut StyledWriter<'b>,
    heads: &[GridHead<'b>],
    cells: &[&'b str],
) -> Option<()> {
    writer.object()?;
    for head in heads {
        if !is_present(&head.source, cells) {
            continue;
        }
        writer.key(&head.key)?;
        match &head.source {
            GridSource::Nested(heads) => write_object(writer, heads, cells)?,
            GridSource::Constant(value) => cell::read(writer, value, false)?,
            GridSource::Key => cell::read(writer, cells.first()?, true)?,
            GridSource::Cell { index, strings } => {
                cell::read(writer, cells.get(*index)?, *strings)?;
            }
        }
    }
    writer.end()
}

fn is_present(source: &GridSource<'_>, cells: &[&str]) -> bool {
    match source {
        GridSource::Nested(heads) => heads.iter().any(|head| is_present(&head.source, cells)),
        GridSource::Constant(_) | GridSource::Key => true,
        GridSource::Cell { index, .. } => cells.get(*index).is_some_and(|cell| !cell.is_empty()),
    }
}
