//! The weight of a sentence in addition to its facts, and whether leaving it out could turn what a
//! text says into its opposite: prohibitions, duties, negations, secrets, reports of errors.

use crate::compress::notation::{is_levelled, may_report, reports_error};
use crate::compress::text::{ByteTable, byte_table};

/// Weight of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weight {
    pub(crate) worth: u32,
    pub(crate) critical: Criticality,
}

/// Criticality of a sentence: how much it matters that it stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Criticality {
    No,
    /// It denies or restricts something.
    Negation,
    /// It orders or forbids something, holds a secret, or speaks of an error.
    Strict,
    /// It reports an error: what failed, a colon, and why.
    Report,
}

/// The weight of a fact, next to the weights below.
pub(crate) const FACT_WEIGHT: u32 = 16;
/// Bytes that are worth one.
const BYTES_PER_WEIGHT: usize = 6;
const NUMBER_WEIGHT: u32 = 4;
const NAME_WEIGHT: u32 = 3;
/// Numbers, and names, that count.
const MAX_COUNTED_WORDS: u32 = 3;

/// Weighs a sentence; `leads`: whether it begins a paragraph of several.
pub(crate) fn weigh(sentence: &str, leads: bool) -> Weight {
    let mut seen = CueCounts { filler: opens_with_filler(sentence), ..CueCounts::default() };
    seen.words(sentence.as_bytes());
    if !sentence.is_ascii() {
        seen.wide(sentence);
    }
    if seen.reports || is_levelled(sentence.as_bytes()) {
        let critical =
            if names_failure(sentence) { Criticality::Report } else { Criticality::Strict };
        seen.critical = critical.max(seen.critical);
    }
    // The content of so many bytes is worth the same in a short sentence and in a long one, or
    // the short ones would always win.
    let bytes = u32::try_from(sentence.len() / BYTES_PER_WEIGHT).unwrap_or(u32::MAX / 16);
    let base = if seen.words < MAX_FRAGMENT_WORDS { bytes / 2 } else { bytes };
    let worth = 1
        + base
        + if leads { base / 2 } else { 0 }
        + if seen.emphasis { base / 3 } else { 0 }
        + seen.numbers.min(MAX_COUNTED_WORDS) * NUMBER_WEIGHT
        + seen.names.min(MAX_COUNTED_WORDS) * NAME_WEIGHT;
    Weight { worth: if seen.filler { 0 } else { worth }, critical: seen.critical }
}

/// Whether a word of failure is right before a colon, or in the few words before the first.
fn names_failure(sentence: &str) -> bool {
    /// Words of what a report is about.
    const MAX_TOPIC_WORDS: usize = 8;
    let colons = memchr::memchr_iter(b':', sentence.as_bytes());
    let mut blanks = colons.clone().filter(|at| sentence.as_bytes().get(at + 1) == Some(&b' '));
    let head = blanks.next().and_then(|at| sentence.get(..at)).unwrap_or_default();
    if head.split_ascii_whitespace().take(MAX_TOPIC_WORDS + 1).count() <= MAX_TOPIC_WORDS
        && reports_error(head)
    {
        return true;
    }
    let mut words = colons.filter_map(|at| sentence.get(..at)?.rsplit(char::is_whitespace).next());
    words.any(reports_error)
}

/// Words that are hardly a sentence.
const MAX_FRAGMENT_WORDS: u32 = 5;

#[derive(Debug)]
struct CueCounts {
    words: u32,
    numbers: u32,
    names: u32,
    emphasis: bool,
    filler: bool,
    /// Whether a word of failure is in it.
    reports: bool,
    critical: Criticality,
}

impl Default for CueCounts {
    fn default() -> Self {
        let critical = Criticality::No;
        let (emphasis, filler, reports) = (false, false, false);
        Self { words: 0, numbers: 0, names: 0, emphasis, filler, reports, critical }
    }
}

impl CueCounts {
    fn words(&mut self, bytes: &[u8]) {
        let mut before_is_do = false;
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let (mut length, mut classes) = (0, 0);
            for class in rest.iter().map(|byte| class(*byte)).take_while(|class| *class != 0) {
                classes |= class;
                length += 1;
            }
            // The byte that ends a word is part of none.
            at += length + 1;
            let word = rest.get(..length).unwrap_or_default();
            let Some(initial) = word.first() else { continue };
            self.reports |= if classes == ASCII_LETTER {
                may_report(word)
            } else {
                word.split(|byte| class(*byte) != ASCII_LETTER).any(may_report)
            };
            let first = self.words == 0;
            self.words += 1;
            self.numbers += u32::from(initial.is_ascii_digit());
            self.names += u32::from(initial.is_ascii_uppercase() && !first && length > 1);
            let kind = kind_of(word);
            match kind {
                CueKind::Strict => self.critical = Criticality::Strict,
                // The `No` of `No, it is there.` is an answer.
                CueKind::Negation if first && self.filler => {}
                CueKind::Negation if before_is_do => self.critical = Criticality::Strict,
                CueKind::Negation => self.critical = self.critical.max(Criticality::Negation),
                CueKind::Emphasis => self.emphasis = true,
                CueKind::Do | CueKind::Other => {}
            }
            before_is_do = kind == CueKind::Do;
            if is_secret(word) {
                self.critical = Criticality::Strict;
            }
        }
    }

    /// Scripts without blanks between words.
    fn wide(&mut self, sentence: &str) {
        const STRICT_SIGNS: [&str; 12] = [
            "必须",
            "必須",
            "禁止",
            "绝不",
            "絕不",
            "不得",
            "切勿",
            "务必",
            "決して",
            "必ず",
            "しないで",
            "なければ",
        ];
        const NEGATION_SIGNS: [&str; 7] = ["不", "没", "沒", "只", "ない", "ません", "のみ"];
        let is_cjk = |letter: char| matches!(letter, '\u{3040}'..='\u{9fff}');
        let letters = sentence.chars().filter(|letter| is_cjk(*letter)).count();
        if letters == 0 {
            return;
        }
        self.words += u32::try_from(letters / 2).unwrap_or(u32::MAX / 2);
        if STRICT_SIGNS.iter().any(|word| sentence.contains(word)) {
            self.critical = Criticality::Strict;
        } else if NEGATION_SIGNS.iter().any(|word| sentence.contains(word)) {
            self.critical = self.critical.max(Criticality::Negation);
        }
    }
}

/// Classes of the characters of words: ASCII letters, digits and `_`, of which those of failure
/// are, and other letters and marks.
const ASCII_LETTER: u8 = 1;
const OTHER_LETTER: u8 = 2;

static CLASSES: ByteTable<u8> = byte_table!(class_of);

const fn class_of(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => ASCII_LETTER,
        b'\'' | b'-' | 0x80.. => OTHER_LETTER,
        _ => 0,
    }
}

#[inline]
fn class(byte: u8) -> u8 {
    CLASSES.get(byte)
}

/// A run that mixes small and capital letters with digits, and is longer than a name.
fn is_secret(word: &[u8]) -> bool {
    const MIN_TOKEN_BYTES: usize = 20;
    word.len() >= MIN_TOKEN_BYTES
        && word.is_ascii()
        && (word.starts_with(b"-----BEGIN")
            || (word.iter().any(u8::is_ascii_uppercase)
                && word.iter().any(u8::is_ascii_lowercase)
                && word.iter().any(u8::is_ascii_digit)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CueKind {
    Other,
    /// `not` after it forbids.
    Do,
    Negation,
    Strict,
    Emphasis,
}

/// Words in small letters that order or forbid.
const STRICT_WORDS: &[&[u8]] = &[
    b"must",
    b"never",
    b"always",
    b"shall",
    b"required",
    b"requires",
    b"require",
    b"mandatory",
    b"forbidden",
    b"prohibited",
    b"cannot",
    b"don't",
    b"mustn't",
    b"password",
    b"passphrase",
    b"secret",
    b"credentials",
    b"muss",
    b"niemals",
    b"immer",
    b"verboten",
    b"jamais",
    b"doit",
    b"toujours",
    b"nunca",
    b"debe",
    b"siempre",
];
/// Words that deny or restrict.
const NEGATION_WORDS: &[&[u8]] = &[
    b"not", b"no", b"none", b"nor", b"neither", b"without", b"only", b"unless", b"except",
    b"nothing", b"nobody", b"nicht", b"kein", b"keine", b"nie", b"nur", b"ohne", b"pas", b"sans",
    b"sin",
];
const EMPHASIS_WORDS: &[&[u8]] = &[
    b"important",
    b"importantly",
    b"note",
    b"however",
    b"critical",
    b"crucial",
    b"essential",
    b"significant",
    b"notably",
    b"particular",
    b"specifically",
    b"warning",
    b"caution",
    b"therefore",
    b"hence",
    b"thus",
    b"consequently",
    b"accordingly",
    b"conclusion",
    b"because",
    b"result",
    b"means",
    b"instead",
    b"decided",
];
const DO_WORDS: &[&[u8]] = &[b"do"];
/// Letters of the longest of them.
const MAX_WORD_BYTES: usize = 14;

/// The last letters of the words above as bits by their low five, by the low five bits of a first
/// letter and by length.
const WORD_SHAPES: [[u32; MAX_WORD_BYTES + 1]; 32] = {
    let mut shapes = [[0; MAX_WORD_BYTES + 1]; 32];
    let mut lists: &[&[&[u8]]] = &[STRICT_WORDS, NEGATION_WORDS, EMPHASIS_WORDS, DO_WORDS];
    while let Some((list, others)) = lists.split_first() {
        let mut words = *list;
        while let Some((word, after)) = words.split_first() {
            #[expect(clippy::indexing_slicing, reason = "below the lengths, at compile time")]
            {
                shapes[(word[0] & 31) as usize][word.len()] |= 1 << (word[word.len() - 1] & 31);
            }
            words = after;
        }
        lists = others;
    }
    shapes
};

/// Most words have a last letter that no word above of their length with their first letter has.
#[inline]
fn kind_of(word: &[u8]) -> CueKind {
    let (Some(first), Some(last)) = (word.first(), word.last()) else { return CueKind::Other };
    let lasts = WORD_SHAPES.get(usize::from(first & 31)).and_then(|lasts| lasts.get(word.len()));
    let is_shaped = lasts.is_some_and(|lasts| lasts >> (last & 31) & 1 == 1);
    // `n't` may end any word.
    let may_deny = last | 0x20 == b't'
        && matches!(word, [.., b'n' | b'N', b'\'', _] | [.., 0x80..=0xff, _])
        && word.len() <= MAX_WORD_BYTES;
    if is_shaped || may_deny { known_kind(word) } else { CueKind::Other }
}

fn known_kind(word: &[u8]) -> CueKind {
    let mut small = [0_u8; MAX_WORD_BYTES];
    for (small, byte) in small.iter_mut().zip(word) {
        *small = byte.to_ascii_lowercase();
    }
    let small = small.get(..word.len()).unwrap_or_default();
    if DO_WORDS.contains(&small) {
        CueKind::Do
    } else if STRICT_WORDS.contains(&small) {
        CueKind::Strict
    } else if NEGATION_WORDS.contains(&small) {
        CueKind::Negation
    } else if EMPHASIS_WORDS.contains(&small) {
        CueKind::Emphasis
    } else if small.ends_with(b"n't") || small.ends_with("n’t".as_bytes()) {
        CueKind::Negation
    } else {
        CueKind::Other
    }
}

/// Whether a sentence opens with words that carry a conversation and say nothing.
fn opens_with_filler(sentence: &str) -> bool {
    let bytes = sentence.as_bytes();
    let fillers: &[&str] = match bytes.first().map_or(0, u8::to_ascii_lowercase) {
        b'a' => &["alright", "absolutely", "awesome"],
        b'c' => &["cool", "certainly"],
        b'e' => &["exactly", "excellent"],
        b'f' => &["fantastic"],
        b'g' => &["great", "got it", "glad to"],
        b'h' => &["happy to", "hello", "hi"],
        b'i' => &["indeed", "i see", "i understand", "i'll", "i would be happy", "i'd be happy"],
        b'l' => &["let me"],
        b'm' => &["makes sense"],
        b'n' => &["no", "nice", "noted", "no problem", "no worries"],
        b'o' => &["ok", "okay", "of course"],
        b'p' => &["perfect"],
        b'r' => &["right"],
        b's' => &["sure", "sounds good"],
        b't' => &["thanks", "thank you"],
        b'u' => &["understood"],
        b'w' => &["wonderful", "will do"],
        b'y' => &["yes", "you're welcome"],
        _ => &[],
    };
    fillers.iter().any(|filler| {
        let head = bytes.get(..filler.len());
        let after = bytes.get(filler.len()).copied().unwrap_or(b'.');
        head.is_some_and(|head| head.eq_ignore_ascii_case(filler.as_bytes()))
            && (after.is_ascii_whitespace()
                || matches!(after, b',' | b'.' | b'!' | b'?' | b':' | b';'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn critical(sentence: &str) -> Criticality {
        weigh(sentence, false).critical
    }

    #[test]
    fn duties_secrets_and_errors_are_strict() {
        for sentence in [
            "The job must wait.",
            "Never do it.",
            "Do not restart it.",
            "Please don't!",
            "The key is aB3dE5fG7hI9jK1lM3nO5.",
            "It ended with a fatal error.",
            "你必须等。",
            "Das darf niemals sein.",
        ] {
            assert_eq!(critical(sentence), Criticality::Strict, "{sentence}");
        }
    }

    #[test]
    fn negations_are_critical_and_words_are_not() {
        for sentence in ["It is not there.", "It isn’t there.", "Only one is.", "这不是。"] {
            assert_eq!(critical(sentence), Criticality::Negation, "{sentence}");
        }
        for sentence in ["The knot is there.", "No, it is there.", "Mustard and others.", "这是。"]
        {
            assert_eq!(critical(sentence), Criticality::No, "{sentence}");
        }
    }

    #[test]
    fn what_says_more_is_worth_more() {
        let worth = |sentence| weigh(sentence, false).worth;
        assert_eq!(worth("Great, that is a good idea of yours."), 0);
        assert_eq!(worth("Sure!"), 0);
        assert!(worth("Greater things than that are in it.") > 0);
        assert!(worth("It takes 5 ms in all.") > worth("It takes some ms in all."));
        assert!(worth("It is therefore red, as we saw.") > worth("It is somewhat red, as we saw."));
        assert!(worth("We met Dana there.") > worth("We met someone there."));
        assert!(
            weigh("It is red, as we have seen.", true).worth > worth("It is red, as we have seen.")
        );
    }
}
