//! Tables as they were read: the columns, and the object that each row represents.

use super::cell;
use super::grid::{ROW_KEY, STRINGS_SUFFIX};
use super::scalar;
use super::shared::{NAME_SIGN, REPEAT_SIGN, SharedMark};
use super::styled_writer::{MarkedValue, StyledWriter};

/// A column as it was read.
struct GridHead<'b> {
    /// The key as it is in the document, with its colon.
    key: String,
    source: GridSource<'b>,
}

enum GridSource<'b> {
    /// Columns, and the number of their first cell; none if no row has any.
    Nested(Vec<GridHead<'b>>, Option<usize>),
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
    /// Cells of the outermost object that begins with each cell, or 1.
    spans: Vec<usize>,
    /// Those of the row that is read, and their marks.
    cells: Vec<&'b str>,
    marks: Vec<SharedMark>,
}

/// Nesting of columns that is read.
const MAX_DEPTH: usize = 64;
/// Columns that are read.
const MAX_COLUMNS: usize = 10_000;

impl<'b> GridHeads<'b> {
    /// Reads a list of columns, braces included.
    pub(super) fn read(list: &'b str, keyed: bool, writer: &mut StyledWriter<'b>) -> Option<Self> {
        let mut rest = list.strip_prefix('{')?;
        let (list, spans, cells, marks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut heads = Self { list, separator: ',', count: 0, keyed, spans, cells, marks };
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
        heads.span_from(usize::from(keyed));
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
                let start = self.count;
                let (columns, after) = self.columns(inner, separator, writer, depth)?;
                self.span_from(start);
                (GridSource::Nested(columns, Some(start).filter(|at| *at < self.count)), after)
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

    /// Says that an object begins with the cell of that number, and ends with the last so far.
    fn span_from(&mut self, start: usize) {
        if start < self.count {
            self.spans.resize(self.count, 1);
            if let Some(span) = self.spans.get_mut(start) {
                *span = self.count - start;
            }
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
        self.marks.clear();
        let first = usize::from(self.keyed);
        let is_marked = writer.style.shared;
        if is_marked {
            self.marks.resize(self.count, SharedMark::None);
        }
        let mut rest = line;
        while self.cells.len() < self.count {
            let index = self.cells.len();
            if index > 0 {
                rest = rest.strip_prefix(self.separator)?;
            }
            if is_marked && index >= first && rest.starts_with([NAME_SIGN, REPEAT_SIGN]) {
                let (mark, after) = SharedMark::read(rest)?;
                *self.marks.get_mut(index)? = mark;
                if matches!(mark, SharedMark::Repeat(_)) {
                    let span = self.spans.get(index).copied().unwrap_or(1);
                    self.cells.resize(index + span, "");
                    rest = after;
                    continue;
                }
                rest = after.strip_prefix(' ')?;
            }
            let (cell, after) = if self.count == 1 && !self.keyed {
                (rest, "")
            } else {
                cell::split_cell(rest, self.separator)?
            };
            let same = self.cells.last().filter(|_| cell == cell::SAME_CELL);
            self.cells.push(same.copied().unwrap_or(cell));
            rest = after;
        }
        if !rest.is_empty() {
            return None;
        }
        if self.keyed {
            writer.shown_key(self.cells.first()?)?;
        }
        let row = GridRow { cells: &self.cells, marks: &self.marks };
        row.write_marked(writer, &self.list, first)
    }
}

/// The cells of a row that is written.
#[derive(Clone, Copy)]
struct GridRow<'r, 'b> {
    cells: &'r [&'b str],
    /// Empty if no value is shared.
    marks: &'r [SharedMark],
}

impl<'b> GridRow<'_, 'b> {
    fn mark(self, index: usize) -> SharedMark {
        self.marks.get(index).copied().unwrap_or(SharedMark::None)
    }

    /// Writes an object that begins with the cell of that number, whose mark is its own.
    fn write_marked(
        self,
        writer: &mut StyledWriter<'b>,
        heads: &[GridHead<'b>],
        start: usize,
    ) -> Option<()> {
        if let MarkedValue::Due(name) = writer.open_mark(self.mark(start))? {
            self.write_object(writer, heads, start)?;
            writer.close_mark(name);
        }
        Some(())
    }

    /// `start`: the number of its first cell, whose mark is not that of the value.
    fn write_object(
        self,
        writer: &mut StyledWriter<'b>,
        heads: &[GridHead<'b>],
        start: usize,
    ) -> Option<()> {
        writer.object()?;
        for head in heads {
            if !self.is_present(&head.source) {
                continue;
            }
            writer.key(&head.key)?;
            match &head.source {
                GridSource::Nested(heads, Some(own)) if *own != start => {
                    self.write_marked(writer, heads, *own)?;
                }
                GridSource::Nested(heads, _) => self.write_object(writer, heads, start)?,
                GridSource::Constant(value) => cell::read(writer, value, false)?,
                GridSource::Key => cell::read(writer, self.cells.first()?, true)?,
                GridSource::Cell { index, strings } => {
                    let mark = if *index == start { SharedMark::None } else { self.mark(*index) };
                    if let MarkedValue::Due(name) = writer.open_mark(mark)? {
                        cell::read(writer, self.cells.get(*index)?, *strings)?;
                        writer.close_mark(name);
                    }
                }
            }
        }
        writer.end()
    }

    fn is_present(self, source: &GridSource<'_>) -> bool {
        match source {
            GridSource::Nested(heads, _) => heads.iter().any(|head| self.is_present(&head.source)),
            GridSource::Constant(_) | GridSource::Key => true,
            GridSource::Cell { index, .. } => {
                self.cells.get(*index).is_some_and(|cell| !cell.is_empty())
                    || matches!(self.mark(*index), SharedMark::Repeat(_))
            }
        }
    }
}
