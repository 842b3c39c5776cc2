//! About how many tokens texts have, found much faster than a count.

use crate::compress::text::{ByteTable, byte_table};

/// About how many tokens a text has: runs of letters, groups of three digits, runs of signs.
pub(super) fn weight(text: &str) -> i64 {
    ClassRun::default().count_tokens(text.as_bytes())
}

/// About how many tokens some texts have. Two at a time: a step waits for the one before it in the
/// same text alone.
pub(super) fn weights<'t>(mut texts: impl Iterator<Item = &'t str>) -> i64 {
    let mut tokens = 0;
    while let Some(one) = texts.next() {
        let (one, other) = (one.as_bytes(), texts.next().unwrap_or_default().as_bytes());
        let (mut run, mut beside) = (ClassRun::default(), ClassRun::default());
        for (byte, next) in one.iter().zip(other) {
            tokens += run.step(*byte) + beside.step(*next);
        }
        let both = one.len().min(other.len());
        tokens += run.count_tokens(one.get(both..).unwrap_or_default());
        tokens += beside.count_tokens(other.get(both..).unwrap_or_default());
    }
    tokens
}

/// The run of bytes of one class that a text is read up to: its state.
struct ClassRun(u8);

impl Default for ClassRun {
    fn default() -> Self {
        Self(START_STATE)
    }
}

impl ClassRun {
    /// The tokens that a byte begins: one or none.
    #[inline]
    fn step(&mut self, byte: u8) -> i64 {
        let class = usize::from(BYTE_CLASSES.get(byte) & 3);
        self.0 = CLASS_STEPS.get(usize::from(self.0) * 4 + class).copied().unwrap_or(START_STATE);
        i64::from(self.0 >> 7)
    }

    /// The tokens that some more bytes begin.
    fn count_tokens(&mut self, bytes: &[u8]) -> i64 {
        bytes.iter().map(|byte| self.step(*byte)).sum()
    }
}

/// Letters, digits, spaces, signs.
static BYTE_CLASSES: ByteTable<u8> = byte_table!(class_of);

const fn class_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => 0,
        b'0'..=b'9' => 1,
        b' ' => 2,
        _ => 3,
    }
}

/// Bytes of a run for each of its tokens, by class.
const TOKEN_BYTES: [u8; 4] = [7, 3, 4, 4];
/// A state is the class of the run and the bytes up to its next token; this one is a run's first
/// space, which a word takes along.
const BARE_SPACE: u8 = 32;
const START_STATE: u8 = 3 * 8 + 4;

/// The state after a byte of each class, and in the highest bit whether that began a token: the
/// bit says nothing of what follows.
const CLASS_STEPS: [u8; 4 * 256] = {
    let mut steps = [0; 4 * 256];
    let mut rest: &mut [u8] = &mut steps;
    let mut at = 0_u16;
    while let Some((step, after)) = rest.split_first_mut() {
        let (state, class) = ((at / 4 % 128) as u8, (at % 4) as u8);
        let is_bare_space = state == BARE_SPACE;
        let (run, left) = if is_bare_space { (2, 4) } else { (state / 8, state % 8) };
        *step = if class != run {
            // A word takes the space before it along.
            let token = if is_bare_space && class == 0 { 0 } else { 0x80 };
            token | if class == 2 { BARE_SPACE } else { state_of(class) }
        } else if left > 1 {
            class * 8 + left - 1
        } else {
            0x80 | state_of(class)
        };
        rest = after;
        at += 1;
    }
    steps
};

/// A run of a class that has all of its bytes before it.
const fn state_of(class: u8) -> u8 {
    let [letters, digits, spaces, signs] = TOKEN_BYTES;
    class * 8
        + match class {
            0 => letters,
            1 => digits,
            2 => spaces,
            _ => signs,
        }
}
