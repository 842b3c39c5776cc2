//! Whether a text inside another one is prose.

use crate::compress::text::{ByteTable, byte_table};

/// Characters and words below which no sentence is worth leaving out.
const MIN_CHARS: usize = 100;
const MIN_WORDS: usize = 12;
/// Letters of scripts that part no words.
const MIN_WIDE_LETTERS: usize = 40;

/// Whether a text is sentences of words, at least two of them. Commands, code, addresses, digests
/// and lists of values are none: what they are made of is not letters.
pub(super) fn is_prose(text: &str) -> bool {
    let text = text.trim();
    if text.len() < MIN_CHARS || text.starts_with("#!") || text.starts_with("-----BEGIN ") {
        return false;
    }
    let seen = if text.is_ascii() { WordStats::from_ascii(text) } else { WordStats::new(text) };
    let is_wide = seen.wide >= MIN_WIDE_LETTERS;
    seen.sentences >= 2
        && (is_wide || seen.all >= MIN_CHARS && seen.words >= MIN_WORDS)
        && seen.code * 30 <= seen.all
        && (seen.plain + seen.words) * 100 >= seen.all * 85
        && (is_wide || seen.words >= 4 * seen.lines)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct WordStats {
    all: usize,
    /// Letters.
    plain: usize,
    /// Letters of scripts that part no words.
    wide: usize,
    /// Marks that code is full of.
    code: usize,
    words: usize,
    lines: usize,
    sentences: usize,
    in_word: bool,
    in_line: bool,
}

/// Classes of bytes, looked up for pairs of consecutive bytes.
const SPACE: u8 = 0;
/// Any other white space.
const BREAK: u8 = 1;
const LETTER: u8 = 2;
const CODE: u8 = 3;
/// Class of the bytes that end sentences.
const STOP: u8 = 4;
/// Class of the bytes that may close after the end of a sentence.
const CLOSE: u8 = 5;
const OTHER: u8 = 6;

static CLASSES: ByteTable<u8> = byte_table!(class_of);

const fn class_of(byte: u8) -> u8 {
    match byte {
        b' ' => SPACE,
        b'\t'..=b'\r' => BREAK,
        b'a'..=b'z' | b'A'..=b'Z' => LETTER,
        b'.' | b'!' | b'?' => STOP,
        b'"' | b'\'' | b')' => CLOSE,
        b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b'=' | b'|' | b'\\' | b';' | b'$' | b'*'
        | b'_' | b'`' | b'#' | b'@' | b'^' | b'~' | b'&' | b'/' => CODE,
        _ => OTHER,
    }
}

/// Bits of a count among several in one number.
const COUNT_BITS: u32 = 12;
/// Bytes that no count of theirs is too big for.
const BLOCK_BYTES: usize = 1 << 10;
const ONE_WORD: u64 = 1;
const ONE_PLAIN_WORD: u64 = 1 << COUNT_BITS;
const ONE_MARK: u64 = 1 << (2 * COUNT_BITS);
const ONE_BEGIN: u64 = 1 << (3 * COUNT_BITS);
const ONE_END: u64 = 1 << (4 * COUNT_BITS);

/// Additions of a byte to the counts after another, by the class of the other and its own.
const PAIR_COUNTS: [u64; 64] = {
    let mut pairs = [0; 64];
    let mut at = 0_u8;
    while at < 64 {
        let (before, own) = (at / 8, at % 8);
        let mut counts = 0;
        if own > BREAK {
            // A space says that it was one as soon as a word follows.
            counts += ONE_WORD + if before == SPACE { ONE_WORD } else { 0 };
            counts += if before <= BREAK { ONE_BEGIN } else { 0 };
        }
        counts += match own {
            LETTER => ONE_PLAIN_WORD,
            CODE => ONE_MARK,
            _ => 0,
        };
        counts += if before == STOP && matches!(own, SPACE | BREAK | CLOSE) { ONE_END } else { 0 };
        #[expect(clippy::indexing_slicing, reason = "below the length, at compile time")]
        {
            pairs[at as usize] = counts;
        }
        at += 1;
    }
    pairs
};

impl WordStats {
    /// Of a text without white space around it.
    fn new(text: &str) -> Self {
        let mut seen = Self::default();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            // Most of any text are letters that follow each other.
            let run = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
            rest = rest.get(run.max(letter.len_utf8())..).unwrap_or_default();
            if run > 0 {
                seen.letters(run, rest.is_empty());
            } else {
                seen.take(letter, rest.chars().next());
            }
        }
        seen
    }

    /// The same of ASCII alone, several counts at a time.
    fn from_ascii(text: &str) -> Self {
        let mut seen = Self { in_word: true, in_line: true, ..Self::default() };
        let mut before = BREAK;
        for block in text.as_bytes().chunks(BLOCK_BYTES) {
            let mut counts = 0_u64;
            for byte in block {
                let own = CLASSES.get(*byte);
                counts += PAIR_COUNTS.get(usize::from(before << 3 | own)).copied().unwrap_or(0);
                before = own;
            }
            let count = |place: u32| {
                usize::try_from(counts >> (place * COUNT_BITS) & ((1 << COUNT_BITS) - 1))
                    .unwrap_or(0)
            };
            seen.all += count(0);
            seen.plain += count(1);
            seen.code += count(2);
            seen.words += count(3);
            seen.sentences += count(4);
        }
        // The last sentence, whether it ends or not.
        seen.sentences += 1;
        seen.lines = text.split('\n').filter(|line| !line.trim().is_empty()).count();
        seen
    }

    /// A run of ASCII letters.
    fn letters(&mut self, count: usize, is_last: bool) {
        self.all += count;
        self.plain += count;
        self.begin();
        self.sentences += usize::from(is_last);
    }

    fn begin(&mut self) {
        self.words += usize::from(!std::mem::replace(&mut self.in_word, true));
        self.lines += usize::from(!std::mem::replace(&mut self.in_line, true));
    }

    fn take(&mut self, letter: char, next: Option<char>) {
        let ends = next.is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '\'' | ')'));
        if letter.is_whitespace() {
            self.in_word = false;
            self.in_line &= letter != '\n';
            // Indentation says nothing.
            self.all += usize::from(letter == ' ' && !next.is_some_and(char::is_whitespace));
            return;
        }
        self.all += 1;
        self.begin();
        match letter {
            _ if letter.is_alphabetic() => {
                self.plain += 1;
                self.wide += usize::from(('\u{0e00}'..'\u{ac00}').contains(&letter));
            }
            '{' | '}' | '[' | ']' | '<' | '>' | '=' | '|' | '\\' | ';' | '$' | '*' | '_' | '`'
            | '#' | '@' | '^' | '~' | '&' | '/' => self.code += 1,
            '.' | '!' | '?' => self.sentences += usize::from(ends && next.is_some()),
            '。' | '！' | '？' => {
                self.sentences += usize::from(next.is_some());
                self.plain += 1;
            }
            _ => {}
        }
        // The last sentence, whether it ends or not.
        self.sentences += usize::from(next.is_none());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn ascii_is_counted_alike(
            text in "([ -~]|[a-c]{1,9}|[.!?]| |\n|\t|\x0b){1,90}", times in 1..40_usize,
        ) {
            let text = text.repeat(times);
            let text = text.trim();
            prop_assume!(!text.is_empty());
            prop_assert_eq!(WordStats::from_ascii(text), WordStats::new(text));
        }
    }

    #[test]
    fn sentences_are_prose() {
        for text in [
            "The pump runs in the morning and in the evening. It is checked by hand, and whoever checks it writes the hour into the book.",
            "The service keeps 3 copies (of 2.5 GB each) for every client, and\n    never more. See the manual of the storage team if that is not enough.",
            "每天早上和晚上都要检查水泵，检查的人要把时间写在本子上。如果水泵停了，就要打电话给值班的人，并且把阀门关上，等他来了再说。",
        ] {
            assert!(is_prose(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_sentence_is_none() {
        for text in [
            "A short one. And another.",
            "One sentence that goes on and on, past every comma, and that says nothing which could be left out without its sense being lost",
            "registry.example.com/shop/lamp@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "#!/bin/sh\nset -e\necho \"It is done. Really it is.\"\nfor f in a b c; do cp \"$f\" /tmp/; done\nexit 0\n# The end. Of it all. And more words here.",
            "kubectl get pods --all-namespaces -o json | jq '.items[] | .metadata.name' > pods.txt && cat pods.txt. Then wc -l pods.txt.",
            "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\nRTESMBAGA1UEChMJQmFsdGltb3JlMRMwEQYDVQQLEwpDeWJlclRydXN0",
            "alpha\nbeta\ngamma\ndelta\nepsilon.\nzeta\neta\ntheta\niota\nkappa.\nlambda\nmu\nnu\nxi\nomicron\npi\nrho\nsigma\ntau\nupsilon\nphi\nchi\npsi",
        ] {
            assert!(!is_prose(text), "{text}");
        }
    }
}
