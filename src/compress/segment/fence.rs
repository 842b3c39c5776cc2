//! Fenced code by the rules of `CommonMark`: three or more backticks or tildes, at most three
//! columns in from the margin of what holds it, closed by as many or more of the same. A fence
//! that nothing closes runs to the end of its list item, or of the text.

use super::line_bytes::{list_marker, run_of};
use crate::compress::text::LineTable;

/// Deepest nesting of lists that is followed.
const MAX_DEPTH: usize = 16;

/// The margins of the list items that are open at a line.
#[derive(Debug, Default)]
pub(super) struct Margins {
    stack: Vec<usize>,
}

impl Margins {
    /// Takes in a line that was neither blank nor a block of some other kind.
    pub(super) fn add_line(&mut self, lines: &LineTable<'_>, line: usize) {
        self.close(lines.indent(line));
        if let Some(width) = list_marker(lines.body(line))
            && self.stack.len() < MAX_DEPTH
        {
            self.stack.push(lines.indent(line) + width);
        }
    }

    /// Whether a list item holds a line.
    pub(super) fn contains(&self, indent: usize) -> bool {
        self.stack.last().is_some_and(|margin| indent >= *margin)
    }

    /// A block of some other kind ends every list.
    pub(super) fn clear(&mut self) {
        self.stack.clear();
    }

    fn close(&mut self, indent: usize) {
        while self.stack.last().is_some_and(|margin| *margin > indent) {
            self.stack.pop();
        }
    }
}

/// The line after the fence that opens at a line.
pub(super) fn end(lines: &LineTable<'_>, at: usize, margins: &mut Margins) -> Option<usize> {
    let (opening, margin) = read_opening(lines, at, margins)?;
    let mut line = at + 1;
    while line < lines.len() {
        if !lines.is_blank(line) {
            let indent = lines.indent(line);
            if indent < margin {
                return Some(line);
            }
            if indent - margin <= 3 && opening.is_closed_by(lines.body(line)) {
                return Some(line + 1);
            }
        }
        line += 1;
    }
    Some(line)
}

/// Whether a fence opens at a line, whatever lists are open there.
pub(super) fn opens(body: &[u8]) -> bool {
    FenceOpening::read(body).is_some()
}

fn read_opening(
    lines: &LineTable<'_>,
    at: usize,
    margins: &mut Margins,
) -> Option<(FenceOpening, usize)> {
    let indent = lines.indent(at);
    let body = lines.body(at);
    if let Some(opening) = FenceOpening::read(body) {
        margins.close(indent);
        let margin = margins.stack.last().copied().unwrap_or(0);
        return (indent - margin <= 3).then_some((opening, margin));
    }
    // A list item that begins with a fence.
    let width = list_marker(body)?;
    let opening = FenceOpening::read(body.get(width..)?)?;
    margins.add_line(lines, at);
    Some((opening, indent + width))
}

#[derive(Debug, Clone, Copy)]
struct FenceOpening {
    mark: u8,
    length: usize,
}

impl FenceOpening {
    fn read(body: &[u8]) -> Option<Self> {
        let mark = *body.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
        let length = run_of(body, mark);
        let info = body.get(length..)?;
        let is_fence = length >= 3 && (mark == b'~' || memchr::memchr(b'`', info).is_none());
        is_fence.then_some(Self { mark, length })
    }

    fn is_closed_by(self, body: &[u8]) -> bool {
        let length = run_of(body, self.mark);
        length >= self.length && body.iter().skip(length).all(|byte| matches!(byte, b' ' | b'\t'))
    }
}
