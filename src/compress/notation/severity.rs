//! Detects lines that report that something went wrong. Such a line is never rewritten by a
//! notation: it is verbatim and whole.
//!
//! A doubtful line counts as a report ("0 errors", "no failure"), for a missed report can cost a
//! reader the answer and a needless one costs a few tokens. Words are runs of ASCII letters,
//! digits and `_`, as `\b` has them, so `thiserror` and `error_code` are other words. A character
//! outside of ASCII ends a word. A line that says that a test passed reports nothing, whatever the
//! test is called.

use std::borrow::Cow;

use super::verdict::says_passed;
use crate::compress::text::{
    ByteClasses, HeadScan, LineTable, WordHeads, chunks, each_of, is_of_word, without_codes,
    word_at,
};

/// Whether the line reports an error, or might.
pub(crate) fn reports_error(line: &str) -> bool {
    if line.len() < MIN_WORD_BYTES {
        // There is room for no word.
        return is_levelled(line.as_bytes());
    }
    let mut reports = ErrorScan::new(line);
    chunks(line.as_bytes(), |base, chunk, shift| {
        reports.scan_chunk(base, &ByteClasses::new(chunk, shift));
    });
    reports.reports_error()
}

/// Line by line the same, of the lines of a text: the text is read at once.
pub(crate) fn reporting(lines: &LineTable<'_>) -> Vec<bool> {
    let bytes = lines.text.as_bytes();
    let mut words = HeadScan::default();
    let mut found = Vec::new();
    let mut coded = Vec::new();
    chunks(bytes, |base, chunk, shift| {
        let planes = &ByteClasses::new(chunk, shift);
        scan_chunk(&mut words, bytes, base, planes, |at| found.push(at));
        each_of(planes.escapes, |bit| coded.push(base + bit));
    });
    let mut reports: Vec<bool> = lines.iter().map(|line| is_levelled(line.as_bytes())).collect();
    for at in found.into_iter().map(|at| lines.at(at)) {
        if let Some(reports) = reports.get_mut(at) {
            *reports = may_stand(lines.line(at));
        }
    }
    let mut coded: Vec<usize> = coded.into_iter().map(|at| lines.at(at)).collect();
    coded.dedup();
    for at in coded {
        if let Some(reports) = reports.get_mut(at) {
            *reports = reports_error(lines.line(at));
        }
    }
    reports
}

/// Calls `each` with where words that report errors begin, or the ends of types of errors, in the
/// next chunk of a text.
#[inline]
fn scan_chunk(
    words: &mut HeadScan,
    text: &[u8],
    base: usize,
    planes: &ByteClasses,
    mut each: impl FnMut(usize),
) {
    words.scan_chunk(text, base, planes, &ERROR_HEADS, |at| {
        if is_report(word_at(text, at)) {
            each(at);
        }
    });
    each_of(planes.types, |bit| {
        if text.get(base + bit..).is_some_and(begins_type) {
            each(base + bit);
        }
    });
}

/// Whether a word of failure in a line is no part of the name of a test that passed.
fn may_stand(line: &str) -> bool {
    is_levelled(line.as_bytes()) || !says_passed(line)
}

/// A scan of one line for reports of errors, chunk by chunk.
#[derive(Debug)]
pub(super) struct ErrorScan<'a> {
    line: &'a str,
    reports: bool,
    words: HeadScan,
    has_escape: bool,
}

impl<'a> ErrorScan<'a> {
    #[inline]
    pub(super) fn new(line: &'a str) -> Self {
        let found = is_levelled(line.as_bytes());
        Self { line, reports: found, words: HeadScan::default(), has_escape: false }
    }

    /// Takes in the next chunk.
    #[inline]
    pub(super) fn scan_chunk(&mut self, base: usize, planes: &ByteClasses) {
        self.has_escape |= planes.escapes != 0;
        let found = &mut self.reports;
        scan_chunk(&mut self.words, self.line.as_bytes(), base, planes, |_| *found = true);
    }

    /// Whether the line, seen to its end, reports an error.
    #[inline]
    pub(super) fn reports_error(self) -> bool {
        if self.has_escape {
            return self.is_behind_codes();
        }
        self.reports && may_stand(self.line)
    }

    /// Whether the line, or what is left of it without terminal codes, reports an error: the last
    /// letter of a code is next to the word that it colours, and without it another word may be
    /// there.
    #[cold]
    fn is_behind_codes(&self) -> bool {
        let Cow::Owned(plain) = without_codes(self.line) else {
            return self.reports && may_stand(self.line);
        };
        if self.reports {
            return may_stand(&plain);
        }
        let mut reports = ErrorScan::new(&plain);
        let each =
            |base, chunk: &_, shift| reports.scan_chunk(base, &ByteClasses::new(chunk, shift));
        chunks(plain.as_bytes(), each);
        reports.has_escape = false;
        reports.reports_error()
    }
}

/// Letters of the shortest and the longest word below.
const MIN_WORD_BYTES: usize = 3;
const MAX_WORD_BYTES: usize = 11;

/// Words that report an error, by length.
const ERROR_WORDS: [&[&str]; MAX_WORD_BYTES + 1] = [
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

/// The first letters of the words above.
static ERROR_HEADS: WordHeads = WordHeads::new(&ERROR_WORDS);

/// Endings of the names of types of errors.
const ERROR_TYPE_ENDS: [&[u8]; 3] = [b"Error", b"Exception", b"Failure"];

/// Whether this begins with the end of such a name.
#[inline(never)]
fn begins_type(text: &[u8]) -> bool {
    let after = ERROR_TYPE_ENDS.iter().find_map(|name| text.strip_prefix(*name));
    after.is_some_and(|after| !after.first().is_some_and(|byte| is_of_word(*byte)))
}

/// Whether a run of letters, digits and `_` reports an error.
pub(crate) fn may_report(word: &[u8]) -> bool {
    word.first_chunk().is_some_and(|head| ERROR_HEADS.contain(*head)) && is_report(word)
        || is_type_of_error(word)
}

/// The few words that share a length are compared.
#[inline(never)]
fn is_report(word: &[u8]) -> bool {
    let words = ERROR_WORDS.get(word.len()).copied().unwrap_or_default();
    words.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}

/// `ValueError`, `IOException`: names that only an error has.
fn is_type_of_error(word: &[u8]) -> bool {
    ERROR_TYPE_ENDS.iter().any(|name| word.ends_with(name))
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
    fn every_known_word_is_found() {
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
    fn words_in_names_of_tests_that_passed_are_no_reports() {
        for line in [
            "ok 12 - contains FAIL",
            "PASS t/error.test.js",
            "\u{1b}[32m✓\u{1b}[39m rejects an error",
            "test fails::on_error ... ok",
            "=== RUN   TestError",
        ] {
            assert!(!reports_error(line), "{line}");
            assert_eq!(reporting(&LineTable::new(line)), [false], "{line}");
        }
        assert!(reports_error("not ok 12 - contains FAIL"));
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
        let reports = words.any(|word| is_report(word) || is_type_of_error(word));
        is_levelled(line.as_bytes()) || reports && !says_passed(line)
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
        fn lines_of_a_text_report_what_they_report_alone(
            lines in prop::collection::vec(
                "[ -~é\x1b]{0,40}|(E  |\x1b\\[31m)?[a-c]{0,30}[ _]?(error|ValueError|[Ff]ailure|oom)?[ -~]{0,9}", 0..9,
            ),
        ) {
            let text = lines.join("\n");
            let lines = LineTable::new(&text);
            let expected: Vec<bool> = lines.iter().map(reports_error).collect();
            prop_assert_eq!(reporting(&lines), expected);
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
                prop_assert!(reports_error(&line) || says_passed(&line));
            }
        }
    }
}
