//! A document as lines: one for each member, and tables if objects are alike.

use std::fmt::Write as _;

use super::cell::{self, CellPlace, FENCE};
use super::grid::{self, TableGrid};
use super::row_merge::RowMerge;
use super::style::JsonStyle;
use crate::compress::notation::BlockBody;
use crate::json::tape::{TapeKind, TapeNode};

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

/// The document as lines; `None` if it has no members or items to write line by line.
pub(super) fn write(root: TapeNode<'_, '_>, style: JsonStyle) -> Option<BlockBody> {
    if !root.is_full() {
        return None;
    }
    let lines = BlockBody::with_capacity(root.raw().len());
    let mut outline = Outline { style, lines, columns: String::new(), is_wide: false };
    if root.kind() == TapeKind::Array {
        outline.lines.line();
        outline.array(root, 0);
    } else if let Some(grid) = outline.keyed(root) {
        let _ = write!(outline.lines.line(), "{{{}}}", root.len());
        outline.grid(grid);
    } else {
        outline.members(root, 0);
    }
    Some(if outline.is_wide { outline.lines } else { outline.lines.of_any_layout() })
}

struct Outline {
    style: JsonStyle,
    lines: BlockBody,
    /// The columns of the table before.
    columns: String,
    /// Whether a value was too long for its place and might not be without white space in it.
    is_wide: bool,
}

impl Outline {
    fn members(&mut self, object: TapeNode<'_, '_>, depth: usize) {
        for (key, value) in object.members() {
            let head = self.lines.line();
            head.push_str(MARGIN.get(..depth).unwrap_or(MARGIN));
            cell::write_key(head, key, self.style);
            self.value(value, depth);
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
            let line = self.lines.line();
            if long {
                line.push('-');
                self.value(item, depth);
            } else {
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
        for value in values {
            if !merge.add(value) {
                return None;
            }
        }
        if !merge.is_shared() {
            return None;
        }
        let columns = merge.finish()?;
        let keys: Option<Vec<_>> =
            keyed.map(|object| object.members().map(|(key, _)| key).collect());
        Some(grid::write(&columns, keys.as_deref(), count, style))
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
