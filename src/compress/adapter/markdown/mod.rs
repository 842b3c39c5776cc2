//! Markdown documents: headings, tables, fences, front matter and lists stay as they were; the
//! paragraphs below them shrink where they are.

use super::{Attempt, FormatAdapter, InnerTexts, Part, layout};

/// The adapter of texts with headings.
#[derive(Debug)]
pub(crate) struct MarkdownAdapter;

impl FormatAdapter for MarkdownAdapter {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        layout::is_written(part) && layout::is_document(part)
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
