//! Borders that were looked at in a long piece: one that repeats itself, such as a rule of dashes, has
//! few different ones, and each place has many tokens to try.

use super::record::TokenRecord;

const MAX_SLOTS: usize = 1 << 13;

/// Which pairs of neighbours are the encoding of their bytes. Without slots, nothing is remembered.
#[derive(Default)]
pub(super) struct BorderCache {
    /// For each, the numbers of both tokens, and in the lowest bit what was found; 0 if it is free.
    slots: Vec<u64>,
}

impl BorderCache {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    /// As many slots as bytes, so that making them takes no longer than the piece.
    pub(super) fn for_piece(piece: &[u8]) -> Self {
        Self { slots: vec![0; piece.len().min(MAX_SLOTS)] }
    }

    #[inline]
    pub(super) fn get(&mut self, left: u32, right: u32, find: impl FnOnce() -> bool) -> bool {
        let pair = u64::from(left) << TokenRecord::NUMBER_BITS | u64::from(right);
        let mixed = pair.wrapping_mul(Self::FACTOR) >> 32;
        // The second bit tells it from a free slot.
        let key = pair << 2 | 2;
        let at = (mixed * self.slots.len() as u64) >> 32;
        let Some(slot) = self.slots.get_mut(at as usize) else {
            return find();
        };
        if *slot & !1 != key {
            *slot = key | u64::from(find());
        }
        *slot & 1 != 0
    }
}
