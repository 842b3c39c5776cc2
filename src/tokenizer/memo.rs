//! Counts of the short pieces of one text: words come again and again, and most of the work of a
//! count is to encode them.

/// Bytes of the longest piece that is remembered: with its length it fills a key.
const LONGEST: usize = 15;
/// Pieces that are remembered at a time.
const PIECES: usize = 1 << 10;

/// What was counted lately.
pub(super) struct Memo {
    counts: Box<[(u128, u32)]>,
}

impl Memo {
    /// Bytes of a text from which this is worth its memory.
    pub(super) const LEAST: usize = 1 << 10;

    pub(super) fn new() -> Self {
        Self { counts: vec![(0, 0); PIECES].into() }
    }

    /// The count of a piece, asked of `count` where it is not remembered.
    #[inline]
    pub(super) fn count(&mut self, piece: &[u8], count: impl FnOnce(&[u8]) -> usize) -> usize {
        let Some(key) = key(piece) else { return count(piece) };
        let Some(known) = self.counts.get_mut(place(key)) else { return count(piece) };
        if known.0 == key {
            return known.1 as usize;
        }
        let tokens = count(piece);
        *known = (key, u32::try_from(tokens).unwrap_or(u32::MAX));
        tokens
    }
}

/// A piece and its length as one number; none for one that is empty or too long.
fn key(piece: &[u8]) -> Option<u128> {
    if piece.is_empty() || piece.len() > LONGEST {
        return None;
    }
    let mut bytes = [0; LONGEST + 1];
    bytes.get_mut(..piece.len())?.copy_from_slice(piece);
    *bytes.last_mut()? = u8::try_from(piece.len()).ok()?;
    Some(u128::from_le_bytes(bytes))
}

#[expect(clippy::cast_possible_truncation, reason = "halves of a number")]
fn place(key: u128) -> usize {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let folded = (key as u64).wrapping_mul(STEP) ^ ((key >> 64) as u64);
    (folded.wrapping_mul(STEP) >> 32) as usize % PIECES
}
