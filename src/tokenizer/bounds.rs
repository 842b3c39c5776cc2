//! What can be told of a text's tokens without a dictionary.
//!
//! Both pre-tokenizers end a piece where letters, digits and what is neither meet, and no token
//! reaches over the end of a piece. Where it is not certain that a piece ends, none is counted.

/// A number of tokens that no text falls below: pieces that are certain to be there.
pub(super) fn at_least(text: &str) -> u64 {
    let mut found = 0;
    let mut state = Class::Other as u8;
    for byte in text.bytes() {
        let class = CLASSES.get(usize::from(byte)).copied().unwrap_or(Class::Wide);
        let step = STEPS.get(usize::from(state) << 3 | class as usize).copied().unwrap_or(0);
        found += u64::from(step >> 5);
        state = step & 31;
    }
    found
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
        let (found, third) = found(before, third, class);
        *step = found << 5 | third << 3 | class as u8;
        rest = after;
        at = at.wrapping_add(1);
    }
    steps
};

/// How many pieces are certain to begin or to end with a byte, and which of three digits it is.
const fn found(before: Class, third: u8, class: Class) -> (u8, u8) {
    match (before, class) {
        // What follows an apostrophe may belong to the word before, and wide letters may join
        // what stands around them.
        (Class::Letter | Class::Apostrophe | Class::Wide, Class::Letter) => (0, third),
        (Class::Digit, Class::Digit) => {
            let third = (third + 1) % 3;
            ((third == 0) as u8, third)
        }
        // A wide digit may have begun the three.
        (Class::Wide, Class::Digit) => (0, 1),
        // The mark is a piece, and so is the digit.
        (Class::Mark | Class::Apostrophe, Class::Digit) => (2, 0),
        (_, Class::Digit) => (1, 0),
        (_, Class::Letter)
        | (Class::Mark, Class::Space)
        | (Class::Letter | Class::Digit, Class::Break) => (1, third),
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
enum Class {
    Letter,
    Digit,
    Apostrophe,
    Mark,
    Space,
    Break,
    /// White space and controls that nothing is said of.
    Other,
    /// A byte of a character beyond ASCII.
    Wide,
}

const ALL: [Class; 8] = [
    Class::Letter,
    Class::Digit,
    Class::Apostrophe,
    Class::Mark,
    Class::Space,
    Class::Break,
    Class::Other,
    Class::Wide,
];

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Wide; 256];
    let mut rest: &mut [Class] = &mut classes;
    let mut byte = 0u8;
    while let Some((class, after)) = rest.split_first_mut() {
        *class = match byte {
            b'\'' => Class::Apostrophe,
            b' ' => Class::Space,
            b'\n' => Class::Break,
            0x80.. => Class::Wide,
            _ if byte.is_ascii_alphabetic() => Class::Letter,
            _ if byte.is_ascii_digit() => Class::Digit,
            _ if byte.is_ascii_punctuation() => Class::Mark,
            _ => Class::Other,
        };
        rest = after;
        byte = byte.wrapping_add(1);
    }
    classes
};
