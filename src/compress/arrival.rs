//! The form a tool result takes the first time it is compiled, and keeps.
//!
//! It depends on the text alone, so every later compile, on any node, gives the same bytes; what
//! is remembered here only saves the work of finding it again.

use std::fmt;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::lossless::equivalent;
use crate::domain::TokenizerName;
use crate::tokenizer::{Counter, Digest};

/// Bytes of short forms that are remembered.
const REMEMBERED_BYTES: u64 = 64 << 20;
/// Texts, changed or not, that are remembered.
const REMEMBERED: usize = 1 << 14;

/// What a text became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The short form; none where the text stays as it is.
    pub form: Option<Arc<str>>,
    pub tokens_before: u64,
    pub tokens_after: u64,
}

/// Remembered forms. Share one a process.
pub struct Arrivals {
    forms: Cache<(TokenizerName, Digest), Arrival, Bytes>,
}

#[derive(Debug, Clone)]
struct Bytes;

impl Weighter<(TokenizerName, Digest), Arrival> for Bytes {
    fn weight(&self, _: &(TokenizerName, Digest), arrival: &Arrival) -> u64 {
        64 + arrival.form.as_ref().map_or(0, |form| form.len() as u64)
    }
}

impl fmt::Debug for Arrivals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arrivals").field("remembered", &self.forms.len()).finish()
    }
}

impl Default for Arrivals {
    fn default() -> Self {
        Self::new()
    }
}

impl Arrivals {
    pub fn new() -> Self {
        Self { forms: Cache::with_weighter(REMEMBERED, REMEMBERED_BYTES, Bytes) }
    }

    /// The form of a tool result's text. Never more tokens than the text itself.
    pub fn form(&self, counter: &Counter, name: TokenizerName, text: &str) -> Arrival {
        let key = (name, Digest::of(text));
        if let Some(known) = self.forms.get(&key) {
            return known;
        }
        let count = |text: &str| counter.count(name, text);
        let tokens_before =
            counter.count_digest(name, text, key.1, &mut || true).unwrap_or_default();
        let short = equivalent(text);
        let tokens_after = if short == text { tokens_before } else { count(&short) };
        let shorter = tokens_after < tokens_before;
        let arrival = Arrival {
            form: shorter.then(|| short.as_ref().into()),
            tokens_before,
            tokens_after: tokens_after.min(tokens_before),
        };
        self.forms.insert(key, arrival.clone());
        arrival
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_taken_only_where_tokens_fall() {
        let (counter, arrivals) = (Counter::new(), Arrivals::new());
        let form = |text: &str| arrivals.form(&counter, TokenizerName::O200kBase, text);
        let short = form("{\n    \"a\": 1,\n    \"b\": [\n        2\n    ]\n}");
        assert_eq!(short.form.as_deref(), Some("{\"a\":1,\"b\":[2]}"));
        assert!(short.tokens_after < short.tokens_before);
        assert_eq!(form("plain words").form, None);
        // Remembered or not, the answer is the same.
        assert_eq!(
            form("plain words"),
            Arrivals::new().form(&counter, TokenizerName::O200kBase, "plain words")
        );
    }
}
