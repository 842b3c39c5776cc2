//! What the two pre-tokenizers differ in.

use crate::domain::TokenizerName;

/// Differences of the two patterns.
#[derive(Debug, Clone, Copy)]
pub(super) enum SplitRules {
    /// Capitals begin a word, a word takes its `'s` along, and slashes join line breaks.
    O200k,
    Cl100k,
}

impl SplitRules {
    pub(super) fn for_tokenizer(name: TokenizerName) -> Self {
        match name {
            TokenizerName::Cl100kBase => Self::Cl100k,
            TokenizerName::O200kBase | TokenizerName::Bytes4 => Self::O200k,
        }
    }
}
