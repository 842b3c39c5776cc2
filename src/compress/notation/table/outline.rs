//! A document as lines: one for each member, and tables where objects are alike.

use super::cell::{self, FENCE, Place};
use super::grid::{self, Grid};
use super::shape::Merge;
use super::style::Style;
use crate::json::{Node, Object, Value};

/// Bytes a row, on average, up to which objects make a table. Wider ones are hard to read, and
/// their values stand better on lines of their own.
const ROW_BYTES: usize = 1200;
/// Bytes of an object that makes a table by itself.
const LONE_ROW_BYTES: usize = 400;
/// Bytes of an array or object that stays on the line of its key.
const INLINE_BYTES: usize = 100;

/// The document as lines; `None` where it has nothing to say line by line.
pub(super) fn write(root: &Node<'_>, style: Style) -> Option<Vec<String>> {
    let mut outline = Outline { style, lines: Vec::new(), columns: String::new() };
    match &root.value {
        Value::Array(items) if !items.is_empty() => outline.array("", items, 0),
        Value::Object(members) if !members.is_empty() => {
            if !outline.keyed("", members) {
                outline.members(members, 0);
            }
        }
        _ => return None,
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
    fn members(&mut self, members: &Object<'_>, depth: usize) {
        for (key, value) in members {
            let mut head = " ".repeat(depth);
            cell::write_key(&mut head, key, self.style);
            self.value(&head, value, depth);
        }
    }

    /// The value after `head`, which stands `depth` deep.
    fn value(&mut self, head: &str, node: &Node<'_>, depth: usize) {
        match &node.value {
            Value::String(text) if cell::is_text(node, self.style) => {
                self.lines.push(format!("{head}: {FENCE}"));
                self.lines.extend(text.split('\n').map(str::to_owned));
                self.lines.push(FENCE.to_owned());
            }
            Value::Array(items) if !items.is_empty() && !is_short(node) => {
                self.array(head, items, depth);
            }
            Value::Object(members) if !members.is_empty() && !is_short(node) => {
                if !self.keyed(head, members) {
                    self.lines.push(format!("{head}:"));
                    self.members(members, depth + 1);
                }
            }
            Value::Number(number) => self.lines.push(format!("{head}:{number}")),
            _ => {
                let mut line = format!("{head}: ");
                cell::write(&mut line, node, Place::Line, self.style, false);
                self.lines.push(line);
            }
        }
    }

    fn array(&mut self, head: &str, items: &[Node<'_>], depth: usize) {
        let count = items.len();
        if let Some(grid) = table(items.iter(), None, self.style) {
            self.grid(&format!("{head}[{count}]"), grid);
            return;
        }
        self.lines.push(format!("{head}[{count}]"));
        for item in items {
            let long = match &item.value {
                Value::Array(items) => !items.is_empty() && !is_short(item),
                Value::Object(members) => !members.is_empty() && !is_short(item),
                _ => cell::is_text(item, self.style),
            };
            if long {
                self.value("-", item, depth);
            } else {
                let mut line = String::new();
                cell::write(&mut line, item, Place::Line, self.style, false);
                self.lines.push(line);
            }
        }
    }

    /// An object whose values are alike, as a table that has its keys in front.
    fn keyed(&mut self, head: &str, members: &Object<'_>) -> bool {
        if members.len() < 2 {
            return false;
        }
        let keys: Vec<&str> = members.iter().map(|(key, _)| key.as_ref()).collect();
        let values = members.iter().map(|(_, value)| value);
        let Some(grid) = table(values, Some(&keys), self.style) else { return false };
        self.grid(&format!("{head}{{{}}}", keys.len()), grid);
        true
    }

    fn grid(&mut self, head: &str, grid: Grid) {
        if grid.columns == self.columns {
            self.lines.push(format!("{head}{{}}"));
        } else {
            self.lines.push(format!("{head}{}", grid.columns));
            self.columns = grid.columns;
        }
        self.lines.extend(grid.rows);
    }
}

/// The table that these values make, if they are objects that are alike and not too wide.
fn table<'n, 'a: 'n>(
    values: impl Iterator<Item = &'n Node<'a>> + Clone,
    keys: Option<&[&str]>,
    style: Style,
) -> Option<Grid> {
    let (mut count, mut bytes) = (0, 0);
    for value in values.clone() {
        let members = value.as_object().filter(|members| !members.is_empty())?;
        // A long string is better read as its lines.
        if members.iter().any(|(_, value)| cell::is_text(value, style)) {
            return None;
        }
        count += 1;
        bytes += value.raw.len();
    }
    let widest = if count == 1 { LONE_ROW_BYTES } else { ROW_BYTES };
    if count == 0 || bytes > widest * count {
        return None;
    }
    let mut merge = Merge::default();
    for members in values.filter_map(|value| value.as_object()) {
        if !merge.add(members) {
            return None;
        }
    }
    let columns = merge.finish()?;
    Some(grid::write(&columns, keys, count, style))
}

/// Whether a value stays on the line of its key: single values, and few.
fn is_short(node: &Node<'_>) -> bool {
    let single = |node: &Node<'_>| !matches!(node.value, Value::Array(_) | Value::Object(_));
    node.raw.len() <= INLINE_BYTES
        && match &node.value {
            Value::Array(items) => items.iter().all(single),
            Value::Object(members) => members.iter().all(|(_, value)| single(value)),
            _ => true,
        }
}
