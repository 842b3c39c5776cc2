//! Answers with code in them: the fences stay as they were, each next to its words; the words
//! between them shrink.

use super::{Attempt, FormatAdapter, InnerTexts, Part, layout};
use crate::compress::segment::Kind;

/// The adapter of texts with fences that are no documents.
#[derive(Debug)]
pub(crate) struct CodeAdapter;

impl FormatAdapter for CodeAdapter {
    fn name(&self) -> &'static str {
        "code"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        part.has(|kind| kind == Kind::Fence)
            && layout::is_written(part)
            && !layout::is_document(part)
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        layout::is_same(before, after)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> Attempt<'p> {
        layout::attempt(part)
    }
}

#[cfg(test)]
mod tests;
