//! A document as lines: one for each member, and tables if objects are alike.

use std::fmt::Write as _;

use super::cell::{self, CellPlace, FENCE};
use super::grid::{self, TableGrid, TableRows};
use super::row_merge::RowMerge;
use super::shared::{SharedMark, SharedValues};
use super::style::JsonStyle;
use crate::compress::notation::BlockBody;
use crate::json::tape::{Tape, TapeKind, TapeNode};

/// Bytes a row, on average, up to which objects make a table. Wider ones are hard to read, and
/// their values read better on lines of their own.
const MAX_ROW_BYTES: usize = 1200;
/// The same if the columns are named for many rows.
const MAX_WIDE_ROW_BYTES: usize = 4096;
const MIN_WIDE_ROWS: usize = 16;
/// Bytes of an object that makes a table by itself.
const MAX_LONE_ROW_BYTES: usize = 400;
/// A space for each level of the deepest document.
const MARGIN: &str = "                                                                ";
/// Bytes of an array or object that stays on the line of its key.
const MAX_INLINE_BYTES: usize = 100;

/// Bytes of a string that is written out as the JSON that it holds.
const MIN_INNER_BYTES: usize = 60;
/// The same in a row: it takes its object out of the table.
const MIN_INNER_ROW_BYTES: usize = 200;
/// Rows of a table that is not made for them.
const MAX_INNER_ROWS: usize = 3;
/// Strings inside each other that are.
pub(super) const MAX_INNER_DEPTH: usize = 4;

/// The document as lines; `None` if it has no members or items to write line by line.
pub(super) fn write(root: TapeNode<'_, '_>, style: JsonStyle) -> Option<BlockBody> {
    Outline::new(style, None).write(root)
}

/// The tree of another format as lines: its strings are shown as they are.
pub(super) fn write_tree(root: TapeNode<'_, '_>) -> Option<BlockBody> {
    let inner_depth = MAX_INNER_DEPTH;
    Outline { inner_depth, ..Outline::new(JsonStyle::PLAIN, None) }.write(root)
}

/// The same as [`write`] with names for values that are there more than once; `None`, too, if there are none.
pub(super) fn write_shared(root: TapeNode<'_, '_>, style: JsonStyle) -> Option<BlockBody> {
    let style = JsonStyle { shared: true, ..style };
    let mut shared = SharedValues::find(root)?;
    Outline::new(style, Some(&mut shared)).write(root)?;
    if !shared.end_trial() {
        return None;
    }
    Outline::new(style, Some(&mut shared)).write(root)
}

struct Outline<'s> {
    style: JsonStyle,
    lines: BlockBody,
    /// The columns of the table before.
    columns: String,
    /// Whether a value was too long for its place and might not be without white space in it.
    is_wide: bool,
    shared: Option<&'s mut SharedValues>,
    /// Strings that the document is in, each inside the one before.
    inner_depth: usize,
}

impl<'s> Outline<'s> {
    fn new(style: JsonStyle, shared: Option<&'s mut SharedValues>) -> Self {
        let (lines, columns) = (BlockBody::default(), String::new());
        Self { style, lines, columns, is_wide: false, shared, inner_depth: 0 }
    }

    fn write(mut self, root: TapeNode<'_, '_>) -> Option<BlockBody> {
        if !root.is_full() {
            return None;
        }
        self.lines = BlockBody::with_capacity(root.raw().len());
        if root.kind() == TapeKind::Array {
            self.lines.line();
            self.array(root, 0);
        } else if let Some(grid) = self.keyed(root) {
            let _ = write!(self.lines.line(), "{{{}}}", root.len());
            self.grid(grid);
        } else {
            self.members(root, 0);
        }
        Some(if self.is_wide { self.lines } else { self.lines.of_any_layout() })
    }

    fn mark(&mut self, node: TapeNode<'_, '_>) -> SharedMark {
        match self.shared.as_deref_mut().filter(|_| node.is_full()) {
            Some(shared) => shared.mark(node),
            None => SharedMark::None,
        }
    }

    fn members(&mut self, object: TapeNode<'_, '_>, depth: usize) {
        for (key, value) in object.members() {
            let head = self.lines.line();
            head.push_str(MARGIN.get(..depth).unwrap_or(MARGIN));
            cell::write_key(head, key, self.style);
            if self.inner_document(value, MIN_INNER_BYTES, depth, true) {
                continue;
            }
            let mark = self.mark(value);
            self.marked_value(value, mark, depth);
        }
    }

    /// The value of the line that was begun, with its mark.
    fn marked_value(&mut self, node: TapeNode<'_, '_>, mark: SharedMark, depth: usize) {
        let head = self.lines.open();
        match mark {
            SharedMark::None => self.value(node, depth),
            SharedMark::Name(_) => {
                head.push(' ');
                mark.write_name(head);
                self.value(node, depth);
            }
            SharedMark::Repeat(_) => {
                head.push_str(": ");
                mark.write_repeat(head);
            }
        }
    }

    /// The value of the line that was begun, which is `depth` deep.
    fn value(&mut self, node: TapeNode<'_, '_>, depth: usize) {
        if node.is_full() && !is_short(node) {
            if node.kind() == TapeKind::Array {
                self.array(node, depth);
            } else if let Some(grid) = self.keyed(node) {
                let _ = write!(self.lines.open(), "{{{}}}", node.len());
                self.grid(grid);
            } else {
                self.lines.open().push(':');
                self.members(node, depth + 1);
            }
            return;
        }
        let head = self.lines.open();
        head.push(':');
        if node.kind() == TapeKind::Number {
            head.push_str(node.raw());
        } else if cell::is_text(node, self.style) {
            head.push(' ');
            head.push_str(FENCE);
            for line in node.text().unwrap_or_default().split('\n') {
                self.lines.push(line);
            }
            self.lines.push(FENCE);
        } else {
            head.push(' ');
            cell::write(head, node, CellPlace::Line, self.style, false);
        }
    }

    fn array(&mut self, array: TapeNode<'_, '_>, depth: usize) {
        let _ = write!(self.lines.open(), "[{}]", array.len());
        if let Some(grid) = self.table(array.items(), None) {
            self.grid(grid);
            return;
        }
        for item in array.items() {
            let long = match item.kind() {
                TapeKind::Array | TapeKind::Object => item.is_full() && !is_short(item),
                _ => cell::is_text(item, self.style),
            };
            let mark = self.mark(item);
            let line = self.lines.line();
            if mark.write_repeat(line) {
                continue;
            }
            if long {
                line.push('-');
                self.marked_value(item, mark, depth);
            } else {
                if mark.write_name(line) {
                    line.push(' ');
                }
                cell::write(line, item, CellPlace::Line, self.style, false);
            }
        }
    }

    fn grid(&mut self, grid: TableGrid) {
        let head = self.lines.open();
        if grid.columns == self.columns {
            head.push_str("{}");
        } else {
            head.push_str(&grid.columns);
            self.columns = grid.columns;
        }
        self.lines.append(&grid.rows);
    }

    /// An object whose values are alike, as a table that has its keys in front.
    fn keyed(&mut self, object: TapeNode<'_, '_>) -> Option<TableGrid> {
        if object.len() < 2 {
            return None;
        }
        self.table(object.members().map(|(_, value)| value), Some(object))
    }

    /// The table that these values make, if they are objects that are alike and not too wide;
    /// `keyed` is the object that they are the values of, if they are.
    fn table<'n, 'a: 'n>(
        &mut self,
        values: impl Iterator<Item = TapeNode<'n, 'a>> + Clone,
        keyed: Option<TapeNode<'n, 'a>>,
    ) -> Option<TableGrid> {
        let style = self.style;
        let (mut count, mut bytes) = (0, 0);
        for value in values.clone() {
            // A long string is better read as its lines.
            if !value.is_full_object()
                || value.members().any(|(_, member)| cell::is_text(member, style))
            {
                return None;
            }
            count += 1;
            bytes += value.raw().len();
        }
        let mut inner = values.clone().flat_map(TapeNode::members);
        if count <= MAX_INNER_ROWS
            && inner.any(|(_, member)| self.inner_document(member, MIN_INNER_ROW_BYTES, 0, false))
        {
            return None;
        }
        let widest = match count {
            1 => MAX_LONE_ROW_BYTES,
            MIN_WIDE_ROWS.. => MAX_WIDE_ROW_BYTES,
            _ => MAX_ROW_BYTES,
        };
        self.is_wide |= bytes > widest * count;
        if count == 0 || bytes > widest * count {
            return None;
        }
        let mut merge = RowMerge::default();
        let mut objects = Vec::new();
        for value in values {
            if !merge.add(value) {
                return None;
            }
            objects.extend(self.shared.is_some().then_some(Some(value)));
        }
        if !merge.is_shared() {
            return None;
        }
        let columns = merge.finish()?;
        let keys: Option<Vec<_>> =
            keyed.map(|object| object.members().map(|(key, _)| key).collect());
        let (columns, keys, objects) = (&columns[..], keys.as_deref(), &objects[..]);
        let rows = TableRows { columns, keys, objects, count };
        Some(grid::write(&rows, style, self.shared.as_deref_mut()))
    }

    /// Writes a string as the JSON that it holds, on the line that was begun; `false`, and nothing is written,
    /// if it holds none. It is only asked for without `writes`.
    fn inner_document(
        &mut self,
        node: TapeNode<'_, '_>,
        least: usize,
        depth: usize,
        writes: bool,
    ) -> bool {
        if self.inner_depth >= MAX_INNER_DEPTH || !node.is_escaped() || node.raw().len() < least {
            return false;
        }
        let text = node.text().filter(|text| text.starts_with(['{', '[']));
        let Some(text) = text.filter(|_| cell::is_canonical(node, self.style)) else {
            return false;
        };
        let mut tape = Tape::default();
        let Some((root, style)) = super::one(text, &mut tape) else { return false };
        let Some(root) = tape.node(root).filter(|root| root.is_full()) else { return false };
        if !writes {
            return true;
        }
        let lines = std::mem::take(&mut self.lines);
        let inner_depth = self.inner_depth + 1;
        let mut inner = Outline { lines, inner_depth, ..Outline::new(style, None) };
        let head = inner.lines.open();
        head.push_str("\"json");
        let words = style.words();
        if !words.is_empty() {
            head.push(' ');
            head.push_str(&words);
        }
        head.push('"');
        inner.value(root, depth);
        self.lines = inner.lines;
        self.columns.clear();
        true
    }
}

/// Whether a value stays on the line of its key: single values, and few.
fn is_short(node: TapeNode<'_, '_>) -> bool {
    let single =
        |node: TapeNode<'_, '_>| !matches!(node.kind(), TapeKind::Array | TapeKind::Object);
    let of_singles = match node.kind() {
        TapeKind::Array => node.items().all(single),
        TapeKind::Object => node.members().all(|(_, value)| single(value)),
        _ => true,
    };
    // However wide the document was laid out.
    of_singles && (node.raw().len() <= MAX_INLINE_BYTES || bare(node) <= MAX_INLINE_BYTES)
}

/// Bytes of a value of single values without white space between its tokens.
fn bare(node: TapeNode<'_, '_>) -> usize {
    let length = |node: TapeNode<'_, '_>| node.raw().len() + 1;
    let inner: usize = match node.kind() {
        TapeKind::Array => node.items().map(length).sum(),
        TapeKind::Object => node.members().map(|(key, value)| length(key) + length(value)).sum(),
        _ => return node.raw().len(),
    };
    inner + 1
}
