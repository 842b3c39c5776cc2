//! JSON among lines: a value that begins a line and ends one.
//!
//! The grammar is checked here without keeping a value, several times faster than reading. What
//! only a reader can refuse (a key that is twice, half a surrogate pair) is JSON here.

use super::Kind;
use crate::compress::text::LineTable;
use crate::json::next_special;

/// Nesting beyond this is no JSON to us.
const MAX_DEPTH: u32 = 64;

/// The value that begins at a line, and the line after it. Looking over several lines spends
/// `budget` if it fails; with none left a value must end on its own line.
pub(super) fn find(lines: &LineTable<'_>, at: usize, budget: &mut usize) -> Option<(Kind, usize)> {
    let first = value(lines, at, budget)?;
    if first > at + 1 {
        return Some((Kind::Json, first));
    }
    let mut end = first;
    while matches!(lines.first_byte(end), b'{' | b'[') && fills_line(lines, end) {
        end += 1;
    }
    Some((if end > first { Kind::JsonLines } else { Kind::Json }, end))
}

fn value(lines: &LineTable<'_>, at: usize, budget: &mut usize) -> Option<usize> {
    let from = lines.head(at);
    let line_end = lines.end(at);
    let limit = lines.text.len().min(from.saturating_add(*budget)).max(line_end);
    if limit == line_end && !matches!(lines.body(at).trim_ascii_end(), [.., b'}' | b']']) {
        return None;
    }
    let reached = match document(lines.slice(0..limit), from) {
        Ok(end) => {
            let last = if end <= line_end { at } else { lines.at(end - 1) };
            if ends_line(lines, last, end) {
                return Some(last + 1);
            }
            end
        }
        Err(reached) => reached,
    };
    if reached > line_end {
        *budget = budget.saturating_sub(reached - from);
    }
    None
}

fn fills_line(lines: &LineTable<'_>, line: usize) -> bool {
    let value = document(lines.slice(0..lines.end(line)), lines.head(line));
    value.is_ok_and(|end| ends_line(lines, line, end))
}

fn ends_line(lines: &LineTable<'_>, line: usize, end: usize) -> bool {
    lines.slice(end..lines.end(line)).iter().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// The byte after the object or array at `from` that holds something; else how far the search
/// came.
fn document(bytes: &[u8], from: usize) -> Result<usize, usize> {
    let mut scan = JsonScan { bytes, at: from, depth: 0, objects: 0, items: 0 };
    if scan.run().is_none() {
        return Err(scan.at);
    }
    let is_object = bytes.get(from) == Some(&b'{');
    // `[1]` and `[]` are marks of a writer as often as arrays.
    let is_worth = scan.items > 0 || scan.at - from > if is_object { 4 } else { 8 };
    if is_worth { Ok(scan.at) } else { Err(scan.at) }
}

/// The grammar, with the open brackets as bits.
struct JsonScan<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u32,
    /// The lowest bit: whether the innermost bracket is an object's.
    objects: u64,
    /// Commas at the top level.
    items: usize,
}

impl JsonScan<'_> {
    fn run(&mut self) -> Option<()> {
        loop {
            // A value is due.
            match self.skip()? {
                open @ (b'{' | b'[') => {
                    self.at += 1;
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return None;
                    }
                    self.objects = self.objects << 1 | u64::from(open == b'{');
                    let next = self.skip()?;
                    if next != open + 2 {
                        if open == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                    self.close()?;
                }
                b'"' => self.string()?,
                b'-' | b'0'..=b'9' => self.number(),
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => return None,
            }
            // A comma or the end of what holds the value is due.
            loop {
                if self.depth == 0 {
                    return Some(());
                }
                if self.skip()? == b',' {
                    self.at += 1;
                    self.items += usize::from(self.depth == 1);
                    if self.objects & 1 == 1 {
                        self.key()?;
                    }
                    break;
                }
                self.close()?;
            }
        }
    }

    /// The next byte that is no white space.
    #[inline]
    fn skip(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if *byte > b' ' || !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    #[inline]
    fn close(&mut self) -> Option<()> {
        let due = if self.objects & 1 == 1 { b'}' } else { b']' };
        if self.bytes.get(self.at) != Some(&due) {
            return None;
        }
        self.at += 1;
        self.depth -= 1;
        self.objects >>= 1;
        Some(())
    }

    #[inline]
    fn key(&mut self) -> Option<()> {
        if self.skip()? != b'"' {
            return None;
        }
        self.string()?;
        let colon = self.skip()? == b':';
        self.at += 1;
        colon.then_some(())
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            let rest = self.bytes.get(self.at..)?;
            let Some(plain) = next_special(rest) else {
                self.at = self.bytes.len();
                return None;
            };
            self.at += plain + 1;
            match rest.get(plain)? {
                b'"' => return Some(()),
                b'\\' if rest.get(plain + 1).is_some_and(|byte| b"\"\\/bfnrtu".contains(byte)) => {
                    self.at += 1;
                }
                _ => return None,
            }
        }
    }

    fn number(&mut self) {
        let mut at = self.at;
        while let Some(b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E') = self.bytes.get(at) {
            at += 1;
        }
        self.at = at;
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.bytes.get(self.at..)?.starts_with(word).then(|| self.at += word.len())
    }
}

/// The byte after the value that begins at `open`, wherever that is.
pub(super) fn value_end(text: &str, open: usize) -> Option<usize> {
    document(text.as_bytes(), open).ok()
}
