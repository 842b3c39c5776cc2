//! Pieces of ASCII: what the patterns say of it is a few runs of bytes.

use super::rules::SplitRules;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterClass {
    Small,
    Capital,
    Digit,
    Mark,
    Space,
    Break,
    /// A byte of a character beyond ASCII.
    Wide,
}

const CLASSES: [LetterClass; 256] = {
    let mut classes = [LetterClass::Wide; 256];
    let mut rest: &mut [LetterClass] = &mut classes;
    let mut byte = 0u8;
    while let Some((class, after)) = rest.split_first_mut() {
        *class = match byte {
            b'a'..=b'z' => LetterClass::Small,
            b'A'..=b'Z' => LetterClass::Capital,
            b'0'..=b'9' => LetterClass::Digit,
            b'\r' | b'\n' => LetterClass::Break,
            b' ' | b'\t' | 0x0b | 0x0c => LetterClass::Space,
            0x80.. => LetterClass::Wide,
            _ => LetterClass::Mark,
        };
        rest = after;
        byte = byte.wrapping_add(1);
    }
    classes
};

#[inline]
fn class(bytes: &[u8], at: usize) -> Option<LetterClass> {
    CLASSES.get(usize::from(*bytes.get(at)?)).copied()
}

/// The first byte from `at` on that is of another class.
#[inline]
fn run(bytes: &[u8], mut at: usize, holds: impl Fn(LetterClass) -> bool) -> usize {
    while class(bytes, at).is_some_and(&holds) {
        at += 1;
    }
    at
}

/// A place that nothing beyond ASCII is at.
#[inline]
fn plain(bytes: &[u8], at: usize) -> Option<usize> {
    (class(bytes, at) != Some(LetterClass::Wide)).then_some(at)
}

fn is_letter(class: LetterClass) -> bool {
    matches!(class, LetterClass::Small | LetterClass::Capital)
}

/// End of the piece that begins here; none if it meets a character beyond ASCII.
#[inline]
pub(super) fn end(rules: SplitRules, bytes: &[u8], at: usize) -> Option<usize> {
    let first = class(bytes, at)?;
    match first {
        LetterClass::Small | LetterClass::Capital => return word(rules, bytes, at),
        LetterClass::Wide => return None,
        LetterClass::Digit => {
            let end = at + 1;
            let end = end + usize::from(class(bytes, end) == Some(LetterClass::Digit));
            if end == at + 1 {
                return plain(bytes, end);
            }
            let end = end + usize::from(class(bytes, end) == Some(LetterClass::Digit));
            return if end == at + 3 { Some(end) } else { plain(bytes, end) };
        }
        LetterClass::Mark | LetterClass::Space | LetterClass::Break => {}
    }
    let second = class(bytes, at + 1);
    if first != LetterClass::Break {
        match second {
            Some(LetterClass::Wide) => return None,
            // A word takes what is before it along.
            Some(LetterClass::Small | LetterClass::Capital) => {
                let short = match rules {
                    SplitRules::Cl100k => contraction(bytes, at)?,
                    SplitRules::O200k => 0,
                };
                return if short > 0 { Some(at + short) } else { word(rules, bytes, at + 1) };
            }
            _ => {}
        }
    }
    let is_space = bytes.get(at) == Some(&b' ');
    if first == LetterClass::Mark || is_space && second == Some(LetterClass::Mark) {
        let end = plain(bytes, run(bytes, at + 1, |class| class == LetterClass::Mark))?;
        let joins = |byte: &u8| match rules {
            SplitRules::O200k => matches!(byte, b'\r' | b'\n' | b'/'),
            SplitRules::Cl100k => matches!(byte, b'\r' | b'\n'),
        };
        let tail = bytes.get(end..).unwrap_or_default();
        return Some(end + tail.iter().take_while(|byte| joins(byte)).count());
    }
    let end = run(bytes, at + 1, |class| matches!(class, LetterClass::Space | LetterClass::Break));
    let end = plain(bytes, end)?;
    let blank = bytes.get(at..end).unwrap_or_default();
    match blank.iter().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
        Some(last) => Some(at + last + 1),
        // The last space belongs to what follows.
        None if end < bytes.len() && end > at + 1 => Some(end - 1),
        None => Some(end),
    }
}

#[inline]
fn word(rules: SplitRules, bytes: &[u8], at: usize) -> Option<usize> {
    if let SplitRules::Cl100k = rules {
        return plain(bytes, run(bytes, at, is_letter));
    }
    let end = run(bytes, at, |class| class == LetterClass::Capital);
    let end = plain(bytes, run(bytes, end, |class| class == LetterClass::Small))?;
    Some(end + contraction(bytes, end)?)
}

/// Bytes of the `'s`, `'re` and so on that is here; none if a wide letter may be one of its.
#[inline]
fn contraction(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'\'') {
        return Some(0);
    }
    plain(bytes, at + 1)?;
    let letter = |at: usize| bytes.get(at).map(u8::to_ascii_lowercase);
    Some(match (letter(at + 1), letter(at + 2)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
        _ => 0,
    })
}
