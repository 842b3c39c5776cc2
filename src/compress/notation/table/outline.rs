//! A document as lines: one for each member, and tables where objects are alike.

use std::fmt::Write as _;

use super::cell::{self, FENCE, Place};
use super::grid::{self, Grid};
use super::shape::Merge;
use super::style::Style;
use crate::json::tape::{Kind, Node};

/// Bytes a row, on average, up to which objects make a table. Wider ones are hard to read, and
/// their values stand better on lines of their own.
const ROW_BYTES: usize = 1200;
/// Bytes of an object that makes a table by itself.
const LONE_ROW_BYTES: usize = 400;
/// Bytes of an array or object that stays on the line of its key.
const INLINE_BYTES: usize = 100;

/// The document as lines; `None` where it has nothing to say line by line.
pub(super) fn write(root: Node<'_, '_>, style: Style) -> Option<Vec<String>> {
    if !root.is_full() {
        return None;
    }
    let mut outline = Outline { style, lines: Vec::new(), columns: String::new() };
    if root.kind() == Kind::Array {
        outline.array(String::new(), root, 0);
    } else if let Some(grid) = keyed(root, style) {
        outline.grid(format!("{{{}}}", root.len()), grid);
    } else {
        outline.members(root, 0);
    }
    Some(outline.lines)
}

struct Outline {
    style: Style,
    lines: Vec<String>,
    /// The columns of the table before.
    columns: String,
}

impl Outline {
    fn members(&mut self, object: Node<'_, '_>, depth: usize) {
        for (key, value) in object.members() {
            let short = if value.is_full() { 0 } else { value.raw().len() };
            let mut head = String::with_capacity(depth + key.raw().len() + short + 2);
            head.extend(std::iter::repeat_n(' ', depth));
            cell::write_key(&mut head, key.text().unwrap_or_default(), self.style);
            self.value(head, value, depth);
        }
    }

    /// The value after `head`, which stands `depth` deep.
    fn value(&mut self, mut head: String, node: Node<'_, '_>, depth: usize) {
        if node.is_full() && !is_short(node) {
            if node.kind() == Kind::Array {
                self.array(head, node, depth);
            } else if let Some(grid) = keyed(node, self.style) {
                let _ = write!(head, "{{{}}}", node.len());
                self.grid(head, grid);
            } else {
                head.push(':');
                self.lines.push(head);
                self.members(node, depth + 1);
            }
            return;
        }
        head.push(':');
        if node.kind() == Kind::Number {
            head.push_str(node.raw());
        } else if cell::is_text(node, self.style) {
            head.push(' ');
            head.push_str(FENCE);
            self.lines.push(head);
            self.lines.extend(node.text().unwrap_or_default().split('\n').map(str::to_owned));
            head = String::from(FENCE);
        } else {
            head.push(' ');
            cell::write(&mut head, node, Place::Line, self.style, false);
        }
        self.lines.push(head);
    }

    fn array(&mut self, mut head: String, array: Node<'_, '_>, depth: usize) {
        let _ = write!(head, "[{}]", array.len());
        if let Some(grid) = table(array.items(), None, self.style) {
            self.grid(head, grid);
            return;
        }
        self.lines.push(head);
        for item in array.items() {
            let long = match item.kind() {
                Kind::Array | Kind::Object => item.is_full() && !is_short(item),
                _ => cell::is_text(item, self.style),
            };
            if long {
                self.value("-".to_owned(), item, depth);
            } else {
                let mut line = String::with_capacity(item.raw().len());
                cell::write(&mut line, item, Place::Line, self.style, false);
                self.lines.push(line);
            }
        }
    }

    fn grid(&mut self, mut head: String, grid: Grid) {
        if grid.columns == self.columns {
            head.push_str("{}");
        } else {
            head.push_str(&grid.columns);
            self.columns = grid.columns;
        }
        self.lines.push(head);
        self.lines.extend(grid.rows);
    }
}

/// An object whose values are alike, as a table that has its keys in front.
fn keyed(object: Node<'_, '_>, style: Style) -> Option<Grid> {
    if object.len() < 2 {
        return None;
    }
    table(object.members().map(|(_, value)| value), Some(object), style)
}

/// The table that these values make, if they are objects that are alike and not too wide; `keyed`
/// is the object that they are the values of, if they are.
fn table<'n, 'a: 'n>(
    values: impl Iterator<Item = Node<'n, 'a>> + Clone,
    keyed: Option<Node<'n, 'a>>,
    style: Style,
) -> Option<Grid> {
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
    let widest = if count == 1 { LONE_ROW_BYTES } else { ROW_BYTES };
    if count == 0 || bytes > widest * count {
        return None;
    }
    let mut merge = Merge::default();
    for value in values {
        if !merge.add(value) {
            return None;
        }
    }
    let columns = merge.finish()?;
    let keys: Option<Vec<_>> = keyed.map(|object| object.members().map(|(key, _)| key).collect());
    Some(grid::write(&columns, keys.as_deref(), count, style))
}

/// Whether a value stays on the line of its key: single values, and few.
fn is_short(node: Node<'_, '_>) -> bool {
    let single = |node: Node<'_, '_>| !matches!(node.kind(), Kind::Array | Kind::Object);
    node.raw().len() <= INLINE_BYTES
        && match node.kind() {
            Kind::Array => node.items().all(single),
            Kind::Object => node.members().all(|(_, value)| single(value)),
            _ => true,
        }
}
