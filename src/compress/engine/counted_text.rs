//! Counts a text after some edits by what they changed.

use std::ops::Range;

use crate::compress::adapter::Cut;
use crate::domain::TokenizerName;
use crate::tokenizer::{Counter, is_cut};

/// A stretch of a text, and the stretch that replaces it after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextChange {
    pub(crate) before: Range<usize>,
    pub(crate) after: Range<usize>,
}

impl TextChange {
    /// The changes that cuts make, in their order.
    pub(super) fn from_cuts(cuts: &[Cut]) -> Vec<Self> {
        let (mut read, mut written) = (0, 0);
        let changes = cuts.iter().map(|Cut { range, with }| {
            let from = written + range.start.saturating_sub(read);
            (read, written) = (range.end, from + with.len());
            Self { before: range.clone(), after: from..written }
        });
        changes.collect()
    }
}

/// A text and its number of tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountedText<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: u64,
}

/// Counts the tokens of `after`, which is `before` with some changes in their order. None if the
/// changes are so much of the text that counting all of it is as fast.
pub(super) fn recount(
    counter: &Counter,
    name: TokenizerName,
    before: CountedText<'_>,
    after: &str,
    changes: &[TextChange],
) -> Option<u64> {
    if name == TokenizerName::Bytes4 {
        return Some(counter.count_once(name, after));
    }
    let CountedText { text: before, tokens } = before;
    let stretches = between_cuts(before, after, changes);
    let bytes: usize =
        stretches.iter().map(|change| change.before.len() + change.after.len()).sum();
    if bytes >= after.len() {
        return None;
    }
    let of = |text: &str, range: &Range<usize>| {
        text.get(range.clone()).map_or(0, |text| counter.count_once(name, text))
    };
    let gone: u64 = stretches.iter().map(|change| of(before, &change.before)).sum();
    let new: u64 = stretches.iter().map(|change| of(after, &change.after)).sum();
    Some((tokens + new).saturating_sub(gone))
}

/// The changes, widened to places where no token of either text reaches over.
fn between_cuts(before: &str, after: &str, changes: &[TextChange]) -> Vec<TextChange> {
    let mut found: Vec<TextChange> = Vec::with_capacity(changes.len());
    let mut changes = changes.iter().peekable();
    while let Some(change) = changes.next() {
        let floor = found.last().map_or(0, |last| last.before.end);
        let mut own = change.clone();
        while own.before.start > floor
            && !is_cut_in(before, own.before.start, after, own.after.start)
        {
            let line = line_before(before, own.before.start).max(floor);
            own.after.start -= own.before.start - line;
            own.before.start = line;
        }
        loop {
            // A change that begins before the end, or at the end of the text, is made together with
            // it.
            let is_together = |next: &&TextChange| {
                next.before.start < own.before.end || own.before.end == before.len()
            };
            if let Some(next) = changes.next_if(is_together) {
                let end = own.before.end.max(next.before.end);
                own.after.end = end - next.before.end + next.after.end;
                own.before.end = end;
                continue;
            }
            let is_end = own.before.end >= before.len();
            if is_end || is_cut_in(before, own.before.end, after, own.after.end) {
                break;
            }
            let line = line_behind(before, own.before.end);
            own.after.end += line - own.before.end;
            own.before.end = line;
        }
        found.push(own);
    }
    found
}

fn is_cut_in(before: &str, at: usize, after: &str, place: usize) -> bool {
    is_cut(before, at) && is_cut(after, place)
}

/// Start of the line that ends before a byte, or that the byte is in.
fn line_before(text: &str, at: usize) -> usize {
    let own = text.as_bytes().get(..at.saturating_sub(1)).unwrap_or_default();
    memchr::memrchr(b'\n', own).map_or(0, |at| at + 1)
}

/// Start of the next line; the end of the text after the last.
fn line_behind(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(text.len(), |length| at + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::adapter::apply;
    use proptest::prelude::*;

    /// A text, and the same with some of its stretches replaced.
    fn edited(pieces: &[(String, Option<String>)]) -> (String, String, Vec<TextChange>) {
        let (mut before, mut after, mut changes) = (String::new(), String::new(), Vec::new());
        for (piece, other) in pieces {
            let (from, place) = (before.len(), after.len());
            before.push_str(piece);
            after.push_str(other.as_ref().unwrap_or(piece));
            if other.is_some() {
                changes.push(TextChange { before: from..before.len(), after: place..after.len() });
            }
        }
        (before, after, changes)
    }

    #[test]
    fn a_few_lines_of_many_are_counted_alone() {
        let line = |at: usize| (format!("line {at} of the text\n"), None);
        let mut pieces: Vec<_> = (0..100).map(line).collect();
        pieces[40].1 = Some("other words\n".to_owned());
        let (before, after, changes) = edited(&pieces);
        let stretches = between_cuts(&before, &after, &changes);
        assert_eq!(stretches, changes);
        let (counter, name) = (Counter::new(), TokenizerName::O200kBase);
        let tokens = counter.count(name, &before);
        let found =
            recount(&counter, name, CountedText { text: &before, tokens }, &after, &changes);
        assert_eq!(found, Some(counter.count(name, &after)));
    }

    #[test]
    fn what_is_put_in_at_the_ends_is_counted() {
        let insert = |text: &str| (String::new(), Some(text.to_owned()));
        let line = || ("some words of a line\n".to_owned(), None);
        let pieces = [insert("a\n"), insert("b"), line(), line(), line(), insert("c"), insert("d")];
        let (before, after, changes) = edited(&pieces);
        let (counter, name) = (Counter::new(), TokenizerName::O200kBase);
        let tokens = counter.count(name, &before);
        let found =
            recount(&counter, name, CountedText { text: &before, tokens }, &after, &changes);
        assert_eq!(found, Some(counter.count(name, &after)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn a_recount_is_a_count(
            pieces in prop::collection::vec(
                ("[a-c1 /'\n\r\t.é§]{0,12}", prop::option::weighted(0.2, "[a-c1 /'\n.é§]{0,6}")),
                0..24,
            ),
        ) {
            let counter = Counter::new();
            let (before, after, changes) = edited(&pieces);
            for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase, TokenizerName::Bytes4] {
                let tokens = counter.count(name, &before);
                let found = recount(&counter, name, CountedText { text: &before, tokens }, &after, &changes);
                prop_assert!(found.is_none_or(|found| found == counter.count(name, &after)));
            }
        }

        #[test]
        fn lines_of_words_are_counted_by_what_changed(
            lines in prop::collection::vec("[ ]{0,2}[a-z]{1,8}( [a-z]{1,8}){0,5}\n", 8..40),
            changed in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        ) {
            let counter = Counter::new();
            let name = TokenizerName::O200kBase;
            let changed: Vec<usize> = changed.iter().map(|at| at.index(lines.len())).collect();
            let pieces = lines.into_iter().enumerate().map(|(at, line)| {
                (line, changed.contains(&at).then(|| "§3:12\n".to_owned()))
            });
            let (before, after, changes) = edited(&pieces.collect::<Vec<_>>());
            let tokens = counter.count(name, &before);
            let found = recount(&counter, name, CountedText { text: &before, tokens }, &after, &changes);
            prop_assert!(found.is_none_or(|found| found == counter.count(name, &after)));
        }

        #[test]
        fn cuts_are_changes(
            pieces in prop::collection::vec(("[a-c é]{0,6}", prop::option::of("[a-c é]{0,6}")), 0..12),
        ) {
            let (before, after, changes) = edited(&pieces);
            let with = |range: &Range<usize>| after[range.clone()].to_owned();
            let cuts: Vec<Cut> = changes
                .iter()
                .map(|change| Cut { range: change.before.clone(), with: with(&change.after) })
                .collect();
            prop_assert_eq!(apply(&before, &cuts), Some(after.clone()));
            prop_assert_eq!(TextChange::from_cuts(&cuts), changes);
        }
    }
}
