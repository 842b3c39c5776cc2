//! What test runners say of single tests: which one failed, and which values were compared there.

use super::super::failure::{is_compared, is_failed};
use super::summary_line::without_level;

/// The name of the test that a line says failed, in the marks of a runner: `not ok 3 - name`,
/// `[  FAILED  ] Suite.name`, `test a::b ... FAILED`, `name (FAILED - 1)`.
pub(super) fn failed_test(body: &str) -> Option<&str> {
    let body = body.trim_end();
    if is_failed(body) {
        return Some(body);
    }
    let word = |rest: &'_ str| rest.len() - rest.trim_start_matches(is_of_name).len();
    // After the mark.
    if let Some(rest) = body.strip_prefix("[  FAILED  ] ") {
        return rest.get(..word(rest)).filter(|name| name.contains(['.', '/']));
    }
    if let Some(rest) = body.strip_prefix("Test Case '") {
        return rest.split_once("' failed (").map(|(name, _)| name);
    }
    for mark in ["FAIL: ", "ERROR: "] {
        if let Some(rest) = body.strip_prefix(mark).filter(|rest| rest.starts_with("test")) {
            return rest.get(..word(rest)).filter(|name| is_parted(rest, name.len()));
        }
    }
    // Before the mark.
    for mark in [" ... FAILED", " ... FAIL", " ... ERROR"] {
        if let Some(rest) = body.strip_suffix(mark) {
            let rest = rest.strip_prefix("test ").unwrap_or(rest);
            return rest.get(..word(rest)).filter(|name| !name.is_empty());
        }
    }
    // After the duration: `name ... FAILED (14ms)`.
    if let Some((name, time)) = body.rsplit_once(" ... FAILED (") {
        return time.ends_with("s)").then_some(name);
    }
    if let Some(name) = marked_at_end(body) {
        return Some(name);
    }
    if let Some(name) = body.strip_prefix("[FAIL] ") {
        return Some(name);
    }
    if let Some((verdict, rest)) = body.split_once(" [") {
        let is_failure = VERDICTS.contains(&verdict);
        // After the name of the package.
        let name = rest.split_once("s] ").and_then(|(_, name)| name.rsplit(' ').next());
        if is_failure && name.is_some() {
            return name;
        }
    }
    if let Some(rest) = body.strip_suffix(" [E]") {
        return rest.rsplit(": ").next();
    }
    if let Some((name, number)) = body.rsplit_once(" (FAILED - ") {
        return number.ends_with(')').then_some(name);
    }
    body.strip_suffix(": FAILED:")
}

/// The name of a test before a verdict that ends its line: `Cancel an order    | FAIL |`,
/// `- rounds half to even *** FAILED ***`. What failed there is told by the next line.
pub(super) fn marked_at_end(body: &str) -> Option<&str> {
    let head = body.strip_suffix("| FAIL |").or_else(|| body.strip_suffix("*** FAILED ***"))?;
    let name = head.trim_ascii_end();
    let is_name = name.bytes().filter(u8::is_ascii_alphabetic).count() >= 3;
    is_name.then_some(name)
}

/// Verdicts before a duration: `FAIL [   0.214s] name`.
const VERDICTS: [&str; 9] =
    ["ABORT", "FAIL", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGSEGV", "TIMEOUT"];

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | ':' | '.' | '/' | '-' | '<' | '>')
}

/// Whether a name of so many bytes is followed by its place in brackets.
fn is_parted(rest: &str, name: usize) -> bool {
    rest.get(name..).is_some_and(|after| after.starts_with(" ("))
}

/// Whether a line says how long it took, and counts nothing.
pub(super) fn is_duration(body: &str) -> bool {
    let body = without_level(body);
    ["Finished in ", "Finished `", "Done in ", "Time: ", "Duration", "Total time: "]
        .iter()
        .any(|head| body.starts_with(head))
}

/// Values that assertions compare, as the lines of a text go by.
#[derive(Debug, Default)]
pub(super) struct ComparedValues {
    /// Lines in which a difference may yet go on.
    difference: usize,
    /// Whether the line before has a value that was expected.
    is_pair: bool,
    /// Whether the line before announces the values.
    is_announced: bool,
    /// Lines in which what was expected may yet be said: `Expected`, the value, `to equal`, the
    /// other value.
    expectation: usize,
    /// Whether the last assertion was met.
    is_met: bool,
}

impl ComparedValues {
    /// Takes in the next line that is not blank; tells whether it has a value that was compared.
    /// `is_failed`: whether it names a test that failed.
    pub(super) fn take(&mut self, body: &str, is_failed: bool) -> bool {
        /// Lines of a difference that are looked at.
        const MAX_DIFFERENCE_LINES: usize = 24;
        const MAX_EXPECTATION_LINES: usize = 4;
        if body.ends_with(": PASSED:") {
            self.is_met = true;
        } else if is_failed {
            (self.is_met, self.difference) = (false, 0);
        } else if body.starts_with("at ") {
            self.difference = 0;
        }
        let announces = body == "with expansion:"
            || body == "Expected"
            || self.expectation > 0 && body.starts_with("to ");
        self.expectation = if body == "Expected" {
            MAX_EXPECTATION_LINES
        } else {
            self.expectation.saturating_sub(1)
        };
        let is_value = is_compared(body)
            || self.is_announced && !self.is_met
            || self.is_pair && body.starts_with("got ")
            || self.difference > 0 && is_changed(body);
        self.difference = if heads_difference(body) {
            MAX_DIFFERENCE_LINES
        } else {
            self.difference.saturating_sub(1)
        };
        (self.is_announced, self.is_pair) = (announces, body.starts_with("expected "));
        is_value
    }
}

/// Whether a line says which sides of the difference below it are marked how.
fn heads_difference(body: &str) -> bool {
    const HEADS: [&str; 7] = [
        "+++ Actual",
        "+++ actual",
        "+++ got",
        "+ Received",
        "+ actual",
        "+ expected - actual",
        "[Diff] Actual / Expected",
    ];
    HEADS.iter().any(|head| body.starts_with(head))
}

/// Whether a line of a difference is on one side alone.
fn is_changed(body: &str) -> bool {
    body.len() > 1 && body.starts_with(['-', '+']) && !body.starts_with("---")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_name_what_failed() {
        for (line, name) in [
            ("[  FAILED  ] RingTest.Wraps (2 ms)", "RingTest.Wraps"),
            ("[  FAILED  ] RingTest.Wraps, where GetParam() = 3", "RingTest.Wraps"),
            ("Test Case 'CartTests.testSum' failed (0.004 seconds).", "CartTests.testSum"),
            ("FAIL: test_reads (tests.a.StoreTest.test_reads)", "test_reads"),
            ("test_reads (tests.a.StoreTest.test_reads) ... ERROR", "test_reads"),
            ("test ledger::tests::reads ... FAILED", "ledger::tests::reads"),
            ("keeps its order (FAILED - 12)", "keeps its order"),
            ("00:01 +14 -1: test/a_test.dart: keeps its order [E]", "keeps its order"),
            ("/src/a_test.cpp:84: FAILED:", "/src/a_test.cpp:84"),
            ("not ok 3 - keeps its order", "not ok 3 - keeps its order"),
            ("keeps its order ... FAILED (14ms)", "keeps its order"),
            ("Cancel A Paid Order              | FAIL |", "Cancel A Paid Order"),
            ("- rounds half to even *** FAILED ***", "- rounds half to even"),
            ("[FAIL] Backup [It] is Degraded", "Backup [It] is Degraded"),
            ("FAIL [   0.214s] mesh-core route::tests::a", "route::tests::a"),
            ("SIGSEGV [   0.031s] mesh ffi::tests::b", "ffi::tests::b"),
        ] {
            assert_eq!(failed_test(line), Some(name), "{line}");
        }
        for line in [
            "[  FAILED  ] 2 tests, listed below:",
            "Test Case 'CartTests.testSum' passed (0.004 seconds).",
            "ERROR: test data is missing",
            "test ledger::tests::reads ... ok",
            "FAILED: 3 of 4",
            "PASS [   0.214s] mesh-core route::tests::a",
            "SIGNED [   0.2s] a",
            "*** FAILED ***",
        ] {
            assert_eq!(failed_test(line), None, "{line}");
        }
    }

    fn compared(text: &str) -> Vec<&str> {
        let mut values = ComparedValues::default();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.filter(|line| values.take(line, failed_test(line).is_some())).collect()
    }

    #[test]
    fn compared_values_have_many_forms() {
        let text = "expected true\n     got false\nactual   : 600\n  Which is: 63\nleft:  \"USD\"\nreceived: 3\n";
        assert_eq!(compared(text).len(), 6, "{:?}", compared(text));
        let text = "Expected\n<string>: Ready\nto equal\n<string>: Degraded\nIn [It] at: x\n";
        assert_eq!(compared(text), ["<string>: Ready", "<string>: Degraded"]);
        assert!(compared("got a lock\nthe left: one\nleft:\nleftover: 3\n- 3\n+ 4").is_empty());
    }

    #[test]
    fn a_difference_has_a_head_and_ends_at_the_next_failure() {
        let text = "1) a\n--- Expected\n+++ Actual\n@@ @@\n-'20.12'\n+'20.13'\n2) b\n- an item\n";
        assert_eq!(compared(text), ["-'20.12'", "+'20.13'"]);
        let text = "+ expected - actual\n\n-200\n+401\n\nat a (b.js:1:2)\n- an item\n";
        assert_eq!(compared(text), ["-200", "+401"]);
    }

    #[test]
    fn values_of_an_assertion_that_was_met_are_not_compared() {
        let text = "a.cpp:3: FAILED:\nREQUIRE( a == b )\nwith expansion:\n3 == 4\n\na.cpp:9: PASSED:\nCHECK( c )\nwith expansion:\n5 == 5\n";
        assert_eq!(compared(text), ["3 == 4"]);
    }
}
