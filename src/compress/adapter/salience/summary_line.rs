//! Lines in which tools sum up what they did.

/// Words that such a line begins with.
const HEADS: [&str; 32] = [
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
    "Summary",
    "Result:",
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
    let body = body.strip_prefix("[INFO] ").unwrap_or(body);
    body.len() <= MAX_SUMMARY_BYTES
        && (HEADS.iter().any(|head| body.starts_with(head))
            || PARTS.iter().any(|part| body.contains(part)))
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
        ] {
            assert!(is_summary(line), "{line}");
        }
        assert!(!is_summary("the plan is to add three rows"));
    }
}
