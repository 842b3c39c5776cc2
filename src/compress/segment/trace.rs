//! Stack traces: the line that says what happened and the frames below it.

use super::line_bytes::{contains, digits};
use crate::compress::text::LineTable;

const PYTHON_HEAD: &[u8] = b"Traceback (most recent call last):";
/// Lines that a message may take before its first frame.
const MAX_MESSAGE_LINES: usize = 4;

/// The line after the trace that begins at a line.
pub(super) fn end(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    match lines.first_byte(at) {
        b'T' if lines.body(at) == PYTHON_HEAD => Some(python(lines, at)),
        b'F' if is_python_frame(lines.body(at)) => Some(python(lines, at)),
        b'g' | b'p' => go_end(lines, at).or_else(|| frames(lines, at)),
        b't' | b's' => rust(lines, at).or_else(|| frames(lines, at)),
        _ => frames(lines, at),
    }
}

fn is_python_frame(body: &[u8]) -> bool {
    body.starts_with(b"File \"") && contains(body, b"\", line ")
}

/// Frames are indented below the header; the line that is not names the exception. A second
/// trace follows a sentence between blank lines.
fn python(lines: &LineTable<'_>, at: usize) -> usize {
    let indent = lines.indent(at);
    let mut line = at;
    loop {
        line += 1;
        while line < lines.len() && !lines.is_blank(line) && lines.indent(line) > indent {
            line += 1;
        }
        if !lines.is_blank(line) && lines.indent(line) == indent {
            line += 1;
        }
        // Blank, why there is another, blank, another.
        let says_why = lines.body(line + 1).ends_with(b":");
        let goes_on = lines.is_blank(line) && says_why && lines.is_blank(line + 2);
        if !goes_on || lines.body(line + 3) != PYTHON_HEAD {
            return line.min(lines.len());
        }
        line += 3;
    }
}

/// `at f (file:1:2)`, `at pkg.Cls.m(Cls.java:3)`, `... 12 more`, `from file.rb:3:in 'f'`.
fn is_frame(body: &[u8]) -> bool {
    match body.first() {
        Some(b'a') => body.starts_with(b"at ") && ends_like_a_place(body),
        Some(b'.') => body.starts_with(b"... ") && body.ends_with(b" more"),
        Some(b'f') => body.starts_with(b"from ") && contains(body, b":in "),
        _ => false,
    }
}

fn ends_like_a_place(body: &[u8]) -> bool {
    match body.last() {
        Some(b')') => memchr::memchr(b'(', body).is_some(),
        Some(b'0'..=b'9') => memchr::memchr(b':', body).is_some(),
        _ => contains(body, b" in "),
    }
}

fn frames(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    let mut line = at;
    if !is_frame(lines.body(line)) {
        line += 1;
        // Only frames are looked for: the message is whatever precedes them.
        if !matches!(lines.first_byte(line), b'a' | b'f')
            || lines.indent(line) == 0
            || !is_frame(lines.body(line))
        {
            return None;
        }
    }
    let first = line;
    while is_frame(lines.body(line)) || is_cause(lines, line) {
        line += 1;
    }
    (line > first + 1 || first > at).then_some(line)
}

fn is_cause(lines: &LineTable<'_>, line: usize) -> bool {
    let body = lines.body(line);
    (body.starts_with(b"Caused by: ") || body.starts_with(b"Suppressed: "))
        && is_frame(lines.body(line + 1))
}

fn rust(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    let mut line = at;
    let body = lines.body(line);
    if body.starts_with(b"thread '") && contains(body, b" panicked at ") {
        line += 1;
        let last = line + MAX_MESSAGE_LINES;
        while line < last && !lines.is_blank(line) && !is_rust_tail(lines.body(line)) {
            line += 1;
        }
    } else if body != b"stack backtrace:" {
        return None;
    }
    while is_rust_tail(lines.body(line)) || (line > at && is_rust_frame(lines.body(line))) {
        line += 1;
    }
    Some(line)
}

fn is_rust_tail(body: &[u8]) -> bool {
    body == b"stack backtrace:" || body.starts_with(b"note: ")
}

/// `12: core::panicking::panic` or `at src/main.rs:3:5`.
fn is_rust_frame(body: &[u8]) -> bool {
    let digits = digits(body);
    let is_number = digits > 0 && body.get(digits..).is_some_and(|rest| rest.starts_with(b": "));
    is_number || body.starts_with(b"at ")
}

fn go_end(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    let is_goroutine = |line: usize| {
        let body = lines.body(line);
        body.starts_with(b"goroutine ") && body.ends_with(b":")
    };
    let mut line = at;
    if lines.body(at).starts_with(b"panic: ") {
        let first = (at + 1..=at + MAX_MESSAGE_LINES).find(|line| is_goroutine(*line));
        line = first?;
    }
    if !is_goroutine(line) {
        return None;
    }
    loop {
        while line < lines.len() && !lines.is_blank(line) {
            line += 1;
        }
        if !is_goroutine(line + 1) {
            return Some(line);
        }
        line += 1;
    }
}
