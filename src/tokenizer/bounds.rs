//! Bounds for the tokens of a text, without a dictionary.
//!
//! Both pre-tokenizers end a piece where letters, digits and what is neither meet, and no token
//! reaches over the end of a piece. If it is not certain that a piece ends, none is counted.

use std::ops::Range;

/// A number of tokens that no text falls below: pieces that are certain to be there.
pub(super) fn at_least(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let quarter = bytes.len() / 4;
    let [second, third, fourth] = [1, 2, 3].map(|nth| next_boundary(bytes, quarter * nth));
    // A step waits for the one before it in the same part alone.
    let mut parts = [0..second, second..third, third..fourth, fourth..bytes.len()]
        .map(|range| PieceState::new(bytes, range));
    let [a, b, c, d] = &mut parts;
    let mut found = 0;
    let together = a.rest.iter().zip(b.rest).zip(c.rest.iter().zip(d.rest));
    let count = together.len();
    for ((one, two), (three, four)) in together {
        found += a.step(*one) + b.step(*two) + c.step(*three) + d.step(*four);
    }
    for part in &mut parts {
        let rest = part.rest.get(count..).unwrap_or_default();
        found += rest.iter().map(|byte| part.step(*byte)).sum::<u64>();
    }
    found
}

/// A place from which on a text can be read by itself: not within digits, which count by three.
fn next_boundary(bytes: &[u8], from: usize) -> usize {
    let before = bytes.get(from.saturating_sub(1)..).unwrap_or_default();
    from + before.iter().take_while(|byte| byte.is_ascii_digit()).count().min(bytes.len() - from)
}

/// A part of a text on its way.
struct PieceState<'t> {
    state: u8,
    rest: &'t [u8],
}

impl<'t> PieceState<'t> {
    fn new(bytes: &'t [u8], range: Range<usize>) -> Self {
        let before = range.start.checked_sub(1).and_then(|before| bytes.get(before));
        let before = before.and_then(|byte| CLASSES.get(usize::from(*byte)));
        let state = before.copied().unwrap_or(BoundaryClass::Other) as u8;
        Self { state, rest: bytes.get(range).unwrap_or_default() }
    }

    /// The pieces that are certain to begin or to end with the next byte.
    #[inline]
    fn step(&mut self, byte: u8) -> u64 {
        let class = CLASSES.get(usize::from(byte)).copied().unwrap_or(BoundaryClass::Wide);
        let step = STEPS.get(usize::from(self.state) << 3 | class as usize).copied().unwrap_or(0);
        self.state = step & 31;
        u64::from(step >> 5)
    }
}

/// A state is the class of the byte before and which of three digits the last one was, in the
/// higher two of its five bits. For each state and class of byte: the state after it, and above
/// that how many pieces were found.
const STEPS: [u8; 32 << 3] = {
    let mut steps = [0; 32 << 3];
    let mut rest: &mut [u8] = &mut steps;
    let mut at = 0u8;
    while let Some((step, after)) = rest.split_first_mut() {
        #[expect(clippy::indexing_slicing, reason = "below the lengths, at compile time")]
        let (before, class) = (ALL[(at >> 3 & 7) as usize], ALL[(at & 7) as usize]);
        let third = at >> 6 & 3;
        let (found, third) = certain_pieces(before, third, class);
        *step = found << 5 | third << 3 | class as u8;
        rest = after;
        at = at.wrapping_add(1);
    }
    steps
};

/// Number of pieces that are certain to begin or to end with a byte, and which of three digits it
/// is.
const fn certain_pieces(before: BoundaryClass, third: u8, class: BoundaryClass) -> (u8, u8) {
    match (before, class) {
        // Letters after an apostrophe may belong to the word before, and wide letters may join what
        // is around them.
        (
            BoundaryClass::Letter | BoundaryClass::Apostrophe | BoundaryClass::Wide,
            BoundaryClass::Letter,
        ) => (0, third),
        (BoundaryClass::Digit, BoundaryClass::Digit) => {
            let third = (third + 1) % 3;
            ((third == 0) as u8, third)
        }
        // A wide digit may have begun the three.
        (BoundaryClass::Wide, BoundaryClass::Digit) => (0, 1),
        // The mark is a piece, and so is the digit.
        (BoundaryClass::Mark | BoundaryClass::Apostrophe, BoundaryClass::Digit) => (2, 0),
        (_, BoundaryClass::Digit) => (1, 0),
        (_, BoundaryClass::Letter)
        | (BoundaryClass::Mark, BoundaryClass::Space)
        | (BoundaryClass::Letter | BoundaryClass::Digit, BoundaryClass::Break) => (1, third),
        _ => (0, third),
    }
}

/// Whether the tokens of a text are those before a byte and those from it on: a line that says
/// something begins there.
pub(crate) fn is_cut(text: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (text.get(..at), text.get(at..)) else { return false };
    // A slash joins line breaks, which join marks.
    let begins = |first: char| !first.is_whitespace() && first != '/';
    before.is_empty() || after.is_empty() || (before.ends_with('\n') && after.starts_with(begins))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BoundaryClass {
    Letter,
    Digit,
    Apostrophe,
    Mark,
    Space,
    Break,
    /// White space and controls without a class of their own.
    Other,
    /// A byte of a character beyond ASCII.
    Wide,
}

const ALL: [BoundaryClass; 8] = [
    BoundaryClass::Letter,
    BoundaryClass::Digit,
    BoundaryClass::Apostrophe,
    BoundaryClass::Mark,
    BoundaryClass::Space,
    BoundaryClass::Break,
    BoundaryClass::Other,
    BoundaryClass::Wide,
];

const CLASSES: [BoundaryClass; 256] = {
    let mut classes = [BoundaryClass::Wide; 256];
    let mut rest: &mut [BoundaryClass] = &mut classes;
    let mut byte = 0u8;
    while let Some((class, after)) = rest.split_first_mut() {
        *class = match byte {
            b'\'' => BoundaryClass::Apostrophe,
            b' ' => BoundaryClass::Space,
            b'\n' => BoundaryClass::Break,
            0x80.. => BoundaryClass::Wide,
            _ if byte.is_ascii_alphabetic() => BoundaryClass::Letter,
            _ if byte.is_ascii_digit() => BoundaryClass::Digit,
            _ if byte.is_ascii_punctuation() => BoundaryClass::Mark,
            _ => BoundaryClass::Other,
        };
        rest = after;
        byte = byte.wrapping_add(1);
    }
    classes
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn parts_count_as_the_whole(text in "([0-9]{0,9}[a-c'.é\n\t ]{0,3}){0,12}") {
            let mut whole = PieceState::new(text.as_bytes(), 0..text.len());
            let expected: u64 = text.bytes().map(|byte| whole.step(byte)).sum();
            prop_assert_eq!(at_least(&text), expected);
        }
    }
}
