//! The short form of a text by itself: what it says depends on nothing but the text.

use super::blocks::{Blocks, blocks};
use super::tokens::Tokens;
use super::{Lossless, Use};
use crate::compress::lossless::equivalent;
use crate::domain::TokenizerName;
use crate::tokenizer::Counter;

/// Bytes below which a text is not looked at: no header would pay.
pub(super) const SHORTEST: usize = 48;

/// Tokens of a part that machines put out, from which it is touched where people wrote it.
pub(super) const OF_WORDS: u64 = 400;
/// Bytes below which no part can have so many tokens.
pub(super) const LEAST_OF_WORDS: usize = 400;

/// What became of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Solo {
    /// The short form; none where the text stands as it is.
    pub(super) form: Option<String>,
    /// Whether something was taken out that says nothing (class `equivalent`).
    pub(super) equivalent: bool,
    /// The notations used, in the order of their first blocks.
    pub(super) notations: Vec<&'static str>,
    /// Notations whose blocks had to be taken back.
    pub(super) reverted: Vec<&'static str>,
    pub(super) tokens_before: u64,
    pub(super) tokens_after: u64,
}

/// Finds the short form of a text that is not ours to decode as it stands.
pub(super) fn solo(counter: &Counter, name: TokenizerName, text: &str, purpose: Use) -> Solo {
    let tokens = Tokens::new(counter, name, text);
    let tokens_before = tokens.whole();
    let mut solo = Solo {
        form: None,
        equivalent: false,
        notations: Vec::new(),
        reverted: Vec::new(),
        tokens_before,
        tokens_after: tokens_before,
    };
    let shortest = if purpose == Use::Words { LEAST_OF_WORDS } else { SHORTEST };
    if text.len() < shortest {
        return solo;
    }
    solo.take(&tokens, blocks(&tokens, text, purpose));
    if purpose != Use::Result(Lossless::Equivalent) {
        return solo;
    }
    let clean = equivalent(text);
    if clean == text {
        return solo;
    }
    let mut other = Solo { form: None, equivalent: true, notations: Vec::new(), ..solo.clone() };
    let tokens = Tokens::new(counter, name, &clean);
    other.take(&tokens, blocks(&tokens, &clean, purpose));
    // What decodes to the very bytes is worth a token in fifty.
    if other.tokens_after + solo.tokens_after / 50 < solo.tokens_after {
        other.form = other.form.or_else(|| Some(clean.into_owned()));
        return other;
    }
    solo
}

impl Solo {
    /// Takes a form with blocks, where it has fewer tokens than the text.
    fn take(&mut self, tokens: &Tokens<'_>, blocks: Blocks) {
        self.reverted = blocks.reverted;
        if !blocks.used.is_empty() {
            let after = tokens.form(&blocks.text, &blocks.known);
            if tokens.exceed(after) {
                self.tokens_after = after;
                self.notations = blocks.used;
                self.form = Some(blocks.text);
                return;
            }
        }
        self.tokens_after = tokens.whole();
    }
}
