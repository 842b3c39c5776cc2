//! Reads the lines of a document back.

use super::cell::{self, FENCE};
use super::grid::GridHeads;
use super::scalar;
use super::style::{JsonStyle, StyledWriter};

/// Nesting that is read.
const MAX_DEPTH: usize = 64;

/// The document that the lines represent; with `rows`, one document a row of their one table.
pub(super) fn read(body: &[&str], style: JsonStyle, rows: bool, limit: usize) -> Option<String> {
    let mut writer = StyledWriter::new(style, limit);
    writer.reserve(body.iter().map(|line| line.len() + 1).sum());
    let mut reader = TableReader { lines: body.iter(), writer, columns: None };
    let first = reader.peek()?;
    if rows {
        reader.next()?;
        reader.table(first, false, true)?;
    } else if first.starts_with(['[', '{']) {
        reader.next()?;
        reader.value(first, 0)?;
    } else {
        reader.writer.object()?;
        reader.members(0)?;
        reader.writer.end()?;
    }
    if reader.peek().is_some() {
        return None;
    }
    reader.writer.finish()
}

struct TableReader<'l, 'b> {
    lines: std::slice::Iter<'l, &'b str>,
    writer: StyledWriter<'b>,
    /// The columns of the table before, and whether its rows had keys.
    columns: Option<GridHeads<'b>>,
}

impl<'b> TableReader<'_, 'b> {
    fn peek(&self) -> Option<&'b str> {
        self.lines.as_slice().first().copied()
    }

    fn next(&mut self) -> Option<&'b str> {
        self.lines.next().copied()
    }

    /// The members that are exactly `depth` deep.
    fn members(&mut self, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut some = false;
        while let Some(line) = self.peek() {
            let wide = line.bytes().take_while(|byte| *byte == b' ').count();
            if wide != depth || line.len() == depth {
                break;
            }
            let is_end = |byte| matches!(byte, b':' | b'[' | b'{');
            let (key, rest) = scalar::split(line.get(depth..)?, is_end)?;
            if key.is_empty() {
                return None;
            }
            self.next()?;
            some = true;
            self.writer.shown_key(key)?;
            self.value(rest, depth)?;
        }
        some.then_some(())
    }

    /// The value that `rest` of a line opens, `depth` deep.
    fn value(&mut self, rest: &'b str, depth: usize) -> Option<()> {
        if let Some(value) = rest.strip_prefix(": ") {
            return if value == FENCE {
                self.text()
            } else {
                cell::read(&mut self.writer, value, false)
            };
        }
        if let Some(number) = rest.strip_prefix(':').filter(|text| scalar::is_number(text)) {
            return self.writer.raw(number);
        }
        if rest == ":" {
            self.writer.object()?;
            self.members(depth + 1)?;
            return self.writer.end();
        }
        if rest.starts_with('[') && rest.ends_with(']') {
            return self.list(rest, depth);
        }
        self.table(rest, rest.starts_with('{'), false)
    }

    fn text(&mut self) -> Option<()> {
        let mut text = String::new();
        let mut first = true;
        loop {
            let line = self.next()?;
            if line == FENCE {
                break;
            }
            if !std::mem::take(&mut first) {
                text.push('\n');
            }
            text.push_str(line);
        }
        self.writer.string(&text)
    }

    fn list(&mut self, head: &str, depth: usize) -> Option<()> {
        let count: usize = head.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?;
        if depth > MAX_DEPTH {
            return None;
        }
        self.writer.array()?;
        for _ in 0..count {
            let line = self.next()?;
            match line.strip_prefix('-') {
                Some(rest) if cell::starts_item(line) => self.value(rest, depth)?,
                _ => cell::read(&mut self.writer, line, false)?,
            }
        }
        self.writer.end()
    }

    /// A table; `alone` if each row is a document of its own.
    fn table(&mut self, head: &'b str, keyed: bool, alone: bool) -> Option<()> {
        let (open, close) = if keyed { ('{', '}') } else { ('[', ']') };
        let (count, columns) = head.strip_prefix(open)?.split_once(close)?;
        let count: usize = count.parse().ok()?;
        let mut heads = if columns == "{}" {
            self.columns.take()?
        } else {
            GridHeads::read(columns, keyed, &mut self.writer)?
        };
        if heads.is_keyed() != keyed {
            return None;
        }
        if !alone {
            if keyed { self.writer.object()? } else { self.writer.array()? }
        }
        for _ in 0..count {
            let line = if heads.has_lines() { self.next()? } else { "" };
            if alone {
                self.writer.next_line()?;
                if line.starts_with('{') {
                    self.writer.raw(line)?;
                    continue;
                }
            }
            heads.row(&mut self.writer, line)?;
        }
        self.columns = Some(heads);
        if alone { Some(()) } else { self.writer.end() }
    }
}
