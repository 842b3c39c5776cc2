//! Which lines report that something went wrong. Such a line is never rewritten by a notation: it
//! stands verbatim and whole.
//!
//! A doubtful line counts as a report ("0 errors", "no failure"), for a missed report can cost a
//! reader the answer and a needless one costs a few tokens. Words are runs of ASCII letters,
//! digits and `_`, as `\b` has them, so `thiserror` and `error_code` are other words. A character
//! outside of ASCII ends a word.

/// The words, by length. Sorted by nothing: a handful of each length is compared.
const WORDS: [&[&str]; 15] = [
    &[],
    &[],
    &[],
    &["err", "oom"],
    &["fail", "crit", "oops"],
    &["error", "fatal", "panic", "fails", "abort", "crash", "emerg", "fault"],
    &["errors", "failed", "denied", "severe", "killed", "panics"],
    &["failure", "failing", "aborted", "crashed", "refused", "corrupt", "invalid", "errored"],
    &["failures", "critical", "panicked", "rejected", "segfault", "aborting", "deadlock"],
    &["exception", "traceback", "unhandled", "violation", "corrupted"],
    &["exceptions", "unexpected", "tracebacks"],
    &["unreachable"],
    &[],
    &[],
    &[],
];

/// Whether the line reports an error, or might.
pub(crate) fn reports_error(line: &str) -> bool {
    let bytes = line.as_bytes();
    if is_levelled(bytes) {
        return true;
    }
    bytes.split(|byte| !is_word(*byte)).any(is_report)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_report(word: &[u8]) -> bool {
    let Some(words) = WORDS.get(word.len()) else { return is_type_of_error(word) };
    words.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word)) || is_type_of_error(word)
}

/// `ValueError`, `IOException`: names that only an error has.
fn is_type_of_error(word: &[u8]) -> bool {
    word.ends_with(b"Error") || word.ends_with(b"Exception") || word.ends_with(b"Failure")
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

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
