//! A structured text under a budget: JSON, XML, HTML, YAML or a table that lost members, items,
//! elements or rows and is still of its format.
//!
//! What is left out is counted in its place in a way that the format has for it: a string, a
//! member, a comment, a row. The order in which parts are shown depends on the text alone, so more
//! room shows all that less room does.

mod csv;
mod json;
mod markup;
mod order;
mod tree;
mod writer;
mod yaml;

use std::cell::OnceCell;

use super::segment::{Kind, Span};
use order::NodeOrder;
use tree::DocumentTree;

/// Bytes of the smallest and the largest part that is shown as a whole, and the share of a text
/// that such a part may be.
const MIN_UNIT_BYTES: usize = 120;
const MAX_UNIT_BYTES: usize = 400;
const UNIT_SHARE: usize = 14;

/// A text of one structured format.
#[derive(Debug)]
pub(super) struct StructuredText {
    tree: DocumentTree,
    order: OnceCell<NodeOrder>,
}

impl StructuredText {
    /// None if the text as a whole is of no such format, or could not be told from one that lost
    /// parts.
    pub(super) fn read(text: &str, spans: &[Span]) -> Option<Self> {
        let is_all = |own: fn(Kind) -> bool| spans.iter().all(|span| own(span.kind));
        let first = spans.first()?.kind;
        let unit = (text.len() / UNIT_SHARE).clamp(MIN_UNIT_BYTES, MAX_UNIT_BYTES);
        let tree = if is_all(|kind| matches!(kind, Kind::Json | Kind::JsonLines)) {
            json::read(text)
        } else if is_all(|kind| matches!(kind, Kind::Xml | Kind::Html)) {
            markup::read(text, first == Kind::Xml)
        } else if is_all(may_be_yaml) {
            yaml::read(text)
        } else if let Kind::Csv { separator } = first
            && is_all(|kind| matches!(kind, Kind::Csv { .. }))
        {
            csv::read(text, separator)
        } else {
            None
        };
        let mut tree = tree?;
        tree.join_small(unit);
        Some(Self { tree, order: OnceCell::new() })
    }

    /// The parts that are asked for first, in about so many bytes; none if all of it is shown.
    pub(super) fn fill(&self, text: &str, bytes: usize) -> Option<String> {
        let order = self.order.get_or_init(|| NodeOrder::new(text, &self.tree));
        let kept = order.first(&self.tree, bytes);
        if kept.iter().all(|kept| *kept) {
            return None;
        }
        Some(writer::write(text, &self.tree, &kept))
    }
}

/// Kinds for which parts of YAML are taken: a comment at its head is a heading elsewhere, and
/// values that are sentences are prose.
fn may_be_yaml(kind: Kind) -> bool {
    matches!(kind, Kind::Yaml | Kind::Markdown(_) | Kind::Prose | Kind::Log)
}

#[cfg(test)]
mod tests;
