//! Finds the line breaks of a text. Lines are short: a search for each would cost more than to find
//! those of many bytes at once.

use wide::u8x16;

/// Bytes that are looked at together.
const CHUNK_BYTES: usize = 64;

/// The places of the line breaks, in order.
#[derive(Debug, Clone)]
pub(crate) struct LineBreaks<'t> {
    rest: &'t [u8],
    /// Those of the last chunk that have not been given: a bit for each byte, the first byte's is
    /// the lowest.
    found: u64,
    /// Place of that chunk, and of the rest.
    chunk: usize,
    next: usize,
}

/// The line breaks of a text.
pub(crate) fn breaks(text: &str) -> LineBreaks<'_> {
    LineBreaks { rest: text.as_bytes(), found: 0, chunk: 0, next: 0 }
}

impl Iterator for LineBreaks<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            self.found = match self.rest.split_first_chunk::<CHUNK_BYTES>() {
                Some((chunk, rest)) => {
                    self.rest = rest;
                    plane(chunk)
                }
                None if self.rest.is_empty() => return None,
                None => last_plane(std::mem::take(&mut self.rest)),
            };
            self.chunk = self.next;
            self.next += CHUNK_BYTES;
        }
        let at = self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Some(self.chunk + at)
    }
}

/// Bits of the bytes of a chunk that are line breaks.
#[inline]
fn plane(chunk: &[u8; CHUNK_BYTES]) -> u64 {
    let (parts, _) = chunk.as_chunks::<16>();
    let sign = u8x16::splat(b'\n');
    parts.iter().rev().fold(0, |plane, part| {
        plane << 16 | u64::from(sign.simd_eq(u8x16::new(*part)).to_bitmask())
    })
}

/// The same of fewer bytes.
fn last_plane(bytes: &[u8]) -> u64 {
    let mut chunk = [0; CHUNK_BYTES];
    for (own, byte) in chunk.iter_mut().zip(bytes) {
        *own = *byte;
    }
    plane(&chunk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn breaks_are_where_they_stand(text in "[a\n]{0,9}|[a\n\r\u{10a}\u{a0a}]{60,200}|a{0,200}\n") {
            let expected: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
            prop_assert_eq!(breaks(&text).collect::<Vec<_>>(), expected);
        }
    }
}
