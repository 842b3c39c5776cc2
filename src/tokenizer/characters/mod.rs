//! What the pre-tokenizers tell characters apart by: their general category, and white space.

#[cfg(test)]
mod tests;

/// The classes of all characters, in two steps: the number of a block by the higher bits of a character,
/// and four bits for each character of a block. Many blocks are the same one.
static FILE: &[u8] = include_bytes!("classes.bin");

const BLOCK_BITS: u32 = 7;
const BLOCKS: usize = 0x11_0000 >> BLOCK_BITS;
/// Bytes of a block.
const BLOCK_BYTES: usize = 1 << (BLOCK_BITS - 1);

/// A character as the patterns of the pre-tokenizers see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CharacterClass {
    /// An upper case or title case letter.
    Upper,
    Lower,
    /// A letter without case, or a modifier letter.
    Caseless,
    /// A combining mark.
    Mark,
    Number,
    Space,
    /// Punctuation, symbols and all others.
    Other,
}

impl CharacterClass {
    const ALL: [Self; 7] = [
        Self::Upper,
        Self::Lower,
        Self::Caseless,
        Self::Mark,
        Self::Number,
        Self::Space,
        Self::Other,
    ];

    #[inline]
    pub(super) fn new(character: char) -> Self {
        let character = u32::from(character);
        let block = FILE.get((character >> BLOCK_BITS) as usize).copied().unwrap_or(0);
        let within = character as usize & (2 * BLOCK_BYTES - 1);
        let two = FILE.get(BLOCKS + usize::from(block) * BLOCK_BYTES + within / 2);
        let class = two.copied().unwrap_or(0) >> (4 * (within % 2)) & 15;
        Self::ALL.get(usize::from(class)).copied().unwrap_or(Self::Other)
    }

    #[inline]
    pub(super) fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Caseless)
    }
}
