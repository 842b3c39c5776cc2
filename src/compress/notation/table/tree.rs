//! Trees of another format as an outline with tables: their values are strings that hold what
//! was in the source, byte for byte.

use super::style::{self, JsonStyle};
use super::{outline, reader, scalar};
use crate::compress::notation::NotationBlock;
use crate::json;
use crate::json::tape::{Tape, TapeFormat, TapeNode};

/// A tree on its way, as compact JSON.
#[derive(Debug, Default)]
pub(super) struct JsonTree {
    json: String,
}

impl JsonTree {
    /// Adds a mark that opens or closes an array or object, or parts what they hold.
    pub(super) fn mark(&mut self, mark: char) {
        self.json.push(mark);
    }

    /// The comma after the one before, if there is one.
    pub(super) fn next(&mut self) {
        if !matches!(self.json.as_bytes().last(), None | Some(b'[' | b'{' | b':')) {
            self.json.push(',');
        }
    }

    pub(super) fn key(&mut self, key: &str) {
        self.marked_key("", key);
    }

    /// A key that begins with a mark.
    pub(super) fn marked_key(&mut self, mark: &str, key: &str) {
        self.next();
        self.json.push('"');
        self.json.push_str(mark);
        json::escape_into(&mut self.json, key);
        self.json.push_str("\":");
    }

    /// A value by what is in the source.
    pub(super) fn value(&mut self, raw: &str) {
        if scalar::is_other_than_string(raw) {
            self.json.push_str(raw);
        } else {
            json::write_string(&mut self.json, raw);
        }
    }

    /// A value that is a text, whatever it looks like.
    pub(super) fn text(&mut self, text: &str) {
        json::write_string(&mut self.json, text);
    }

    /// Length of what was written, to come back to.
    pub(super) fn len(&self) -> usize {
        self.json.len()
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.json.truncate(length);
    }

    /// Makes what was written from there on the first item of an array.
    pub(super) fn open_at(&mut self, start: usize) {
        self.json.insert(start, '[');
    }

    /// The block, if the tree `holds` and it is shorter than so many bytes.
    pub(super) fn block(
        &self,
        bytes: usize,
        args: String,
        holds: impl Fn(TapeNode<'_, '_>) -> bool,
    ) -> Option<NotationBlock> {
        let mut tape = Tape::default();
        let root = tape.read(&self.json, form())?;
        let root = tape.node(root)?;
        if !holds(root) {
            return None;
        }
        // The layout of the source is no part of the tree.
        super::shorter(args, outline::write_tree(root)?.of_any_layout(), bytes)
    }
}

/// Reads a block and writes its tree.
pub(super) fn decode(
    body: &[&str],
    limit: usize,
    write: impl Fn(TapeNode<'_, '_>) -> Option<String>,
) -> Option<String> {
    /// Bytes of JSON for each of the source: quotes, and `\u` and four digits for what is no
    /// letter.
    const MAX_JSON_PER_SOURCE_BYTE: usize = 8;
    /// Bytes of JSON for each of the block, in addition to [`MIN_JSON_ALLOWANCE_BYTES`]: a small block could ask
    /// for any number of values, and each takes more memory than it has bytes.
    const MAX_JSON_PER_BLOCK_BYTE: usize = 16;
    const MIN_JSON_ALLOWANCE_BYTES: usize = 8 << 20;
    let block: usize = body.iter().map(|line| line.len() + 1).sum();
    let most =
        block.saturating_mul(MAX_JSON_PER_BLOCK_BYTE).saturating_add(MIN_JSON_ALLOWANCE_BYTES);
    let json = reader::read(
        body,
        JsonStyle::PLAIN,
        false,
        limit.saturating_mul(MAX_JSON_PER_SOURCE_BYTE).min(most),
    )?;
    let mut tape = Tape::default();
    let root = tape.read(&json, form())?;
    write(tape.node(root)?).filter(|text| text.len() <= limit)
}

/// Lines without the carriage returns at their ends, and the words of a header that tell where
/// they were; `None` where only some lines have them.
pub(super) fn without_returns<'l>(lines: &[&'l str]) -> Option<(Vec<&'l str>, &'static str)> {
    let (last, others) = lines.split_last()?;
    let words = match (others.iter().all(|line| line.ends_with('\r')), last.ends_with('\r')) {
        (true, true) => RETURNS_WORD,
        (true, false) if !others.is_empty() => INNER_RETURNS_WORDS,
        _ if lines.iter().any(|line| line.ends_with('\r')) => return None,
        _ => "",
    };
    Some((lines.iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect(), words))
}

/// The text that a block represents, by what decodes the rest of its header.
pub(super) fn with_returns(
    args: &str,
    limit: usize,
    decode: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let inner = args.strip_suffix(INNER_RETURNS_WORDS);
    let Some(rest) = inner.or_else(|| args.strip_suffix(RETURNS_WORD)) else { return decode(args) };
    let mut text = decode(rest.trim_end())?.replace('\n', "\r\n");
    if inner.is_none() {
        text.push('\r');
    }
    (text.len() <= limit).then_some(text)
}

/// Words and what follows them.
pub(super) fn words(form: String, returns: &str) -> String {
    if form.is_empty() || returns.is_empty() { form + returns } else { format!("{form} {returns}") }
}

/// Each line ends with a carriage return, or each but the last.
const RETURNS_WORD: &str = "crlf";
const INNER_RETURNS_WORDS: &str = "crlf within";

fn form() -> TapeFormat {
    TapeFormat { layout: None, ascii: false, slashes: false, limits: style::DOCUMENT_LIMITS }
}

/// The text of a value or key, as it was in the source.
pub(super) fn source<'t>(node: TapeNode<'t, 't>) -> &'t str {
    node.text().unwrap_or(node.raw())
}
