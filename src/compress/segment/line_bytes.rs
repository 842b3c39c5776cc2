//! Small questions about the bytes of a line. Each looks at a line once at the most.

use std::str::FromStr;

use crate::compress::text::{ByteTable, byte_table};

/// Number of times that a byte is repeated at the beginning.
pub(super) fn run_of(bytes: &[u8], mark: u8) -> usize {
    bytes.iter().take_while(|byte| **byte == mark).count()
}

/// Digits at the beginning.
pub(super) fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The number of up to nine digits at the beginning, and what follows.
pub(super) fn leading_number<N: FromStr>(bytes: &[u8]) -> Option<(N, &[u8])> {
    const MAX_DIGITS: usize = 9;
    let digits = digits(bytes.get(..bytes.len().min(MAX_DIGITS))?);
    let (number, rest) = bytes.split_at_checked(digits)?;
    Some((std::str::from_utf8(number).ok()?.parse().ok()?, rest))
}

/// A list item's marker with the blank after it: `- `, `* `, `+ `, `12. `, `12) `.
pub(super) fn list_marker(body: &[u8]) -> Option<usize> {
    let width = match body.first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = digits(body.get(..body.len().min(10))?);
            matches!(body.get(digits)?, b'.' | b')').then_some(digits + 1)?
        }
        _ => return None,
    };
    matches!(body.get(width)?, b' ' | b'\t').then_some(width + 1)
}

pub(super) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(bytes, part).is_some()
}

/// The signs that a text is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct SignSet(u8);

/// Letters and digits.
const WORD: u8 = 1;
const SLASH: u8 = 1 << 1;
/// Other signs that names of files may have, those that they seldom have, and those that no path
/// has.
const NAME: u8 = 1 << 2;
const SELDOM: u8 = 1 << 3;
const OTHER: u8 = 1 << 4;

static SIGNS: ByteTable<u8> = byte_table!(sign_of);

const fn sign_of(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => WORD,
        b'/' => SLASH,
        b'.' | b'_' | b'-' | b'@' | b'+' | b'~' => NAME,
        b'$' | b'[' | b']' | 0x80.. => SELDOM,
        _ => OTHER,
    }
}

impl SignSet {
    pub(super) fn new(text: &[u8]) -> Self {
        Self(text.iter().fold(0, |signs, byte| signs | SIGNS.get(*byte)))
    }

    /// Whether they could be those of a path.
    pub(super) fn may_be_path(self) -> bool {
        self.0 & (OTHER | WORD) == WORD
    }

    /// Whether they could be those of a name as most files have it.
    pub(super) fn may_be_name(self) -> bool {
        self.0 & (OTHER | SELDOM | WORD) == WORD
    }
}

/// Longest path.
const MAX_PATH_BYTES: usize = 512;

/// Whether the whole text is a path beyond doubt: no blanks, and a slash or an extension.
pub(super) fn is_path(text: &[u8]) -> bool {
    text.len() <= MAX_PATH_BYTES && is_path_of(text, SignSet::new(text))
}

/// The same of a text that is made of these signs.
pub(super) fn is_path_of(text: &[u8], signs: SignSet) -> bool {
    if text.len() > MAX_PATH_BYTES || !signs.may_be_path() {
        return false;
    }
    if text.ends_with(b"/") || text.starts_with(b"/") || text.starts_with(b"./") {
        return true;
    }
    let extension = text.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let before = text.len().checked_sub(extension + 1).and_then(|at| text.get(at));
    let has_extension = (1..=8).contains(&extension) && before == Some(&b'.');
    has_extension || (signs.0 & SLASH != 0 && !text.starts_with(b"@"))
}

/// Whether a text reads as a sentence: words parted by blanks, and few marks.
pub(crate) fn is_sentence(text: &[u8]) -> bool {
    const MAX_SEARCH_BYTES: usize = 160;
    const MIN_WORDS: usize = 4;
    let text = text.get(..text.len().min(MAX_SEARCH_BYTES)).unwrap_or_default();
    if memchr::memchr_iter(b' ', text).nth(MIN_WORDS - 2).is_none() {
        return false;
    }
    let mut words = 0;
    let mut marks = 0;
    for word in text.split(|byte| *byte == b' ').filter(|word| !word.is_empty()) {
        let core = word.trim_ascii();
        let core = core.strip_suffix(b".").or(core.strip_suffix(b",")).unwrap_or(core);
        let is_word =
            core.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80 || *byte == b'\'');
        if is_word && !core.is_empty() { words += 1 } else { marks += 1 }
    }
    words >= MIN_WORDS && words >= marks * 2
}

/// Whether a line is words, blanks and the marks of sentences, and nothing that any format uses.
pub(super) fn is_plain(body: &[u8]) -> bool {
    let mut blanks = 0;
    let mut comma = false;
    for byte in body {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'\'' | 0x80.. if !comma => {}
            b' ' => {
                blanks += 1;
                comma = false;
            }
            b',' if !comma => comma = true,
            _ => return false,
        }
    }
    blanks >= 3 && body.first().is_some_and(u8::is_ascii_alphabetic)
}
