//! The ends of lines.

use std::borrow::Cow;

use crate::compress::text::breaks;

/// Takes out carriage returns before line ends, and spaces and tabs at line ends. In a unified
/// diff the white space stays: it is part of what the patch says.
pub(super) fn without_line_ends(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    let loose = breaks(text)
        .chain([bytes.len()])
        .any(|end| end.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(is_blank));
    if !loose {
        return Cow::Borrowed(text);
    }
    let blanks: &[char] = if is_diff(text) { &['\r'] } else { &[' ', '\t', '\r'] };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        out.push_str(line.trim_end_matches(blanks));
        out.push('\n');
        rest = after;
    }
    // A carriage return at the very end precedes no line end.
    let blanks: &[char] = if blanks.len() == 1 { &[] } else { &[' ', '\t'] };
    out.push_str(rest.trim_end_matches(blanks));
    Cow::Owned(out)
}

pub(super) fn is_diff(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("@@ -"))
}
