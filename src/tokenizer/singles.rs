//! The pieces that are one token: most are, and to look one up takes a fraction of encoding it.

use std::sync::OnceLock;

use bpe_openai::Tokenizer;

use super::key::PieceKey;
use crate::domain::TokenizerName;

/// The short tokens of a dictionary.
pub(super) struct ShortTokens {
    /// Their numbers, each at its place or in the next one that was free; 0 if there is none.
    slots: Vec<u128>,
    bits: u32,
}

impl ShortTokens {
    /// Those of an encoding, found once a process.
    pub(super) fn get(name: TokenizerName) -> &'static Self {
        static O200K: OnceLock<ShortTokens> = OnceLock::new();
        static CL100K: OnceLock<ShortTokens> = OnceLock::new();
        let singles = match name {
            TokenizerName::Cl100kBase => &CL100K,
            TokenizerName::O200kBase | TokenizerName::Bytes4 => &O200K,
        };
        singles.get_or_init(|| Self::read(super::dictionary(name)))
    }

    fn read(tokenizer: &Tokenizer) -> Self {
        let count = tokenizer.bpe.num_tokens();
        // At least half of the places stay free, so that few of them are looked at.
        let bits = (2 * count).next_power_of_two().trailing_zeros();
        let mut singles = Self { slots: vec![0; 1 << bits], bits };
        for token in 0..u32::try_from(count).unwrap_or(u32::MAX) {
            if let Some(key) = PieceKey::new(tokenizer.bpe.token_bytes(token)) {
                singles.insert(key);
            }
        }
        singles
    }

    fn insert(&mut self, key: PieceKey) {
        let (before, from) = self.slots.split_at_mut(key.place(self.bits));
        if let Some(free) = from.iter_mut().chain(before).find(|slot| **slot == 0) {
            *free = key.number();
        }
    }

    /// Whether a piece is a short token of the dictionary.
    #[inline]
    pub(super) fn contain(&self, piece: &[u8]) -> bool {
        let Some(key) = PieceKey::new(piece) else { return false };
        let Some((before, from)) = self.slots.split_at_checked(key.place(self.bits)) else {
            return false;
        };
        let taken = from.iter().chain(before).take_while(|slot| **slot != 0);
        taken.into_iter().any(|slot| *slot == key.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::dictionary;

    #[test]
    fn every_short_token_is_one_token() {
        for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase] {
            let (bpe, singles) = (&dictionary(name).bpe, ShortTokens::get(name));
            let mut found = 0;
            for token in 0..u32::try_from(bpe.num_tokens()).unwrap() {
                let bytes = bpe.token_bytes(token);
                assert!(PieceKey::new(bytes).is_none() || singles.contain(bytes), "{bytes:?}");
                assert!(!singles.contain(bytes) || bpe.count(bytes) == 1, "{bytes:?}");
                found += usize::from(singles.contain(bytes));
            }
            assert!(found * 10 > bpe.num_tokens() * 9);
            assert_eq!(singles.slots.iter().filter(|slot| **slot != 0).count(), found);
        }
    }
}
