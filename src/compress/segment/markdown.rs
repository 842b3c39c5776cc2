//! The structure of Markdown, line by line: headings, lists, quotes, tables, front matter.

use super::Part;
use super::line_bytes::{list_marker, run_of};
use crate::compress::text::LineTable;

/// Lines that front matter may take.
const MAX_FRONT_MATTER_LINES: usize = 128;

/// The table that begins at a line: the line after it. A row of dashes makes it one, or three
/// rows between bars; in a frame of `+---+`, a tool drew it.
pub(super) fn table(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    if !matches!(lines.first_byte(at + 1), b'|' | b'-' | b':') {
        return None;
    }
    let mut line = at;
    while is_row(lines.body(line)) {
        line += 1;
    }
    let ruled = is_rule_of_table(lines.body(at + 1)) && lines.body(at).contains(&b'|');
    if ruled && line <= at + 1 {
        // Without bars at the edges.
        line = at + 2;
        while lines.body(line).contains(&b'|') {
            line += 1;
        }
    }
    let is_framed = lines.body(line).starts_with(b"+-");
    (ruled || (line - at >= 3 && !is_framed)).then_some(line)
}

fn is_row(body: &[u8]) -> bool {
    let body = body.trim_ascii_end();
    body.len() > 2 && body.starts_with(b"|") && body.ends_with(b"|")
}

fn is_rule_of_table(body: &[u8]) -> bool {
    body.contains(&b'|') && body.contains(&b'-') && body.iter().all(|byte| b"|-: \t".contains(byte))
}

/// Classifies a line that is no block of another kind. `in_list`: whether a list item contains it.
pub(super) fn part(lines: &LineTable<'_>, at: usize, in_list: bool) -> Option<Part> {
    let body = lines.body(at);
    let indent = lines.indent(at);
    match body.first()? {
        b'#' if indent <= 3 && is_heading(body) => Some(Part::Heading),
        b'>' if indent <= 3 || in_list => Some(Part::Quote),
        b'-' | b'*' | b'_' | b'=' if is_rule(body) => Some(Part::Heading),
        _ if list_marker(body).is_some() || in_list => Some(Part::List),
        _ => None,
    }
}

fn is_heading(body: &[u8]) -> bool {
    let marks = run_of(body, b'#');
    marks <= 6 && body.get(marks).is_none_or(|byte| matches!(byte, b' ' | b'\t'))
}

/// `---`, `* * *`, and the line below a heading.
fn is_rule(body: &[u8]) -> bool {
    let Some(mark) = body.first() else { return false };
    let mut marks = 0;
    for byte in body {
        match byte {
            byte if byte == mark => marks += 1,
            b' ' | b'\t' => {}
            _ => return false,
        }
    }
    marks >= 3
}

/// The line after the front matter of a text.
pub(super) fn front_matter(lines: &LineTable<'_>) -> Option<usize> {
    let mark = lines.bytes(0).trim_ascii_end();
    if !matches!(mark, b"---" | b"+++") {
        return None;
    }
    let mut keys = 0;
    for line in 1..lines.len().min(MAX_FRONT_MATTER_LINES) {
        let bytes = lines.bytes(line).trim_ascii_end();
        if bytes == mark {
            return (keys > 0).then_some(line + 1);
        }
        let is_inside =
            lines.indent(line) > 0 || bytes.is_empty() || b"#-[".contains(&lines.first_byte(line));
        let sign = if mark == b"---" { b':' } else { b'=' };
        let key = bytes
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-. ".contains(byte))
            .count();
        let is_key = key > 0 && bytes.get(key) == Some(&sign);
        if !is_inside && !is_key {
            return None;
        }
        keys += usize::from(is_key);
    }
    None
}
