//! Replaces what is found in a text, in several rounds, without searching what was put in.

use std::borrow::Cow;
use std::ops::Range;

use crate::limit::{Deadline, StopReason};

/// A text in which ranges are replaced, one round after another.
///
/// A replacement is never searched by the rounds after it: a pattern that matches another one's
/// replacement would make a text that grows with each of them.
#[derive(Debug)]
pub struct ReplacedText<'a> {
    /// Borrowed until something is replaced.
    text: Cow<'a, str>,
    /// Ranges that were put in, in order, without overlap.
    settled: Vec<Range<usize>>,
    deadline: &'a Deadline,
}

/// Copies of a grown text that exist at once on its way into a payload: for hooks, read back,
/// counted, written, recorded.
const COPIES_HELD: usize = 4;
/// Ranges after which the deadline is asked.
const MAX_RANGES_UNASKED: usize = 1 << 10;

/// Called with each range of a text to replace and its replacement, in order, without overlap.
pub type ReplaceFn<'r> = &'r mut dyn FnMut(Range<usize>, &str) -> Result<(), StopReason>;

impl<'a> ReplacedText<'a> {
    pub fn new(text: &'a str, deadline: &'a Deadline) -> Self {
        Self { text: text.into(), settled: Vec::new(), deadline }
    }

    /// Runs one round: `find` gets each stretch that was not inserted before, and calls `Replace`
    /// for its matches. Returns how many ranges were replaced. Pays for the growth of the text, and
    /// ends with the deadline: there may be as many stretches as a text has bytes.
    pub fn round<E: From<StopReason>>(
        &mut self,
        mut find: impl FnMut(&str, ReplaceFn<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut next =
            ReplaceRound { out: String::new(), settled: Vec::new(), copied: 0, count: 0 };
        let mut from = 0;
        for (at, old) in self.settled.iter().map(Some).chain([None]).enumerate() {
            if at.is_multiple_of(MAX_RANGES_UNASKED) {
                self.deadline.check()?;
            }
            let end = old.map_or(self.text.len(), |old| old.start);
            let stretch = self.text.get(from..end).unwrap_or_default();
            find(stretch, &mut |found, with| {
                // The record of a range takes memory, too.
                let growth = with.len().saturating_sub(found.len()).saturating_mul(COPIES_HELD);
                let paid = growth.saturating_add(size_of::<Range<usize>>());
                self.deadline.allowance().take(paid)?;
                if next.count.is_multiple_of(MAX_RANGES_UNASKED as u64) {
                    self.deadline.check()?;
                }
                next.put(&self.text, from + found.start..from + found.end, with);
                Ok(())
            })?;
            if let Some(old) = old {
                next.keep(old);
                from = old.end;
            }
        }
        if next.count > 0 {
            next.out.push_str(self.text.get(next.copied..).unwrap_or_default());
            (self.text, self.settled) = (next.out.into(), next.settled);
        }
        Ok(next.count)
    }

    /// The text after all rounds; none if nothing was replaced.
    pub fn into_replaced(self) -> Option<String> {
        match self.text {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text),
        }
    }
}

/// A text on its way through a round.
struct ReplaceRound {
    out: String,
    settled: Vec<Range<usize>>,
    /// Bytes of the previous text that `out` covers.
    copied: usize,
    count: u64,
}

impl ReplaceRound {
    fn put(&mut self, text: &str, range: Range<usize>, with: &str) {
        self.out.push_str(text.get(self.copied..range.start).unwrap_or_default());
        let start = self.out.len();
        self.out.push_str(with);
        self.settle(start..self.out.len());
        self.copied = range.end;
        self.count += 1;
    }

    /// Moves a range that an earlier round inserted to its present position.
    fn keep(&mut self, old: &Range<usize>) {
        let start = self.out.len() + (old.start.saturating_sub(self.copied));
        self.settle(start..start + old.len());
    }

    /// Adds a range; two that touch become one, so that what is remembered stays small.
    fn settle(&mut self, range: Range<usize>) {
        match self.settled.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.settled.push(range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::{Allowance, AllowanceExceeded};

    /// Replaces every `what` by `with`.
    fn replace(replacing: &mut ReplacedText<'_>, what: &str, with: &str) -> u64 {
        let found = replacing.round(|text, put| {
            text.match_indices(what).try_for_each(|(at, hit)| put(at..at + hit.len(), with))
        });
        found.unwrap()
    }

    #[test]
    fn what_was_put_in_is_not_searched_again() {
        let deadline = Deadline::default();
        let mut replacing = ReplacedText::new("ab ba b", &deadline);
        assert_eq!(replace(&mut replacing, "a", "bbb"), 2);
        assert_eq!(replace(&mut replacing, "b", "-a-"), 3);
        assert_eq!(replace(&mut replacing, "a", "!"), 0);
        assert_eq!(replacing.into_replaced().as_deref(), Some("bbb-a- -a-bbb -a-"));
    }

    #[test]
    fn a_match_does_not_reach_over_what_was_put_in() {
        let deadline = Deadline::default();
        let mut replacing = ReplacedText::new("a1b", &deadline);
        assert_eq!(replace(&mut replacing, "1", ""), 1);
        assert_eq!(replace(&mut replacing, "ab", "x"), 0);
        assert_eq!(replace(&mut replacing, "b", "c"), 1);
        assert_eq!(replacing.into_replaced().as_deref(), Some("ac"));
    }

    #[test]
    fn what_is_put_in_is_paid_for() {
        let deadline = Deadline::default().allowing(&Allowance::new(1_000));
        let mut replacing = ReplacedText::new("aaaa", &deadline);
        let with = "a".repeat(300);
        let found = replacing.round(|text, put| {
            text.match_indices('a').try_for_each(|(at, _)| put(at..at + 1, &with))
        });
        assert_eq!(
            found,
            Err(StopReason::TooMuchText(AllowanceExceeded::Text { total_bytes: 1_000 }))
        );
    }

    #[test]
    fn replacing_ends_with_the_caller() {
        let deadline = Deadline::default();
        let text = "ab".repeat(4 * MAX_RANGES_UNASKED);
        let mut replacing = ReplacedText::new(&text, &deadline);
        assert_eq!(replace(&mut replacing, "a", "x"), 4 * 1024);
        let (mut stretches, mut puts) = (0, 0);
        let stopped = replacing.round(|text, put| {
            deadline.cancel();
            stretches += 1;
            put(0..text.len(), "")
        });
        assert_eq!((stopped, stretches), (Err(StopReason::Cancelled), 1));
        let deadline = Deadline::default();
        let stopped = ReplacedText::new(&text, &deadline).round(|text, put| {
            text.match_indices('a').try_for_each(|(at, _)| {
                puts += 1;
                if puts == 10 {
                    deadline.cancel();
                }
                put(at..at + 1, "")
            })
        });
        assert_eq!((stopped, puts), (Err(StopReason::Cancelled), MAX_RANGES_UNASKED + 1));
    }
}
