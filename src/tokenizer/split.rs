//! The pieces that both pre-tokenizers cut ASCII into, found without their patterns.
//!
//! The patterns take most of the time of a count. What they say of ASCII is a few runs of bytes;
//! a piece that meets another character is left to them. A test holds the pieces equal.

use bpe_openai::Tokenizer;

use crate::domain::TokenizerName;

/// Calls `each` with the pieces of a text, in order, until it says no.
pub(super) fn pieces<'t>(
    name: TokenizerName,
    tokenizer: &'t Tokenizer,
    text: &'t str,
    mut each: impl FnMut(&'t str) -> bool,
) -> bool {
    let rules = SplitRules::for_tokenizer(name);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let piece = match rules.end(bytes, at) {
            Some(end) => text.get(at..end),
            None => text.get(at..).and_then(|rest| tokenizer.split(rest).next()),
        };
        let Some(piece) = piece.filter(|piece| !piece.is_empty()) else { return true };
        at += piece.len();
        if !each(piece) {
            return false;
        }
    }
    true
}

/// Differences of the two patterns.
#[derive(Debug, Clone, Copy)]
enum SplitRules {
    /// Capitals begin a word, a word takes its `'s` along, and slashes join line breaks.
    O200k,
    Cl100k,
}

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

impl SplitRules {
    fn for_tokenizer(name: TokenizerName) -> Self {
        match name {
            TokenizerName::Cl100kBase => Self::Cl100k,
            TokenizerName::O200kBase | TokenizerName::Bytes4 => Self::O200k,
        }
    }

    /// End of the piece that begins here; none if the patterns have to be asked.
    #[inline]
    fn end(self, bytes: &[u8], at: usize) -> Option<usize> {
        let first = class(bytes, at)?;
        match first {
            LetterClass::Small | LetterClass::Capital => return self.word(bytes, at),
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
                    let short = match self {
                        Self::Cl100k => contraction(bytes, at)?,
                        Self::O200k => 0,
                    };
                    return if short > 0 { Some(at + short) } else { self.word(bytes, at + 1) };
                }
                _ => {}
            }
        }
        let is_space = bytes.get(at) == Some(&b' ');
        if first == LetterClass::Mark || is_space && second == Some(LetterClass::Mark) {
            let end = plain(bytes, run(bytes, at + 1, |class| class == LetterClass::Mark))?;
            let joins = |byte: &u8| match self {
                Self::O200k => matches!(byte, b'\r' | b'\n' | b'/'),
                Self::Cl100k => matches!(byte, b'\r' | b'\n'),
            };
            let tail = bytes.get(end..).unwrap_or_default();
            return Some(end + tail.iter().take_while(|byte| joins(byte)).count());
        }
        let end =
            run(bytes, at + 1, |class| matches!(class, LetterClass::Space | LetterClass::Break));
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
    fn word(self, bytes: &[u8], at: usize) -> Option<usize> {
        if let Self::Cl100k = self {
            return plain(bytes, run(bytes, at, is_letter));
        }
        let end = run(bytes, at, |class| class == LetterClass::Capital);
        let end = plain(bytes, run(bytes, end, |class| class == LetterClass::Small))?;
        Some(end + contraction(bytes, end)?)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::dictionary;
    use proptest::prelude::*;

    fn any_text() -> impl Strategy<Value = String> {
        let bits = prop::sample::select(vec![
            "a", "Bc", "DEF", "'s", "'LL", "'r", "'v", "'", "1", "23", "4567", "½", "é", "É",
            "\u{301}", "中", "ſ", "→", ".", "--", "/", "\"", "_", " ", "  ", "\t", "\n", "\r\n",
            "\n\n", "§", "\u{a0}", "\u{1}", "\u{1c}", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "٣",
        ]);
        prop::collection::vec(bits, 0..24).prop_map(|bits| bits.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn pieces_are_those_of_the_patterns(
            text in prop_oneof![4 => any_text(), 2 => "[ -~\t\r\n]{0,24}", 1 => any::<String>()],
        ) {
            for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase] {
                let mut found = Vec::new();
                pieces(name, dictionary(name), &text, |piece| {
                    found.push(piece);
                    true
                });
                let expected: Vec<&str> = dictionary(name).split(&text).collect();
                prop_assert_eq!(found, expected, "{:?} of {:?}", name, text);
            }
        }
    }
}
