//! What can be told of a text's tokens without a dictionary.
//!
//! Both pre-tokenizers end a piece where letters, digits and what is neither meet, and no token
//! reaches over the end of a piece. Where it is not certain that a piece ends, none is counted.

/// A number of tokens that no text falls below: pieces that are certain to be there.
pub(super) fn at_least(text: &str) -> u64 {
    let mut found = 0;
    // Which of three digits the last one was.
    let mut third = 0;
    let mut before = Class::Other;
    for byte in text.bytes() {
        let class = CLASSES.get(usize::from(byte)).copied().unwrap_or(Class::Wide);
        found += match (before, class) {
            // What follows an apostrophe may belong to the word before, and wide letters may
            // join what stands around them.
            (Class::Letter | Class::Apostrophe | Class::Wide, Class::Letter) => 0,
            (Class::Digit, Class::Digit) => {
                third = (third + 1) % 3;
                u64::from(third == 0)
            }
            // A wide digit may have begun the three.
            (Class::Wide, Class::Digit) => {
                third = 1;
                0
            }
            // The mark is a piece, and so is the digit.
            (_, Class::Digit) => {
                third = 0;
                1 + u64::from(matches!(before, Class::Mark | Class::Apostrophe))
            }
            (_, Class::Letter)
            | (Class::Mark, Class::Space)
            | (Class::Letter | Class::Digit, Class::Break) => 1,
            _ => 0,
        };
        before = class;
    }
    found
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

const CLASSES: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut rest: &mut [Class] = &mut classes;
    let mut byte = 0u8;
    while let Some((class, after)) = rest.split_first_mut() {
        *class = match byte {
            b'\'' => Class::Apostrophe,
            b' ' => Class::Space,
            b'\n' => Class::Break,
            _ if byte.is_ascii_alphabetic() => Class::Letter,
            _ if byte.is_ascii_digit() => Class::Digit,
            _ if byte.is_ascii_punctuation() => Class::Mark,
            _ => Class::Other,
        };
        rest = after;
        byte += 1;
    }
    classes
};
