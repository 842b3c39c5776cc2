//! Rows of a table as the lines of its records.

use super::cell::{CellSyntax, SAME_CELL};
use super::columns::OTHERS_KEY;
use super::form::{RecordForm, RecordStyle};
use super::record::is_key;
use super::xml;

/// Nesting of columns that is read.
const MAX_DEPTH: usize = 32;
/// Columns that are read.
const MAX_COLUMNS: usize = 1_000;

/// A column as it was read.
#[derive(Debug, Clone)]
struct RecordHead<'b> {
    key: &'b str,
    source: RecordSource<'b>,
}

#[derive(Debug, Clone)]
enum RecordSource<'b> {
    Nested(Vec<RecordHead<'b>>),
    Constant(&'b str),
    /// The so-many-th cell.
    Cell(usize),
    /// The so-many-th cell, which holds members with their names.
    Others(usize),
}

/// The columns of a table as they were read.
#[derive(Debug, Clone)]
pub(super) struct RecordHeads<'b> {
    list: Vec<RecordHead<'b>>,
    separator: char,
    /// Flags of the cells that hold members with their names.
    cells: Vec<bool>,
    values: CellSyntax,
}

impl<'b> RecordHeads<'b> {
    /// Reads a list of columns without its braces.
    pub(super) fn read(list: &'b str, values: CellSyntax) -> Option<Self> {
        let mut heads = Self { list: Vec::new(), separator: '\0', cells: Vec::new(), values };
        let alone = list.strip_prefix('|');
        if alone.is_some() {
            heads.separator = '|';
        }
        let (read, rest) = heads.columns(alone.unwrap_or(list), MAX_DEPTH)?;
        heads.list = read;
        if heads.separator == '\0' {
            heads.separator = ',';
        }
        rest.is_empty().then_some(heads)
    }

    pub(super) fn values(&self) -> CellSyntax {
        self.values
    }

    /// The columns up to the end or a closing brace, and what follows them.
    fn columns(
        &mut self,
        mut rest: &'b str,
        depth: usize,
    ) -> Option<(Vec<RecordHead<'b>>, &'b str)> {
        let depth = depth.checked_sub(1)?;
        let mut heads = Vec::new();
        loop {
            let end = rest.find([',', '|', '{', '}', '=']).unwrap_or(rest.len());
            let (key, after) = rest.split_at_checked(end)?;
            let (source, after) = if let Some(inner) = after.strip_prefix('{') {
                let (columns, after) = self.columns(inner, depth)?;
                (RecordSource::Nested(columns), after.strip_prefix('}')?)
            } else if let Some(value) = after.strip_prefix('=') {
                let (value, after) = self.values.split_constant(value)?;
                (RecordSource::Constant(self.values.read(value)?), after)
            } else {
                let index = self.cells.len();
                if index >= MAX_COLUMNS {
                    return None;
                }
                let is_others = key == OTHERS_KEY;
                self.cells.push(is_others);
                (
                    if is_others { RecordSource::Others(index) } else { RecordSource::Cell(index) },
                    after,
                )
            };
            if !is_key(key) && key != OTHERS_KEY {
                return None;
            }
            heads.push(RecordHead { key, source });
            let Some(next) = after.chars().next().filter(|next| *next != '}') else {
                return Some((heads, after));
            };
            if !matches!(next, ',' | '|')
                || !matches!(self.separator, '\0') && self.separator != next
            {
                return None;
            }
            self.separator = next;
            rest = after.strip_prefix(next)?;
        }
    }

    /// Appends the lines of one row.
    pub(super) fn write_row(
        &self,
        out: &mut String,
        line: &'b str,
        form: RecordForm<'b>,
        indent: &str,
        style: &RecordStyle,
    ) -> Option<()> {
        let count = self.cells.len() + usize::from(form.is_keyed()) + usize::from(form.has_text());
        let mut cells: Vec<Option<&'b str>> = Vec::with_capacity(count);
        if count == 1 && self.cells.first() != Some(&true) {
            cells.push(Some(self.values.read(line)?));
        } else {
            let mut rest = line;
            for at in 0..count {
                if at > 0 {
                    rest = rest.strip_prefix(self.separator)?;
                }
                let column = if form.is_keyed() { at.checked_sub(1) } else { Some(at) };
                let is_others = column.and_then(|column| self.cells.get(column)) == Some(&true);
                let (cell, after) = if is_others {
                    rest.split_at_checked(xml::attributes_end(rest))?
                } else {
                    self.values.split(rest, self.separator)?
                };
                cells.push(match cell {
                    "" => None,
                    SAME_CELL => Some((*cells.last()?)?),
                    cell if is_others => Some(cell),
                    cell => Some(self.values.read(cell)?),
                });
                rest = after;
            }
            if !rest.is_empty() {
                return None;
            }
        }
        let mut cells = cells.as_slice();
        let (mut key, mut text) = ("", "");
        if form.is_keyed() {
            (key, cells) = cells.split_first().and_then(|(key, rest)| Some(((*key)?, rest)))?;
        }
        if form.has_text() {
            (text, cells) = cells.split_last().and_then(|(text, rest)| Some(((*text)?, rest)))?;
        }
        let mut row = Row { out, cells, style, values: self.values };
        row.write(&self.list, form, indent, key, text)
    }
}

/// A row on its way into lines.
struct Row<'r, 'b> {
    out: &'r mut String,
    cells: &'r [Option<&'b str>],
    style: &'r RecordStyle,
    values: CellSyntax,
}

impl<'b> Row<'_, 'b> {
    fn write(
        &mut self,
        list: &[RecordHead<'b>],
        form: RecordForm<'_>,
        indent: &str,
        key: &str,
        text: &str,
    ) -> Option<()> {
        self.out.push_str(indent);
        match form {
            RecordForm::Item => {
                self.out.push_str("- ");
                self.members(list, &format!("{indent}  "), &mut true)
            }
            RecordForm::Key => {
                self.put(&[key, ":"]);
                self.members(list, &format!("{indent}{}", self.style.step), &mut false)
            }
            RecordForm::FlowItem => {
                self.out.push_str("- ");
                self.flow(list)
            }
            RecordForm::FlowKey => {
                self.put(&[key, ": "]);
                self.flow(list)
            }
            RecordForm::Attributes { tag, close } => {
                self.put(&["<", tag]);
                self.attributes(list);
                self.put(&[close]);
                Some(())
            }
            RecordForm::Text { tag } => {
                self.put(&["<", tag]);
                self.attributes(list);
                self.put(&[">", text, "</", tag, ">"]);
                Some(())
            }
            RecordForm::Elements { tag } => {
                self.put(&["<", tag, ">"]);
                self.elements(list, None)?;
                self.put(&["</", tag, ">"]);
                Some(())
            }
            RecordForm::Lines { tag } => {
                self.put(&["<", tag, ">"]);
                self.elements(list, Some(&format!("{indent}{}", self.style.step)))?;
                self.put(&["\n", indent, "</", tag, ">"]);
                Some(())
            }
        }
    }

    fn put(&mut self, texts: &[&str]) {
        for text in texts {
            self.out.push_str(text);
        }
    }

    /// The value of a column that is no map, if the row has one.
    fn value(&self, source: &RecordSource<'b>) -> Option<&'b str> {
        match source {
            RecordSource::Constant(value) => Some(value),
            RecordSource::Cell(index) | RecordSource::Others(index) => {
                self.cells.get(*index).copied().flatten()
            }
            RecordSource::Nested(_) => None,
        }
    }

    fn is_present(&self, source: &RecordSource<'b>) -> bool {
        match source {
            RecordSource::Nested(heads) => heads.iter().any(|head| self.is_present(&head.source)),
            source => self.value(source).is_some(),
        }
    }

    fn members(&mut self, list: &[RecordHead<'b>], pad: &str, is_first: &mut bool) -> Option<()> {
        for head in list.iter().filter(|head| self.is_present(&head.source)).collect::<Vec<_>>() {
            if !std::mem::take(is_first) {
                self.put(&["\n", pad]);
            }
            self.put(&[head.key, ":"]);
            if let RecordSource::Nested(inner) = &head.source {
                self.members(inner, &format!("{pad}{}", self.style.step), &mut false)?;
                continue;
            }
            let value = self.value(&head.source)?;
            let Some(mut items) = value.strip_prefix("-[") else {
                self.put(&[" ", value]);
                continue;
            };
            loop {
                let (item, after) = self.values.split_item(items)?;
                self.put(&["\n", pad]);
                self.out.extend(std::iter::repeat_n(' ', self.style.dashes));
                self.put(&["- ", item]);
                if after == "]" {
                    break;
                }
                items = after.strip_prefix(',')?;
            }
        }
        Some(())
    }

    fn flow(&mut self, list: &[RecordHead<'b>]) -> Option<()> {
        let mut is_first = true;
        for head in list.iter().filter(|head| self.is_present(&head.source)).collect::<Vec<_>>() {
            let before = if std::mem::take(&mut is_first) { "{ " } else { ", " };
            self.put(&[before, head.key, ": "]);
            if let RecordSource::Nested(inner) = &head.source {
                self.flow(inner)?;
            } else {
                let value = self.value(&head.source)?;
                self.out.push_str(value);
            }
        }
        self.out.push_str(" }");
        (!is_first).then_some(())
    }

    fn attributes(&mut self, list: &[RecordHead<'b>]) {
        for head in list {
            match (self.value(&head.source), &head.source) {
                (Some(others), RecordSource::Others(_)) => self.put(&[" ", others]),
                (Some(value), _) => self.put(&[" ", head.key, "=\"", value, "\""]),
                (None, _) => {}
            }
        }
    }

    /// Elements one after the other, or on lines of their own that begin with `pad`.
    fn elements(&mut self, list: &[RecordHead<'b>], pad: Option<&str>) -> Option<()> {
        for head in list.iter().filter(|head| self.is_present(&head.source)).collect::<Vec<_>>() {
            if let Some(pad) = pad {
                self.put(&["\n", pad]);
            }
            self.put(&["<", head.key, ">"]);
            if let RecordSource::Nested(inner) = &head.source {
                let deeper = pad.map(|pad| format!("{pad}{}", self.style.step));
                self.elements(inner, deeper.as_deref())?;
                if let Some(pad) = pad {
                    self.put(&["\n", pad]);
                }
            } else {
                let value = self.value(&head.source)?;
                self.out.push_str(value);
            }
            self.put(&["</", head.key, ">"]);
        }
        Some(())
    }
}
