//! YAML in block style as entries by their indentation.
//!
//! What indentation alone does not tell is one node: scalars and flow collections of several
//! lines, and what another value may point at. A text with tabs before its words is none of ours.

use super::tree::{DocumentTree, GapStyle, TreeBuilder};

/// Keys of the least document.
const MIN_KEYS: usize = 3;

pub(super) fn read(text: &str) -> Option<DocumentTree> {
    let lines = lines(text)?;
    if !nests(text, &lines) {
        return None;
    }
    let mut reader = BlockReader { text, lines, builder: TreeBuilder::new() };
    reader.builder.begin(0, GapStyle::YamlComment);
    let count = reader.lines.len();
    reader.entries(0, count);
    reader.builder.end(text.len(), text.len());
    reader.builder.finish()
}

/// Whether entries are inside one another, and most keys are words of a program: lists and labels
/// are what people write, too.
fn nests(text: &str, lines: &[BlockLine]) -> bool {
    let body = |own: &BlockLine| text.get(own.start..own.end).unwrap_or_default().trim_ascii();
    let is_entry =
        |own: &&BlockLine| !matches!(own.kind, LineKind::None | LineKind::Mark | LineKind::GoesOn);
    let is_name = |own: &&BlockLine| {
        let body = body(own).trim_start_matches(['-', ' ']);
        let key = body.split([':', ' ', '=']).next().unwrap_or_default();
        key.starts_with(|letter: char| !letter.is_ascii_uppercase())
    };
    let entries: Vec<&BlockLine> = lines.iter().filter(is_entry).collect();
    let names = entries.iter().copied().filter(|own| is_name(own)).count();
    let parents = entries.iter().filter(|own| own.kind == LineKind::Parent).count();
    entries.len() >= MIN_KEYS && parents > 0 && names * 2 > entries.len()
}

/// A line with its break.
#[derive(Debug, Clone, Copy)]
struct BlockLine {
    start: usize,
    end: usize,
    indent: usize,
    kind: LineKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// Blank, or a comment.
    None,
    /// Between documents, or a directive.
    Mark,
    /// Deeper lines are entries of it.
    Parent,
    /// Deeper lines are the words of its block scalar.
    Block,
    /// Deeper lines belong to its value, or are keys next to the first one of an item.
    Value,
    /// A value goes on.
    GoesOn,
}

/// A value that may go on in the next lines.
#[derive(Debug, Clone, Copy)]
struct OpenValue {
    indent: usize,
    end: ValueEnd,
}

#[derive(Debug, Clone, Copy)]
enum ValueEnd {
    /// A line that is not indented more.
    Indent,
    /// The same for a block scalar, in which blanks and comments are words.
    Block,
    /// This quote, wherever it is.
    Quote(u8),
    /// The last of the brackets of a flow collection that are open, wherever it is.
    Brackets(usize),
}

impl ValueEnd {
    /// The end of a value that begins with these words.
    fn of(value: &str) -> Self {
        let brackets = match value.as_bytes().first() {
            Some(b'[' | b'{') => open_brackets(value, 0),
            _ => 0,
        };
        match open_quote(value) {
            Some(quote) => Self::Quote(quote),
            None if brackets > 0 => Self::Brackets(brackets),
            None => Self::Indent,
        }
    }
}

/// None if the text is not for us.
fn lines(text: &str) -> Option<Vec<BlockLine>> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut open: Option<OpenValue> = None;
    for own in text.split_inclusive('\n') {
        let end = start + own.len();
        let body = own.trim_ascii();
        let indent = own.len() - own.trim_start_matches(' ').len();
        if let Some(value) = open.filter(|_| !body.is_empty()) {
            let is_anywhere = matches!(value.end, ValueEnd::Quote(_) | ValueEnd::Brackets(_));
            open = open.filter(|_| is_anywhere || indent > value.indent);
        }
        let kind = match open.map(|value| value.end) {
            _ if body.is_empty() => LineKind::None,
            Some(ValueEnd::Block) => LineKind::GoesOn,
            Some(ValueEnd::Quote(quote)) => {
                open = open.filter(|_| !ends_quote(body, quote));
                LineKind::GoesOn
            }
            _ if body.starts_with('#') => LineKind::None,
            Some(ValueEnd::Brackets(before)) => {
                let brackets = open_brackets(body, before);
                open = open.filter(|_| brackets > 0);
                open = open.map(|value| OpenValue { end: ValueEnd::Brackets(brackets), ..value });
                LineKind::GoesOn
            }
            _ if own.trim_start_matches(' ').starts_with('\t') => return None,
            _ if indent == 0 && (body == "---" || body == "..." || body.starts_with('%')) => {
                LineKind::Mark
            }
            _ => match line_kind(body) {
                // A plain scalar holds no key.
                _ if open.is_some_and(|value| value.indent < indent) => LineKind::GoesOn,
                Some((kind, value)) => {
                    let value_end = match kind {
                        LineKind::Parent => None,
                        LineKind::Block => Some(ValueEnd::Block),
                        _ => Some(ValueEnd::of(value)),
                    };
                    let indent = indent + key_offset(body);
                    open = value_end.map(|end| OpenValue { indent, end });
                    kind
                }
                None => return None,
            },
        };
        lines.push(BlockLine { start, end, indent, kind });
        start = end;
    }
    Some(lines)
}

/// The brackets that are open after a line of a flow collection, where so many are before it. Those in
/// quotes are letters; a quote that does not end in its line is one, too.
fn open_brackets(line: &str, before: usize) -> usize {
    let mut open = before;
    let mut rest = line.split(" #").next().unwrap_or_default().as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            b'"' | b'\'' => {
                let end = memchr::memchr(*first, after).map_or(0, |end| end + 1);
                rest = after.get(end..).unwrap_or_default();
            }
            _ => {}
        }
    }
    open
}

/// The quote that a value opens and does not close.
fn open_quote(value: &str) -> Option<u8> {
    let quote = value.bytes().next().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let inner = value.get(1..).unwrap_or_default();
    (!ends_quote(inner, quote)).then_some(quote)
}

/// Whether a line ends a quoted scalar, a comment after it aside.
fn ends_quote(line: &str, quote: u8) -> bool {
    let line = line.trim_ascii_end();
    let bytes = line.split(" #").next().unwrap_or_default().trim_ascii_end().as_bytes();
    let count = bytes.iter().rev().take_while(|byte| **byte == quote).count();
    let rest = bytes.get(..bytes.len() - count).unwrap_or_default();
    let escapes = rest.iter().rev().take_while(|byte| **byte == b'\\').count();
    match quote {
        b'"' => count > 0 && (escapes % 2 == 0 || count > 1),
        // Two of them are one of its letters.
        _ => count % 2 == 1,
    }
}

/// Columns between the beginning of a line and the innermost key, item or scalar in it.
fn key_offset(body: &str) -> usize {
    let mut offset = 0;
    let mut rest = body;
    loop {
        let own = item_indent(rest);
        if own == 0 {
            return offset;
        }
        offset += own;
        rest = rest.get(own..).unwrap_or_default();
    }
}

/// Columns between the dash of an item and the key or the item after it.
fn item_indent(body: &str) -> usize {
    let rest = body.strip_prefix("- ").unwrap_or(body);
    let inner = rest.trim_start_matches(' ');
    let is_entry = inner.starts_with("- ") || value_of(inner).is_some();
    if rest.len() < body.len() && is_entry { body.len() - inner.len() } else { 0 }
}

/// The value after the key of a line, if it has one.
fn value_of(body: &str) -> Option<&str> {
    if let Some(key) = body.strip_suffix(':') {
        return Some(key.get(key.len()..).unwrap_or_default());
    }
    let mut marks = memchr::memmem::find_iter(body.as_bytes(), ": ");
    let at = match body.as_bytes().first() {
        // A quoted key may have a colon in it.
        Some(quote @ (b'"' | b'\'')) => {
            let close = memchr::memchr(*quote, body.get(1..)?.as_bytes())? + 2;
            marks.find(|at| *at >= close)?
        }
        _ => marks.next()?,
    };
    body.get(at + 2..).map(str::trim_ascii)
}

/// The kind of a line, and its value; none if it is neither an item nor has a key.
fn line_kind(body: &str) -> Option<(LineKind, &str)> {
    let mut rest = body;
    while let Some(inner) = rest.strip_prefix("- ") {
        rest = inner.trim_ascii_start();
    }
    if rest == "-" || rest.is_empty() {
        return Some((LineKind::Parent, ""));
    }
    let is_item = rest.len() < body.len();
    let value = match value_of(rest) {
        Some(value) => value,
        None if is_item => rest,
        None => return None,
    };
    if value.starts_with("!<") || rest.starts_with("? ") {
        return None;
    }
    let value = without_tags(value);
    let kind = match value.bytes().next() {
        None | Some(b'#') => LineKind::Parent,
        Some(b'|' | b'>') => LineKind::Block,
        _ => LineKind::Value,
    };
    Some((kind, value))
}

/// The value without an anchor or a tag before it.
fn without_tags(value: &str) -> &str {
    let mut rest = value;
    while rest.starts_with(['&', '!']) {
        rest = rest.split_once(' ').map_or("", |(_, rest)| rest.trim_ascii_start());
    }
    rest
}

struct BlockReader<'t> {
    text: &'t str,
    lines: Vec<BlockLine>,
    builder: TreeBuilder,
}

impl BlockReader<'_> {
    /// The entries of some lines.
    fn entries(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            let Some(line) = self.lines.get(at).copied() else { break };
            let next = self.end_of(at, to);
            let last = self.lines.get(next.saturating_sub(1)).map_or(line.end, |last| last.end);
            match line.kind {
                LineKind::None | LineKind::Mark => {
                    let leaf = self.builder.leaf(line.start, line.end);
                    match line.kind {
                        LineKind::Mark => self.builder.pin(leaf),
                        _ => self.builder.set_remark(leaf),
                    }
                    at += 1;
                    continue;
                }
                _ if next == at + 1 => {
                    self.builder.leaf(line.start, line.end);
                }
                LineKind::Block => {
                    self.builder.begin(line.start, GapStyle::Lines);
                    self.builder.open_at(line.end);
                    for own in self.lines.get(at + 1..next).unwrap_or_default() {
                        self.builder.leaf(own.start, own.end);
                    }
                    self.builder.end(last, last);
                }
                _ if self.has_entries(at)
                    && !self.has_anchor(line)
                    && self.builder.depth() < TreeBuilder::MAX_DEPTH =>
                {
                    self.builder.begin(line.start, GapStyle::YamlComment);
                    self.builder.open_at(line.end);
                    self.entries(at + 1, next);
                    self.builder.end(last, last);
                }
                _ => {
                    self.builder.leaf(line.start, last);
                }
            }
            at = next;
        }
    }

    /// Whether the deeper lines below a line are entries: those of a key without a value, or keys
    /// next to the first one of an item.
    fn has_entries(&self, at: usize) -> bool {
        let Some(line) = self.lines.get(at) else { return false };
        let body = self.text.get(line.start..line.end).unwrap_or_default().trim_ascii();
        let below = self.lines.get(at + 1..).unwrap_or_default();
        let next = below.iter().find(|own| own.kind != LineKind::None);
        let Some(next) = next.filter(|next| next.kind != LineKind::GoesOn) else { return false };
        if line.kind == LineKind::Parent {
            return true;
        }
        // Next to the first key of an item, or to the first item of one.
        let mut column = line.indent;
        let mut rest = body;
        loop {
            let own = item_indent(rest);
            column += own;
            if own == 0 || next.indent == column {
                return own > 0;
            }
            rest = rest.get(own..).unwrap_or_default();
        }
    }

    /// Whether another value may point at the value of a line.
    fn has_anchor(&self, line: BlockLine) -> bool {
        let own = self.text.get(line.start..line.end).unwrap_or_default();
        own.contains(" &")
    }

    /// The line after an entry and all that is below it.
    fn end_of(&self, at: usize, to: usize) -> usize {
        let Some(line) = self.lines.get(at) else { return to };
        let text = |own: &BlockLine| self.text.get(own.start..own.end).unwrap_or_default();
        let is_item = |own: &BlockLine| {
            let body = text(own).trim_ascii();
            body == "-" || body.starts_with("- ")
        };
        let mut end = at + 1;
        let mut solid = end;
        while let Some(own) = self.lines.get(end).filter(|_| end < to) {
            // The items of a key's list may stand below the key itself.
            let is_below = own.indent > line.indent
                || own.indent == line.indent && is_item(own) && !is_item(line);
            match own.kind {
                LineKind::None => {}
                LineKind::GoesOn => solid = end + 1,
                _ if is_below => solid = end + 1,
                _ => break,
            }
            end += 1;
        }
        solid
    }
}
