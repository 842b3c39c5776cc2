//! Short pieces as numbers: two of them are compared in one step.

/// Bytes of the longest piece that has a number.
const MAX_PIECE_BYTES: usize = 15;
const LENGTH_SHIFT: u32 = 120;

/// The bytes of a piece and its length as one number, which no other piece has.
#[derive(Debug, Clone, Copy)]
pub(super) struct PieceKey {
    number: u128,
    mixed: u64,
}

impl PieceKey {
    /// Bits of a number; those above are free.
    pub(super) const BITS: u32 = 124;

    /// None for a piece that is empty or too long.
    #[inline]
    pub(super) fn new(piece: &[u8]) -> Option<Self> {
        if piece.is_empty() || piece.len() > MAX_PIECE_BYTES {
            return None;
        }
        let (low, high) = match (piece.first_chunk::<8>(), piece.last_chunk::<8>()) {
            (Some(low), Some(high)) => {
                let low = u64::from_le_bytes(*low);
                let beyond = 8 * (16 - piece.len());
                let high = u64::from_le_bytes(*high);
                (low, if beyond < 64 { high >> beyond } else { 0 })
            }
            _ => (read_short(piece), 0),
        };
        let number =
            u128::from(low) | u128::from(high) << 64 | (piece.len() as u128) << LENGTH_SHIFT;
        Some(Self { number, mixed: mix(low, high, piece.len()) })
    }

    /// Never 0.
    #[inline]
    pub(super) fn number(self) -> u128 {
        self.number
    }

    /// Its slot, of as many slots as so many bits can tell apart.
    #[inline]
    pub(super) fn place(self, bits: u32) -> usize {
        usize::try_from(self.mixed >> (64 - bits)).unwrap_or(0)
    }
}

/// Less than eight bytes; together with their number no other bytes give the same.
#[inline]
fn read_short(piece: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (piece.first_chunk::<4>(), piece.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    piece.iter().rev().fold(0, |bytes, byte| bytes << 8 | u64::from(*byte))
}

#[inline]
fn mix(low: u64, high: u64, length: usize) -> u64 {
    const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (low ^ high.rotate_left(29)).wrapping_add(length as u64).wrapping_mul(HASH_FACTOR);
    (mixed ^ mixed >> 32).wrapping_mul(HASH_FACTOR)
}
