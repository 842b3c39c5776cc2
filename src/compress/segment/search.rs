//! Output of searches in files: `path:12:text`, context as `path-13-text`, hits without numbers, or
//! numbered hits below the path that they are in.

use super::line_bytes::{digits, is_path};
use crate::compress::text::{ByteTable, LineTable, byte_table};

/// Longest path of a hit.
const MAX_PATH_BYTES: usize = 256;

/// The line after the hits that begin at a line.
pub(super) fn end(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    hits(lines, at).or_else(|| headed_end(lines, at))
}

fn hits(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    if lines.indent(at) > 0 {
        return None;
    }
    // A name without a folder and without a number is a file's among others that are.
    let first = lines.bytes(at);
    let mut path = hit(first).or_else(|| {
        let is_hit =
            |line| hit(lines.bytes(line)).or_else(|| bare_hit(lines.bytes(line))).is_some();
        bare_hit(first).filter(|_| (at + 1..=at + 2).all(is_hit))
    })?;
    let mut count = 1;
    let mut line = at + 1;
    let mut end = line;
    loop {
        let bytes = lines.bytes(line);
        if let Some(next) = hit(bytes).or_else(|| bare_hit(bytes)) {
            path = next;
            count += 1;
        } else if note(bytes).is_some() {
            count += 1;
        } else if !(is_context(bytes, path) || bytes == b"--") {
            break;
        }
        line += 1;
        // A `--` that nothing follows is a rule.
        if bytes != b"--" {
            end = line;
        }
    }
    (count > 1 || end > at + 1).then_some(end)
}

/// The path of `path:12:` or of `dir/file.ext:text`.
pub(crate) fn hit(line: &[u8]) -> Option<&[u8]> {
    let path = line.get(..memchr::memchr(b':', line.get(..line.len().min(MAX_PATH_BYTES))?)?)?;
    if path.is_empty() || !path.iter().all(|byte| is_path_byte(*byte)) {
        return None;
    }
    let rest = line.get(path.len() + 1..)?;
    let digits = digits(rest);
    let is_numbered = digits > 0
        && matches!(rest.get(digits), Some(b':' | b'-') | None)
        && path.iter().any(u8::is_ascii_alphabetic);
    if is_numbered {
        return Some(path);
    }
    let is_named = !rest.starts_with(b"//") && path.contains(&b'/') && is_path(path);
    is_named.then_some(path)
}

/// The path of `file.ext:text`.
pub(crate) fn bare_hit(line: &[u8]) -> Option<&[u8]> {
    let head = line.get(..line.len().min(MAX_PATH_BYTES))?;
    let path = head.get(..memchr::memchr(b':', head)?)?;
    let extension = path.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let is_name = path.contains(&b'.')
        && extension.iter().any(u8::is_ascii_alphabetic)
        && is_path(path)
        && path.iter().all(|at| is_path_byte(*at));
    // Keys and words have a blank behind the colon; lines of a file that are indented have more.
    let rest = line.get(path.len() + 1..)?;
    let is_text = !matches!(rest, [b' ', next, ..] if *next != b' ') && !rest.starts_with(b"//");
    (is_name && is_text).then_some(path)
}

/// The file in what a search says of one that it does not show: `Binary file x matches`,
/// `grep: x: Is a directory`.
pub(crate) fn note(line: &[u8]) -> Option<&[u8]> {
    let binary = line
        .strip_prefix(b"Binary file ")
        .or_else(|| line.strip_prefix(b"grep: ").or_else(|| line.strip_prefix(b"rg: ")))?;
    let ends = [
        &b" matches"[..],
        b": binary file matches",
        b": Is a directory",
        b": Permission denied",
        b": No such file or directory",
        b": warning: recursive directory loop",
    ];
    ends.iter().find_map(|end| binary.strip_suffix(*end)).filter(|path| !path.is_empty())
}

#[inline]
fn is_path_byte(byte: u8) -> bool {
    static PATH_BYTES: ByteTable<bool> = byte_table!(may_be_in_path);
    PATH_BYTES.get(byte)
}

const fn may_be_in_path(byte: u8) -> bool {
    let is_sign = matches!(
        byte,
        b'/' | b'.'
            | b'_'
            | b'-'
            | b'+'
            | b'@'
            | b'~'
            | b'['
            | b']'
            | b'('
            | b')'
            | b'$'
            | b'#'
            | b'%'
            | b'\\'
    );
    byte.is_ascii_alphanumeric() || byte >= 0x80 || is_sign
}

/// `path-12-text`, or `path:12-text`, below a hit in the same file.
pub(crate) fn is_context(line: &[u8], path: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(path).and_then(|rest| rest.strip_prefix(b"-")) else {
        return false;
    };
    let digits = digits(rest);
    digits > 0 && rest.get(digits) == Some(&b'-')
}

fn headed_end(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    if !lines.first_byte(at + 1).is_ascii_digit() {
        return None;
    }
    let mut line = at;
    let mut count = 0;
    let mut end = at;
    while lines.indent(line) == 0 && is_path(lines.bytes(line)) && is_below(lines.bytes(line + 1)) {
        line += 1;
        while is_below(lines.bytes(line))
            || (lines.bytes(line) == b"--" && is_below(lines.bytes(line + 1)))
        {
            line += 1;
            count += 1;
        }
        end = line;
        if lines.is_blank(line) {
            line += 1;
        }
    }
    (count >= 2).then_some(end)
}

/// `12:text` or `12-text`.
fn is_below(line: &[u8]) -> bool {
    let digits = digits(line);
    digits > 0 && matches!(line.get(digits), Some(b':' | b'-'))
}
