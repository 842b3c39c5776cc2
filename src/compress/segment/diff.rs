//! Unified diffs. A hunk is as long as its header says, so what a hunk holds (a fence, a log line)
//! is never taken for a part of its own.

use super::lines::Lines;
use super::shape::digits;

/// Beginnings of the lines that git writes between the files and their hunks.
const HEADERS: [&[u8]; 16] = [
    b"diff --git ",
    b"diff --cc ",
    b"index ",
    b"Index: ",
    b"=======",
    b"new file mode ",
    b"deleted file mode ",
    b"old mode ",
    b"new mode ",
    b"similarity index ",
    b"dissimilarity index ",
    b"rename from ",
    b"rename to ",
    b"copy from ",
    b"copy to ",
    b"Binary files ",
];

/// The line after the diff that begins at a line.
pub(super) fn end(lines: &Lines<'_>, at: usize) -> Option<usize> {
    if !begins(lines, at) {
        return None;
    }
    let mut line = at;
    let mut end = at;
    while line < lines.len() {
        if let Some((old, new)) = hunk(lines.bytes(line)) {
            line = after_hunk(lines, line + 1, old, new);
        } else if names_files(lines, line) {
            line += 2;
        } else if HEADERS.iter().any(|header| lines.bytes(line).starts_with(header)) {
            line += 1;
        } else if lines.is_blank(line) && begins(lines, line + 1) {
            line += 1;
            continue;
        } else {
            break;
        }
        end = line;
    }
    Some(end)
}

/// Whether a diff begins at a line.
pub(super) fn begins(lines: &Lines<'_>, at: usize) -> bool {
    let line = lines.bytes(at);
    line.starts_with(b"diff --git ") || hunk(line).is_some() || names_files(lines, at)
}

fn names_files(lines: &Lines<'_>, at: usize) -> bool {
    lines.bytes(at).starts_with(b"--- ")
        && lines.bytes(at + 1).starts_with(b"+++ ")
        && lines.bytes(at + 2).starts_with(b"@@ -")
}

/// The numbers of lines that `@@ -1,4 +1,5 @@` announces.
pub(crate) fn hunk(line: &[u8]) -> Option<(usize, usize)> {
    let (old, rest) = count(line.strip_prefix(b"@@ -")?)?;
    let (new, rest) = count(rest.strip_prefix(b" +")?)?;
    rest.starts_with(b" @@").then_some((old, new))
}

/// The count of `12,5` or `12`, and what follows.
fn count(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (_, rest) = number(bytes)?;
    match rest.strip_prefix(b",") {
        Some(rest) => number(rest),
        None => Some((1, rest)),
    }
}

fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (digits, rest) = bytes.split_at_checked(digits(bytes.get(..bytes.len().min(9))?))?;
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

fn after_hunk(lines: &Lines<'_>, mut line: usize, mut old: usize, mut new: usize) -> usize {
    while line < lines.len() && (old > 0 || new > 0) {
        match lines.bytes(line).first() {
            Some(b'-') if old > 0 => old -= 1,
            Some(b'+') if new > 0 => new -= 1,
            Some(b'\\') => {}
            // An empty line is context that lost its blank.
            Some(b' ') | None if old > 0 && new > 0 => (old, new) = (old - 1, new - 1),
            _ => break,
        }
        line += 1;
    }
    while lines.bytes(line).starts_with(b"\\ ") {
        line += 1;
    }
    line
}
