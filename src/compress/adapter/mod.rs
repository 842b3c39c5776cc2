//! Rung 2: adapters. Each knows one text format; it finds what must survive and what may shrink,
//! and says which stretches go.
//!
//! Omitted text is still in the artifact, so a shortened text is *reversible*, not exact. What it
//! may never do is break its format: after the cuts are made, the text is read again, and if it
//! does not hold what its format promises, the part stays as it was and the answer says so
//! (`adapter_reverted:xml`).
//!
//! Texts are offered to the adapters in order, and the first that knows the format takes it:
//! first the text as a whole, then, if none knows that, its parts by themselves.

mod adapter_trial;
mod blob;
mod csv;
mod custom;
mod diff;
mod duty;
mod elision;
mod failure;
#[cfg(test)]
mod fixture;
mod frame;
mod hook_shortened;
mod html;
mod json;
mod keep_ratio;
#[cfg(test)]
mod laws;
mod layout;
mod line_choice;
mod line_shape;
mod log;
mod page;
mod passages;
mod plain_text;
mod progress;
mod prose;
mod salience;
mod search;
mod set;
mod settings;
mod shortening;
mod source;
mod stack_trace;
mod structured_output;
#[cfg(test)]
mod trial;
mod tuned;
mod words;
mod xml;
mod yaml;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::segment::{Kind, Span};

pub use adapter_trial::TrialOutput;
pub(crate) use csv::CsvTable;
pub(crate) use elision::mark as gap_mark;
pub(crate) use keep_ratio::KeepRatio;
pub(crate) use plain_text::{plain_text, with_line_feeds};
pub(crate) use salience::{
    RareColumns, ReportStrength, Salience, line_kind, names_bad_state, report_of, salience,
};
pub use set::{AdapterSet, BuiltInOptions, built_in_names, built_in_options};
#[cfg(test)]
pub(crate) use shortening::AdapterOutput;
#[cfg(any(fuzzing, test))]
pub(crate) use shortening::apply;
pub(crate) use shortening::{MIN_TEXT_BYTES, ProsePassage, prose_passages, shorten, shorten_parts};
pub(crate) use source::{declared_lines, is_source};

/// A stretch of a text, in bytes, and the text in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) range: Range<usize>,
    pub(crate) with: String,
}

/// A text, or a part of one, as adapters see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'p> {
    pub(crate) text: &'p str,
    /// Its spans from segmentation, without gaps; ranges are of `text`.
    pub(crate) spans: &'p [Span],
    /// The share of what may shrink that stays.
    pub(crate) ratio: KeepRatio,
}

impl<'p> Part<'p> {
    /// A part of which as much stays as usual.
    pub(crate) fn new(text: &'p str, spans: &'p [Span]) -> Self {
        Self { text, spans, ratio: KeepRatio::default() }
    }

    /// Whether nothing but such kinds is in it.
    pub(crate) fn is_all(&self, kind: impl Fn(Kind) -> bool) -> bool {
        !self.spans.is_empty() && self.spans.iter().all(|span| kind(span.kind))
    }

    /// Whether such a kind is in it.
    pub(crate) fn has(&self, kind: impl Fn(Kind) -> bool) -> bool {
        self.spans.iter().any(|span| kind(span.kind))
    }
}

/// Shortens texts of one format.
pub(crate) trait FormatAdapter: fmt::Debug + Send + Sync {
    /// Name in requests and reports.
    fn name(&self) -> &str;

    /// Names what the adapter does: two of the same identity cut alike.
    fn identity(&self) -> Cow<'_, str> {
        self.name().into()
    }

    /// The share of what may shrink that stays, if the request says so.
    fn ratio(&self) -> KeepRatio {
        KeepRatio::default()
    }

    /// Whether a summariser is asked to shorten the prose that the adapter finds.
    fn asks_summarizer(&self) -> bool {
        false
    }

    /// Whether a request may say how much stays.
    fn takes_ratio(&self) -> bool {
        true
    }

    /// Whether the adapter finds prose that a summariser can be asked to shorten: its own, or that
    /// of texts inside.
    fn finds_prose(&self) -> bool {
        self.takes_prose()
    }

    /// Whether the adapter shortens words without a format.
    fn takes_prose(&self) -> bool {
        false
    }

    /// Whether a text is of this format. Cheap: most texts are of another.
    fn detects(&self, part: Part<'_>) -> bool;

    /// Returns the cuts that are possible, and what [`FormatAdapter::holds`] says of the rest: if
    /// both begin with the same reading of the text, it is read once. Pure, linear in the text.
    /// `inside` shortens a text that is inside this one, such as a JSON string.
    fn attempt<'p>(&'p self, part: Part<'p>, inside: &mut dyn InnerTexts) -> AdapterAttempt<'p>;

    /// Whether `after`, made from `before` by cuts, keeps what the format promises.
    fn holds(&self, before: &str, after: &str) -> bool;
}

/// Offers a text that is inside another one, such as a JSON string, to the same adapters.
pub(crate) trait InnerTexts {
    /// The text in its shorter form; none if it stays as it is.
    fn shorten(&mut self, text: &str) -> Option<String>;
}

/// Cuts, and whether what they leave of their text keeps what the format promises.
pub(crate) struct AdapterAttempt<'p> {
    /// In order, disjoint; none if nothing pays.
    pub(crate) cuts: Vec<Cut>,
    pub(crate) holds: Box<dyn Fn(&str) -> bool + 'p>,
}

impl<'p> AdapterAttempt<'p> {
    pub(crate) fn new(cuts: Vec<Cut>, holds: impl Fn(&str) -> bool + 'p) -> Self {
        Self { cuts, holds: Box::new(holds) }
    }

    /// Of a text that is not what its adapter takes.
    pub(crate) fn none() -> Self {
        Self::new(Vec::new(), |_| false)
    }
}
