//! Format adapters as data: what a custom one knows, and which of them a request wants.

use std::fmt;
use std::sync::Arc;

use super::Timestamp;

/// An adapter that is defined as data instead of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterDefinition {
    pub name: Arc<str>,
    pub detect: DetectRules,
    /// Lines that are kept, whatever other rules match; the first selector that matches a line
    /// keeps it.
    pub keep: Vec<LineSelector>,
    pub shrink: LineRemoval,
    /// The template that joins the kept lines and the rest: `{kept}` and `{summary}` are replaced
    /// by them.
    pub join: Arc<str>,
}

/// Conditions of the texts that an adapter takes: a text must meet all that the definition has.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct DetectRules {
    /// A pattern that the text must contain.
    pub regex: Option<Arc<str>>,
    pub min_lines: Option<usize>,
    /// Patterns that single lines must contain, by their numbers from 1.
    pub line_matches: Vec<(usize, Arc<str>)>,
    /// A pattern, and the share of the lines that must contain it, in thousandths.
    pub min_share_of_lines: Option<(Arc<str>, u32)>,
}

/// Under the name that this type has in stored records: their ledgers hash this text.
impl fmt::Debug for DetectRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detect")
            .field("regex", &self.regex)
            .field("min_lines", &self.min_lines)
            .field("line_matches", &self.line_matches)
            .field("min_share_of_lines", &self.min_share_of_lines)
            .finish()
    }
}

/// Lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineSelector {
    /// From the first to the last of these numbers, counted from 1.
    Between(usize, usize),
    /// The last so many.
    Last(usize),
    Matching(Arc<str>),
}

/// Rule of the lines that may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineRemoval {
    /// All lines that are not kept.
    Rest,
    /// Lines that contain one of these patterns, and are not kept.
    Matching(Vec<Arc<str>>),
}

/// Facts about a stored definition that are not in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAdapter {
    pub name: Arc<str>,
    /// From 1, one more with each other text.
    pub version: u64,
    pub created_at: Timestamp,
    /// When the text last changed.
    pub updated_at: Timestamp,
}

/// An adapter in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdapterChoice {
    /// A built-in or a stored adapter, by name.
    Named(Arc<str>),
    Custom(Arc<AdapterDefinition>),
    /// Another one, with how it is to work.
    Tuned(Box<AdapterChoice>, AdapterTuning),
}

/// How an adapter of a request is to work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AdapterTuning {
    /// Thousandths of what may shrink that stay; none for the adapter's own share.
    pub keep_milli: Option<u32>,
    /// Whether a summariser is asked to shorten prose.
    pub summarizer: bool,
}

impl AdapterTuning {
    /// Bounds of `keep_milli`.
    pub const KEEP_MILLI: std::ops::RangeInclusive<u32> = 50..=900;

    /// Whether the adapter works as it would without.
    pub fn is_usual(self) -> bool {
        self == Self::default()
    }
}

impl AdapterChoice {
    /// Whether a summariser is asked to shorten prose.
    pub fn asks_summarizer(&self) -> bool {
        matches!(self, Self::Tuned(_, tuning) if tuning.summarizer)
    }
}

/// The adapters that texts are offered to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdapterChoices {
    /// The built-in adapters in their order; each of these replaces the one of its name.
    Usual(Vec<Arc<AdapterDefinition>>),
    /// These, in this order.
    Chosen(Vec<AdapterChoice>),
}

impl AdapterChoices {
    /// Whether they are the built-in ones, none replaced.
    pub fn is_usual(&self) -> bool {
        matches!(self, Self::Usual(replaced) if replaced.is_empty())
    }
}

impl Default for AdapterChoices {
    fn default() -> Self {
        Self::Usual(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_that_ledgers_hash_stays() {
        let definition = AdapterDefinition {
            name: "a".into(),
            detect: DetectRules { min_lines: Some(2), ..DetectRules::default() },
            keep: vec![LineSelector::Between(1, 2), LineSelector::Last(1)],
            shrink: LineRemoval::Rest,
            join: "{kept}".into(),
        };
        let text = "AdapterDefinition { name: \"a\", detect: Detect { regex: None, min_lines: \
                    Some(2), line_matches: [], min_share_of_lines: None }, keep: [Between(1, 2), \
                    Last(1)], shrink: Rest, join: \"{kept}\" }";
        assert_eq!(format!("{definition:?}"), text);
    }
}
