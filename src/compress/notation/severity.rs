//! Which lines report that something went wrong. Such a line is never rewritten by a notation: it
//! stands verbatim and whole.
//!
//! A doubtful line counts as a report ("0 errors", "no failure"), for a missed report can cost a
//! reader the answer and a needless one costs a few tokens. Words are runs of ASCII letters,
//! digits and `_`, as `\b` has them, so `thiserror` and `error_code` are other words. A character
//! outside of ASCII ends a word.

use std::borrow::Cow;

use super::bytes::{Planes, chunks};
use crate::compress::lossless::without_codes;

/// Whether the line reports an error, or might.
pub(crate) fn reports_error(line: &str) -> bool {
    if line.len() < SHORTEST {
        // There is room for no word.
        return is_levelled(line.as_bytes());
    }
    let mut reports = Reports::of(line);
    chunks(line.as_bytes(), |base, chunk, shift| reports.see(base, &Planes::of(chunk, shift)));
    reports.found()
}

/// The same, for who looks at the chunks of a line himself.
#[derive(Debug)]
pub(super) struct Reports<'a> {
    line: &'a str,
    found: bool,
    /// Where a word began that goes on in the next chunk.
    open: Option<usize>,
    has_escape: bool,
}

impl<'a> Reports<'a> {
    #[inline]
    pub(super) fn of(line: &'a str) -> Self {
        Self { line, found: is_levelled(line.as_bytes()), open: None, has_escape: false }
    }

    /// Takes in the next chunk. Words without three letters in a row are passed over.
    #[inline]
    pub(super) fn see(&mut self, base: usize, planes: &Planes) {
        self.has_escape |= planes.escapes != 0;
        let mut words = planes.words;
        if let Some(start) = self.open.take() {
            let end = words.trailing_ones();
            if end == u32::BITS {
                self.open = Some(start);
                return;
            }
            self.check(start, base + end as usize);
            words &= u32::MAX << end;
        }
        let last = words.leading_ones();
        if last > 0 {
            let start = u32::BITS - last;
            self.open = Some(base + start as usize);
            words &= !u32::MAX.checked_shl(start).unwrap_or(0);
        }
        let letters = words & planes.letters;
        let mut threes = letters & letters >> 1 & letters >> 2;
        while threes != 0 {
            let at = threes.trailing_zeros();
            let start = u32::BITS - (!words & !(u32::MAX << at)).leading_zeros();
            let end = at + (words >> at).trailing_ones();
            self.check(base + start as usize, base + end as usize);
            threes &= u32::MAX.checked_shl(end).unwrap_or(0);
        }
    }

    #[inline]
    fn check(&mut self, start: usize, end: usize) {
        if end - start >= SHORTEST {
            self.found |= self.line.as_bytes().get(start..end).is_some_and(may_report);
        }
    }

    /// Whether the line, seen to its end, reports an error.
    #[inline]
    pub(super) fn found(mut self) -> bool {
        if let Some(start) = self.open.take() {
            self.check(start, self.line.len());
        }
        self.found || self.has_escape && self.is_behind_codes()
    }

    /// The last letter of a terminal code stands beside the word that it colours: without codes,
    /// another word may stand there.
    #[cold]
    fn is_behind_codes(&self) -> bool {
        let Cow::Owned(plain) = without_codes(self.line) else { return false };
        let mut reports = Reports::of(&plain);
        let each = |base, chunk: &_, shift| reports.see(base, &Planes::of(chunk, shift));
        chunks(plain.as_bytes(), each);
        reports.has_escape = false;
        reports.found()
    }
}

/// Letters of the shortest and the longest word below.
const SHORTEST: usize = 3;
const LONGEST: usize = 11;

/// Words that report an error, by length.
const WORDS: [&[&str]; LONGEST + 1] = [
    &[],
    &[],
    &[],
    &["err", "oom"],
    &["fail", "crit", "oops"],
    &["error", "emerg", "fatal", "fails", "fault", "panic", "abort", "crash"],
    &["errors", "failed", "denied", "severe", "killed", "panics"],
    &["failure", "failing", "aborted", "crashed", "corrupt", "refused", "invalid", "errored"],
    &["failures", "critical", "panicked", "rejected", "segfault", "aborting", "deadlock"],
    &["exception", "traceback", "unhandled", "violation", "corrupted"],
    &["exceptions", "tracebacks", "unexpected"],
    &["unreachable"],
];

/// The last letters of the words above as bits by their low five, by the low five bits of a first
/// letter and, in the lower four bits of a place, by length: longer ones share the last.
const SHAPES: [u32; 32 << 4] = {
    let mut shapes = [0; 32 << 4];
    let mut known: &[&[&str]] = &WORDS;
    while let Some((words, after)) = known.split_first() {
        let mut words = *words;
        while let Some((word, rest)) = words.split_first() {
            let word = word.as_bytes();
            #[expect(clippy::indexing_slicing, reason = "below the lengths, at compile time")]
            {
                let place = ((word[0] & 31) as usize) << 4 | word.len();
                shapes[place] |= 1 << (word[word.len() - 1] & 31);
            }
            words = rest;
        }
        known = after;
    }
    shapes
};

/// Where the capital letter of a type of errors would stand, from the end, by the low five bits of
/// the last letter: `Error`, `Exception`, `Failure`.
const CAPITALS: [u8; 32] = {
    let mut capitals = [0; 32];
    let mut types: &[&str] = &["Error", "Exception", "Failure"];
    while let Some((word, rest)) = types.split_first() {
        let word = word.as_bytes();
        #[expect(
            clippy::indexing_slicing,
            clippy::cast_possible_truncation,
            reason = "short words"
        )]
        {
            capitals[(word[word.len() - 1] & 31) as usize] = word.len() as u8;
        }
        types = rest;
    }
    capitals
};

/// Whether a run of letters, digits and `_` is a word below. Most have a last letter that no word
/// below of their length with their first letter has.
#[inline]
pub(crate) fn may_report(word: &[u8]) -> bool {
    let (Some(first), Some(last)) = (word.first(), word.last()) else { return false };
    let lasts = SHAPES.get(usize::from(first & 31) << 4 | word.len().min(15)).copied();
    let is_shaped = lasts.unwrap_or(0) >> (last & 31) & 1 == 1;
    let capital = CAPITALS.get(usize::from(last & 31)).copied().unwrap_or(0);
    let is_type = || {
        let capital = word.len().checked_sub(usize::from(capital)).and_then(|at| word.get(at));
        matches!(capital, Some(b'E' | b'F')) && is_type_of_error(word)
    };
    is_shaped && is_report(word) || capital != 0 && is_type()
}

/// The few words that share a length are compared.
#[inline(never)]
fn is_report(word: &[u8]) -> bool {
    let words = WORDS.get(word.len()).copied().unwrap_or_default();
    words.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}

/// `ValueError`, `IOException`: names that only an error has.
#[inline(never)]
fn is_type_of_error(word: &[u8]) -> bool {
    match word {
        [.., b'E', b'r', b'r', b'o', b'r'] => true,
        [.., b'p', b't', b'i', b'o', b'n'] => word.ends_with(b"Exception"),
        [.., b'i', b'l', b'u', b'r', b'e'] => word.ends_with(b"Failure"),
        _ => false,
    }
}

/// `E0522 10:11:12`, `E/Tag`, `[E]`, `E   assert`: a level that is a single letter. Only at the
/// start of a line, where it is no initial.
#[inline]
pub(crate) fn is_levelled(line: &[u8]) -> bool {
    match line {
        [b'E' | b'F', b'/', ..] | [b'[', b'E' | b'F', b']', ..] | [b'E', b' ', b' ', ..] => true,
        [b'E' | b'F', rest @ ..] => {
            rest.iter().take_while(|byte| byte.is_ascii_digit()).count() == 4
                && rest.get(4) == Some(&b' ')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_of_failure_hit_in_any_case() {
        for word in [
            "error",
            "exception",
            "failed",
            "failure",
            "fatal",
            "panic",
            "traceback",
            "denied",
            "critical",
            "aborted",
            "errors",
            "failures",
            "refused",
            "err",
            "killed",
        ] {
            for line in [
                word.to_owned(),
                word.to_uppercase(),
                format!("12:01 [{word}] x"),
                format!("a={word}"),
                format!("0 {word}, all good"),
                format!("é{word}é"),
            ] {
                assert!(reports_error(&line), "{line}");
            }
        }
    }

    #[test]
    fn every_known_word_has_its_shape() {
        let words = "err oom fail crit oops error emerg fatal fails fault panic abort crash errors \
            failed denied severe killed panics failure failing aborted crashed corrupt refused \
            invalid errored failures critical panicked rejected segfault aborting deadlock \
            exception traceback unhandled violation corrupted exceptions tracebacks unexpected \
            unreachable";
        for word in words.split_whitespace() {
            assert!(is_report(word.as_bytes()) && may_report(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn types_and_levels_of_errors_hit() {
        for line in [
            "ValueError: x",
            "java.io.IOException",
            "E0522 10:11:12.123 main.go] x",
            "E/ActivityManager: x",
            "E   assert 1 == 2",
            "[E] no such key",
            "npm ERR! code",
        ] {
            assert!(reports_error(line), "{line}");
        }
    }

    #[test]
    fn colours_hide_no_word() {
        for line in [
            "\u{1b}[31merror\u{1b}[0m: no such file",
            "\u{1b}[1m\u{1b}[38;5;9merror[E0308]\u{1b}[0m",
            "a.c:1:2: \u{1b}[01;31m\u{1b}[Kfatal error: \u{1b}[m\u{1b}[Kx.h",
            "\u{1b}[31mE   assert 1 == 2",
        ] {
            assert!(reports_error(line), "{line}");
        }
        assert!(!reports_error("\u{1b}[31mterror\u{1b}[0m of the seas"));
    }

    #[test]
    fn ordinary_lines_do_not_hit() {
        for line in [
            "",
            "   Compiling thiserror v2.0.1",
            "test parses_errors_of_the_wire ... ok",
            "tests/test_error_code.py::test_x PASSED",
            "-rw-r--r-- 1 root root 12 error_log",
            "Every page was read",
            "E2E tests passed",
            "terror failover deniedly",
        ] {
            assert!(!reports_error(line), "{line}");
        }
    }

    /// Word by word, without a look at lengths.
    fn slowly(line: &str) -> bool {
        let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let mut words = line.split(is_end).map(str::as_bytes);
        is_levelled(line.as_bytes()) || words.any(|word| is_report(word) || is_type_of_error(word))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn no_word_hides_among_others(
            before in "[ -~é]{0,40}", after in "[ -~é]{0,40}", between in "[ -~é]?",
            word in "(?i-u)(err|oom|oops|crit|emerg|segfault|deadlock|violation|unreachable|tracebacks|severe|invalid)|[A-Z]{0,30}(Error|Exception|Failure)",
        ) {
            let line = format!("{before}{word}{between}{after}");
            prop_assert_eq!(reports_error(&line), slowly(&line), "{}", line);
        }

        #[test]
        fn every_word_that_readers_search_for_hits(
            before in "[ -~é]{0,20}", after in "[ -~é]{0,20}",
            word in "(?i-u)(error|exception|failed|failure|fatal|panic|traceback|denied)",
        ) {
            let line = format!("{before}{word}{after}");
            let searched = regex::Regex::new(
                r"(?i)\b(error|exception|failed|failure|fatal|panic|traceback|denied)\b",
            ).unwrap();
            if searched.is_match(&line) {
                prop_assert!(reports_error(&line));
            }
        }
    }
}
