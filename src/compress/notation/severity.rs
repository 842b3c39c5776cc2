//! Which lines report that something went wrong. Such a line is never rewritten by a notation: it
//! stands verbatim and whole.
//!
//! A doubtful line counts as a report ("0 errors", "no failure"), for a missed report can cost a
//! reader the answer and a needless one costs a few tokens. Words are runs of ASCII letters,
//! digits and `_`, as `\b` has them, so `thiserror` and `error_code` are other words. A character
//! outside of ASCII ends a word.

/// Whether the line reports an error, or might.
pub(crate) fn reports_error(line: &str) -> bool {
    let bytes = line.as_bytes();
    if is_levelled(bytes) {
        return true;
    }
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if !is_word(*byte) {
            if at - start >= SHORTEST && bytes.get(start..at).is_some_and(is_report) {
                return true;
            }
            start = at + 1;
        }
    }
    bytes.get(start..).is_some_and(is_report)
}

fn is_word(byte: u8) -> bool {
    WORD.get(usize::from(byte)).copied().unwrap_or(false)
}

static WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        #[expect(clippy::indexing_slicing, reason = "counted below the length, at compile time")]
        {
            table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        }
        byte += 1;
    }
    table
};

/// Letters of the shortest word below.
const SHORTEST: usize = 3;

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
    words.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word)) || is_type_of_error(word)
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
