//! XML as an outline with tables: `§xml`.
//!
//! A block is one element with all that it holds. `name: text` is an element that holds text,
//! `name:` one that holds elements or has attributes, `name[n]` so many elements of that name one
//! after the other, `{}` an empty one. `@name` is an attribute, `#` the text next to attributes.
//! The words of the header say how it was laid out: `indent 2` (an element a line), `spaced` (a
//! blank before each `/>`), `dots` (attributes with dots in their names are written as trees).

mod reader;
mod writer;

use std::fmt::Write as _;

use super::super::{FoundBlock, Notation, NotationBlock, NotationKind};
use super::{MIN_DOCUMENT_BYTES, tree};
use crate::domain::ValueClass;

/// Spaces that a level is indented by.
const MAX_INDENT_SPACES: usize = 8;
/// The sign before the name of an attribute, and the key of a text.
const ATTRIBUTE_SIGN: &str = "@";
const TEXT_KEY: &str = "#";

/// The notation of this module.
pub(crate) struct XmlNotation;

impl Notation for XmlNotation {
    fn name(&self) -> &'static str {
        "xml"
    }

    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock> {
        if values < NotationKind::Xml.values() {
            return Vec::new();
        }
        // Lines before the root stay: a declaration, comments.
        let is_root = |line: &&str| {
            line.strip_prefix('<').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic()))
        };
        let Some(first) = lines.iter().position(is_root) else { return Vec::new() };
        let end =
            lines.len() - lines.iter().rev().take_while(|line| line.trim_end().is_empty()).count();
        let found = lines.get(first..end).and_then(block);
        found.map(|block| FoundBlock { lines: first..end, block }).into_iter().collect()
    }

    fn kind(&self, _: &str, _: &[&str]) -> NotationKind {
        NotationKind::Xml
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        tree::with_returns(args, limit, |args| {
            let form = XmlLayout::parse(args)?;
            tree::decode(body, limit, |root| writer::document(root, form, limit))
        })
    }
}

fn block(lines: &[&str]) -> Option<NotationBlock> {
    let (lines, returns) = tree::without_returns(lines)?;
    let source = lines.join("\n");
    if source.len() < MIN_DOCUMENT_BYTES || !source.ends_with('>') {
        return None;
    }
    [true, false].into_iter().find_map(|dots| {
        let (tree, form) = reader::document(&source, dots)?;
        let args = tree::words(form.words(), returns);
        // A document that would be written in another way is not read.
        tree.block(source.len(), args, |_| true)
    })
}

/// Layout of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct XmlLayout {
    /// Spaces a level, each element on a line; 0 if nothing is between elements.
    indent: usize,
    spaced: bool,
    dots: bool,
}

impl XmlLayout {
    fn words(self) -> String {
        let mut words = String::new();
        if self.indent > 0 {
            let _ = write!(words, "indent {} ", self.indent);
        }
        for (word, holds) in [("spaced ", self.spaced), ("dots ", self.dots)] {
            words.push_str(if holds { word } else { "" });
        }
        words.truncate(words.trim_end().len());
        words
    }

    fn parse(words: &str) -> Option<Self> {
        let mut form = Self::default();
        let mut words = words.split_ascii_whitespace().peekable();
        if words.next_if_eq(&"indent").is_some() {
            let indent = words.next()?.parse().ok()?;
            form.indent = Some(indent).filter(|indent| (1..=MAX_INDENT_SPACES).contains(indent))?;
        }
        form.spaced = words.next_if_eq(&"spaced").is_some();
        form.dots = words.next_if_eq(&"dots").is_some();
        words.next().is_none().then_some(form)
    }
}

#[cfg(test)]
mod tests;
