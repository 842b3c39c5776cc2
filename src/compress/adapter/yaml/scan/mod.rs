//! A YAML text as a list of events with their places, from its lines alone.
//!
//! Nothing is resolved, so anchors and aliases cost what their letters cost. What the scanner does
//! not know for sure (tabs as indentation, keys that are collections) makes it
//! give up on the whole text.

mod flow;
mod key;

use std::ops::Range;

/// Events of a text.
const MAX_EVENTS: usize = 500_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum YamlKind {
    /// `---`, `...`, a directive, or a comment after a value.
    Marker,
    /// The dash of an item of a sequence; the marks before a key and its value on lines of their
    /// own.
    Item,
    Key,
    /// An anchor or a tag.
    Property,
    Alias,
    /// A flow collection.
    Flow,
    Plain,
    Single,
    Double,
    /// The indicator of the style of a block scalar.
    Header,
    /// The lines of a block scalar, from the first that is not blank to the last.
    Block,
    /// Lines that hold nothing but a comment each.
    Comment,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YamlEvent {
    pub(super) kind: YamlKind,
    /// Bytes before it on its line; of a block scalar those before each of its lines.
    pub(super) column: usize,
    pub(super) range: Range<usize>,
}

/// The events of a text; `None` if it is no YAML that is known for sure.
pub(super) fn scan(text: &str) -> Option<Vec<YamlEvent>> {
    let mut scan = YamlScan { text, at: 0, events: Vec::new(), parents: Vec::new() };
    while scan.at < text.len() {
        scan.line()?;
    }
    Some(scan.events)
}

struct YamlScan<'t> {
    text: &'t str,
    at: usize,
    events: Vec<YamlEvent>,
    /// Columns of the collections that are open.
    parents: Vec<usize>,
}

/// The text cannot be read as YAML for sure.
struct UnsureYaml;

/// A line: its start, and its end without the line break.
#[derive(Debug, Clone, Copy)]
struct YamlLine {
    start: usize,
    end: usize,
    next: usize,
}

impl<'t> YamlScan<'t> {
    fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The rest of the line on which a byte is.
    fn line_at(&self, start: usize) -> YamlLine {
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let (end, next) = match memchr::memchr(b'\n', rest) {
            Some(length) => (start + length, start + length + 1),
            None => (self.text.len(), self.text.len()),
        };
        let has_return = end > start && self.byte(end - 1) == Some(b'\r');
        YamlLine { start, end: end - usize::from(has_return), next }
    }

    fn indent(&self, line: YamlLine) -> usize {
        let bytes = self.text.as_bytes().get(line.start..line.end).unwrap_or_default();
        bytes.iter().take_while(|byte| **byte == b' ').count()
    }

    fn push(&mut self, kind: YamlKind, column: usize, range: Range<usize>) -> Option<()> {
        self.events.push(YamlEvent { kind, column, range });
        (self.events.len() <= MAX_EVENTS).then_some(())
    }

    fn parent(&self) -> Option<usize> {
        self.parents.last().copied()
    }

    /// Whether a line so far in belongs to what is open.
    fn is_within(&self, indent: usize) -> bool {
        self.parent().is_none_or(|parent| indent > parent)
    }

    /// Takes the next line, and those that its last value goes on over.
    fn line(&mut self) -> Option<()> {
        let line = self.line_at(self.at);
        let column = self.indent(line);
        let start = line.start + column;
        let body = self.slice(start..line.end);
        self.at = line.next;
        if body.trim_ascii().is_empty() {
            return Some(());
        }
        if body.starts_with(['\t', '\u{feff}']) {
            return None;
        }
        if body.starts_with('#') {
            return self.comment(column, start..line.end);
        }
        if column == 0 && is_marker(body) {
            self.parents.clear();
            let rest = body.get(3..)?.trim_ascii();
            if rest.is_empty() || rest.starts_with('#') || body.starts_with('.') {
                return self.push(YamlKind::Marker, 0, line.start..line.end);
            }
            self.push(YamlKind::Marker, 0, line.start..line.start + 3)?;
            return self.value(line.end - self.slice(start + 3..line.end).trim_start().len(), line);
        }
        if column == 0 && body.starts_with('%') {
            return self.push(YamlKind::Marker, 0, line.start..line.end);
        }
        while self.parents.pop_if(|parent| *parent >= column).is_some() {}
        self.read_entry(start, line)
    }

    /// A comment; one on the line before, as far in, is part of it.
    fn comment(&mut self, column: usize, range: Range<usize>) -> Option<()> {
        let text = self.text;
        if let Some(last) = self.events.last_mut().filter(|last| last.kind == YamlKind::Comment) {
            let between = text.get(last.range.end..range.start).unwrap_or_default();
            if last.column == column && between.matches('\n').count() == 1 {
                last.range.end = range.end;
                return Some(());
            }
        }
        self.push(YamlKind::Comment, column, range)
    }

    /// Takes dashes and a key, or a value by itself; the colon of a key that began with a question
    /// mark is read like a dash.
    fn read_entry(&mut self, start: usize, line: YamlLine) -> Option<()> {
        let mut at = start;
        loop {
            if self.is_mark(b'?', at, line) {
                return self.asked_key(at, line);
            }
            if !self.is_mark(b'-', at, line) && !self.is_mark(b':', at, line) {
                break;
            }
            self.push(YamlKind::Item, at - line.start, at..at + 1)?;
            self.parents.push(at - line.start);
            at = self.skip(at + 1, line);
            if at >= line.end {
                return Some(());
            }
        }
        let column = at - line.start;
        let own = self.properties(at, line)?;
        if own >= line.end {
            return Some(());
        }
        let Some(colon) = self.key_end(own, line).ok()? else { return self.value(own, line) };
        self.push(YamlKind::Key, column, own..colon)?;
        self.parents.push(column);
        let value = self.skip(colon + 1, line);
        if value >= line.end { Some(()) } else { self.value(value, line) }
    }

    /// Whether a mark is alone at a byte of a line.
    fn is_mark(&self, mark: u8, at: usize, line: YamlLine) -> bool {
        self.byte(at) == Some(mark) && (at + 1 == line.end || self.byte(at + 1) == Some(b' '))
    }

    /// The byte after blanks.
    fn skip(&self, at: usize, line: YamlLine) -> usize {
        line.end - self.slice(at..line.end).trim_start_matches(' ').len()
    }

    /// Takes anchors and tags.
    fn properties(&mut self, at: usize, line: YamlLine) -> Option<usize> {
        let mut at = at;
        while matches!(self.byte(at), Some(b'&' | b'!')) && at < line.end {
            let rest = self.slice(at..line.end);
            let length = rest.find([' ', '\t']).unwrap_or(rest.len());
            self.push(YamlKind::Property, at - line.start, at..at + length)?;
            at = self.skip(at + length, line);
        }
        Some(at)
    }

    /// Takes a value that begins at a byte of a line.
    fn value(&mut self, at: usize, line: YamlLine) -> Option<()> {
        let at = self.properties(at, line)?;
        if at >= line.end {
            return Some(());
        }
        let column = at - line.start;
        let (kind, end) = match self.byte(at)? {
            b'#' => return self.push(YamlKind::Marker, column, at..line.end),
            b'"' => (YamlKind::Double, flow::quoted_end(self.text, at)?),
            b'\'' => (YamlKind::Single, flow::quoted_end(self.text, at)?),
            b'[' | b'{' => (YamlKind::Flow, flow::collection(self.text, at)?),
            b'*' => {
                let rest = self.slice(at..line.end);
                (YamlKind::Alias, at + rest.find([' ', '\t']).unwrap_or(rest.len()))
            }
            b'|' | b'>' => return self.block(at, line),
            b'%' | b'@' | b'`' | b',' | b']' | b'}' | b'\t' => return None,
            b'-' | b'?' | b':'
                if matches!(self.byte(at + 1), None | Some(b' ' | b'\r' | b'\n')) =>
            {
                return None;
            }
            _ => return self.read_plain(at, line),
        };
        self.push(kind, column, at..end)?;
        self.read_line_end(end)
    }

    /// Takes what follows a value on its line: nothing, or a comment.
    fn read_line_end(&mut self, at: usize) -> Option<()> {
        let line = self.line_at(at);
        self.at = line.next;
        let rest = self.slice(at..line.end);
        let bare = rest.trim_ascii();
        if bare.is_empty() {
            return Some(());
        }
        let start = line.end - rest.trim_ascii_start().len();
        (bare.starts_with('#') && start > at).then_some(())?;
        self.push(YamlKind::Marker, 0, start..line.end)
    }

    /// Takes a plain scalar with the lines on which it goes on.
    fn read_plain(&mut self, at: usize, first: YamlLine) -> Option<()> {
        let mut end = at;
        let mut line = YamlLine { start: at, ..first };
        loop {
            let body = self.slice(line.start..line.end);
            let words = before_comment(body);
            let bare = words.trim_ascii_end();
            // A key would have to be on a line of its own.
            if bare.contains(": ") || bare.ends_with(':') {
                return None;
            }
            end = if bare.trim_ascii_start().is_empty() { end } else { line.start + bare.len() };
            self.at = line.next;
            if words.len() < body.len() {
                self.push(YamlKind::Plain, at - first.start, at..end)?;
                return self.push(YamlKind::Marker, 0, line.start + words.len()..line.end);
            }
            let Some(next) = self.next_line_of_scalar(line.next) else { break };
            line = next;
        }
        self.push(YamlKind::Plain, at - first.start, at..end)
    }

    /// The next line that is not blank, if it is part of the scalar before.
    fn next_line_of_scalar(&self, at: usize) -> Option<YamlLine> {
        let mut at = at;
        while at < self.text.len() {
            let line = self.line_at(at);
            let indent = self.indent(line);
            let body = self.slice(line.start + indent..line.end);
            if !body.trim_ascii().is_empty() {
                let is_other = body.starts_with('#') || (indent == 0 && is_marker(body));
                return (!is_other && self.is_within(indent)).then_some(line);
            }
            at = line.next;
        }
        None
    }

    /// Takes a block scalar.
    fn block(&mut self, at: usize, line: YamlLine) -> Option<()> {
        let header = self.slice(at..line.end);
        let told = header
            .trim_start_matches(['|', '>', '+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let length = header.len() - told.len();
        let rest = told.trim_ascii();
        let is_told = told.is_empty() || told.starts_with([' ', '\t']);
        if length > 3 || !is_told || !(rest.is_empty() || rest.starts_with('#')) {
            return None;
        }
        self.push(YamlKind::Header, at - line.start, at..line.end)?;
        let digit = header.get(..length)?.bytes().find(u8::is_ascii_digit);
        let own = digit.map(|digit| self.parent().unwrap_or(0) + usize::from(digit - b'0'));
        self.lines(own)
    }

    /// Takes the lines of a block scalar that are `own` bytes in, or as far as the first is.
    fn lines(&mut self, mut own: Option<usize>) -> Option<()> {
        let mut range: Option<Range<usize>> = None;
        let mut at = self.at;
        while at < self.text.len() {
            let line = self.line_at(at);
            let indent = self.indent(line);
            at = line.next;
            if line.start + indent == line.end {
                continue;
            }
            if own.is_none() && !self.is_within(indent) {
                break;
            }
            let body = self.slice(line.start..line.end);
            if indent < *own.get_or_insert(indent) || (indent == 0 && is_marker(body)) {
                break;
            }
            let start = range.as_ref().map_or(line.start, |range| range.start);
            range = Some(start..line.end);
            self.at = line.next;
        }
        match (range, own) {
            (Some(range), Some(own)) => self.push(YamlKind::Block, own, range),
            _ => Some(()),
        }
    }
}

fn is_marker(body: &str) -> bool {
    (body.starts_with("---") || body.starts_with("..."))
        && matches!(body.as_bytes().get(3), None | Some(b' ' | b'\t'))
}

/// A line without the comment at its end.
fn before_comment(line: &str) -> &str {
    let is_comment = |at: &usize| {
        at.checked_sub(1)
            .is_some_and(|before| matches!(line.as_bytes().get(before), Some(b' ' | b'\t')))
    };
    let comment = memchr::memchr_iter(b'#', line.as_bytes()).find(is_comment);
    line.get(..comment.unwrap_or(line.len())).unwrap_or(line)
}
