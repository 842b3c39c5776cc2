//! Lines in which tools sum up what they did.

/// Words that such a line begins with.
const HEADS: [&str; 36] = [
    "1..",
    "Plan: ",
    "Apply complete!",
    "Destroy complete!",
    "No changes.",
    "Found ",
    "TOTAL",
    "Total ",
    "Total:",
    "BUILD ",
    "Finished ",
    "Execution Time",
    "Successfully ",
    "exit status",
    "exit code",
    "Process exited",
    "Ran ",
    "Tests:",
    "Test Suites:",
    "STATUS:",
    "FAILED (",
    "OK (",
    "rspec ./",
    "Your branch",
    "On branch",
    "PLAY RECAP",
    "total ",
    "Results:",
    "Done in ",
    "Compiled ",
    "SUMMARY",
    "Summary",
    "Result:",
    "Subject: ",
    "HTTP/",
    "< HTTP/",
];
/// Words that such a line holds.
const PARTS: [&str; 14] = [
    " rows)",
    " row)",
    " rows in set",
    " row in set",
    " problems (",
    " problem (",
    " examples, ",
    " upgraded, ",
    " compiled with ",
    " files changed",
    " file changed",
    " could not compile",
    " warnings generated",
    " errors generated",
];
/// Bytes of the longest line that sums up; a longer one is data.
const MAX_SUMMARY_BYTES: usize = 240;

/// Whether a line sums up what a tool did.
pub(super) fn is_summary(body: &str) -> bool {
    let body = without_level(body);
    body.len() <= MAX_SUMMARY_BYTES
        && (HEADS.iter().any(|head| body.starts_with(head))
            || PARTS.iter().any(|part| body.contains(part))
            || counts_things(body))
}

/// A line without the level that build tools begin each line with.
pub(super) fn without_level(body: &str) -> &str {
    const LEVELS: [&str; 6] =
        ["[INFO] ", "[info] ", "[ERROR] ", "[error] ", "[WARNING] ", "[warn] "];
    LEVELS.iter().find_map(|level| body.strip_prefix(level)).unwrap_or(body)
}

/// Whether a line has the status of a response: an exchange has more than one.
pub(super) fn is_status(body: &str) -> bool {
    body.starts_with("HTTP/") || body.starts_with("< HTTP/")
}

/// Whether a line counts things, or what was done to them: `31 issues:`, `+ 29 created`,
/// `12 vulnerabilities (11 moderate, 1 critical)`.
fn counts_things(body: &str) -> bool {
    const COUNTED: [&str; 14] = [
        "added",
        "changed",
        "created",
        "deleted",
        "destroyed",
        "errors",
        "findings",
        "issues",
        "problems",
        "removed",
        "skipped",
        "unchanged",
        "updated",
        "warnings",
    ];
    let count = body.trim_start_matches(['+', '-', '~', ' ']);
    let done = count.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let done = done.strip_prefix(' ').filter(|_| done.len() < count.len());
    done.is_some_and(|done| {
        let (thing, rest) = done.split_once(" (").unwrap_or((done, ""));
        COUNTED.contains(&thing.trim_end_matches([':', '.']))
            || rest.starts_with(|letter: char| letter.is_ascii_digit()) && !thing.contains(' ')
    })
}

/// Whether a line names a file or an item of code: what counts tests has no path in it.
pub(super) fn names_code(body: &str) -> bool {
    let bytes = body.as_bytes();
    let is_letter =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
    let mut slashes = memchr::memchr_iter(b'/', bytes);
    body.contains("::") || slashes.any(|at| is_letter(at.checked_sub(1)) && is_letter(Some(at + 1)))
}

/// Whether a line is a sentence that lists nothing.
pub(super) fn is_sentence(body: &str) -> bool {
    /// Words of the shortest.
    const MIN_WORDS: usize = 6;
    body.ends_with('.')
        && !body.contains([',', ':', '|', '='])
        && body.split_ascii_whitespace().nth(MIN_WORDS - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_sum_up_in_their_own_words() {
        for line in [
            "Plan: 3 to add, 0 to change, 1 to destroy.",
            "(64 rows)",
            "✖ 66 problems (3 errors, 63 warnings)",
            "Found 65 errors in 21 files.",
            "31 issues:",
            "+ 29 created",
            "12 vulnerabilities (11 moderate, 1 critical)",
            "< HTTP/2 409",
        ] {
            assert!(is_summary(line), "{line}");
        }
        assert!(!is_summary("3 pigs built houses") && !is_summary("created 3 rows"));
        assert!(!is_summary("the plan is to add three rows"));
    }
    #[test]
    fn sentences_and_names_count_nothing() {
        assert!(is_sentence("A total of 1 test files matched the specified pattern."));
        assert!(!is_sentence("Resources: 3 added, 0 changed, 1 destroyed."));
        assert!(names_code("ledger::tests::reads_island_13"));
        assert!(names_code("test/shop/cart_test.exs:44: (test)"));
        assert!(!names_code("Tests: 3/5 passed"));
    }
}
