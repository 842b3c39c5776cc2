//! Bytes of lines, many at a time: classes as bits, hashes, comparisons.
//!
//! Cells and words are a few bytes long, so a call into the library for each would cost more than
//! the work. Hashes are the same in every run, so hostile lines may collide: a table of them has
//! to bound its probes.

use std::str::FromStr;

use wide::u8x16;

/// A value for each byte: one look instead of a comparison for each kind of byte. Made by
/// [`byte_table`].
#[derive(Debug)]
pub(crate) struct ByteTable<T>([T; 256]);

impl<T: Copy + Default> ByteTable<T> {
    pub(crate) const fn new(values: [T; 256]) -> Self {
        Self(values)
    }

    #[inline]
    pub(crate) fn get(&self, byte: u8) -> T {
        self.0.get(usize::from(byte)).copied().unwrap_or_default()
    }
}

/// Makes a [`ByteTable`] of a `const fn` at compile time.
macro_rules! byte_table {
    ($value_of:path) => {{
        let mut values = [$value_of(0); 256];
        let mut rest: &mut [_] = &mut values;
        let mut byte = 0_u8;
        while let Some((value, after)) = rest.split_first_mut() {
            *value = $value_of(byte);
            rest = after;
            byte = byte.wrapping_add(1);
        }
        $crate::compress::text::ByteTable::new(values)
    }};
}
pub(crate) use byte_table;

/// A number that is nothing but digits: `parse` takes a sign, too.
pub(crate) fn parse_digits<N: FromStr>(text: &str) -> Option<N> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Bytes that are classed together.
pub(crate) const CHUNK_BYTES: usize = 32;

/// Calls `each` with the place of every chunk of a line, its bytes, and how many bits to shift out
/// below: the last chunk begins earlier, for it ends with the line.
#[inline]
pub(crate) fn chunks(line: &[u8], mut each: impl FnMut(usize, &[u8; CHUNK_BYTES], usize)) {
    let mut at = 0;
    let mut rest = line;
    while let Some((chunk, after)) = rest.split_first_chunk::<CHUNK_BYTES>() {
        each(at, chunk, 0);
        at += CHUNK_BYTES;
        rest = after;
    }
    if rest.is_empty() {
        return;
    }
    let missing = CHUNK_BYTES - rest.len();
    if let Some(chunk) = line.last_chunk::<CHUNK_BYTES>() {
        each(at, chunk, missing);
        return;
    }
    let mut chunk = [0; CHUNK_BYTES];
    if let Some(end) = chunk.get_mut(missing..) {
        end.copy_from_slice(rest);
    }
    each(at, &chunk, missing);
}

/// Classes of the bytes of a chunk: a bit for each byte, the first byte's is the lowest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByteClasses {
    /// No space and no tab.
    pub(crate) solid: u32,
    pub(crate) digits: u32,
    /// ASCII letters, and all that is not ASCII.
    pub(crate) letters: u32,
    /// ASCII letters, digits and `_`.
    pub(crate) words: u32,
    pub(crate) tabs: u32,
    /// Bytes that a terminal code begins with.
    pub(crate) escapes: u32,
    /// Bytes that the names of types of errors begin with: `E` and `F`.
    pub(crate) types: u32,
}

impl ByteClasses {
    #[inline]
    pub(crate) fn new(chunk: &[u8; CHUNK_BYTES], shift: usize) -> Self {
        let plane = |holds: &dyn Fn(u8x16) -> u8x16| {
            let (halves, _) = chunk.as_chunks::<16>();
            let bits = |half: &[u8; 16]| holds(u8x16::new(*half)).to_bitmask();
            halves.iter().rev().fold(0, |plane, half| plane << 16 | bits(half)) >> shift
        };
        let is = |sign: u8| plane(&|bytes| bytes.simd_eq(u8x16::splat(sign)));
        let digits = plane(&|bytes| (bytes - u8x16::splat(b'0')).simd_le(u8x16::splat(9)));
        let letters = plane(&|bytes| {
            ((bytes | u8x16::splat(0x20)) - u8x16::splat(b'a')).simd_le(u8x16::splat(25))
        });
        let tabs = is(b'\t');
        // The highest bit of each byte, which no ASCII has.
        let others = plane(&|bytes| bytes);
        Self {
            solid: !(is(b' ') | tabs) & u32::MAX >> shift,
            digits,
            letters: letters | others,
            words: letters | digits | is(b'_'),
            tabs,
            escapes: is(0x1b),
            types: plane(&|bytes| (bytes - u8x16::splat(b'E')).simd_le(u8x16::splat(1))),
        }
    }
}

/// Whether a sign is in a text of some tens of bytes.
#[inline]
pub(crate) fn has(text: &[u8], sign: u8) -> bool {
    let is_in = |chunk: &[u8; 16]| u8x16::new(*chunk).simd_eq(u8x16::splat(sign)).any();
    let (chunks, rest) = text.as_chunks::<16>();
    chunks.iter().any(is_in)
        || match text.last_chunk::<16>() {
            Some(last) => !rest.is_empty() && is_in(last),
            None => rest.contains(&sign),
        }
}

/// Both halves of the product count: in the lower alone, a high byte would say little.
#[inline]
pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    const HASH_FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(hash.rotate_left(23) ^ value ^ 0x517c_c1b7_2722_0a95) * HASH_FACTOR;
    let half = |product: u128| u64::try_from(product & u128::from(u64::MAX)).unwrap_or(0);
    half(product) ^ half(product >> 64)
}

/// A hash of some bytes.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut rest = bytes;
    let mut hash = bytes.len() as u64;
    while rest.len() > 8
        && let Some((eight, after)) = rest.split_first_chunk::<8>()
    {
        hash = mix(hash, u64::from_le_bytes(*eight));
        rest = after;
    }
    mix(hash, read_tail(rest))
}

/// A hash of what is in a line of eight bytes or more from a place to another: not the one
/// that it has by itself. Most words have no more than sixteen bytes, and no branch goes by how
/// many of these.
#[inline]
pub(crate) fn hash_within(line: &[u8], start: usize, end: usize) -> u64 {
    /// Spreads a length over all bits: no few bytes of a longer word are what makes the difference.
    const LENGTH_FACTOR: u64 = 0xd6e8_feb8_6659_fd93;
    let length = end.saturating_sub(start);
    let seed = (length as u64).wrapping_mul(LENGTH_FACTOR);
    if length > 16 {
        return hash(line.get(start..end).unwrap_or_default());
    }
    let first = eight(line, start);
    if length > 8 {
        return mix(mix(seed, first), eight(line, end - 8));
    }
    let others = u32::try_from(64 - 8 * length).unwrap_or(u64::BITS);
    mix(seed, first & u64::MAX.checked_shr(others).unwrap_or(0))
}

/// The eight bytes of a line that begin at a place; after its end, zeros.
#[inline]
fn eight(line: &[u8], at: usize) -> u64 {
    if let Some(chunk) = line.get(at..).and_then(<[u8]>::first_chunk) {
        return u64::from_le_bytes(*chunk);
    }
    let last = line.last_chunk().map_or(0, |last| u64::from_le_bytes(*last));
    let missing = u32::try_from((at + 8).saturating_sub(line.len()) * 8).unwrap_or(u64::BITS);
    last.checked_shr(missing).unwrap_or(0)
}

/// Up to eight bytes as a number.
#[inline]
fn read_tail(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    match bytes {
        [] => 0,
        [a] => u64::from(*a),
        [a, b, rest @ ..] => {
            u64::from(*a) | u64::from(*b) << 8 | u64::from(rest.first().copied().unwrap_or(0)) << 16
        }
    }
}

/// Whether two texts are the same.
#[inline]
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    a.len() == b.len()
        && if a.len() <= 8 {
            read_tail(a) == read_tail(b)
        } else if let (Some(a8), Some(b8), true) =
            (a.first_chunk::<8>(), b.first_chunk::<8>(), a.len() <= 16)
        {
            a8 == b8 && a.last_chunk::<8>() == b.last_chunk::<8>()
        } else {
            a == b
        }
}

/// Number of bytes that two texts begin with alike.
#[inline]
pub(crate) fn common(a: &[u8], b: &[u8]) -> usize {
    let mut count = 0;
    let (mut a, mut b) = (a, b);
    while let (Some((a8, a_after)), Some((b8, b_after))) =
        (a.split_first_chunk::<8>(), b.split_first_chunk::<8>())
    {
        let differ = u64::from_le_bytes(*a8) ^ u64::from_le_bytes(*b8);
        if differ != 0 {
            return count + (differ.trailing_zeros() / 8) as usize;
        }
        count += 8;
        (a, b) = (a_after, b_after);
    }
    count + a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_high_byte_makes_another_hash() {
        assert_ne!(hash(b"#tWr.7:96       "), hash(b"#tWr.7:I        "));
    }

    #[test]
    fn a_longer_word_with_control_characters_has_another_hash() {
        let hash = |word: &str| hash_within(format!("{word} and more").as_bytes(), 0, word.len());
        assert_ne!(hash("31"), hash("31\0\u{3}"));
    }

    #[test]
    fn a_table_has_a_value_for_each_byte() {
        const fn next(byte: u8) -> u8 {
            byte.wrapping_add(1)
        }
        static NEXT: ByteTable<u8> = byte_table!(next);
        assert!((0..=u8::MAX).all(|byte| NEXT.get(byte) == next(byte)));
    }

    fn bits(chunk: &[u8; CHUNK_BYTES], holds: &dyn Fn(u8) -> bool) -> u32 {
        chunk.iter().rev().fold(0, |bits, byte| bits << 1 | u32::from(holds(*byte)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn bits_say_where_bytes_stand(text in "[ab]{0,80}") {
            let mut found = Vec::new();
            chunks(text.as_bytes(), |at, chunk, shift| {
                let bits = bits(chunk, &|byte| byte == b'a') >> shift;
                found.extend((0..CHUNK_BYTES).filter(|bit| bits >> bit & 1 == 1).map(|bit| at + bit));
            });
            let expected: Vec<usize> = text.match_indices('a').map(|(at, _)| at).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn a_sign_is_found_anywhere(text in "[ab]{0,40}c?[ab]{0,40}") {
            prop_assert_eq!(has(text.as_bytes(), b'c'), text.contains('c'));
        }

        #[test]
        fn planes_tell_what_bytes_are(bytes in prop::array::uniform32(0_u8..), shift in 0..32_usize) {
            let planes = ByteClasses::new(&bytes, shift);
            let plane = |holds: &dyn Fn(u8) -> bool| bits(&bytes, holds) >> shift;
            prop_assert_eq!(planes.solid, plane(&|byte| byte != b' ' && byte != b'\t'));
            prop_assert_eq!(planes.digits, plane(&|byte| byte.is_ascii_digit()));
            prop_assert_eq!(planes.letters, plane(&|byte| byte.is_ascii_alphabetic() || byte >= 0x80));
            prop_assert_eq!(planes.words, plane(&|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
            prop_assert_eq!(planes.tabs, plane(&|byte| byte == b'\t'));
            prop_assert_eq!(planes.escapes, plane(&|byte| byte == 0x1b));
            prop_assert_eq!(planes.types, plane(&|byte| matches!(byte, b'E' | b'F')));
        }

        #[test]
        fn a_word_has_its_hash_in_any_line(
            word in "[ab]{1,20}", other in "[ab]{1,20}",
            one in ("[ab]{0,9}", "[ab]{0,20}"), next in ("[ab]{0,9}", "[ab]{0,20}"),
        ) {
            let within = |(before, after): &(String, String), word: &str| {
                let line = format!("{before}{word}{after}");
                let (start, end) = (before.len(), before.len() + word.len());
                (line.len() >= 8).then(|| hash_within(line.as_bytes(), start, end))
            };
            if let (Some(own), Some(other_hash)) = (within(&one, &word), within(&next, &other)) {
                prop_assert_eq!(own == other_hash, word == other);
            }
        }

        #[test]
        fn texts_are_the_same_where_their_bytes_are(a in "[ab]{0,20}", b in "[ab]{0,20}") {
            prop_assert_eq!(is_same(&a, &b), a == b);
            prop_assert!(is_same(&a, &a.clone()) && hash(a.as_bytes()) == hash(a.clone().as_bytes()));
            if a.len() <= 8 && b.len() <= 8 {
                prop_assert_eq!(hash(a.as_bytes()) == hash(b.as_bytes()), a == b);
            }
            let alike = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
            prop_assert_eq!(common(a.as_bytes(), b.as_bytes()), alike);
        }
    }
}
