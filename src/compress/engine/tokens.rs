//! The tokens of a text and of forms of it, each stretch counted once at most.

use std::cell::OnceCell;
use std::ops::Range;

use crate::domain::TokenizerName;
use crate::tokenizer::{Counter, Digest, is_cut};

/// Counts the forms of one text.
pub(super) struct EditTokens<'c> {
    counter: &'c Counter,
    name: TokenizerName,
    text: &'c str,
    source: TokenSource<'c>,
    tokens: OnceCell<u64>,
}

/// Source of the count of a text as a whole.
pub(super) enum TokenSource<'c> {
    /// By its digest: others ask for the same text.
    Digest(Digest),
    /// By itself: it is counted once only.
    Itself,
    /// By what changed in another text, if that is faster.
    Changes(&'c dyn Fn() -> Option<u64>),
}

impl<'c> EditTokens<'c> {
    pub(super) fn new(
        counter: &'c Counter,
        name: TokenizerName,
        text: &'c str,
        source: TokenSource<'c>,
    ) -> Self {
        let known = match source {
            TokenSource::Digest(digest) => counter.cached_count(name, text, digest),
            TokenSource::Itself | TokenSource::Changes(_) => None,
        };
        let whole = known.map_or_else(OnceCell::new, OnceCell::from);
        Self { counter, name, text, source, tokens: whole }
    }

    /// Counts another text, whose count is not remembered.
    pub(super) fn for_text<'t>(&'t self, text: &'t str) -> EditTokens<'t> {
        EditTokens::new(self.counter, self.name, text, TokenSource::Itself)
    }

    pub(super) fn text(&self) -> &'c str {
        self.text
    }

    /// Tokens of the text itself.
    pub(super) fn total(&self) -> u64 {
        *self.tokens.get_or_init(|| {
            let known = match self.source {
                TokenSource::Digest(digest) => {
                    self.counter.count_digest(self.name, self.text, digest, &mut || true)
                }
                TokenSource::Itself => None,
                TokenSource::Changes(count) => count(),
            };
            known.unwrap_or_else(|| self.count(self.text))
        })
    }

    /// Tokens of any text.
    pub(super) fn count(&self, text: &str) -> u64 {
        self.counter.count_once(self.name, text)
    }

    /// A lower bound for the tokens of any text.
    pub(super) fn at_least(&self, text: &str) -> u64 {
        self.counter.at_least(self.name, text)
    }

    /// Whether a stretch of the text takes more than so many.
    pub(super) fn exceeds(&self, stretch: &str, tokens: u64) -> bool {
        /// A token has fewer bytes than this, as a rule: of a stretch that takes few of them it is
        /// mostly certain without a count.
        const MAX_TOKEN_BYTES: u64 = 4;
        let is_known = stretch.len() == self.text.len() && self.tokens.get().is_some();
        let is_far = tokens * MAX_TOKEN_BYTES < stretch.len() as u64;
        if !is_known && is_far && self.at_least(stretch) > tokens {
            return true;
        }
        self.stretch(stretch) > tokens
    }

    /// Those of a stretch of the text: of most of it, what is left of the whole without the rest.
    fn stretch(&self, stretch: &str) -> u64 {
        /// Of a text that is read faster as a whole, the rest is no more than one part in so many.
        const MIN_STRETCH_SHARE: usize = 4;
        let start = (stretch.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let end = start + stretch.len();
        let (Some(before), Some(after)) = (self.text.get(..start), self.text.get(end..)) else {
            return self.count(stretch);
        };
        let is_most = (before.len() + after.len()) * MIN_STRETCH_SHARE <= stretch.len();
        let is_exact = self.name != TokenizerName::Bytes4;
        if is_exact && is_most && is_cut_off(self.text, &(start..end)) {
            return self.total().saturating_sub(self.count(before) + self.count(after));
        }
        self.count(stretch)
    }

    /// Those of a form, if those of some stretches of it are known, and whether each of them
    /// takes the same there as by itself.
    pub(super) fn form(&self, form: &str, known: &[(Range<usize>, u64)]) -> (u64, bool) {
        if self.name == TokenizerName::Bytes4 {
            return (self.count(form), false);
        }
        let mut tokens = 0;
        let mut from = 0;
        let mut are_cut = true;
        for (range, known) in known {
            if is_cut_off(form, range) {
                tokens += self.count(form.get(from..range.start).unwrap_or_default()) + known;
                from = range.end;
            } else {
                are_cut = false;
            }
        }
        (tokens + self.count(form.get(from..).unwrap_or_default()), are_cut)
    }
}

/// Whether a stretch of a text has the same tokens there as by itself.
pub(super) fn is_cut_off(text: &str, stretch: &Range<usize>) -> bool {
    is_cut(text, stretch.start) && is_cut(text, stretch.end)
}
