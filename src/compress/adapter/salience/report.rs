//! How much a line that holds a word of failure reports.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::compress::notation::{is_levelled, may_report};

/// Strength of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReportStrength {
    /// It counts errors, and there are none.
    None,
    /// A warning or a note that speaks of an error.
    Warning,
    /// It speaks of a failure somewhere.
    Weak,
    /// It is a report: `error: x`, `ERROR x`, `FAILED x`, `ValueError: x`.
    Strong,
}

/// The strength of a line that holds a word of failure.
pub(crate) fn report_of(body: &str) -> ReportStrength {
    if is_levelled(body.as_bytes()) {
        return ReportStrength::Strong;
    }
    let bytes = body.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut found = ReportStrength::None;
    let mut is_warned = false;
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = rest.iter().take_while(|byte| is_word(byte)).count();
        let word = rest.get(..length).unwrap_or_default();
        if found == ReportStrength::None && is_lower_level(word) {
            is_warned = true;
        } else if is_in_name(word, bytes.get(..at), bytes.get(at + length..)) {
            // `proc-macro-error` is the name of something.
        } else if length > 0 && may_report(word) {
            let after = rest.get(length..).unwrap_or_default();
            let before = bytes.get(..at).unwrap_or_default();
            if !counts_none(before, after) {
                let strength = if is_strong(word, before, after) {
                    ReportStrength::Strong
                } else {
                    ReportStrength::Weak
                };
                found = if found == ReportStrength::Strong { found } else { strength };
            }
        }
        at += length.max(1);
    }
    match found {
        ReportStrength::None => ReportStrength::None,
        _ if is_warned => ReportStrength::Warning,
        found => found,
    }
}

/// Words for states that something should not be in, in small letters.
const BAD_STATES: [&str; 43] = [
    "aborted",
    "backoff",
    "blocked",
    "canceled",
    "cancelled",
    "cannot",
    "conflict",
    "conflicts",
    "corrupt",
    "corrupted",
    "crashloopbackoff",
    "declined",
    "defunct",
    "degraded",
    "denied",
    "diverged",
    "errimagepull",
    "evicted",
    "exited",
    "expired",
    "forbidden",
    "imagepullbackoff",
    "incompatible",
    "inconsistent",
    "locked",
    "missing",
    "mismatch",
    "notready",
    "nxdomain",
    "oomkilled",
    "overdue",
    "recalled",
    "revoked",
    "servfail",
    "stuck",
    "terminated",
    "timeout",
    "unauthorized",
    "unable",
    "unhealthy",
    "unmerged",
    "unresolved",
    "waiting",
];

/// Ends of states in capitals that are failures.
const FAILURE_ENDS: [&str; 3] = ["_FAILED", "_ERROR", "_FAILURE"];

/// Heads of counts that are bad unless they are zero.
const COUNT_HEADS: [&str; 8] = [
    "Exit Code",
    "exit code",
    "exit status",
    "ExitCode",
    "Exited (",
    "Restart Count",
    "restartCount",
    "NRestarts",
];

/// Finds what a line that names a bad state has somewhere, in one pass: most lines have none of it.
static BAD_STATE_PARTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let parts = BAD_STATES.iter().chain(&FAILURE_ENDS).chain(&COUNT_HEADS);
    AhoCorasick::builder().ascii_case_insensitive(true).build(parts).ok()
});

/// Whether a line names a state that something should not be in.
pub(crate) fn names_bad_state(body: &str) -> bool {
    const MAX_STATE_BYTES: usize = 16;
    if BAD_STATE_PARTS.as_ref().is_some_and(|parts| !parts.is_match(body)) {
        return false;
    }
    let mut words = body.split(|letter: char| !letter.is_ascii_alphanumeric());
    counts_badly(body)
        || ends_in_failure(body)
        || words.any(|word| {
            (5..=MAX_STATE_BYTES).contains(&word.len())
                && BAD_STATES.iter().any(|state| state.eq_ignore_ascii_case(word))
        })
}

/// Whether a state in capitals ends in a failure: `CREATE_FAILED`, `STATUS_ERROR`.
fn ends_in_failure(body: &str) -> bool {
    let is_state = |word: &str| word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    body.contains('_')
        && body
            .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .any(|word| FAILURE_ENDS.iter().any(|end| word.ends_with(end)) && is_state(word))
}

/// Whether a line is marked as a warning: `WARNING: x`, `##[warning]x`, `[WARN] x`,
/// `CMake Warning at x`.
pub(super) fn is_marked_warning(body: &str) -> bool {
    const MAX_BYTES: usize = 400;
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let is_marked = |(at, word): (usize, &str)| {
        let after = body.get(at + word.len()..).unwrap_or_default();
        let is_capital = word.bytes().all(|byte| byte.is_ascii_uppercase());
        (word.eq_ignore_ascii_case("warning") || word.eq_ignore_ascii_case("warn"))
            && (is_capital || after.starts_with([':', ']']) || after.starts_with(" at "))
    };
    body.len() <= MAX_BYTES
        && ["arn", "ARN", "[W]"].iter().any(|part| body.contains(part))
        && (body.contains("[W] ")
            || body
                .split(|letter| !is_word(letter))
                .map(|word| (word.as_ptr() as usize - body.as_ptr() as usize, word))
                .any(is_marked))
}

/// `Exit Code:    137`, `exit code 1`, `exit status 2`, `Restart Count:  12`.
fn counts_badly(body: &str) -> bool {
    COUNT_HEADS.iter().any(|head| {
        let after = body.split_once(head).map_or("", |(_, after)| after);
        let digits = after.trim_start_matches([':', ' ', '=', '\t']);
        matches!(digits.bytes().next(), Some(b'1'..=b'9'))
    })
}

/// Whether an excerpt of a file points at a line: `14 | >>> RUN make`, `> 14 | make();`.
pub(super) fn is_pointed_at(body: &str) -> bool {
    let (is_marked, numbered) = match body.strip_prefix('>') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, body),
    };
    let code = numbered.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let after_bar = code.trim_start().strip_prefix('|').filter(|_| code.len() < numbered.len());
    after_bar.is_some_and(|code| is_marked || code.trim_start().starts_with(">>> "))
}

/// Whether a line is one of a file, with its number: `14 | use a::Error;`.
pub(super) fn is_excerpt(body: &str) -> bool {
    let rest = body.trim_start_matches(|letter: char| letter.is_ascii_digit());
    rest.len() < body.len() && rest.trim_start().starts_with("| ")
}

/// Whether a line of an excerpt only points at the line before it: `   |    ^^^^`.
pub(super) fn is_caret(body: &str) -> bool {
    body.contains('^') && body.bytes().all(|byte| matches!(byte, b'|' | b' ' | b'^' | b'~' | b'-'))
}

/// Whether a line says where something is: `src/a.rs:31:5`, `at f (/app/a.js:3:1)`,
/// `File "a.py", line 31`.
pub(super) fn names_place(body: &str) -> bool {
    /// Letters of the longest ending of a file that has lines.
    const MAX_ENDING: usize = 6;
    let bytes = body.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    body.starts_with("File \"") && body.contains("\", line ")
        || memchr::memchr_iter(b':', bytes).filter(|at| is_digit(at + 1)).any(|at| {
            let before = bytes.get(..at).unwrap_or_default().iter().rev();
            let ending = before.clone().take_while(|byte| byte.is_ascii_alphabetic()).count();
            (1..=MAX_ENDING).contains(&ending) && before.clone().nth(ending) == Some(&b'.')
        })
        || body.contains(":line ")
        || body
            .strip_prefix("l.")
            .is_some_and(|rest| rest.starts_with(|own: char| own.is_ascii_digit()))
}

/// Whether a line names a file that two sides changed.
pub(super) fn names_conflict(body: &str) -> bool {
    const HEADS: [&str; 6] = [
        "both modified:",
        "both added:",
        "both deleted:",
        "deleted by us:",
        "deleted by them:",
        "CONFLICT (",
    ];
    HEADS.iter().any(|head| body.starts_with(head))
}

/// Whether a word in small letters ends a name of words with hyphens: `proc-macro-error`.
fn is_in_name(word: &[u8], before: Option<&[u8]>, after: Option<&[u8]>) -> bool {
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let is_name = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'-';
    let head = before.iter().rev().take_while(|byte| is_name(byte)).count();
    let parts = before.iter().rev().take(head).filter(|byte| **byte == b'-').count();
    matches!(word, b"error" | b"errors")
        && before.last() == Some(&b'-')
        && parts >= 2
        && !matches!(after.first(), Some(b':' | b'='))
}

fn is_lower_level(word: &[u8]) -> bool {
    [&b"warning"[..], b"warn", b"note", b"help"]
        .iter()
        .any(|level| word.eq_ignore_ascii_case(level))
}

/// Whether a word is where reports have it: in capitals, the name of a type, or before a mark.
fn is_strong(word: &[u8], before: &[u8], after: &[u8]) -> bool {
    let is_capital = word.iter().all(u8::is_ascii_uppercase);
    let is_type = word.first().is_some_and(u8::is_ascii_uppercase)
        && word.iter().skip(1).any(u8::is_ascii_uppercase);
    // Part of a path or of a name is neither.
    let is_part = matches!(before.last(), Some(b'/' | b'.' | b'-' | b'$' | b'@'))
        || matches!(after, [b'/' | b'-' | b'(', ..] | [b'.', b'a'..=b'z', ..]);
    let is_marked = matches!(after, [b':' | b'[' | b'!', ..] | [b' ', b':', b' ', ..]);
    let is_qualified = is_type && matches!(before.last(), Some(b'.')) && is_marked;
    // A level at the head of a line, or after the name of the tool.
    let is_level = matches!(before, [] | b"npm ") && after.first() == Some(&b' ');
    (!is_part || is_qualified) && (is_capital || is_marked || is_qualified || is_level)
}

/// Whether a count of nothing is next to the word: `0 errors`, `failed=0`, `"error": null`.
fn counts_none(before: &[u8], after: &[u8]) -> bool {
    let head = before.trim_ascii_end();
    let is_none_before = head.len() < before.len()
        && (head.ends_with(b" 0")
            || head == b"0"
            || head.ends_with(b"(0")
            || head.ends_with(b"no")
            || head.ends_with(b"without"));
    let rest = match after {
        // The end of a key in quotes.
        [b'"' | b'\'', rest @ ..] => rest,
        _ => after,
    };
    let value = match rest.trim_ascii_start() {
        [b'=' | b':', rest @ ..] => rest.trim_ascii_start(),
        rest if after.first() == Some(&b' ') => rest,
        _ => return is_none_before,
    };
    let is_end = |length: usize| {
        !value.get(length).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'.')
    };
    let quoted = value.strip_prefix(b"\"").unwrap_or(value);
    let is_zero = quoted.first() == Some(&b'0')
        && !quoted.get(1).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'.');
    let words = [&b"null"[..], b"false", b"none", b"None", b"[]", b"{}", b"\"\""];
    is_none_before
        || is_zero
        || words.iter().any(|word| value.starts_with(word) && is_end(word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_is_where_the_word_is() {
        for line in [
            "error: no such file",
            "src/a.c:12:3: error: x",
            "2026-03-01 ERROR pool is empty",
            "FAILED tests/a.py::b",
            "java.lang.IllegalStateException: x",
            "E   assert 1 == 2",
            "npm ERR! code",
            "error[E0502]: x",
        ] {
            assert_eq!(report_of(line), ReportStrength::Strong, "{line}");
        }
        for line in ["could not connect: connection refused", "the charge failed"] {
            assert_eq!(report_of(line), ReportStrength::Weak, "{line}");
        }
        for line in ["warning: unused import: `crate::a::Error`", "note: the error is here"] {
            assert_eq!(report_of(line), ReportStrength::Warning, "{line}");
        }
        for line in [
            "0 errors",
            "completed without error",
            "Crate: proc-macro-error",
            "a : ok=6 unreachable=0 failed=0",
            "tests=\"3\" errors=\"0\"",
            "\"error\": null,",
        ] {
            assert_eq!(report_of(line), ReportStrength::None, "{line}");
        }
        assert_eq!(report_of("a : ok=6 failed=1"), ReportStrength::Weak);
    }

    #[test]
    fn excerpts_point_at_lines() {
        for line in ["14 | >>> RUN make", "> 14 |   make();", ">14| make();"] {
            assert!(is_pointed_at(line), "{line}");
        }
        for line in ["14 | RUN make", "> quoted | text", "| >>> a", ">>> import os", "14 >>> a"] {
            assert!(!is_pointed_at(line), "{line}");
        }
    }

    #[test]
    fn warnings_are_marked_in_many_ways() {
        for line in [
            "warning: unused import",
            "##[warning]No files were found",
            "CMake Warning at cmake/Options.cmake:31 (message):",
            "2026-03-01 WARN the pool is small",
            "[W] There should be no calls",
        ] {
            assert!(is_marked_warning(line), "{line}");
        }
        assert!(!is_marked_warning("a warning sign is on the door"));
        assert!(!is_marked_warning("set(WARNINGS on)"));
    }

    #[test]
    fn states_in_capitals_may_end_in_a_failure() {
        assert!(names_bad_state("| CREATE_FAILED | AWS::SQS::Queue"));
        assert!(!names_bad_state("CREATE_COMPLETE") && !names_bad_state("on_build_failed()"));
    }

    #[test]
    fn a_count_of_restarts_is_a_bad_state_unless_it_is_none() {
        assert!(names_bad_state("Restart Count:  12") && names_bad_state("NRestarts=3"));
        assert!(!names_bad_state("Restart Count:  0") && !names_bad_state("NRestarts=0"));
    }
}
