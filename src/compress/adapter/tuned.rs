//! An adapter that a request tells how to work.

use std::borrow::Cow;
use std::sync::Arc;

use super::{AdapterAttempt, FormatAdapter, InnerTexts, KeepRatio, Part};
use crate::domain::AdapterTuning;

/// Another adapter with the wishes of a request.
#[derive(Debug)]
pub(super) struct TunedAdapter {
    adapter: Arc<dyn FormatAdapter>,
    tuning: AdapterTuning,
}

impl TunedAdapter {
    pub(super) fn new(adapter: Arc<dyn FormatAdapter>, tuning: AdapterTuning) -> Self {
        Self { adapter, tuning }
    }
}

impl FormatAdapter for TunedAdapter {
    fn name(&self) -> &str {
        self.adapter.name()
    }

    fn identity(&self) -> Cow<'_, str> {
        format!("{} {:?}", self.adapter.identity(), self.tuning).into()
    }

    fn ratio(&self) -> KeepRatio {
        self.tuning.keep_milli.map(KeepRatio::of_milli).unwrap_or_default()
    }

    fn asks_summarizer(&self) -> bool {
        self.tuning.summarizer
    }

    fn takes_ratio(&self) -> bool {
        self.adapter.takes_ratio()
    }

    fn finds_prose(&self) -> bool {
        self.adapter.finds_prose()
    }

    fn takes_prose(&self) -> bool {
        self.adapter.takes_prose()
    }

    fn detects(&self, part: Part<'_>) -> bool {
        self.adapter.detects(part)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, inside: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        self.adapter.attempt(part, inside)
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        self.adapter.holds(before, after)
    }
}
