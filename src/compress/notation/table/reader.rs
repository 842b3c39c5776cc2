//! Reads the lines of a document back.

use super::cell::{self, FENCE};
use super::grid_heads::GridHeads;
use super::outline::MAX_INNER_DEPTH;
use super::scalar;
use super::shared::{REPEAT_SIGN, SharedMark, starts_named_item};
use super::style::JsonStyle;
use super::styled_writer::{MarkedValue, StyledWriter};

/// Nesting that is read.
const MAX_DEPTH: usize = 64;

/// The document that the lines represent; with `rows`, one document a row of their one table.
pub(super) fn read(body: &[&str], style: JsonStyle, rows: bool, limit: usize) -> Option<String> {
    let mut writer = StyledWriter::new(style, limit);
    writer.reserve(body.iter().map(|line| line.len() + 1).sum());
    let mut reader = TableReader { lines: body.iter(), writer, columns: None, inner_depth: 0 };
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
    /// Strings that the document is in, each inside the one before.
    inner_depth: usize,
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
            let is_shared = self.writer.style.shared;
            let is_end =
                |byte| matches!(byte, b':' | b'[' | b'{' | b'"') || is_shared && byte == b' ';
            let (key, rest) = scalar::split(line.get(depth..)?, is_end)?;
            if key.is_empty() {
                return None;
            }
            self.next()?;
            some = true;
            self.writer.shown_key(key)?;
            self.marked_value(rest, depth)?;
        }
        some.then_some(())
    }

    /// The value that `rest` of a line opens, after its mark.
    fn marked_value(&mut self, rest: &'b str, depth: usize) -> Option<()> {
        if !self.writer.style.shared {
            return self.value(rest, depth);
        }
        let (mark, rest) = if let Some(rest) = rest.strip_prefix(' ') {
            SharedMark::read(rest).filter(|(mark, _)| matches!(mark, SharedMark::Name(_)))?
        } else if let Some(value) =
            rest.strip_prefix(": ").filter(|value| value.starts_with(REPEAT_SIGN))
        {
            return self.repeat(value);
        } else {
            (SharedMark::None, rest)
        };
        if let MarkedValue::Due(name) = self.writer.open_mark(mark)? {
            self.value(rest, depth)?;
            self.writer.close_mark(name);
        }
        Some(())
    }

    fn repeat(&mut self, text: &str) -> Option<()> {
        let (mark, rest) = SharedMark::read(text)?;
        let is_whole = rest.is_empty() && matches!(mark, SharedMark::Repeat(_));
        is_whole.then(|| self.writer.open_mark(mark)).flatten().map(|_| ())
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
        if let Some(rest) = rest.strip_prefix("\"json") {
            let (words, rest) = rest.split_once('"')?;
            return self.inner_document(words, rest, depth);
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

    /// A string that holds a document of a style.
    fn inner_document(&mut self, words: &str, rest: &'b str, depth: usize) -> Option<()> {
        let (style, rows) = JsonStyle::read(words)?;
        if rows || self.inner_depth >= MAX_INNER_DEPTH {
            return None;
        }
        let inner = StyledWriter::new(style, self.writer.bytes_left());
        let outer = std::mem::replace(&mut self.writer, inner);
        self.columns = None;
        self.inner_depth += 1;
        let read = self.value(rest, depth);
        self.inner_depth -= 1;
        self.columns = None;
        let inner = std::mem::replace(&mut self.writer, outer);
        read?;
        self.writer.string(&inner.finish()?)
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
            let is_shared = self.writer.style.shared;
            let opens = cell::starts_item(line) || is_shared && starts_named_item(line);
            match line.strip_prefix('-') {
                Some(rest) if opens => self.marked_value(rest, depth)?,
                _ if is_shared => self.item(line)?,
                _ => cell::read(&mut self.writer, line, false)?,
            }
        }
        self.writer.end()
    }

    /// An item on one line, after its mark.
    fn item(&mut self, line: &'b str) -> Option<()> {
        if line.starts_with(REPEAT_SIGN) {
            return self.repeat(line);
        }
        let (mark, line) = SharedMark::strip_name(line)?;
        if let MarkedValue::Due(name) = self.writer.open_mark(mark)? {
            cell::read(&mut self.writer, line, false)?;
            self.writer.close_mark(name);
        }
        Some(())
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
