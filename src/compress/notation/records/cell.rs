//! Single values of a row: where one ends, and how it is shown.

use crate::compress::text::yaml_quote_end;

/// Syntax of the values of a form in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellSyntax {
    /// As they are in YAML: what opens a quote or a bracket ends where that closes.
    Yaml,
    /// Between tags or in quotes: bare, or in double quotes.
    Xml,
}

/// Separators of the cells of a row: a comma, or a bar if values hold commas.
pub(super) const SEPARATORS: [char; 2] = [',', '|'];
/// A value that is that of the cell before.
pub(super) const SAME_CELL: &str = "=";
/// Bytes from which on a value may be written as the cell before.
const MIN_SAME_BYTES: usize = 4;
/// Bytes that end a value in a list of columns.
const LIST_ENDS: &[u8] = b",|}";
/// Bytes that end an item of a list that was on lines of its own.
const ITEM_ENDS: &[u8] = b",]";

impl CellSyntax {
    /// Appends a value to a row. `None`, and nothing is of use, if it would not be read back.
    pub(super) fn write(self, row: &mut String, value: &str, separator: char) -> Option<()> {
        self.write_before(row, value, &[u8::try_from(separator).ok()?])
    }

    /// Appends a value to a row, after a cell that has the value `before`.
    pub(super) fn write_after(
        self,
        row: &mut String,
        before: Option<&str>,
        value: &str,
        separator: char,
    ) -> Option<()> {
        if value.len() >= MIN_SAME_BYTES && before == Some(value) {
            row.push_str(SAME_CELL);
            return Some(());
        }
        self.write(row, value, separator)
    }

    /// Appends a value that has a line to itself.
    pub(super) fn write_line(self, row: &mut String, value: &str) -> Option<()> {
        match self {
            Self::Yaml => row.push_str(value),
            Self::Xml => self.write_before(row, value, b"")?,
        }
        (!row.is_empty()).then_some(())
    }

    /// Appends a value to a list of columns.
    pub(super) fn write_constant(self, list: &mut String, value: &str) -> Option<()> {
        self.write_before(list, value, LIST_ENDS)
    }

    fn write_before(self, out: &mut String, value: &str, ends: &[u8]) -> Option<()> {
        let is_bare =
            !value.is_empty() && value != SAME_CELL && self.end(value, ends) == Some(value.len());
        match self {
            Self::Yaml if is_bare => out.push_str(value),
            Self::Xml if is_bare && !value.starts_with('"') => out.push_str(value),
            Self::Xml if !value.contains('"') => {
                out.push('"');
                out.push_str(value);
                out.push('"');
            }
            _ => return None,
        }
        Some(())
    }

    /// The cell at the head of a text and what follows it.
    pub(super) fn split(self, text: &str, separator: char) -> Option<(&str, &str)> {
        text.split_at_checked(self.end(text, &[u8::try_from(separator).ok()?])?)
    }

    /// The value at the head of what follows a `=` in a list of columns.
    pub(super) fn split_constant(self, text: &str) -> Option<(&str, &str)> {
        text.split_at_checked(self.end(text, LIST_ENDS)?)
    }

    /// The item at the head of a list that was on lines of its own, without its bracket.
    pub(super) fn split_item(self, text: &str) -> Option<(&str, &str)> {
        text.split_at_checked(self.end(text, ITEM_ENDS)?)
    }

    /// The value that a cell shows.
    pub(super) fn read(self, cell: &str) -> Option<&str> {
        match self {
            Self::Xml if cell.starts_with('"') => {
                cell.strip_prefix('"')?.strip_suffix('"').filter(|inner| !inner.contains('"'))
            }
            _ => Some(cell),
        }
    }

    fn end(self, text: &str, ends: &[u8]) -> Option<usize> {
        let bytes = text.as_bytes();
        let closed = match (self, bytes.first()) {
            (Self::Xml, Some(b'"')) => memchr::memchr(b'"', bytes.get(1..)?)? + 2,
            (Self::Yaml, Some(b'"' | b'\'')) => yaml_quote_end(bytes)?,
            (Self::Yaml, Some(b'[' | b'{')) => flow_end(bytes)?,
            // A list that was on lines of its own.
            (Self::Yaml, Some(b'-')) if bytes.get(1) == Some(&b'[') => {
                flow_end(bytes.get(1..)?)? + 1
            }
            _ => 0,
        };
        let rest = bytes.get(closed..)?;
        let more = rest.iter().position(|byte| ends.contains(byte)).unwrap_or(rest.len());
        Some(closed + more)
    }
}

/// The byte after the list or map at the head of a text.
pub(super) fn flow_end(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    // A quote opens a text only where a value may begin.
    let mut is_fresh = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' | b'\'' if is_fresh => {
                at += yaml_quote_end(bytes.get(at..)?)?;
                is_fresh = false;
                continue;
            }
            b'[' | b'{' => {
                depth += 1;
                is_fresh = true;
            }
            b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
                is_fresh = false;
            }
            b',' | b':' => is_fresh = true,
            b' ' => {}
            _ => is_fresh = false,
        }
        at += 1;
    }
    None
}
