//! Looking through the bytes of strings, the bulk of every request and payload.

use wide::u8x16;

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

/// Bytes that are looked at together.
const BLOCK_BYTES: usize = 16;

/// The first byte that does not represent itself inside a JSON string: a control character, `"`
/// or `\`. Sixteen bytes at a time.
pub(crate) fn next_special(bytes: &[u8]) -> Option<usize> {
    let (blocks, rest) = bytes.as_chunks::<BLOCK_BYTES>();
    for (index, block) in blocks.iter().enumerate() {
        let found = specials(*block);
        if found != 0 {
            return Some(index * BLOCK_BYTES + found.trailing_zeros() as usize);
        }
    }
    // The last sixteen bytes of a text of more: those before are known to be plain.
    match bytes.last_chunk::<BLOCK_BYTES>() {
        _ if rest.is_empty() => None,
        Some(last) => {
            let found = specials(*last);
            (found != 0).then(|| bytes.len() - BLOCK_BYTES + found.trailing_zeros() as usize)
        }
        None => next_special_of_few(rest),
    }
}

/// A bit for each byte that does not represent itself, the lowest for the first.
#[inline]
fn specials(block: [u8; BLOCK_BYTES]) -> u32 {
    let block = u8x16::new(block);
    let is = |byte: u8| block.simd_eq(u8x16::splat(byte));
    let found = block.simd_le(u8x16::splat(0x1f)) | is(b'"') | is(b'\\');
    found.to_bitmask()
}

/// [`next_special`] of fewer than sixteen bytes: eight at a time.
fn next_special_of_few(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, chunk) in words.iter().enumerate() {
        let found = special(u64::from_le_bytes(*chunk));
        if found != 0 {
            return Some(index * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let (word, from) = match bytes.last_chunk::<8>() {
        _ if rest.is_empty() => return None,
        Some(last) => (u64::from_le_bytes(*last), bytes.len() - 8),
        None => (padded(rest), 0),
    };
    let found = special(word);
    (found != 0).then(|| from + found.trailing_zeros() as usize / 8)
}

/// Up to seven bytes, and spaces after them.
fn padded(bytes: &[u8]) -> u64 {
    const SPACES: u64 = u64::from_ne_bytes([b' '; 8]);
    let word = match *bytes {
        [] => 0,
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c] => u64::from(u32::from_le_bytes([a, b, c, 0])),
        [a, b, c, d, ref rest @ ..] => {
            let last = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            u64::from(u32::from_le_bytes([a, b, c, d])) | last << 32
        }
    };
    word | SPACES << (8 * bytes.len())
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || matches!(byte, b'"' | b'\\')
}

/// The high bit of the first special byte, and perhaps bits above it.
fn special(word: u64) -> u64 {
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
    control | first_equal(word, b'"') | first_equal(word, b'\\')
}

/// The high bit of the first byte that is equal to `byte`, and perhaps bits above it: a borrow
/// may set more. No bit where no byte is.
fn first_equal(word: u64, byte: u8) -> u64 {
    let other = word ^ (ONES * u64::from(byte));
    other.wrapping_sub(ONES) & !other & HIGH
}

/// The marks of the bytes of a string; ordinary bytes have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks(u8);

impl Marks {
    pub(crate) const COMMA: Self = Self(1);
    pub(crate) const BAR: Self = Self(2);
    /// A control character, or the last one of ASCII.
    pub(crate) const CONTROL: Self = Self(4);
    /// Writing the text with the escapes that JSON asks for gives other bytes.
    pub(crate) const NOT_PLAIN_FORM: Self = Self(8);
    /// The same, if all that is not printable ASCII is an escape.
    pub(crate) const NOT_ASCII_FORM: Self = Self(16);
    pub(crate) const NOT_ANY_FORM: Self = Self(8 | 16);
    /// A key of nothing but ASCII letters, digits, `_`, and `-` after the first of them.
    pub(crate) const WORD: Self = Self(32);

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// The marks of a key in quotes, in addition to those of its text.
    pub(super) fn from_key(raw: &str) -> Self {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let key = raw.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or_default();
        let holds = !key.is_empty() && !key.starts_with('-') && key.bytes().all(is_word);
        if holds { Self::WORD } else { Self(0) }
    }

    fn from_byte(byte: u8) -> Self {
        match byte {
            b',' => Self::COMMA,
            b'|' => Self::BAR,
            0x7f => Self(Self::CONTROL.0 | Self::NOT_ASCII_FORM.0),
            0x80.. => Self::NOT_ASCII_FORM,
            _ => Self(0),
        }
    }

    /// Marks in eight bytes. Most hold nothing of it.
    fn from_word(word: u64) -> Self {
        let (comma, bar, last) =
            (first_equal(word, b','), first_equal(word, b'|'), first_equal(word, 0x7f));
        let wide = word & HIGH;
        let mut marks = Self(0);
        if comma | bar | last | wide != 0 {
            for (hits, byte) in [(comma, b','), (bar, b'|'), (last, 0x7f), (wide, 0x80)] {
                marks.add(if hits == 0 { Self(0) } else { Self::from_byte(byte) });
            }
        }
        marks
    }
}

/// [`next_special`], and what is before it.
pub(super) fn next_special_marked(bytes: &[u8]) -> Option<(usize, Marks)> {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut marks = Marks(0);
    for (index, chunk) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*chunk);
        let found = special(word);
        if found != 0 {
            // Bits below the first special byte.
            let below = (found & found.wrapping_neg()).wrapping_sub(1);
            marks.add(Marks::from_word(word & below));
            let at = index * 8 + found.trailing_zeros() as usize / 8;
            return Some((at, marks));
        }
        marks.add(Marks::from_word(word));
    }
    let from = bytes.len() - rest.len();
    for (at, byte) in rest.iter().enumerate() {
        if is_special(*byte) {
            return Some((from + at, marks));
        }
        marks.add(Marks::from_byte(*byte));
    }
    None
}

/// The bytes of the number at the head of a text; none if there is no number.
pub(crate) fn number(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        let mut at = from;
        while let Some(b'0'..=b'9') = bytes.get(at) {
            at += 1;
        }
        (at > from).then_some(at)
    };
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits(at)? };
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        at = digits(at)?;
    }
    Some(at)
}

/// The first white space of a JSON text that is outside of its strings; in a text that is not
/// JSON it may be any byte. Sixty-four bytes at a time: a string is where an odd number of quotes
/// precedes.
pub(crate) fn space_outside_strings(text: &str) -> Option<usize> {
    let (blocks, rest) = text.as_bytes().as_chunks::<64>();
    // Whether the bytes before end in a string, and there in the middle of an escape.
    let (mut within, mut escaped) = (false, false);
    for (index, block) in blocks.iter().enumerate() {
        let (words, _) = block.as_chunks::<8>();
        let (mut quotes, mut blanks, mut slashes) = (0_u64, 0_u64, 0_u64);
        for (index, chunk) in words.iter().enumerate() {
            let word = u64::from_le_bytes(*chunk);
            quotes |= side_by_side(equal(word, b'"')) << (index * 8);
            slashes |= side_by_side(equal(word, b'\\')) << (index * 8);
            blanks |= side_by_side(blank(word)) << (index * 8);
        }
        if std::mem::take(&mut escaped) {
            (quotes, slashes) = (quotes & !1, slashes & !1);
        }
        while slashes != 0 {
            let slash = slashes & slashes.wrapping_neg();
            escaped = slash == 1 << 63;
            quotes &= !(slash << 1);
            slashes &= !(slash | slash << 1);
        }
        let mut inside = quotes;
        for step in [1, 2, 4, 8, 16, 32] {
            inside ^= inside << step;
        }
        if within {
            inside = !inside;
        }
        let outside = blanks & !inside;
        if outside != 0 {
            return Some(index * 64 + outside.trailing_zeros() as usize);
        }
        within = inside >> 63 == 1;
    }
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            _ if std::mem::take(&mut escaped) => {}
            b'\\' => escaped = true,
            b'"' => within = !within,
            0..=b' ' if !within => return Some(blocks.len() * 64 + at),
            _ => {}
        }
    }
    None
}

/// The high bit of each byte that is equal to `byte`, and no other bit.
fn equal(word: u64, byte: u8) -> u64 {
    const LOW: u64 = u64::from_ne_bytes([0x7f; 8]);
    let other = word ^ (ONES * u64::from(byte));
    !(((other & LOW) + LOW) | other | LOW)
}

/// The high bit of each byte that is a space or a control character, which no string holds.
fn blank(word: u64) -> u64 {
    !((word | HIGH) - ONES * 0x21) & !word & HIGH
}

/// The high bits of eight bytes as one byte.
fn side_by_side(high: u64) -> u64 {
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
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
        fn marks_what_stands_before(text in "([a-z,|é\u{7f}]{0,3}|[ -~]){0,40}") {
            let before = &text[..next_special(text.as_bytes()).unwrap_or(text.len())];
            let closed = format!("{before}\"{text}");
            let (at, marks) = next_special_marked(closed.as_bytes()).unwrap();
            prop_assert_eq!(at, before.len());
            prop_assert_eq!(marks.has(Marks::COMMA), before.contains(','));
            prop_assert_eq!(marks.has(Marks::BAR), before.contains('|'));
            prop_assert_eq!(marks.has(Marks::CONTROL), before.contains('\x7f'));
            let plain = before.bytes().all(|byte| matches!(byte, b' '..=b'~'));
            prop_assert_eq!(marks.has(Marks::NOT_ASCII_FORM), !plain);
            prop_assert!(!marks.has(Marks::NOT_PLAIN_FORM));
        }

        #[test]
        fn finds_space_outside_strings(text in "(\"([a-z \n]{0,40}|\\\\[n\"\\\\])*\"|[a-z:,]{0,30}| ?){0,8}[ \t\r\n]?") {
            let (mut quoted, mut escaped) = (false, false);
            let plain = text.bytes().position(|byte| {
                let in_escape = escaped;
                escaped = !in_escape && byte == b'\\';
                quoted ^= byte == b'"' && !in_escape;
                byte <= b' ' && !quoted
            });
            prop_assert_eq!(space_outside_strings(&text), plain);
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
