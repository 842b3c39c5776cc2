//! Output of test runners. Lines that only a runner writes hold a run together; what is between two
//! of them (why a test failed) belongs to it.

use super::line_bytes::{contains, digits, run_of};
use super::{diff, fence};
use crate::compress::text::LineTable;

/// Lines that a report on one failure may take.
const MAX_REPORT_LINES: usize = 24;

/// The line after the run that begins at a line.
pub(super) fn end(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    if !is_report(lines.body(at)) {
        return None;
    }
    let mut count = 1;
    let mut end = at + 1;
    let mut line = end;
    while line < lines.len() && line - end <= MAX_REPORT_LINES {
        let body = lines.body(line);
        if is_report(body) {
            count += 1;
            end = line + 1;
        } else if fence::opens(body) || diff::begins(lines, line) {
            break;
        }
        line += 1;
    }
    (count >= 2).then_some(end)
}

fn is_report(body: &[u8]) -> bool {
    let starts = |heads: &[&[u8]]| heads.iter().any(|head| body.starts_with(head));
    let by_head = match body.first() {
        Some(b'=') => {
            is_banner(body) || starts(&[b"=== RUN ", b"=== PAUSE ", b"=== CONT ", b"=== NAME "])
        }
        Some(b'-') => {
            starts(&[b"--- PASS:", b"--- FAIL:", b"--- SKIP:"])
                || (body.starts_with(b"---- ") && body.ends_with(b" ----"))
        }
        Some(b'_') => run_of(body, b'_') >= 3 && body.ends_with(b"___"),
        Some(b'F' | b'E' | b'P' | b'S') => body == b"FAIL" || body == b"PASS" || is_verdict(body),
        Some(b't') => body.starts_with(b"test result: "),
        Some(b'r') => body.starts_with(b"running ") && contains(body, b" test"),
        Some(b'R') => {
            body.starts_with(b"Ran ") && contains(body, b" test") && contains(body, b" in ")
        }
        Some(b'T') => {
            starts(&[b"Test Suites: ", b"Tests: ", b"Test Files ", b"Tests  ", b"TAP version "])
        }
        Some(b'o') => is_tap(body) || body.starts_with(b"ok  \t"),
        Some(b'n') => body.strip_prefix(b"not ").is_some_and(is_tap),
        Some(b'?') => body.ends_with(b"[no test files]"),
        Some(b'0'..=b'9') => is_count(body),
        Some(0xe2 | 0xc3) => ["✓ ", "✔ ", "✕ ", "✗ ", "✘ ", "× ", "● ", "↓ ", "❯ "]
            .iter()
            .any(|mark| body.starts_with(mark.as_bytes())),
        _ => false,
    };
    by_head || ends_in_verdict(body)
}

/// `===== test session starts =====`.
fn is_banner(body: &[u8]) -> bool {
    let marks = run_of(body, b'=');
    marks >= 3 && body.get(marks) == Some(&b' ') && body.ends_with(b" =====")
        || (marks >= 10 && body.ends_with(b"==") && body.len() > marks)
}

/// `FAILED tests/a.py::b - …`, `PASS src/a.test.ts`, `FAIL\tpkg\t0.1s`.
fn is_verdict(body: &[u8]) -> bool {
    const VERDICTS: [&[u8]; 6] = [b"FAILED", b"ERROR", b"PASS", b"FAIL", b"PASSED", b"SKIPPED"];
    let letters = body.iter().take(8).take_while(|byte| byte.is_ascii_uppercase()).count();
    let Some((word, rest)) = body.split_at_checked(letters) else { return false };
    let name = rest.trim_ascii_start();
    let name =
        name.get(..name.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(name.len()));
    let is_name = name
        .is_some_and(|name| name.contains(&b'/') || name.contains(&b'.') || contains(name, b"::"));
    VERDICTS.contains(&word) && matches!(rest.first(), Some(b' ' | b'\t')) && is_name
}

/// `ok 12 - name`.
fn is_tap(body: &[u8]) -> bool {
    let Some(rest) = body.strip_prefix(b"ok ") else { return false };
    let digits = digits(rest);
    digits > 0 && matches!(rest.get(digits), None | Some(b' '))
}

/// `12 passing (3s)`, `3 passed in 0.1s`, `1..12`.
fn is_count(body: &[u8]) -> bool {
    let rest = body.get(digits(body)..).unwrap_or_default();
    let plan =
        rest.strip_prefix(b"..").is_some_and(|rest| !rest.is_empty() && digits(rest) == rest.len());
    plan || [&b" passing ("[..], b" failing", b" pending", b" passed", b" failed"]
        .iter()
        .any(|word| rest.starts_with(word) && rest.len() < word.len() + 48)
}

/// `test a::b ... ok`, `tests/a.py::b PASSED [ 10%]`, `tests/a.py ..F [ 40%]`.
fn ends_in_verdict(body: &[u8]) -> bool {
    const STATUS_ENDS: [&[u8]; 9] = [
        b" ... ok",
        b" ... FAILED",
        b" ... ignored",
        b" ... FAIL",
        b" ... ERROR",
        b" PASSED",
        b" FAILED",
        b" SKIPPED",
        b" XFAIL",
    ];
    match body.last() {
        Some(b'k' | b'D' | b'd' | b'L' | b'R') => STATUS_ENDS
            .iter()
            .any(|end| body.ends_with(end) && (end.starts_with(b" ...") || contains(body, b"::"))),
        Some(b']') => {
            let Some(inner) = body.strip_suffix(b"%]") else { return false };
            let digits = inner.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let head = inner.len().checked_sub(digits).and_then(|at| inner.get(..at));
            head.is_some_and(|head| digits > 0 && head.trim_ascii_end().ends_with(b"["))
        }
        _ => false,
    }
}
