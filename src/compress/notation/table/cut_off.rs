//! JSON that is cut off: what is whole of it as an outline, and the rest as it stands.

use std::fmt::Write as _;

use super::style::JsonStyle;
use super::styled_writer::StyledWriter;
use super::{one, outlined, reader, shorter};
use crate::compress::notation::{NotationBlock, NotationKind};
use crate::compress::text::escaped_quote_end;
use crate::json;
use crate::json::tape::Tape;

/// The word of a header before the number of brackets that are open at the end.
const CUT_WORD: &str = "cut ";
/// The line before the rest.
const REST_MARK: &str = "…";
/// Bytes of a text that is worth a look.
const MIN_CUT_BYTES: usize = 200;
/// Nesting of a document that is read.
const MAX_DEPTH: usize = 64;
/// Parts of the text that the rest may be: one in so many.
const MAX_REST_SHARE: usize = 2;

/// The block of a document that begins with the first line and is cut off before the last one ends.
pub(super) fn encode(lines: &[&str]) -> Option<NotationBlock> {
    let bytes: usize = lines.iter().map(|line| line.len() + 1).sum();
    if bytes < MIN_CUT_BYTES {
        return None;
    }
    let text = lines.join("\n");
    let whole = WholeValues::find(&text)?;
    let (head, rest) = text.split_at_checked(whole.end)?;
    if rest.len() * MAX_REST_SHARE > text.len() || rest.split('\n').any(|line| line == REST_MARK) {
        return None;
    }
    let mut document = head.to_owned();
    StyledWriter::close(JsonStyle::detect(head)?, &mut document, &whole.open);
    let mut tape = Tape::default();
    let (root, style) = one(&document, &mut tape)?;
    let (mut args, mut body) = outlined(tape.node(root)?, style, NotationKind::CutJson.values())?;
    if !args.is_empty() {
        args.push(' ');
    }
    let _ = write!(args, "{CUT_WORD}{}", whole.open.len());
    body.push(REST_MARK);
    rest.split('\n').for_each(|line| body.push(line));
    shorter(args, body, text.len())
}

/// The words of a header before those of a cut, and the brackets that are open.
pub(super) fn read_words(args: &str) -> Option<(&str, usize)> {
    let at = args.rfind(CUT_WORD)?;
    let (words, open) = args.split_at_checked(at)?;
    let open = open.strip_prefix(CUT_WORD)?.parse().ok()?;
    (words.is_empty() || words.ends_with(' ')).then_some((words.trim_end(), open))
}

/// The text that a block represents.
pub(super) fn decode(words: &str, open: usize, body: &[&str], limit: usize) -> Option<String> {
    /// Of a bracket that is not in the text, on a line of its own.
    const MAX_BRACKET_BYTES: usize = 1 << 10;
    let (style, rows) = JsonStyle::read(words)?;
    let at = body.iter().rposition(|line| *line == REST_MARK).filter(|_| !rows)?;
    let (head, rest) = body.split_at_checked(at)?;
    let room = open.min(MAX_DEPTH) * MAX_BRACKET_BYTES;
    let mut text = reader::read(head, style, false, limit.saturating_add(room))?;
    for _ in 0..open.min(MAX_DEPTH) {
        let inner = text.strip_suffix([']', '}'])?.trim_end_matches([' ', '\t', '\n']);
        text.truncate(inner.len());
    }
    for (index, line) in rest.get(1..)?.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push_str(line);
        if text.len() > limit {
            return None;
        }
    }
    (text.len() <= limit).then_some(text)
}

/// What is whole of a document that is cut off.
#[derive(Default)]
struct WholeValues {
    /// Byte after the last whole value.
    end: usize,
    /// The brackets that close what is open there, the outermost first.
    open: Vec<char>,
}

impl WholeValues {
    /// None if the text is no such document, or a whole one.
    fn find(text: &str) -> Option<Self> {
        let found = Self::default();
        let mut scan =
            CutScan { bytes: text.as_bytes(), at: 0, open: Vec::new(), found, is_whole: false };
        while scan.value().is_some() && scan.after_value().is_some() {}
        let is_cut = !scan.is_whole && !scan.found.open.is_empty();
        is_cut.then_some(scan.found)
    }
}

/// Reads a document up to where it is cut off.
struct CutScan<'t> {
    bytes: &'t [u8],
    at: usize,
    /// The brackets that close what is open.
    open: Vec<char>,
    found: WholeValues,
    /// Whether the document ended, or is none.
    is_whole: bool,
}

impl CutScan<'_> {
    fn space(&mut self) {
        while self.peek().is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn is_at(&self, sign: char) -> bool {
        self.peek().map(char::from) == Some(sign)
    }

    fn string(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..).filter(|rest| rest.first() == Some(&b'"'))?;
        self.at += escaped_quote_end(rest)?;
        Some(())
    }

    fn key(&mut self) -> Option<()> {
        self.string()?;
        self.space();
        self.is_at(':').then(|| self.at += 1)
    }

    /// Reads a single value, or an array or object that is empty, with all that opens before it.
    fn value(&mut self) -> Option<()> {
        loop {
            self.space();
            let closing = match self.peek()? {
                b'{' => '}',
                b'[' => ']',
                b'"' => return self.string(),
                _ => return self.word(),
            };
            self.at += 1;
            self.open.push(closing);
            if self.open.len() > MAX_DEPTH {
                self.is_whole = true;
                return None;
            }
            self.space();
            if self.is_at(closing) {
                return Some(());
            }
            if closing == '}' {
                self.key()?;
            }
        }
    }

    fn word(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let words: [&[u8]; 3] = [b"true", b"false", b"null"];
        let word = words.into_iter().find(|word| rest.starts_with(word));
        self.at += word.map(<[u8]>::len).or_else(|| json::number(rest))?;
        Some(())
    }

    /// What holds the value that was read goes on or ends.
    fn after_value(&mut self) -> Option<()> {
        loop {
            let closing = self.open.last().copied();
            let Some(closing) = closing else {
                self.is_whole = true;
                return None;
            };
            if !self.is_at(closing) {
                self.found.end = self.at;
                self.found.open.clone_from(&self.open);
            }
            self.space();
            if self.is_at(',') {
                self.at += 1;
                self.space();
                return if closing == '}' { self.key() } else { Some(()) };
            }
            if !self.is_at(closing) {
                return None;
            }
            self.open.pop();
            self.at += 1;
        }
    }
}
