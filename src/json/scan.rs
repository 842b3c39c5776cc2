//! Looking through the bytes of strings, the bulk of every request and payload.

/// The first byte that does not stand for itself inside a JSON string: a control character, `"`
/// or `\`. Eight bytes at a time.
pub(super) fn next_special(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    // The high bit of each byte that is zero; above the lowest such byte a borrow may set more.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let needs = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, chunk) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*chunk);
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let found = control
            | zero(word ^ (ONES * u64::from(b'"')))
            | zero(word ^ (ONES * u64::from(b'\\')));
        if found != 0 {
            return Some(index * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let from = bytes.len() - rest.len();
    rest.iter().position(|byte| needs(*byte)).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_a_plain_search_finds(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let plain = bytes.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'));
            prop_assert_eq!(next_special(&bytes), plain);
        }

        #[test]
        fn finds_the_only_one(at in 0usize..40, special in 0u8..0x20, byte in 0x23u8..) {
            prop_assume!(byte != b'\\');
            let mut bytes = vec![byte; 40];
            bytes[at] = special;
            prop_assert_eq!(next_special(&bytes), Some(at));
        }
    }
}
