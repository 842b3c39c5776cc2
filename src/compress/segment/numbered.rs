//! Lines with consecutive numbers before them, as `cat -n` and the viewers of files print them.

use super::line_bytes::leading_number;
use crate::compress::text::LineTable;

/// Fewer lines than this may follow each other by chance.
const MIN_LINES: usize = 3;

/// The line after the run of numbered lines that begins at a line.
pub(super) fn end(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    let (first, mark) = number(lines.body(at))?;
    let mut line = at + 1;
    let mut next = first + 1;
    while number(lines.body(line)) == Some((next, mark)) {
        line += 1;
        next += 1;
    }
    let is_table = mark == b'|' && (at..line).all(|line| bars(lines.body(line)) > 1);
    (line - at >= MIN_LINES && !is_table).then_some(line)
}

/// Bars on a line: the rows of a table all have one after their second column.
fn bars(body: &[u8]) -> usize {
    memchr::memchr_iter(b'|', body).take(2).count()
}

/// The number before a line and what parts it from the line.
pub(crate) fn number(body: &[u8]) -> Option<(u32, u8)> {
    let (number, rest) = leading_number(body)?;
    let mark = match rest {
        [mark @ (b'\t' | b':' | b'|'), ..] => *mark,
        [b' ', b'|', ..] => b'|',
        // An arrow, or a box's left side.
        [0xe2, 0x86, 0x92, ..] => b'>',
        [0xe2, 0x94, 0x82, ..] | [b' ', 0xe2, 0x94, 0x82, ..] => b'!',
        _ => return None,
    };
    Some((number, mark))
}
