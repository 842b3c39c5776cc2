//! What tests that failed printed, if their verdict comes later: `=== RUN   x` to the next such
//! line, `--- FAIL: x (0.00s)` at the end.

use foldhash::{HashMap, HashMapExt as _};

use super::super::page::LinePage;

/// The line that says that a test runs, and its verdict.
const RUN: &str = "=== RUN";
const FAIL: &str = "--- FAIL: ";

/// Calls `each` with the lines that a failed test printed, and whether it is the line that says
/// that the test runs.
pub(super) fn mark_failed_runs(page: &LinePage<'_>, mut each: impl FnMut(usize, bool)) {
    let mut runs: HashMap<&str, usize> = HashMap::new();
    for at in 0..page.len() {
        let body = page.body(at);
        if let Some(name) = body.strip_prefix(RUN) {
            runs.insert(name.trim_ascii(), at);
        } else if let Some(name) = body.strip_prefix(FAIL) {
            let name = name.split(' ').next().unwrap_or_default();
            // Each run is marked once, whatever number of verdicts names it.
            let Some(run) = runs.remove(name) else { continue };
            let is_own = |line: &usize| {
                let body = page.body(*line);
                !body.starts_with("=== ") && !body.starts_with("--- ")
            };
            for line in (run + 1..at).take_while(is_own) {
                each(line, false);
            }
            each(run, true);
        }
    }
}
