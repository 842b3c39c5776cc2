//! Where the pair of two tokens is in the tables.

use super::record::TokenRecord;

/// Tells pairs of tokens apart.
#[derive(Clone, Copy)]
pub(super) struct PairHash(u64);

impl PairHash {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    /// What a token leaves of the three bytes of a slot.
    const CHECK_BITS: u32 = 24 - TokenRecord::NUMBER_BITS;

    #[inline]
    pub(super) fn new(left: u32, right: u32) -> Self {
        let pair = u64::from(left) << TokenRecord::NUMBER_BITS | u64::from(right);
        let mixed = pair.wrapping_mul(Self::FACTOR);
        Self((mixed ^ mixed >> 32).wrapping_mul(Self::FACTOR))
    }

    /// Its group, of so many.
    #[inline]
    pub(super) fn group(self, groups: usize) -> usize {
        scale(self.0 >> 32, groups)
    }

    /// Its slot, of so many, once the pilot of its group is mixed in.
    #[inline]
    pub(super) fn slot(self, pilot: u16, slots: usize) -> usize {
        let mixed =
            (self.0 ^ u64::from(pilot).wrapping_mul(Self::FACTOR)).wrapping_mul(Self::FACTOR);
        scale(mixed >> 32, slots)
    }

    /// What its slot says of it.
    #[inline]
    pub(super) fn check(self) -> u32 {
        (self.0 & ((1 << Self::CHECK_BITS) - 1)) as u32
    }
}

/// A number of 32 bits as one below `size`.
#[inline]
fn scale(number: u64, size: usize) -> usize {
    ((number * size as u64) >> 32) as usize
}
