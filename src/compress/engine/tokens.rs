//! The tokens of a text and of forms of it, each stretch counted once at most.

use std::cell::OnceCell;
use std::ops::Range;

use crate::domain::TokenizerName;
use crate::tokenizer::{Counter, Digest, is_cut};

/// Counts what becomes of one text.
pub(super) struct Tokens<'c> {
    counter: &'c Counter,
    name: TokenizerName,
    text: &'c str,
    digest: Digest,
    whole: OnceCell<u64>,
}

impl<'c> Tokens<'c> {
    pub(super) fn new(
        counter: &'c Counter,
        name: TokenizerName,
        (text, digest): (&'c str, Digest),
    ) -> Self {
        let whole = counter.known(name, text, digest).map_or_else(OnceCell::new, OnceCell::from);
        Self { counter, name, text, digest, whole }
    }

    pub(super) fn name(&self) -> TokenizerName {
        self.name
    }

    pub(super) fn text(&self) -> &'c str {
        self.text
    }

    /// Those of the text itself.
    pub(super) fn whole(&self) -> u64 {
        *self.whole.get_or_init(|| {
            let count = self.counter.count_digest(self.name, self.text, self.digest, &mut || true);
            count.unwrap_or_default()
        })
    }

    /// Those of any text.
    pub(super) fn of(&self, text: &str) -> u64 {
        self.counter.count_once(self.name, text)
    }

    /// Those of a stretch of the text.
    pub(super) fn stretch(&self, stretch: &str) -> u64 {
        if stretch.len() == self.text.len() { self.whole() } else { self.of(stretch) }
    }

    /// Those that any text does not fall below.
    pub(super) fn least(&self, text: &str) -> u64 {
        self.counter.at_least(self.name, text)
    }

    /// How many more a stretch of the text takes than so many, at least; none where it does not.
    pub(super) fn beyond(&self, stretch: &str, tokens: u64) -> u64 {
        if stretch.len() == self.text.len()
            && let Some(whole) = self.whole.get()
        {
            return whole.saturating_sub(tokens);
        }
        let least = self.counter.at_least(self.name, stretch).saturating_sub(tokens);
        if least > 0 { least } else { self.stretch(stretch).saturating_sub(tokens) }
    }

    /// Whether the text takes more than so many.
    pub(super) fn exceed(&self, tokens: u64) -> bool {
        match self.whole.get() {
            Some(whole) => *whole > tokens,
            None => self.beyond(self.text, tokens) > 0,
        }
    }

    /// Those of a form, where those of some stretches of it are known.
    pub(super) fn form(&self, form: &str, known: &[(Range<usize>, u64)]) -> u64 {
        if self.name == TokenizerName::Bytes4 {
            return self.of(form);
        }
        let mut tokens = 0;
        let mut from = 0;
        for (range, known) in known {
            if is_cut(form, range.start) && is_cut(form, range.end) {
                tokens += self.of(form.get(from..range.start).unwrap_or_default()) + known;
                from = range.end;
            }
        }
        tokens + self.of(form.get(from..).unwrap_or_default())
    }
}
