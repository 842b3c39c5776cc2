//! Tables: the list of columns, and a line for each row.

use super::cell::{self, CellPlace};
use super::row_merge::{ColumnCells, TableColumn};
use super::scalar;
use super::shared::{MIN_CELLS_BYTES, SharedMark, SharedValues};
use super::style::JsonStyle;
use crate::compress::notation::{BlockBody, reports_error};
use crate::json::tape::{TapeKind, TapeNode};

/// The sign, in the list of columns, of the key that opens each row.
pub(super) const ROW_KEY: &str = "*";
/// Suffix of the name of a column of strings only, if some look like numbers.
pub(super) const STRINGS_SUFFIX: &str = ":str";

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

/// The objects whose first cell is that of a field, in the rows.
#[derive(Clone, Copy)]
struct GridGroup<'t, 'n, 'a> {
    objects: &'t [Option<TapeNode<'n, 'a>>],
    /// The field after their last one.
    end: usize,
}

/// The rows of a table.
pub(super) struct TableRows<'t, 'n, 'a> {
    pub(super) columns: &'t [TableColumn<'n, 'a>],
    /// Those of an object whose values are the rows.
    pub(super) keys: Option<&'t [TapeNode<'n, 'a>]>,
    /// The object of each row; none if no value is shared.
    pub(super) objects: &'t [Option<TapeNode<'n, 'a>>],
    pub(super) count: usize,
}

/// Writes a table.
pub(super) fn write(
    rows: &TableRows<'_, '_, '_>,
    style: JsonStyle,
    shared: Option<&mut SharedValues>,
) -> TableGrid {
    let &TableRows { columns, keys, objects, count } = rows;
    let separator = separator(columns);
    let list = String::from("{");
    let mut head =
        ColumnList { list, fields: Vec::new(), groups: Vec::new(), keys, separator, style };
    if keys.is_some() {
        head.list.push_str(ROW_KEY);
        head.list.push(separator);
    }
    head.write_columns(columns);
    let ColumnList { list, fields, mut groups, .. } = head;
    if let Some(group) = groups.first_mut().filter(|_| !objects.is_empty()) {
        *group = Some(GridGroup { objects, end: fields.len() });
    }
    // A value that has its line to itself needs no separator.
    let place = if keys.is_none() && fields.len() == 1 {
        CellPlace::Line
    } else {
        CellPlace::Row(separator)
    };
    let lines = if fields.is_empty() && keys.is_none() { 0 } else { count };
    let mut body = BlockBody::default();
    let mut writer = RowWriter { fields, groups, separator, place, style, shared };
    for row in 0..lines {
        let line = body.line();
        let key = keys.and_then(|keys| keys.get(row));
        if let Some(key) = key {
            cell::write_row_key(line, *key, separator, style);
        }
        writer.write(line, row, key.is_some());
    }
    TableGrid { columns: list, rows: body }
}

struct RowWriter<'t, 'n, 'a, 's> {
    fields: Vec<GridField<'t, 'n, 'a>>,
    /// By the first of their fields, the outermost of each.
    groups: Vec<Option<GridGroup<'t, 'n, 'a>>>,
    separator: char,
    place: CellPlace,
    style: JsonStyle,
    shared: Option<&'s mut SharedValues>,
}

impl RowWriter<'_, '_, '_, '_> {
    /// Writes the cells of a row; `keyed`: after its key.
    fn write(&mut self, line: &mut String, row: usize, keyed: bool) {
        let mut index = 0;
        // Whether the cell before shows its value.
        let mut is_shown = false;
        while let Some(field) = self.fields.get(index) {
            if index > 0 || keyed {
                line.push(self.separator);
            }
            let before = index.checked_sub(1).filter(|_| is_shown);
            let before = before.and_then(|before| self.fields.get(before));
            let node = field.cells.get(row).copied().flatten();
            let is_same = node
                .is_some_and(|node| before.is_some_and(|before| is_same(before, field, row, node)));
            if !is_same || self.groups.get(index).is_some_and(Option::is_some) {
                let (mark, end) = self.mark(index, row);
                if mark.write_repeat(line) {
                    (index, is_shown) = (end, false);
                    continue;
                }
                if mark.write_name(line) {
                    line.push(' ');
                }
            }
            let Some(field) = self.fields.get(index) else { break };
            if is_same {
                line.push_str(cell::SAME_CELL);
            } else if let Some(node) = node {
                cell::write(line, node, self.place, self.style, field.strings);
            }
            is_shown = true;
            index += 1;
        }
    }

    /// The mark of what begins at a field of a row, and the field after it.
    fn mark(&mut self, index: usize, row: usize) -> (SharedMark, usize) {
        let own = self.fields.get(index).map_or(&[][..], |field| field.cells);
        let (objects, end) = match self.groups.get(index).copied().flatten() {
            Some(group) => (group.objects, group.end),
            None => (own, index + 1),
        };
        let node = objects.get(row).copied().flatten().filter(|node| node.is_full());
        let (Some(shared), Some(node)) = (self.shared.as_deref_mut(), node) else {
            return (SharedMark::None, end);
        };
        if !shared.is_shared(node) {
            return (SharedMark::None, end);
        }
        // Most of an object may be said by its columns.
        let mut cells = String::new();
        for field in self.fields.get(index..end).unwrap_or_default() {
            if let Some(node) = field.cells.get(row).copied().flatten() {
                cell::write(&mut cells, node, self.place, self.style, field.strings);
            }
        }
        if cells.len() < MIN_CELLS_BYTES {
            return (SharedMark::None, end);
        }
        (shared.mark(node), end)
    }
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
        ColumnCells::Nested { columns, .. } => cells(columns),
        ColumnCells::Leaf(cells) => cells.len(),
    };
    columns.iter().map(in_column).sum()
}

fn strings_with(columns: &[TableColumn<'_, '_>], separator: char) -> usize {
    let in_column = |column: &TableColumn<'_, '_>| match &column.cells {
        ColumnCells::Nested { columns, .. } => strings_with(columns, separator),
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
    /// By the first of their fields, the outermost of each.
    groups: Vec<Option<GridGroup<'t, 'n, 'a>>>,
    keys: Option<&'t [TapeNode<'n, 'a>]>,
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
                ColumnCells::Nested { columns, objects } => {
                    self.list.push('{');
                    let start = self.fields.len();
                    self.write_columns(columns);
                    if let Some(group) = self.groups.get_mut(start) {
                        *group = Some(GridGroup { objects, end: self.fields.len() });
                    }
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
                self.groups.push(None);
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
