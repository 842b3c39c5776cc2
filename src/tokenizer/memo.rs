//! Counts of short pieces: words come again and again, and most of the work of a count is to
//! encode them.

use std::sync::{Mutex, PoisonError};

use super::key::PieceKey;

/// Pieces that are remembered at a time, as a power of two: 256 KiB of them.
const SLOT_BITS: u32 = 14;

/// Recent counts of pieces.
pub(super) struct Memo {
    /// The bytes of a piece, its length, and its tokens, of which there are no more than bytes.
    slots: Vec<u128>,
}

/// Memos that no thread uses at the moment: one for each concurrent count.
#[derive(Default)]
pub(super) struct Memos(Mutex<Vec<Memo>>);

impl Memos {
    pub(super) fn take(&self) -> Memo {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| Memo { slots: vec![0; 1 << SLOT_BITS] })
    }

    pub(super) fn put(&self, memo: Memo) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(memo);
    }
}

const TOKENS_SHIFT: u32 = PieceKey::BITS;
const KEY_MASK: u128 = (1 << TOKENS_SHIFT) - 1;

impl Memo {
    /// The count of a piece, asked of `count` if it is not remembered.
    #[inline]
    pub(super) fn count(&mut self, piece: &[u8], count: impl FnOnce(&[u8]) -> usize) -> usize {
        let Some(key) = PieceKey::new(piece) else { return count(piece) };
        let Some(slot) = self.slots.get_mut(key.place(SLOT_BITS)) else { return count(piece) };
        if *slot & KEY_MASK == key.number() {
            return (*slot >> TOKENS_SHIFT) as usize;
        }
        let tokens = count(piece);
        *slot = key.number() | (tokens as u128) << TOKENS_SHIFT;
        tokens
    }
}
