//! Verdicts of test runners that a test passed, or that it begins: words in its name report
//! nothing.

/// The beginnings of such lines.
const HEADS: [&str; 12] = [
    "✓ ",
    "✔ ",
    "√ ",
    "○ ",
    "PASS ",
    "PASS\t",
    "PASSED ",
    "--- PASS",
    "=== RUN",
    "=== CONT",
    "=== PAUSE",
    "# Subtest: ",
];
/// Their ends.
const TAILS: [&str; 3] = [" ... ok", " ... ignored", " PASSED"];

/// Whether a line says that a test passed, or that it begins.
pub(crate) fn says_passed(line: &str) -> bool {
    let body = line.trim_ascii();
    HEADS.iter().any(|head| body.starts_with(head))
        || TAILS.iter().any(|tail| body.ends_with(tail))
        || is_ok(body.as_bytes())
        || (body.ends_with("%]") && body.contains(" PASSED "))
}

/// `ok 12 - name`, `ok  \tpackage\t0.3s`; `ok` before words is a word.
fn is_ok(body: &[u8]) -> bool {
    matches!(body, [b'o', b'k', b' ', b'0'..=b'9' | b' ', ..] | [b'o', b'k', b'\t', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_passed_are_known_by_their_marks() {
        for line in [
            "ok 12 - contains FAIL",
            "  ✓ rejects an error (3 ms)",
            "PASS t/error.test.js",
            "test parse::error ... ok",
            "a.py::test_error PASSED     [ 12%]",
            "=== RUN   TestError/fail",
            "ok  \texample.org/error\t0.3s",
        ] {
            assert!(says_passed(line), "{line}");
        }
        for line in ["not ok 3 - a", "ok, but an error", "FAIL t/a.js", "a.py F  [ 12%]", ""] {
            assert!(!says_passed(line), "{line}");
        }
    }
}
