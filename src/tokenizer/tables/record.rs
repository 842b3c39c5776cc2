//! The numbers that the tables consist of.

/// A node of the trie. The child by a byte is the unit at `base ^ byte`, if it has this byte as its label.
#[derive(Clone, Copy)]
pub(super) struct TrieUnit(pub(super) u32);

impl TrieUnit {
    pub(super) const ROOT: u32 = 0;
    /// Beyond all bytes: the label of a unit that is free or has the number of a token alone.
    pub(super) const NO_CHILD: u32 = 1 << 8;
    pub(super) const LABEL_MASK: u32 = (1 << 9) - 1;
    /// A token that no other begins with: in place of the base is its number.
    pub(super) const LEAF: u32 = 1 << 9;
    /// A token that others begin with: its number is in the unit at `base ^ NO_CHILD`.
    pub(super) const TOKEN: u32 = 1 << 10;
    pub(super) const PAYLOAD_SHIFT: u32 = 11;

    #[inline]
    pub(super) const fn label(self) -> u32 {
        self.0 & Self::LABEL_MASK
    }

    #[inline]
    pub(super) const fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    #[inline]
    pub(super) const fn is_token(self) -> bool {
        self.0 & Self::TOKEN != 0
    }

    /// The base, or the number of a token.
    #[inline]
    pub(super) const fn payload(self) -> u32 {
        self.0 >> Self::PAYLOAD_SHIFT
    }
}

/// A token: the two that were merged into it, the longest token that it begins with, and its bytes.
#[derive(Clone, Copy)]
pub(super) struct TokenRecord(pub(super) u64);

impl TokenRecord {
    /// Bits of a token's number.
    pub(super) const NUMBER_BITS: u32 = 18;
    pub(super) const NUMBER_MASK: u32 = (1 << Self::NUMBER_BITS) - 1;
    pub(super) const RIGHT_SHIFT: u32 = Self::NUMBER_BITS;
    pub(super) const PREFIX_SHIFT: u32 = 2 * Self::NUMBER_BITS;
    pub(super) const BYTES_SHIFT: u32 = 3 * Self::NUMBER_BITS;

    /// Itself for a single byte, as [`Self::right`] and [`Self::prefix`] are.
    #[inline]
    pub(super) fn left(self) -> u32 {
        self.number(0)
    }

    #[inline]
    pub(super) fn right(self) -> u32 {
        self.number(Self::RIGHT_SHIFT)
    }

    #[inline]
    pub(super) fn prefix(self) -> u32 {
        self.number(Self::PREFIX_SHIFT)
    }

    #[inline]
    pub(super) fn bytes(self) -> usize {
        (self.0 >> Self::BYTES_SHIFT) as usize
    }

    #[inline]
    fn number(self, shift: u32) -> u32 {
        (self.0 >> shift & ((1 << Self::NUMBER_BITS) - 1)) as u32
    }
}
