//! Settings as pieces that cover all of their lines: heads of sections, keys, comments.

use std::ops::Range;

use foldhash::HashSet;

use crate::compress::text::LineTable;

/// Keys that make a text settings.
const MIN_KEYS: usize = 2;
/// Of so many keys one may be there before: lines of a log have the same ones each time.
const MIN_KEYS_PER_REPEAT: usize = 2;
/// Lines that one value may take.
const MAX_VALUE_LINES: usize = 4_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// `[name]`.
    Section,
    /// `[[name]]`: one of a list of sections.
    ListSection,
    /// `name = value`, with the lines that the value goes on for.
    Key,
    /// Lines of comments that follow each other with one margin and sign.
    Comment,
    Blank,
}

#[derive(Debug, Clone)]
pub(super) struct SettingsPiece {
    pub(super) kind: PieceKind,
    /// Whole lines with their breaks.
    pub(super) range: Range<usize>,
    /// The name of a section or a key.
    pub(super) name: Range<usize>,
}

impl SettingsPiece {
    pub(super) fn raw<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.range.clone()).unwrap_or_default()
    }

    pub(super) fn name<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.name.clone()).unwrap_or_default()
    }
}

/// The pieces of a text that is nothing but settings; `None` if a line of it is something else.
pub(super) fn pieces(text: &str) -> Option<Vec<SettingsPiece>> {
    let lines = LineTable::new(text);
    let mut reader = SettingsReader { lines: &lines, pieces: Vec::new(), section: 0 };
    let mut seen: HashSet<(usize, &str)> = HashSet::default();
    let (mut keys, mut repeats) = (0, 0);
    let mut at = 0;
    while at < lines.len() {
        at = reader.step(at)?;
        let last = reader.pieces.last()?;
        if last.kind == PieceKind::Key {
            keys += 1;
            repeats += usize::from(!seen.insert((reader.section, last.name(text))));
        }
    }
    (keys >= MIN_KEYS && repeats * MIN_KEYS_PER_REPEAT <= keys).then_some(reader.pieces)
}

struct SettingsReader<'t, 'l> {
    lines: &'l LineTable<'t>,
    pieces: Vec<SettingsPiece>,
    /// Number of the section, from 1; before the first it is 0.
    section: usize,
}

impl SettingsReader<'_, '_> {
    /// Takes the piece that begins at a line; gives the line after it.
    fn step(&mut self, at: usize) -> Option<usize> {
        let body = self.lines.body(at).trim_ascii_end();
        let start = self.lines.head(at);
        let (kind, name, end) = match body.first() {
            None => (PieceKind::Blank, start..start, at + 1),
            Some(b'#' | b';') => return Some(self.comment(at)),
            Some(b'[') => {
                let name = section_name(body)?;
                self.section += 1;
                let is_list = body.starts_with(b"[[");
                let kind = if is_list { PieceKind::ListSection } else { PieceKind::Section };
                (kind, start + name.start..start + name.end, at + 1)
            }
            Some(_) => {
                let key = key(body, self.section > 0)?;
                let end = self.value_end(at, body.get(key.value..).unwrap_or_default())?;
                (PieceKind::Key, start + key.name.start..start + key.name.end, end)
            }
        };
        let range = self.lines.start(at)..self.lines.start(end);
        self.pieces.push(SettingsPiece { kind, range, name });
        Some(end)
    }

    fn comment(&mut self, at: usize) -> usize {
        let lines = self.lines;
        let sign = |line: usize| (lines.indent(line), lines.first_byte(line));
        let own = sign(at);
        let is_alone = is_mark(lines.body(at));
        let mut end = at + 1;
        while !is_alone && end < lines.len() && sign(end) == own && !is_mark(lines.body(end)) {
            end += 1;
        }
        let name = lines.head(at)..lines.head(at);
        let range = lines.start(at)..lines.start(end);
        self.pieces.push(SettingsPiece { kind: PieceKind::Comment, range, name });
        end
    }

    /// The line after a value that begins on a line; `None` if it does not end.
    fn value_end(&self, at: usize, value: &[u8]) -> Option<usize> {
        let value = value.trim_ascii();
        let end = match value {
            [q @ (b'"' | b'\''), second, third, rest @ ..] if second == q && third == q => {
                let close = [*q; 3];
                self.ends_after(at, rest, |line| memchr::memmem::find(line, &close).is_some())?
            }
            [q @ (b'"' | b'\''), rest @ ..] => {
                self.ends_after(at, rest, |line| closes_quote(line, *q))?
            }
            [b'[' | b'{', ..] => {
                let mut depth = 0;
                self.ends_after(at, value, |line| {
                    depth += depth_of(line);
                    depth <= 0
                })?
            }
            _ => at + 1,
        };
        // Lines that are indented below a key belong to its value.
        let margin = self.lines.indent(at);
        let goes_on = |line: usize| {
            !self.lines.is_blank(line)
                && self.lines.indent(line) > margin
                && (value.is_empty() || value.ends_with(b"\\"))
        };
        // A line past the last is blank.
        Some((end..=self.lines.len()).find(|line| !goes_on(*line)).unwrap_or(end))
    }

    /// The line after the first one, from the rest of a line on, for which `is_end` is true.
    fn ends_after(
        &self,
        at: usize,
        rest: &[u8],
        mut is_end: impl FnMut(&[u8]) -> bool,
    ) -> Option<usize> {
        if is_end(rest) {
            return Some(at + 1);
        }
        let last = self.lines.len().min(at + MAX_VALUE_LINES);
        (at + 1..last).find(|line| is_end(self.lines.bytes(*line))).map(|line| line + 1)
    }
}

/// The name in `[name]` or `[[name]]`, with a comment behind it or none.
fn section_name(body: &[u8]) -> Option<Range<usize>> {
    let width = if body.starts_with(b"[[") { 2 } else { 1 };
    let close = memchr::memchr(b']', body)?;
    let end = close + width;
    let marks = body.get(close..end)?;
    let behind = body.get(end..)?.trim_ascii_start();
    let is_name = |byte: &u8| !matches!(byte, b'[' | b']' | b'{' | b'}' | b',' | b'=');
    let name = body.get(width..close)?;
    let holds = !name.trim_ascii().is_empty()
        && name.iter().all(is_name)
        && marks.iter().all(|mark| *mark == b']')
        && matches!(behind.first(), None | Some(b'#' | b';'));
    holds.then_some(width..close)
}

struct SettingsKey {
    name: Range<usize>,
    /// Where the value begins.
    value: usize,
}

/// The key of a line: `name = value`, `export NAME=value`, in a section also `name` alone.
fn key(body: &[u8], in_section: bool) -> Option<SettingsKey> {
    let start = if body.starts_with(b"export ") { 7 } else { 0 };
    let rest = body.get(start..)?;
    let length = match rest.first()? {
        quote @ (b'"' | b'\'') => memchr::memchr(*quote, rest.get(1..)?)? + 2,
        _ => rest.iter().take_while(|byte| is_name(**byte)).count(),
    };
    let name = start..start + length;
    let behind = rest.get(length..)?;
    let blanks = behind.len() - behind.trim_ascii_start().len();
    let has_name = length > 0 && !rest.starts_with(b"-");
    match behind.get(blanks..)? {
        [] => (has_name && in_section).then_some(SettingsKey { name, value: body.len() }),
        // Comparisons and arrows are code.
        [b'=', b'=' | b'>' | b'~', ..] => None,
        [b'=', ..] => has_name.then_some(SettingsKey { name, value: start + length + blanks + 1 }),
        _ => None,
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_-.$/:@*".contains(&byte)
}

/// Whether a quote closes in some bytes: one that no backslash is before.
fn closes_quote(bytes: &[u8], quote: u8) -> bool {
    let mut is_escaped = false;
    bytes.iter().any(|byte| {
        let closes = *byte == quote && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        closes
    })
}

/// Brackets that a line opens, less those that it closes, outside of quotes and comments.
fn depth_of(line: &[u8]) -> i64 {
    let mut depth = 0;
    let mut quote = None;
    let mut is_escaped = false;
    for byte in line {
        match (quote, byte) {
            (Some(own), byte) => {
                if own == *byte && !is_escaped {
                    quote = None;
                }
                is_escaped = *byte == b'\\' && !is_escaped;
            }
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'#') => break,
            (None, b'[' | b'{') => depth += 1,
            (None, b']' | b'}') => depth -= 1,
            (None, _) => {}
        }
    }
    depth
}

/// Whether a comment is a mark of ours.
pub(super) fn is_mark(body: &[u8]) -> bool {
    body.strip_prefix(b"# ").is_some_and(|rest| rest.starts_with("… ".as_bytes()))
}
