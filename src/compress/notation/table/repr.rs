//! Lists and dicts as Python prints them, on one line, as an outline: the same values as JSON, with the
//! quotes, `None`, `True` and `False` of Python.

use super::tree::{self, JsonTree};
use crate::compress::notation::NotationBlock;
use crate::json;
use crate::json::tape::{TapeKind, TapeNode};

/// The word of a header for such a text.
pub(super) const REPR_WORD: &str = "repr";
/// Bytes of a text that is worth a look.
const MIN_REPR_BYTES: usize = 100;
/// Nesting that is read.
const MAX_DEPTH: usize = 64;

/// The block of a line that is one list or dict.
pub(super) fn encode(line: &str) -> Option<NotationBlock> {
    let is_repr = line.len() >= MIN_REPR_BYTES
        && line.starts_with(['{', '['])
        && line.ends_with(['}', ']'])
        && line.contains('\'');
    if !is_repr {
        return None;
    }
    let mut reader = ReprReader { rest: line, tree: JsonTree::default() };
    reader.value(MAX_DEPTH)?;
    let ReprReader { rest, tree } = reader;
    if !rest.is_empty() {
        return None;
    }
    tree.block(line.len(), REPR_WORD.to_owned(), |_| true)
}

/// The text that a block represents.
pub(super) fn decode(body: &[&str], limit: usize) -> Option<String> {
    tree::decode(body, limit, |root| {
        let mut out = String::new();
        write(&mut out, root, limit).map(|()| out)
    })
}

struct ReprReader<'t> {
    rest: &'t str,
    tree: JsonTree,
}

impl ReprReader<'_> {
    fn value(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.rest.as_bytes().first()? {
            b'[' => self.list(depth),
            b'{' => self.dict(depth),
            b'\'' | b'"' => {
                let text = self.string()?;
                self.tree.text(&text);
                Some(())
            }
            _ => {
                let words = [("None", "null"), ("True", "true"), ("False", "false")];
                let word = words.iter().find(|(word, _)| self.rest.starts_with(word));
                if let Some((word, value)) = word {
                    self.rest = self.rest.strip_prefix(word)?;
                    self.tree.value(value);
                    return Some(());
                }
                let (number, rest) =
                    self.rest.split_at_checked(json::number(self.rest.as_bytes())?)?;
                self.rest = rest;
                self.tree.value(number);
                Some(())
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        self.open('[');
        if !self.closes(']') {
            loop {
                self.value(depth)?;
                if self.closes(']') {
                    break;
                }
                self.comma()?;
            }
        }
        Some(())
    }

    fn dict(&mut self, depth: usize) -> Option<()> {
        self.open('{');
        if !self.closes('}') {
            loop {
                let key = self.string()?;
                self.rest = self.rest.strip_prefix(": ")?;
                self.tree.text(&key);
                self.tree.mark(':');
                self.value(depth)?;
                if self.closes('}') {
                    break;
                }
                self.comma()?;
            }
        }
        Some(())
    }

    fn open(&mut self, bracket: char) {
        self.rest = self.rest.get(1..).unwrap_or_default();
        self.tree.mark(bracket);
    }

    fn closes(&mut self, bracket: char) -> bool {
        let Some(rest) = self.rest.strip_prefix(bracket) else { return false };
        self.rest = rest;
        self.tree.mark(bracket);
        true
    }

    fn comma(&mut self) -> Option<()> {
        self.rest = self.rest.strip_prefix(", ")?;
        self.tree.mark(',');
        Some(())
    }

    /// A string that [`write_string`] would write as it stands.
    fn string(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1);
        loop {
            match letters.next()? {
                (at, letter) if letter == quote => {
                    let (own, rest) = self.rest.split_at_checked(at + 1)?;
                    let mut again = String::with_capacity(own.len());
                    write_string(&mut again, &text);
                    self.rest = rest;
                    return (again == own).then_some(text);
                }
                (_, '\\') => text.push(match letters.next()?.1 {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    letter @ ('\\' | '\'') => letter,
                    _ => return None,
                }),
                (_, letter) if letter.is_control() => return None,
                (_, letter) => text.push(letter),
            }
        }
    }
}

fn write(out: &mut String, node: TapeNode<'_, '_>, limit: usize) -> Option<()> {
    match node.kind() {
        TapeKind::Array => {
            out.push('[');
            for (index, item) in node.items().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write(out, item, limit)?;
            }
            out.push(']');
        }
        TapeKind::Object => {
            out.push('{');
            for (index, (key, value)) in node.members().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_string(out, key.text()?);
                out.push_str(": ");
                write(out, value, limit)?;
            }
            out.push('}');
        }
        TapeKind::String => write_string(out, node.text()?),
        TapeKind::Number => out.push_str(node.raw()),
        TapeKind::Other => out.push_str(match node.raw() {
            "null" => "None",
            "true" => "True",
            _ => "False",
        }),
    }
    (out.len() <= limit).then_some(())
}

/// A string in single quotes, or in double ones if it has single ones only.
fn write_string(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            '\'' if quote == '\'' => out.push_str("\\'"),
            _ => out.push(letter),
        }
    }
    out.push(quote);
}
