//! Which lines report that something went wrong. Such a line is never rewritten by a notation: it
//! stands verbatim and whole.
//!
//! A doubtful line counts as a report ("0 errors", "no failure"), for a missed report can cost a
//! reader the answer and a needless one costs a few tokens. Words are runs of ASCII letters,
//! digits and `_`, as `\b` has them, so `thiserror` and `error_code` are other words. A character
//! outside of ASCII ends a word.

use super::bytes::{bits, chunks};

/// Whether the line reports an error, or might.
pub(crate) fn reports_error(line: &str) -> bool {
    let line = line.as_bytes();
    let mut reports = Reports::of(line);
    chunks(line, |base, chunk, shift| reports.see(base, bits(chunk, is_word) >> shift));
    reports.found()
}

/// The same, for who looks at the chunks of a line himself.
#[derive(Debug)]
pub(super) struct Reports<'a> {
    line: &'a [u8],
    found: bool,
    /// Where a word began that goes on in the next chunk.
    open: Option<usize>,
}

impl<'a> Reports<'a> {
    pub(super) fn of(line: &'a [u8]) -> Self {
        Self { line, found: is_levelled(line), open: None }
    }

    /// Takes in the next chunk: which of its bytes are a word's.
    #[inline]
    pub(super) fn see(&mut self, base: usize, words: u32) {
        let before = words << 1 | u32::from(self.open.is_some());
        let mut starts = words & !before;
        let mut ends = !words & before;
        while ends != 0 {
            let start = self.open.take().unwrap_or_else(|| {
                let start = base + starts.trailing_zeros() as usize;
                starts &= starts.wrapping_sub(1);
                start
            });
            self.check(start, base + ends.trailing_zeros() as usize);
            ends &= ends.wrapping_sub(1);
        }
        if starts != 0 {
            self.open = Some(base + starts.trailing_zeros() as usize);
        }
    }

    #[inline]
    fn check(&mut self, start: usize, end: usize) {
        if end - start >= SHORTEST {
            self.found |= self.line.get(start..end).is_some_and(may_report);
        }
    }

    /// Whether the line, seen to its end, reports an error.
    pub(super) fn found(mut self) -> bool {
        if let Some(start) = self.open {
            self.check(start, self.line.len());
        }
        self.found
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Letters of the shortest and the longest word below.
const SHORTEST: usize = 3;
const LONGEST: usize = 11;

/// Of the words below by their first letters: their lengths as bits, and their last letters.
const KNOWN: [(u8, u16, &[u8]); 14] = [
    (b'e', 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 9 | 1 << 10, b"rgsdn"),
    (b'o', 1 << 3 | 1 << 4, b"ms"),
    (b'f', 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8, b"lstdeg"),
    (b'c', 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9, b"thdl"),
    (b'p', 1 << 5 | 1 << 6 | 1 << 8, b"csd"),
    (b'a', 1 << 5 | 1 << 7 | 1 << 8, b"tdg"),
    (b'd', 1 << 6 | 1 << 8, b"dk"),
    (b's', 1 << 6 | 1 << 8, b"et"),
    (b'k', 1 << 6, b"d"),
    (b'r', 1 << 7 | 1 << 8, b"d"),
    (b'i', 1 << 7, b"d"),
    (b't', 1 << 9 | 1 << 10, b"ks"),
    (b'u', 1 << 9 | 1 << 10 | 1 << 11, b"de"),
    (b'v', 1 << 9, b"n"),
];

/// The same by the low five bits of a first letter; the last letters as bits by theirs.
const SHAPES: [(u16, u32); 32] = {
    let mut shapes = [(0, 0); 32];
    let mut known: &[_] = &KNOWN;
    while let Some((entry, after)) = known.split_first() {
        let (first, lengths, mut letters) = *entry;
        let mut lasts = 0;
        while let Some((letter, rest)) = letters.split_first() {
            lasts |= 1 << (*letter & 31);
            letters = rest;
        }
        #[expect(clippy::indexing_slicing, reason = "below the lengths, at compile time")]
        {
            shapes[(first & 31) as usize] = (lengths, lasts);
        }
        known = after;
    }
    shapes
};

/// Most words have a length or a last letter that no word below with their first letter has.
#[inline]
fn may_report(word: &[u8]) -> bool {
    let (Some(first), Some(last)) = (word.first(), word.last()) else { return false };
    let (lengths, lasts) = SHAPES.get(usize::from(first & 31)).copied().unwrap_or_default();
    let is_known = word.len() <= LONGEST
        && lengths >> word.len() & 1 == 1
        && lasts >> (last & 31) & 1 == 1
        && is_report(word);
    is_known || is_type_of_error(word)
}

/// The few words that share a length and a first letter are compared.
fn is_report(word: &[u8]) -> bool {
    let words: &[&str] = match (word.len(), word.first().map(u8::to_ascii_lowercase)) {
        (3, Some(b'e')) => &["err"],
        (3, Some(b'o')) => &["oom"],
        (4, Some(b'f')) => &["fail"],
        (4, Some(b'c')) => &["crit"],
        (4, Some(b'o')) => &["oops"],
        (5, Some(b'e')) => &["error", "emerg"],
        (5, Some(b'f')) => &["fatal", "fails", "fault"],
        (5, Some(b'p')) => &["panic"],
        (5, Some(b'a')) => &["abort"],
        (5, Some(b'c')) => &["crash"],
        (6, Some(b'e')) => &["errors"],
        (6, Some(b'f')) => &["failed"],
        (6, Some(b'd')) => &["denied"],
        (6, Some(b's')) => &["severe"],
        (6, Some(b'k')) => &["killed"],
        (6, Some(b'p')) => &["panics"],
        (7, Some(b'f')) => &["failure", "failing"],
        (7, Some(b'a')) => &["aborted"],
        (7, Some(b'c')) => &["crashed", "corrupt"],
        (7, Some(b'r')) => &["refused"],
        (7, Some(b'i')) => &["invalid"],
        (7, Some(b'e')) => &["errored"],
        (8, Some(b'f')) => &["failures"],
        (8, Some(b'c')) => &["critical"],
        (8, Some(b'p')) => &["panicked"],
        (8, Some(b'r')) => &["rejected"],
        (8, Some(b's')) => &["segfault"],
        (8, Some(b'a')) => &["aborting"],
        (8, Some(b'd')) => &["deadlock"],
        (9, Some(b'e')) => &["exception"],
        (9, Some(b't')) => &["traceback"],
        (9, Some(b'u')) => &["unhandled"],
        (9, Some(b'v')) => &["violation"],
        (9, Some(b'c')) => &["corrupted"],
        (10, Some(b'e')) => &["exceptions"],
        (10, Some(b't')) => &["tracebacks"],
        (10, Some(b'u')) => &["unexpected"],
        (11, Some(b'u')) => &["unreachable"],
        _ => &[],
    };
    words.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}

/// `ValueError`, `IOException`: names that only an error has.
fn is_type_of_error(word: &[u8]) -> bool {
    match word.last() {
        Some(b'r') => word.ends_with(b"Error"),
        Some(b'n') => word.ends_with(b"Exception"),
        Some(b'e') => word.ends_with(b"Failure"),
        _ => false,
    }
}

/// `E0522 10:11:12`, `E/Tag`, `[E]`, `E   assert`: a level that is a single letter. Only at the
/// start of a line, where it is no initial.
fn is_levelled(line: &[u8]) -> bool {
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
