//! Tables: the list of columns, and a line for each row.

use super::cell::{self, Place};
use super::shape::{Cells, Column};
use super::style::{Style, Writer};
use crate::compress::notation::reports_error;
use crate::json::{Node, Value};

/// What stands for the key that opens each row, in the list of columns.
const KEY: &str = "*";
/// What follows the name of a column of strings only, where some look like numbers.
const STRINGS: &str = ":str";

/// A table as text.
pub(super) struct Grid {
    /// The list of columns, braces included.
    pub(super) columns: String,
    pub(super) rows: Vec<String>,
}

/// A column whose values stand in the rows.
struct Field<'t, 'n, 'a> {
    cells: &'t [Option<&'n Node<'a>>],
    strings: bool,
}

/// Writes a table down; `keys` are those of an object whose values are the rows.
pub(super) fn write(
    columns: &[Column<'_, '_>],
    keys: Option<&[&str]>,
    rows: usize,
    style: Style,
) -> Grid {
    let separator = separator(columns);
    let mut list = String::from("{");
    let mut fields = Vec::new();
    if keys.is_some() {
        list.push_str(KEY);
        list.push(separator);
    }
    write_columns(&mut list, &mut fields, columns, keys, (separator, style));
    // A value that has its line to itself needs no separator.
    let place =
        if keys.is_none() && fields.len() == 1 { Place::Line } else { Place::Row(separator) };
    let lines = if fields.is_empty() && keys.is_none() { 0 } else { rows };
    let rows = (0..lines).map(|row| {
        let mut line = String::new();
        if let Some(key) = keys.and_then(|keys| keys.get(row)) {
            cell::write_row_key(&mut line, key, separator, style);
        }
        for (index, field) in fields.iter().enumerate() {
            if index > 0 || keys.is_some() {
                line.push(separator);
            }
            if let Some(node) = field.cells.get(row).copied().flatten() {
                cell::write(&mut line, node, place, style, field.strings);
            }
        }
        line
    });
    let rows = rows.collect();
    Grid { columns: list, rows }
}

/// A comma, the cheapest, but where it would put many strings in quotes.
fn separator(columns: &[Column<'_, '_>]) -> char {
    let commas = strings_with(columns, ',');
    if commas > 0 && commas > strings_with(columns, '|') { '|' } else { ',' }
}

fn strings_with(columns: &[Column<'_, '_>], separator: char) -> usize {
    let in_column = |column: &Column<'_, '_>| match &column.cells {
        Cells::Nested(columns) => strings_with(columns, separator),
        Cells::Leaf(cells) => {
            let strings = cells.iter().flatten().filter_map(|node| node.as_str());
            strings.filter(|text| text.contains(separator)).count()
        }
    };
    columns.iter().map(in_column).sum()
}

fn write_columns<'t, 'n, 'a>(
    list: &mut String,
    fields: &mut Vec<Field<'t, 'n, 'a>>,
    columns: &'t [Column<'n, 'a>],
    keys: Option<&[&str]>,
    (separator, style): (char, Style),
) {
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            list.push(separator);
        }
        cell::write_key(list, column.key, style);
        let cells = match &column.cells {
            Cells::Nested(columns) => {
                list.push('{');
                write_columns(list, fields, columns, keys, (separator, style));
                continue;
            }
            Cells::Leaf(cells) => cells,
        };
        if keys.is_some_and(|keys| repeats(cells, keys, style)) {
            list.push('=');
            list.push_str(KEY);
        } else if let Some(value) = constant(cells) {
            list.push('=');
            cell::write(list, value, Place::Columns, style, false);
        } else {
            let strings = are_strings(cells);
            if strings {
                list.push_str(STRINGS);
            }
            fields.push(Field { cells, strings });
        }
    }
    list.push('}');
}

/// Whether each row holds its own key.
fn repeats(cells: &[Option<&Node<'_>>], keys: &[&str], style: Style) -> bool {
    cells.len() == keys.len()
        && cells.iter().zip(keys).all(|(cell, key)| {
            cell.is_some_and(|node| node.as_str() == Some(key) && cell::is_canonical(node, style))
        })
}

/// The one value that all rows have. One that reports an error is shown in each of them.
fn constant<'n, 'a>(cells: &[Option<&'n Node<'a>>]) -> Option<&'n Node<'a>> {
    let first = cells.first().copied().flatten()?;
    if !cells.iter().all(|cell| cell.is_some_and(|node| node.raw == first.raw)) {
        return None;
    }
    (cells.len() == 1 || !reports_error(first.raw)).then_some(first)
}

/// Whether there are strings only, and some that would be read as something else.
fn are_strings(cells: &[Option<&Node<'_>>]) -> bool {
    let mut some = false;
    for node in cells.iter().flatten() {
        let Some(text) = node.as_str() else { return false };
        some = some || cell::is_other_than_string(text);
    }
    some
}

/// A column as it was read.
#[derive(Debug, Clone)]
pub(super) struct Head {
    /// The key as it stands: in quotes, or plain.
    key: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Nested(Vec<Head>),
    Constant(String),
    /// The row's own key once more.
    Key,
    /// The so-many-th cell.
    Cell {
        index: usize,
        strings: bool,
    },
}

/// The columns of a table as they were read.
#[derive(Debug, Clone)]
pub(super) struct Heads {
    list: Vec<Head>,
    separator: char,
    /// Cells of a row, its key included.
    cells: usize,
    keyed: bool,
}

/// Nesting of columns that is read.
const DEEPEST: usize = 64;
/// Columns that are read.
const MOST: usize = 10_000;

impl Heads {
    /// Reads a list of columns, braces included.
    pub(super) fn read(list: &str, keyed: bool) -> Option<Self> {
        let mut rest = list.strip_prefix('{')?;
        let mut heads = Self { list: Vec::new(), separator: ',', cells: 0, keyed };
        let mut separator = None;
        if keyed {
            rest = rest.strip_prefix(KEY)?;
            let first = rest.chars().next().filter(|c| matches!(c, ',' | '|'))?;
            rest = rest.strip_prefix(first)?;
            separator = Some(first);
            heads.cells = 1;
        }
        let (read, rest) = heads.columns(rest, &mut separator, DEEPEST)?;
        heads.list = read;
        heads.separator = separator.unwrap_or(',');
        rest.is_empty().then_some(heads)
    }

    fn columns<'l>(
        &mut self,
        mut rest: &'l str,
        separator: &mut Option<char>,
        depth: usize,
    ) -> Option<(Vec<Head>, &'l str)> {
        let depth = depth.checked_sub(1)?;
        let mut heads = Vec::new();
        loop {
            let (key, after) = cell::split(rest, &[',', '|', '{', '}', '=', ':'])?;
            if key.is_empty() {
                return None;
            }
            let (kind, after) = if let Some(inner) = after.strip_prefix('{') {
                let (columns, after) = self.columns(inner, separator, depth)?;
                (Kind::Nested(columns), after)
            } else if let Some(value) = after.strip_prefix('=') {
                let (value, after) = cell::split(value, &[',', '|', '}'])?;
                (if value == KEY { Kind::Key } else { Kind::Constant(value.to_owned()) }, after)
            } else {
                let strings = after.strip_prefix(STRINGS);
                let index = self.cells;
                self.cells = Some(index + 1).filter(|count| *count <= MOST)?;
                (Kind::Cell { index, strings: strings.is_some() }, strings.unwrap_or(after))
            };
            heads.push(Head { key: key.to_owned(), kind });
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

    /// Whether rows stand on lines of their own.
    pub(super) fn has_lines(&self) -> bool {
        self.cells > 0
    }

    /// Writes the object of one row.
    pub(super) fn row(&self, writer: &mut Writer, line: &str) -> Option<()> {
        let mut cells = Vec::with_capacity(self.cells);
        let mut rest = line;
        if self.cells == 1 && !self.keyed {
            cells.push(line);
            rest = "";
        }
        for index in cells.len()..self.cells {
            if index > 0 {
                rest = rest.strip_prefix(self.separator)?;
            }
            let (cell, after) = cell::split(rest, &[self.separator])?;
            cells.push(cell);
            rest = after;
        }
        if !rest.is_empty() {
            return None;
        }
        if self.keyed {
            write_key(writer, cells.first()?)?;
        }
        write_object(writer, &self.list, &cells)
    }
}

/// Writes a key, which stands in quotes or for itself.
pub(super) fn write_key(writer: &mut Writer, key: &str) -> Option<()> {
    if !key.starts_with('"') {
        return writer.key_text(key);
    }
    match crate::json::parse(key, cell::LIMITS).ok()?.value {
        Value::String(_) => writer.key(key),
        _ => None,
    }
}

fn write_object(writer: &mut Writer, heads: &[Head], cells: &[&str]) -> Option<()> {
    writer.object()?;
    for head in heads {
        if !is_present(&head.kind, cells) {
            continue;
        }
        write_key(writer, &head.key)?;
        match &head.kind {
            Kind::Nested(heads) => write_object(writer, heads, cells)?,
            Kind::Constant(value) => cell::read(writer, value, false)?,
            Kind::Key => cell::read(writer, cells.first()?, true)?,
            Kind::Cell { index, strings } => cell::read(writer, cells.get(*index)?, *strings)?,
        }
    }
    writer.end()
}

fn is_present(kind: &Kind, cells: &[&str]) -> bool {
    match kind {
        Kind::Nested(heads) => heads.iter().any(|head| is_present(&head.kind, cells)),
        Kind::Constant(_) | Kind::Key => true,
        Kind::Cell { index, .. } => cells.get(*index).is_some_and(|cell| !cell.is_empty()),
    }
}
