//! Facts: what a later reader might need to the letter. Paths, addresses, numbers of three and
//! more digits, hex ids, identifiers, versions, file names, quoted strings.
//!
//! A fact is known by its hash alone, so that texts can be compared by what they show. The time of
//! day is none: it precedes every line of a log, and would make every line worth the same.

use crate::compress::text::{ByteTable, byte_table, hash, mix};

/// Longest quoted string that is a fact.
const MAX_QUOTE_BYTES: usize = 80;

/// The facts of a text, in order, with repetitions.
#[cfg(test)]
pub(crate) fn facts(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    scan(text, |fact| found.push(fact));
    found
}

/// Calls `each` with every fact, and gives a hash of the words between them: lines that differ in
/// their facts alone have the same.
pub(crate) fn scan(text: &str, mut each: impl FnMut(u64)) -> u64 {
    scan_valued(text, WordUse::Hash, |fact, _| each(fact))
}

/// What the words between facts are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordUse {
    None,
    /// Their hash is asked for.
    Hash,
    /// Each of them counts, next to facts that count twice what they are worth.
    Each,
}

/// The same, with how many facts each is worth. The hash is 0 if the caller does not need it.
pub(super) fn scan_valued(text: &str, word_use: WordUse, each: impl FnMut(u64, u32)) -> u64 {
    let bytes = text.as_bytes();
    let mut scan = FactScan { bytes, each, word_use, words: 0 };
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at = match class(*byte) {
            0 => at + 1,
            QUOTE => {
                scan.scan_quote(at);
                at + 1
            }
            _ => scan.run(at),
        };
    }
    scan.words
}

const LOWER: u8 = 1;
const UPPER: u8 = 1 << 1;
const DIGIT: u8 = 1 << 2;
const UNDER: u8 = 1 << 3;
/// Marks that join words: `.`, `-`, `@`, `~`.
const JOIN: u8 = 1 << 4;
const SLASH: u8 = 1 << 5;
/// Not ASCII.
const WIDE: u8 = 1 << 6;
const QUOTE: u8 = 1 << 7;
const WORD: u8 = LOWER | UPPER | DIGIT | UNDER;
const LETTER: u8 = LOWER | UPPER | WIDE;

static CLASSES: ByteTable<u8> = byte_table!(class_of);

const fn class_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => LOWER,
        b'A'..=b'Z' => UPPER,
        b'0'..=b'9' => DIGIT,
        b'_' => UNDER,
        b'.' | b'-' | b'@' | b'~' => JOIN,
        b'/' | b'\\' => SLASH,
        b'"' | b'`' | b'\'' => QUOTE,
        0x80.. => WIDE,
        _ => 0,
    }
}

#[inline]
fn class(byte: u8) -> u8 {
    CLASSES.get(byte)
}

struct FactScan<'t, F> {
    bytes: &'t [u8],
    each: F,
    word_use: WordUse,
    words: u64,
}

impl<F: FnMut(u64, u32)> FactScan<'_, F> {
    /// Takes the run of words and of the marks that join them; gives the byte after it.
    fn run(&mut self, start: usize) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let mut kinds = 0;
        let mut length = 0;
        for byte in rest {
            let kind = class(*byte);
            if kind == 0 || kind == QUOTE {
                break;
            }
            kinds |= kind;
            length += 1;
        }
        let run = rest.get(..length).unwrap_or_default();
        let is_plain = kinds & !(LOWER | WIDE) == 0
            || (kinds & !LETTER == 0 && !run.iter().skip(1).any(|byte| byte.is_ascii_uppercase()));
        if is_plain {
            self.word(run);
        } else {
            self.scan_joined(start, run, kinds);
        }
        start + length
    }

    /// A run that is no plain word: a fact as a whole, and its words if they are facts.
    fn scan_joined(&mut self, start: usize, run: &[u8], kinds: u8) {
        let from = run.iter().take_while(|byte| matches!(byte, b'-' | b'@')).count();
        let bare = run.get(from..).unwrap_or_default();
        let ends = bare.iter().rev().take_while(|byte| class(**byte) & JOIN != 0).count();
        let bare = bare.get(..bare.len() - ends).unwrap_or_default();
        let is_clock = kinds & !(DIGIT | JOIN) == 0 && self.follows_clock(start);
        if is_clock || bare.is_empty() {
            return;
        }
        let mut all = JoinedWords::default();
        let mut part = 0;
        let mut begin = 0;
        let mut before = JOIN_BIT;
        for (at, byte) in bare.iter().enumerate() {
            let own = class(*byte).trailing_zeros();
            let pair = pair(before, own);
            if pair & IS_JOIN == 0 {
                part |= pair;
                all.words += usize::from(pair >> BEGIN_BIT & 1);
            } else {
                all.dots |= pair & AFTER_JOIN != 0 && matches!(byte, b'.' | b'@');
                self.part(bare.get(begin..at).unwrap_or_default(), part);
                part = 0;
                begin = at + 1;
            }
            before = own;
        }
        let is_whole = all.is_one(bare, kinds);
        if self.word_use == WordUse::Each && kinds & SLASH != 0 {
            self.scan_folders(bare);
        }
        if is_whole {
            // A place (a path, an address) cannot be guessed.
            self.fact(hash(bare), if kinds & SLASH != 0 { 2 } else { 1 });
        }
        let last = bare.get(begin..).unwrap_or_default();
        if !is_whole || begin > 0 || !is_name(last, part) {
            self.part(last, part);
        }
    }

    /// A word of a run that is no plain word, and what its pairs of bytes are.
    fn part(&mut self, word: &[u8], pairs: u16) {
        if is_name(word, pairs) {
            // An amount cannot be guessed.
            self.fact(hash(word), if pairs & PAIR_KIND_MASK == u16::from(DIGIT) { 2 } else { 1 });
        } else if pairs & u16::from(LETTER) != 0 {
            self.word(word);
        }
    }

    /// The folders of a path, from the outermost on: a place that no other line is near.
    fn scan_folders(&mut self, path: &[u8]) {
        const MAX_FOLDERS: usize = 6;
        /// Folders that tell the parts of a project.
        const MAX_OUTER_FOLDERS: usize = 3;
        let marks = path.iter().enumerate().filter(|(_, byte)| class(**byte) & SLASH != 0);
        for (nth, (end, _)) in marks.take(MAX_FOLDERS).enumerate() {
            let worth = if nth < MAX_OUTER_FOLDERS { 3 } else { 1 };
            (self.each)(mix(hash(path.get(..end).unwrap_or_default()), 1), worth);
        }
    }

    fn fact(&mut self, fact: u64, times: u32) {
        let times = if self.word_use == WordUse::Each { times * 2 } else { times };
        (self.each)(fact, times);
    }

    /// Whether the seconds of a clock or the part of one are here: `12:04:05.123`.
    fn follows_clock(&self, start: usize) -> bool {
        let before = self.bytes.get(start.saturating_sub(4)..start).unwrap_or_default();
        match before {
            [.., hour, b':'] => hour.is_ascii_digit(),
            [b':', second, digit, b','] => second.is_ascii_digit() && digit.is_ascii_digit(),
            _ => false,
        }
    }

    /// A word with letters in it.
    fn word(&mut self, word: &[u8]) {
        /// Makes a capital letter small.
        const LOWER_CASE_BIT: u8 = 0x20;
        /// Letters of a word that counts: shorter ones join others.
        const MIN_COUNTED_LETTERS: usize = 4;
        if self.word_use == WordUse::None {
            return;
        }
        let first = word.first().map_or(0, |byte| byte | LOWER_CASE_BIT);
        let after = hash(word.get(1..).unwrap_or_default());
        let own = after ^ u64::from(first) << 56;
        self.words = mix(self.words, own);
        if self.word_use == WordUse::Each && word.len() >= MIN_COUNTED_LETTERS {
            (self.each)(!own, 1);
        }
    }

    /// Scans the text between two quotes on one line; an apostrophe opens nothing inside a word.
    fn scan_quote(&mut self, start: usize) {
        let mark = self.bytes.get(start).copied().unwrap_or_default();
        let before = start.checked_sub(1).and_then(|before| self.bytes.get(before));
        if before.is_some_and(|byte| class(*byte) & (WORD | WIDE) != 0) {
            return;
        }
        let end = self.bytes.len().min(start + 1 + MAX_QUOTE_BYTES);
        let rest = self.bytes.get(start + 1..end).unwrap_or_default();
        let Some(length) = memchr::memchr2(mark, b'\n', rest) else { return };
        let inner = rest.get(..length).unwrap_or_default();
        if rest.get(length) == Some(&mark) && inner.len() > 1 {
            self.fact(hash(inner), 1);
        }
    }
}

/// Common properties of words and the marks between them.
#[derive(Debug, Default)]
struct JoinedWords {
    words: usize,
    /// Whether a `.` or `@` follows one.
    dots: bool,
}

impl JoinedWords {
    /// Whether they are one thing: a path, an address, a file name, a version, a date, an id of
    /// several parts.
    fn is_one(&self, run: &[u8], kinds: u8) -> bool {
        let is_path =
            kinds & SLASH != 0 && run.len() > 3 && (self.words > 1 || run.starts_with(b"/"));
        let is_joined = kinds & (JOIN | SLASH) != 0;
        is_path || (is_joined && self.words > 1 && (self.dots || kinds & DIGIT != 0))
    }
}

/// Of a pair of bytes: the kind of the second, if that is a word's.
const PAIR_KIND_MASK: u16 = 0xff;
/// Whether a word begins with the second: the place of its bit.
const BEGIN_BIT: u32 = 8;
/// A capital follows a small letter or a digit.
const AT_HUMP: u16 = 1 << 9;
/// Something else follows a `_`.
const AFTER_UNDER: u16 = 1 << 10;
/// The second joins words, and whether it follows one.
const IS_JOIN: u16 = 1 << 11;
const AFTER_JOIN: u16 = 1 << 12;
/// Kinds are distinguished by the places of their bits: the byte before a run.
const JOIN_BIT: u32 = JOIN.trailing_zeros();

/// Pairs of bytes, by the kinds of the first and of the second.
const PAIR_CLASSES: [u16; 64] = {
    let mut pairs = [0; 64];
    let mut at = 0_u8;
    while at < 64 {
        let (before, own) = (1_u8 << (at / 8), 1_u8 << (at % 8));
        let is_behind = before & WORD != 0;
        let mut pair = if own & (JOIN | SLASH) != 0 { IS_JOIN } else { own as u16 };
        pair |= if own & WORD != 0 && !is_behind { 1 << BEGIN_BIT } else { 0 };
        pair |= if before & (LOWER | DIGIT) != 0 && own == UPPER { AT_HUMP } else { 0 };
        pair |= if before == UNDER && own != UNDER { AFTER_UNDER } else { 0 };
        pair |= if is_behind { AFTER_JOIN } else { 0 };
        #[expect(clippy::indexing_slicing, reason = "below the length, at compile time")]
        {
            pairs[at as usize] = pair;
        }
        at += 1;
    }
    pairs
};

#[inline]
fn pair(before: u32, own: u32) -> u16 {
    PAIR_CLASSES.get((before << 3 | own) as usize).copied().unwrap_or_default()
}

/// Whether a word alone is a fact, by its pairs of bytes.
#[inline]
fn is_name(word: &[u8], pairs: u16) -> bool {
    /// Letters and digits of the shortest id.
    const MIN_ID_CHARS: usize = 3;
    let has = |kinds: u8| pairs & u16::from(kinds) != 0;
    let is_number = pairs & PAIR_KIND_MASK == u16::from(DIGIT);
    let is_id = has(DIGIT) && has(LOWER | UPPER);
    let is_humped = pairs & AT_HUMP != 0 && has(LOWER);
    word.len() >= MIN_ID_CHARS && (is_number || is_id || pairs & AFTER_UNDER != 0 || is_humped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn holds(text: &str, fact: &str) {
        assert!(facts(text).contains(&hash(fact.as_bytes())), "{fact:?} is no fact of {text:?}");
    }

    #[test]
    fn what_is_needed_to_the_letter_is_a_fact() {
        let facts = "src/compress/a.rs /etc/passwd ../x/y lib.rs 404 1234 9f86d081 E0308 max_delay \
                     fetchInvoice PascalCase HTTPServer2 v1.2.3 2.71 2024-01-02 req-17 a.b@example.org \
                     MAX_RETRIES _private_x process.env.KEY C:\\Users\\anna sha256";
        for fact in facts.split_whitespace().filter(|fact| !fact.contains(':')) {
            holds(&format!("it is ({fact}), as said"), fact);
            holds(&format!("it is {fact}."), fact);
        }
        holds("see https://example.org/a/b?x=1", "//example.org/a/b");
        holds("at src/a.rs:120:7", "120");
        holds("the part of a/b_c/d is", "b_c");
        holds("say \"so be it\" now", "so be it");
        holds("use `x = y` or 'a b'", "x = y");
    }

    #[test]
    fn words_and_the_time_of_day_are_none() {
        for text in [
            "The well-known delay can cascade: people in the Store (all) must call. Don't!",
            "12:04:05 it is the dog's bone and 7 of 12",
            "12:04:05.123 and 12:04:05,123 - so -- it ... is",
            "/ - . @ ~ _ __ \"\" '' ``",
            "日本語の文章です。Ünder Äpfel naïve",
        ] {
            assert_eq!(facts(text), Vec::<u64>::new(), "{text}");
        }
    }

    #[test]
    fn lines_that_differ_in_facts_alone_have_the_same_words() {
        let words = |text| scan(text, |_| {});
        assert_eq!(words("Took job 1234 from a_b"), words("took job 777 from c_d"));
        assert_ne!(words("Took job 1234 from a_b"), words("Gave job 1234 from a_b"));
        assert_ne!(words("one two"), words("two one"));
        assert_ne!(words("中"), words("文"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn any_text_is_read_the_same_way(text in any::<String>()) {
            prop_assert_eq!(facts(&text), facts(&text));
        }

        #[test]
        fn a_fact_stays_one_among_other_words(
            before in "[a-z ,;:()]{0,20}", after in "[a-z ,;:()]{0,20}",
            fact in "[a-z]{2,6}_[a-z]{1,6}|[1-9][0-9]{2,7}|/[a-z]{2,5}/[a-z]{2,5}|[a-z]{2,4}[A-Z][a-z]{2,4}",
        ) {
            let text = format!("{before} {fact} {after}");
            prop_assert!(facts(&text).contains(&hash(fact.as_bytes())), "{}", text);
        }
    }
}
