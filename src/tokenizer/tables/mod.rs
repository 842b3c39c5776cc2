//! The tokens of an encoding, in tables that are part of the program and are read in place.
//!
//! Byte pair encoding merges neighbours, the pair with the lowest token first, until no pair is a
//! token. A list of tokens is the encoding of its bytes if no two neighbours would have been merged
//! in another way, which depends on these two alone ([`TokenTables::is_border`]). So the encoding is
//! found from the left: the longest token that fits, else a shorter one, else one step back. A place
//! that a step went back from is closed, so each place is tried once.
//!
//! A file has four counts (`u32`) and then as many of each, little-endian, without gaps:
//!
//! - units of the trie of all tokens, [`TrieUnit`],
//! - tokens, [`TokenRecord`]: those with lower numbers are merged first,
//! - slots of pairs, three bytes: the token that the pair is merged into, and six bits of its hash,
//! - pilots, two bytes: what to mix into the hashes of a group of pairs so that each of them has a
//!   slot of its own.

mod border_cache;
mod hash;
mod record;
#[cfg(test)]
mod tests;

use crate::domain::TokenizerName;
use border_cache::BorderCache;
use hash::PairHash;
use record::{TokenRecord, TrieUnit};

/// Pieces of fewer bytes are encoded without allocating.
const MIN_ALLOCATED_BYTES: usize = 256;

/// Begins at a line of the cache, so that no unit and no token is in two of them.
#[repr(align(64))]
struct AlignedFile<T: ?Sized>(T);

static O200K: TokenTables = {
    static FILE: &AlignedFile<[u8]> = &AlignedFile(*include_bytes!("o200k_base.bin"));
    TokenTables::read(&FILE.0)
};
static CL100K: TokenTables = {
    static FILE: &AlignedFile<[u8]> = &AlignedFile(*include_bytes!("cl100k_base.bin"));
    TokenTables::read(&FILE.0)
};

/// The tables of an encoding.
pub(super) struct TokenTables {
    units: &'static [[u8; 4]],
    tokens: &'static [[u8; 8]],
    slots: &'static [[u8; 3]],
    pilots: &'static [[u8; 2]],
}

/// The longest token at a place.
#[derive(Clone, Copy)]
struct TokenMatch {
    token: u32,
    bytes: usize,
}

/// Marks of 64 places of a piece, a bit for each.
#[derive(Clone, Copy, Default)]
struct PlaceMarks {
    /// Places where the tokens found so far begin.
    starts: u64,
    /// Places where no token of the encoding ends.
    closed: u64,
}

impl TokenTables {
    pub(super) fn get(name: TokenizerName) -> &'static Self {
        match name {
            TokenizerName::Cl100kBase => &CL100K,
            TokenizerName::O200kBase | TokenizerName::Bytes4 => &O200K,
        }
    }

    const fn read(file: &'static [u8]) -> Self {
        let (head, rest) = take::<4>(file, 4);
        let (units, rest) = take(rest, number(head, 0));
        let (tokens, rest) = take(rest, number(head, 1));
        let (slots, rest) = take(rest, number(head, 2));
        let (pilots, _) = take(rest, number(head, 3));
        Self { units, tokens, slots, pilots }
    }

    /// Tokens of a piece.
    pub(super) fn count(&self, piece: &[u8]) -> usize {
        let Some(first) = self.longest(piece) else { return 0 };
        if first.bytes == piece.len() {
            return 1;
        }
        if piece.len() < MIN_ALLOCATED_BYTES {
            let mut marks = [PlaceMarks::default(); MIN_ALLOCATED_BYTES / 64];
            return self.encode(piece, first, &mut marks, &mut BorderCache::default());
        }
        let mut marks = vec![PlaceMarks::default(); piece.len() / 64 + 1];
        self.encode(piece, first, &mut marks, &mut BorderCache::for_piece(piece))
    }

    /// Bytes of each token of a piece.
    pub(super) fn lengths(&self, piece: &[u8]) -> Vec<usize> {
        let Some(first) = self.longest(piece) else { return Vec::new() };
        let mut marks = vec![PlaceMarks::default(); piece.len() / 64 + 1];
        self.encode(piece, first, &mut marks, &mut BorderCache::for_piece(piece));
        let mut ends = vec![piece.len()];
        while let Some(start) = ends.last().and_then(|end| last_start(&marks, *end)) {
            ends.push(start);
        }
        ends.reverse();
        ends.iter().zip(ends.iter().skip(1)).map(|(start, end)| end - start).collect()
    }

    /// Finds the tokens of a piece from its first longest one, and counts them. `marks` has a bit
    /// for each place and for the end, none of them set.
    fn encode(
        &self,
        piece: &[u8],
        first: TokenMatch,
        marks: &mut [PlaceMarks],
        borders: &mut BorderCache,
    ) -> usize {
        let mut at = 0;
        let mut count = 0;
        let mut last = None;
        let mut candidate = Some(first.token);
        while at < piece.len() {
            let fitting =
                std::iter::successors(candidate, |token| self.prefix(*token)).find_map(|token| {
                    let bytes = self.token(token)?.bytes();
                    let is_open =
                        marks.get((at + bytes) / 64)?.closed >> ((at + bytes) % 64) & 1 == 0;
                    let fits = is_open
                        && last.is_none_or(|last| {
                            borders.get(last, token, || self.is_border(last, token))
                        });
                    fits.then_some(TokenMatch { token, bytes })
                });
            let Some(mark) = marks.get_mut(at / 64) else { return count };
            if let Some(TokenMatch { token, bytes }) = fitting {
                mark.starts |= 1 << (at % 64);
                at += bytes;
                count += 1;
                last = Some(token);
                let longest = piece.get(at..).and_then(|rest| self.longest(rest));
                candidate = longest.map(|longest| longest.token);
                continue;
            }
            // No token goes on from here, so the last one was a wrong step.
            mark.closed |= 1 << (at % 64);
            let Some(wrong) = last else { return count };
            let Some(record) = self.token(wrong) else { return count };
            at -= record.bytes();
            count -= 1;
            if let Some(mark) = marks.get_mut(at / 64) {
                mark.starts &= !(1 << (at % 64));
            }
            candidate = self.prefix(wrong);
            last = last_start(marks, at)
                .and_then(|start| piece.get(start..at))
                .and_then(|token| self.longest(token))
                .map(|longest| longest.token);
        }
        count
    }

    /// Whether two tokens next to each other are the encoding of their bytes: undoing their
    /// merges from the last one back, no pair across the border was merged before what was undone.
    #[inline]
    fn is_border(&self, mut left: u32, mut right: u32) -> bool {
        let mut limit = u32::MAX;
        loop {
            if self.merged(left, right).is_some_and(|merged| merged < limit) {
                return false;
            }
            // Of two that are the same token, the one further left was merged first.
            if left > right {
                limit = left;
                left = self.token(left).map_or(left, TokenRecord::right);
                if left != limit {
                    continue;
                }
                limit = right + 1;
                right = self.token(right).map_or(right, TokenRecord::left);
                if right + 1 == limit {
                    return true;
                }
            } else {
                limit = right + 1;
                right = self.token(right).map_or(right, TokenRecord::left);
                if right + 1 != limit {
                    continue;
                }
                limit = left;
                left = self.token(left).map_or(left, TokenRecord::right);
                if left == limit {
                    return true;
                }
            }
        }
    }

    /// The token that a pair is merged into.
    #[inline]
    fn merged(&self, left: u32, right: u32) -> Option<u32> {
        let hash = PairHash::new(left, right);
        let pilot = *self.pilots.get(hash.group(self.pilots.len()))?;
        let [low, middle, high] =
            *self.slots.get(hash.slot(u16::from_le_bytes(pilot), self.slots.len()))?;
        let slot = u32::from_le_bytes([low, middle, high, 0]);
        if slot >> TokenRecord::NUMBER_BITS != hash.check() {
            return None;
        }
        let token = slot & TokenRecord::NUMBER_MASK;
        let record = self.token(token)?;
        (record.left() == left && record.right() == right).then_some(token)
    }

    /// The longest token that a text begins with.
    #[inline]
    fn longest(&self, text: &[u8]) -> Option<TokenMatch> {
        let mut found = None;
        let mut base = self.unit(TrieUnit::ROOT)?.payload();
        for (bytes, byte) in (1..).zip(text) {
            let label = u32::from(*byte);
            let Some(unit) = self.unit(base ^ label) else { break };
            if unit.label() != label {
                break;
            }
            if unit.is_leaf() {
                return Some(TokenMatch { token: unit.payload(), bytes });
            }
            base = unit.payload();
            if unit.is_token() {
                found = Some(TokenMatch { token: base, bytes });
            }
        }
        let TokenMatch { token: base, bytes } = found?;
        let token = self.unit(base ^ TrieUnit::NO_CHILD)?.payload();
        Some(TokenMatch { token, bytes })
    }

    /// The longest token that a token begins with.
    #[inline]
    fn prefix(&self, token: u32) -> Option<u32> {
        let prefix = self.token(token)?.prefix();
        (prefix != token).then_some(prefix)
    }

    #[inline]
    fn unit(&self, at: u32) -> Option<TrieUnit> {
        self.units.get(at as usize).map(|bytes| TrieUnit(u32::from_le_bytes(*bytes)))
    }

    #[inline]
    fn token(&self, token: u32) -> Option<TokenRecord> {
        self.tokens.get(token as usize).map(|bytes| TokenRecord(u64::from_le_bytes(*bytes)))
    }
}

/// Where the last token before a place begins.
fn last_start(marks: &[PlaceMarks], before: usize) -> Option<usize> {
    let mut word = before / 64;
    let mut starts = marks.get(word)?.starts & ((1 << (before % 64)) - 1);
    while starts == 0 {
        word = word.checked_sub(1)?;
        starts = marks.get(word)?.starts;
    }
    Some(word * 64 + starts.ilog2() as usize)
}

/// So many numbers of `N` bytes, and the rest.
const fn take<const N: usize>(
    bytes: &'static [u8],
    count: usize,
) -> (&'static [[u8; N]], &'static [u8]) {
    match bytes.split_at_checked(N * count) {
        Some((taken, rest)) => (taken.as_chunks().0, rest),
        None => (&[], &[]),
    }
}

const fn number(head: &[[u8; 4]], at: usize) -> usize {
    match head.split_at_checked(at) {
        Some((_, [bytes, ..])) => u32::from_le_bytes(*bytes) as usize,
        _ => 0,
    }
}
