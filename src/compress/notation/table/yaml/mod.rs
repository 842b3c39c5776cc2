//! YAML as an outline with tables: `§yaml`.
//!
//! A block is one document, or a part of one that begins at the margin: maps and sequences, a value
//! a line, each in its own spelling. The words of the header say how it was laid out: how far maps
//! are indented (`indent 2`), whether sequences are indented under their key (`dashes in`), whether
//! values follow one rule of quotes (`quoted`), and from which depth on all is written in flow
//! style (`flow 1`), with blanks inside braces (`padded`), and how an empty map is written there
//! (`empty "{  }"`).

mod quote;
mod reader;
mod writer;

use std::fmt::Write as _;
use std::ops::Range;

use super::super::{FoundBlock, Notation, NotationBlock, NotationKind, quote, unquote};
use super::{MIN_DOCUMENT_BYTES, tree};
use crate::domain::ValueClass;

/// Spaces that a level is indented by.
const MAX_INDENT_SPACES: usize = 8;

/// The notation of this module.
pub(crate) struct YamlNotation;

impl Notation for YamlNotation {
    fn name(&self) -> &'static str {
        "yaml"
    }

    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock> {
        if values < NotationKind::Yaml.values() {
            return Vec::new();
        }
        let parts = parts(lines);
        let found = parts.into_iter().filter_map(|range| {
            let block = block(lines.get(range.clone())?)?;
            Some(FoundBlock { lines: range, block })
        });
        found.collect()
    }

    fn kind(&self, _: &str, _: &[&str]) -> NotationKind {
        NotationKind::Yaml
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        tree::with_returns(args, limit, |args| {
            let form = YamlLayout::parse(args)?;
            tree::decode(body, limit, |root| writer::document(root, &form, limit))
        })
    }
}

/// Runs of lines between those that are blank, comments or marks of documents at the margin.
fn parts(lines: &[&str]) -> Vec<Range<usize>> {
    let is_between = |line: &str| {
        line.trim_end().is_empty()
            || line.starts_with(['#', '%'])
            || line.starts_with("---")
            || line.starts_with("...")
    };
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| !is_between(line)) {
        match parts.last_mut() {
            Some(part) if part.end == at => part.end += 1,
            _ => parts.push(at..at + 1),
        }
    }
    parts
}

fn block(lines: &[&str]) -> Option<NotationBlock> {
    let (lines, returns) = tree::without_returns(lines)?;
    let source = lines.join("\n");
    if source.len() < MIN_DOCUMENT_BYTES {
        return None;
    }
    // Flow style is taken apart if all of it is equally deep, and kept as it is elsewhere.
    [true, false].into_iter().find_map(|flow| {
        let (tree, form) = reader::document(&lines, flow)?;
        let args = tree::words(form.words(), returns);
        tree.block(source.len(), args, |root| {
            writer::document(root, &form, source.len()).as_ref() == Some(&source)
        })
    })
}

/// Layout of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct YamlLayout {
    /// Spaces by which a map is indented from its key; 0 if none is.
    indent: usize,
    /// Whether a sequence is indented from its key, too.
    dashes_in: bool,
    flow: Option<FlowStyle>,
    /// Whether values follow the rule of quotes.
    quoted: bool,
}

/// Spelling of flow style.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FlowStyle {
    /// From which depth on.
    depth: usize,
    /// Whether braces have blanks inside.
    padded: bool,
    /// An empty map.
    empty: String,
}

impl YamlLayout {
    fn words(&self) -> String {
        let mut words = String::new();
        if self.indent > 0 {
            let _ = write!(words, "indent {} ", self.indent);
        }
        if self.dashes_in {
            words.push_str("dashes in ");
        }
        if self.quoted {
            words.push_str("quoted ");
        }
        if let Some(flow) = &self.flow {
            let _ = write!(words, "flow {} ", flow.depth);
            if flow.padded {
                words.push_str("padded ");
            }
            if flow.empty != "{}" {
                let _ = write!(words, "empty {} ", quote(&flow.empty));
            }
        }
        words.truncate(words.trim_end().len());
        words
    }

    fn parse(words: &str) -> Option<Self> {
        let mut form = Self::default();
        let mut rest = words;
        let number = |rest: &mut &str, name: &str| {
            let Some(after) = rest.strip_prefix(name) else { return Some(None) };
            let (number, after) = after.split_once(' ').unwrap_or((after, ""));
            *rest = after;
            number.parse::<usize>().ok().map(Some)
        };
        if let Some(indent) = number(&mut rest, "indent ")? {
            form.indent = Some(indent).filter(|indent| (1..=MAX_INDENT_SPACES).contains(indent))?;
        }
        if let Some(after) = rest.strip_prefix("dashes in") {
            form.dashes_in = true;
            rest = after.trim_start();
        }
        if let Some(after) = rest.strip_prefix("quoted") {
            form.quoted = true;
            rest = after.trim_start();
        }
        if let Some(depth) = number(&mut rest, "flow ")? {
            let mut flow = FlowStyle { depth, padded: false, empty: "{}".to_owned() };
            if let Some(after) = rest.strip_prefix("padded") {
                flow.padded = true;
                rest = after.trim_start();
            }
            if let Some(empty) = rest.strip_prefix("empty ") {
                flow.empty = unquote(empty)?;
                let inner = flow.empty.strip_prefix('{')?.strip_suffix('}')?;
                inner.bytes().all(|byte| byte == b' ').then_some(())?;
                rest = "";
            }
            form.flow = Some(flow);
        }
        rest.is_empty().then_some(form)
    }
}

#[cfg(test)]
mod tests;
