//! Pages: what only a browser needs goes, the structure that carries meaning stays as HTML, and
//! long text shrinks where it is.
//!
//! Scripts, styles, pictures as drawings, comments, what the head says to machines, navigation and
//! footers go, and attributes that say nothing to a reader; so do the tags of boxes. Headings,
//! lists, tables, links with their addresses, code and what is written verbatim stay.

mod element;
mod page;
mod reader;
mod scan;

use super::passages::Passages;
use super::passages::TextBlock;
use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, Part};
use crate::compress::extract::{GAP_MARK, between_gaps};
use crate::compress::segment::Kind;
use page::{HtmlPage, PageTokens};

/// Bytes of a text that stays as it is.
const MAX_WHOLE_TEXT_BYTES: usize = 160;

/// The adapter of pages.
#[derive(Debug)]
pub(crate) struct HtmlAdapter;

impl FormatAdapter for HtmlAdapter {
    fn name(&self) -> &'static str {
        "html"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        part.is_all(|kind| kind == Kind::Html) || is_document(part.text)
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        holds(&PageTokens::new(before), after)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let tokens = PageTokens::new(part.text);
        let cuts = cuts(part, HtmlPage::new(&tokens));
        AdapterAttempt::new(cuts, move |after| holds(&tokens, after))
    }
}

fn cuts(part: Part<'_>, page: HtmlPage) -> Vec<Cut> {
    let text = part.text;
    let mut passages = Passages::new(text).with_ratio(part.ratio);
    for place in page.places.iter().filter(|place| place.range.len() >= MAX_WHOLE_TEXT_BYTES) {
        passages.add_place(place);
    }
    let mut cuts = merge_cuts(passages.cuts(), page.cuts);
    // After a stray mark, what follows a gap would be read as a tag. What leaves nothing in its
    // place is part of a tag.
    let before = |at: usize| text.get(..at).unwrap_or_default();
    let is_stray = |at: usize| ["<", "</"].iter().any(|mark| before(at).ends_with(mark));
    cuts.retain(|cut| cut.with.is_empty() || !is_stray(cut.range.start));
    cuts
}

/// Whether the text that is read is the same but for gaps, elements of structure follow each other
/// as before, and each address is one of before, in order.
fn holds(before: &PageTokens<'_>, after: &str) -> bool {
    let (before, after) = (reader::read(before), reader::read(&PageTokens::new(after)));
    let mut addresses = before.addresses.iter();
    before.structure == after.structure
        && after.addresses.iter().all(|address| addresses.any(|known| known == address))
        && is_part(&before.words, &after.words)
}

/// Whether a text says that it is a page.
fn is_document(text: &str) -> bool {
    let head = text.trim_start().as_bytes();
    [&b"<!doctype html"[..], b"<html"]
        .iter()
        .any(|mark| head.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark)))
}

/// Sentences that go, and between them what says nothing.
fn merge_cuts(sentences: Vec<Cut>, rest: Vec<Cut>) -> Vec<Cut> {
    let mut cuts = Vec::with_capacity(sentences.len() + rest.len());
    let mut rest = rest.into_iter().peekable();
    for sentence in sentences {
        let gap = sentence.with.len();
        while let Some(cut) = rest.next_if(|cut| cut.range.end <= sentence.range.start) {
            cuts.push(cut);
        }
        // An overlapping cut goes with the sentence; the blank next to the gap stays.
        let Cut { mut range, mut with } = sentence;
        while let Some(cut) = rest.next_if(|cut| cut.range.start < range.end) {
            if cut.range.start < range.start {
                range.start = cut.range.start;
                with.insert_str(0, &cut.with);
            }
            if cut.range.end > range.end {
                range.end = cut.range.end;
                with.push_str(&cut.with);
            }
        }
        match cuts.last_mut() {
            // All that stays between the two goes with what says nothing: one gap.
            Some(last) if last.range.end > range.start => {
                last.range.end = last.range.end.max(range.end);
                last.with.push_str(with.get(gap..).unwrap_or_default());
            }
            _ => cuts.push(Cut { range, with }),
        }
    }
    cuts.extend(rest);
    cuts
}

/// Whether the words are those of before, in order, with gaps at the marks.
fn is_part(before: &str, after: &str) -> bool {
    let Some((first, runs)) = after.split_once(GAP_MARK) else { return before == after };
    let Some(mut rest) = before.strip_prefix(first) else { return false };
    let (runs, last) = runs.rsplit_once(GAP_MARK).unwrap_or(("", runs));
    for run in between_gaps(runs) {
        let Some(at) = find(rest.as_bytes(), run.as_bytes()) else { return false };
        rest = rest.get(at + run.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

/// The first place of a run of words.
fn find(words: &[u8], run: &[u8]) -> Option<usize> {
    /// Bytes that tell most runs from others: what is made of a longer one to look for it costs
    /// more than the search.
    const HEAD_BYTES: usize = 16;
    /// Places with these bytes that are looked at.
    const MAX_PLACES: usize = 4;
    let head = run.get(..HEAD_BYTES).unwrap_or(run);
    let mut places = memchr::memmem::find_iter(words, head).take(MAX_PLACES);
    let is_run = |at: &usize| words.get(*at..).is_some_and(|rest| rest.starts_with(run));
    places.find(is_run).or_else(|| memchr::memmem::find(words, run))
}

#[cfg(test)]
mod tests;
