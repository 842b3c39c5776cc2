//! Counts of short pieces: words come again and again, and most of the work of a count is to
//! encode them.

use std::sync::{Mutex, PoisonError};

/// Bytes of the longest piece that is remembered: with its length and its count it fills a slot.
const LONGEST: usize = 15;
/// Pieces that are remembered at a time, as a power of two: 256 KiB of them.
const BITS: u32 = 14;

/// What was counted lately.
pub(super) struct Memo {
    /// The bytes of a piece, its length, and its tokens, of which there are no more than bytes.
    slots: Vec<u128>,
}

/// Memos that nobody counts with just now: one for each that counts at a time.
#[derive(Default)]
pub(super) struct Memos(Mutex<Vec<Memo>>);

impl Memos {
    pub(super) fn take(&self) -> Memo {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| Memo { slots: vec![0; 1 << BITS] })
    }

    pub(super) fn put(&self, memo: Memo) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(memo);
    }
}

const LENGTH: u32 = 120;
const TOKENS: u32 = 124;
const KEY: u128 = (1 << TOKENS) - 1;

impl Memo {
    /// The count of a piece, asked of `count` where it is not remembered.
    #[inline]
    pub(super) fn count(&mut self, piece: &[u8], count: impl FnOnce(&[u8]) -> usize) -> usize {
        let Some((key, place)) = key(piece) else { return count(piece) };
        let Some(slot) = self.slots.get_mut(place) else { return count(piece) };
        if *slot & KEY == key {
            return (*slot >> TOKENS) as usize;
        }
        let tokens = count(piece);
        *slot = key | (tokens as u128) << TOKENS;
        tokens
    }
}

/// A piece and its length as one number, and where it is remembered; none for one that is empty
/// or too long.
#[inline]
fn key(piece: &[u8]) -> Option<(u128, usize)> {
    if piece.is_empty() || piece.len() > LONGEST {
        return None;
    }
    let (low, high) = match (piece.first_chunk::<8>(), piece.last_chunk::<8>()) {
        (Some(low), Some(high)) => {
            let low = u64::from_le_bytes(*low);
            let beyond = 8 * (16 - piece.len());
            let high = u64::from_le_bytes(*high);
            (low, if beyond < 64 { high >> beyond } else { 0 })
        }
        _ => (short(piece), 0),
    };
    let key = u128::from(low) | u128::from(high) << 64 | (piece.len() as u128) << LENGTH;
    Some((key, place(low, high, piece.len())))
}

/// Less than eight bytes; together with their number no other bytes give the same.
#[inline]
fn short(piece: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (piece.first_chunk::<4>(), piece.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    piece.iter().rev().fold(0, |bytes, byte| bytes << 8 | u64::from(*byte))
}

#[inline]
fn place(low: u64, high: u64, length: usize) -> usize {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (low ^ high.rotate_left(29)).wrapping_add(length as u64).wrapping_mul(STEP);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(STEP);
    usize::try_from(mixed >> (64 - BITS)).unwrap_or(0)
}
