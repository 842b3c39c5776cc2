//! Listings of files: `ls -l`, `find`, `tree`, names one on a line, folders with indented names.

use super::line_bytes::{SignSet, digits, is_path, is_path_of};
use crate::compress::text::LineTable;

const MIN_LINES: usize = 3;
/// No name has so many bytes.
const MAX_NAME_BYTES: usize = 512;

/// The line after the listing that begins at a line.
pub(super) fn end(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    let mut line = at;
    if lines.body(at).strip_prefix(b"total ").is_some_and(|rest| digits(rest) == rest.len()) {
        line += 1;
    }
    if is_long(lines.body(line)) {
        return Some(skip(line + 1, |line| is_long(lines.body(line))));
    }
    let may_be_tree = |line: usize| matches!(lines.first_byte(line), 0xe2 | b'|' | b'`');
    if (may_be_tree(at) && is_tree(lines.body(at)))
        || (may_be_tree(at + 1) && is_tree(lines.body(at + 1)) && is_tree(lines.body(at + 2)))
    {
        let end = skip(at + 1, |line| is_tree(lines.body(line)));
        return (end - at >= MIN_LINES).then_some(end);
    }
    names(lines, at)
}

fn skip(mut line: usize, holds: impl Fn(usize) -> bool) -> usize {
    while holds(line) {
        line += 1;
    }
    line
}

/// `-rw-r--r-- 1 …`.
fn is_long(body: &[u8]) -> bool {
    let Some((mode, rest)) = body.split_at_checked(10) else { return false };
    let mut letters = mode.iter();
    letters.next().is_some_and(|kind| b"-dlbcps".contains(kind))
        && letters.all(|letter| b"rwxsStT-".contains(letter))
        && matches!(rest.first(), Some(b' ' | b'.' | b'+' | b'@'))
}

/// A line of the kind that `tree` draws.
fn is_tree(body: &[u8]) -> bool {
    const BARS: [&[u8]; 5] = ["├".as_bytes(), "└".as_bytes(), "│".as_bytes(), b"|--", b"`--"];
    BARS.iter().any(|bar| body.starts_with(bar)) || body.starts_with(b"|   ")
}

/// Names alone on their lines: at least `FEWEST`, most of them paths beyond doubt.
fn names(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    if !is_path(name(lines.body(at))) {
        return None;
    }
    let mut paths = 1;
    let mut line = at + 1;
    loop {
        let own = name(lines.body(line));
        if own.len() >= MAX_NAME_BYTES {
            break;
        }
        let signs = SignSet::new(own);
        // There is no name past the last line.
        if !signs.may_be_name() {
            break;
        }
        paths += usize::from(is_path_of(own, signs));
        line += 1;
    }
    let count = line - at;
    (count >= MIN_LINES && paths * 5 >= count * 3).then_some(line)
}

/// The name of `dir/ (8)`.
fn name(body: &[u8]) -> &[u8] {
    let body = body.trim_ascii_end();
    let Some(inner) = body.strip_suffix(b")") else { return body };
    let count = inner.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let name = inner.len().checked_sub(count).and_then(|at| inner.get(..at));
    name.and_then(|name| name.strip_suffix(b" (")).filter(|_| count > 0).unwrap_or(body)
}
