//! Prose: explanations, chats, letters. Sentences stay or go as a whole.

use super::passages::Passages;
use super::{Cut, FormatAdapter, Inside, Part};
use crate::compress::extract::{GAP, Paragraph, paragraphs};
use crate::compress::segment::{Kind, Part as Markdown};

/// Bytes of the shortest text that is worth it.
const SHORTEST: usize = 200;

/// The adapter of texts that are nothing but words.
#[derive(Debug)]
pub(crate) struct Prose;

impl FormatAdapter for Prose {
    fn name(&self) -> &'static str {
        "prose"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        part.text.len() >= SHORTEST && part.is_all(is_words)
    }

    fn cuts(&self, part: Part<'_>, _: &mut dyn Inside) -> Vec<Cut> {
        passages(part.text).cuts()
    }

    /// What stands between the marks is a run of sentences of the text, in order.
    fn holds(&self, before: &str, after: &str) -> bool {
        let passages = passages(before);
        let mut starts: Vec<usize> = passages.sentences().iter().map(|range| range.start).collect();
        let mut ends: Vec<usize> = passages.sentences().iter().map(|range| range.end).collect();
        for Paragraph { outer, inner } in paragraphs(before) {
            starts.push(outer.start);
            let marks = before.get(outer.start..inner.start).unwrap_or_default();
            ends.push(outer.start + marks.trim_end().len());
        }
        starts.sort_unstable();
        ends.sort_unstable();
        let mut from = 0;
        after.split(GAP).all(|run| {
            // In a quote, the mark of a line may stand beside the gap.
            let words = run.trim_matches(|letter: char| letter == '>' || letter.is_whitespace());
            if words.is_empty() {
                return true;
            }
            let find = |run| find(before, run, from, &starts, &ends);
            let found = match run.trim() {
                run if run == words => find(words),
                run => [run, words].into_iter().filter_map(find).min(),
            };
            from = found.unwrap_or(from);
            found.is_some()
        })
    }
}

/// Words that people wrote, and their lists and quotes.
pub(super) fn is_words(kind: Kind) -> bool {
    matches!(kind, Kind::Prose | Kind::Markdown(Markdown::List | Markdown::Quote))
}

fn passages(text: &str) -> Passages<'_> {
    let mut passages = Passages::of_plain(text);
    for paragraph in paragraphs(text) {
        passages.add(&paragraph);
    }
    passages
}

/// The end of the first place behind `from` where a run stands between two borders.
fn find(text: &str, run: &str, from: usize, starts: &[usize], ends: &[usize]) -> Option<usize> {
    let rest = text.as_bytes().get(from..)?;
    let mut places = memchr::memmem::find_iter(rest, run.as_bytes()).map(|at| from + at);
    let place = places.find(|at| {
        let end = at + run.len();
        starts.binary_search(at).is_ok() && ends.binary_search(&end).is_ok()
    })?;
    Some(place + run.len())
}

#[cfg(test)]
mod tests;
