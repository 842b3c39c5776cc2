//! Words that are looked for among others, found by their first three letters: most words of a
//! line differ from all of them in these alone.

use super::bytes::{ByteClasses, chunks};

/// The first three letters of some words, in either case, each at its [`slot`]; 0 if there are
/// none.
#[derive(Debug)]
pub(crate) struct WordHeads([u32; 128]);

impl WordHeads {
    /// Those of words of three letters or more, at compile time.
    pub(crate) const fn new(words: &[&[&str]]) -> Self {
        let mut heads = [0; 128];
        let mut lists = words;
        while let Some((list, after)) = lists.split_first() {
            let mut words = *list;
            while let Some((word, rest)) = words.split_first() {
                if let Some(head) = word.as_bytes().first_chunk() {
                    let head = number(*head);
                    #[expect(clippy::indexing_slicing, reason = "at compile time")]
                    {
                        let own = &mut heads[slot(head)];
                        assert!(*own == 0 || *own == head, "another factor is needed");
                        *own = head;
                    }
                }
                words = rest;
            }
            lists = after;
        }
        Self(heads)
    }

    /// Whether one of the words begins like this.
    #[inline]
    pub(crate) fn contain(&self, head: [u8; 3]) -> bool {
        let head = number(head);
        self.0.get(slot(head)) == Some(&head)
    }
}

/// Three letters in either case as a number.
#[inline]
const fn number([a, b, c]: [u8; 3]) -> u32 {
    u32::from_le_bytes([a, b, c, 0]) | 0x0020_2020
}

/// Slot of a head.
#[inline]
const fn slot(head: u32) -> usize {
    (head.wrapping_mul(0xc2b2_ae35) >> 25) as usize
}

/// The words of a chunk that begin with some heads.
#[derive(Debug, Default)]
pub(crate) struct HeadScan {
    /// Whether a word goes on in the next chunk.
    is_open: bool,
}

impl HeadScan {
    /// Calls `each` with where the words begin in a line, from the next chunk of it; gives where
    /// any word begins in that.
    #[inline]
    pub(crate) fn scan_chunk(
        &mut self,
        line: &[u8],
        base: usize,
        planes: &ByteClasses,
        heads: &WordHeads,
        mut each: impl FnMut(usize),
    ) -> u32 {
        let letters = planes.words & planes.letters;
        // The next chunk may begin with a letter.
        let behind = |count: u32| !(!letters >> count);
        let begun = planes.words & !(planes.words << 1 | u32::from(self.is_open));
        self.is_open = planes.words.leading_ones() > 0;
        each_of(begun & letters & behind(1) & behind(2), |bit| {
            let at = base + bit;
            let head = line.get(at..).and_then(<[u8]>::first_chunk);
            if head.is_some_and(|head| heads.contain(*head)) {
                each(at);
            }
        });
        begun
    }
}

/// Calls `each` with the places of the bits that are set, in order.
#[inline]
pub(crate) fn each_of(bits: u32, mut each: impl FnMut(usize)) {
    let mut bits = bits;
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// The run of letters, digits and `_` that begins at a byte.
#[inline(never)]
pub(crate) fn word_at(line: &[u8], at: usize) -> &[u8] {
    let rest = line.get(at..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| is_of_word(**byte)).count();
    rest.get(..length).unwrap_or_default()
}

pub(crate) fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Words of a line: runs of ASCII letters, digits and `_`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineWords {
    pub(crate) count: u32,
    pub(crate) has_digit: bool,
}

/// Calls `each` with the words of a line that begin with some heads.
#[inline]
pub(crate) fn scan_words(line: &str, heads: &WordHeads, mut each: impl FnMut(&[u8])) -> LineWords {
    let line = line.as_bytes();
    let (mut found, mut words) = (HeadScan::default(), LineWords::default());
    chunks(line, |base, chunk, shift| {
        let planes = &ByteClasses::new(chunk, shift);
        let begun = found.scan_chunk(line, base, planes, heads, |at| each(word_at(line, at)));
        words.count += begun.count_ones();
        words.has_digit |= planes.digits != 0;
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn words_are_found_where_they_stand(line in "([a-cA-C1_]{0,6}[ .é]){0,20}[a-c]{0,40}") {
            const HEADS: WordHeads = WordHeads::new(&[&["abc", "cab"], &["bbbb"]]);
            let mut found: Vec<String> = Vec::new();
            let each = |word: &[u8]| found.push(String::from_utf8_lossy(word).into_owned());
            let words = scan_words(&line, &HEADS, each);
            let all = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let all: Vec<&str> = all.filter(|word| !word.is_empty()).collect();
            let is_found = |word: &&&str| {
                let word = word.to_lowercase();
                ["abc", "cab", "bbb"].iter().any(|head| word.starts_with(head))
            };
            prop_assert_eq!(words.count as usize, all.len());
            prop_assert_eq!(words.has_digit, line.contains('1'));
            prop_assert_eq!(found, all.iter().filter(is_found).copied().collect::<Vec<_>>());
        }
    }
}
