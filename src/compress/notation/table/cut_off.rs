//! JSON that is cut off: what is whole of it as an outline, and the rest as it stands.

use std::fmt::Write as _;

use super::style::JsonStyle;
use super::styled_writer::StyledWriter;
use super::{one, outlined, reader, shorter};
use crate::compress::notation::NotationBlock;
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
    let (mut args, mut body) = outlined(tape.node(root)?, style)?;
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
    let (style, rows) = JsonStyle::read(words)?;
    let at = body.iter().rposition(|line| *line == REST_MARK).filter(|_| !rows)?;
    let (head, rest) = body.split_at_checked(at)?;
    // Brackets that are not in the text, each on its line.
    const MAX_BRACKET_BYTES: usize = 1 << 10;
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
struct WholeValues {
    /// Byte after the last whole value.
    end: usize,
    /// The brackets that close what is open there, the outermost first.
    open: Vec<char>,
}

impl WholeValues {
    /// None if the text is no such document, or a whole one.
    fn find(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut found: Option<Self> = None;
        // Closing brackets, and whether a key is due.
        let mut open: Vec<char> = Vec::new();
        let mut at = 0;
        let space = |at: &mut usize| {
            while bytes.get(*at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n')) {
                *at += 1;
            }
        };
        let string = |at: usize| {
            let rest = bytes.get(at..).filter(|rest| rest.first() == Some(&b'"'))?;
            escaped_quote_end(rest).map(|end| at + end)
        };
        'values: loop {
            space(&mut at);
            match bytes.get(at) {
                Some(bracket @ (b'{' | b'[')) => {
                    let closing = if *bracket == b'{' { '}' } else { ']' };
                    open.push(closing);
                    at += 1;
                    if open.len() > MAX_DEPTH {
                        return None;
                    }
                    space(&mut at);
                    if bytes.get(at).copied().map(char::from) != Some(closing) {
                        if closing == '}' && !key(bytes, &mut at, string) {
                            break 'values;
                        }
                        continue 'values;
                    }
                }
                Some(b'"') => match string(at) {
                    Some(end) => at = end,
                    None => break 'values,
                },
                Some(_) => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let words: [&[u8]; 3] = [b"true", b"false", b"null"];
                    let word = words.into_iter().find(|word| rest.starts_with(word));
                    match word.map(<[u8]>::len).or_else(|| json::number(rest)) {
                        Some(length) => at += length,
                        None => break 'values,
                    }
                }
                None => break 'values,
            }
            // After a value: what holds it goes on, or ends.
            loop {
                if let Some(closing) = open.last() {
                    let is_end = bytes.get(at).copied().map(char::from) == Some(*closing);
                    if !is_end {
                        match &mut found {
                            Some(found) => {
                                found.end = at;
                                found.open.clone_from(&open);
                            }
                            None => found = Some(Self { end: at, open: open.clone() }),
                        }
                    }
                } else {
                    return None;
                }
                space(&mut at);
                let closing = open.last().copied()?;
                match bytes.get(at).copied().map(char::from) {
                    Some(',') => {
                        at += 1;
                        space(&mut at);
                        if closing == '}' && !key(bytes, &mut at, string) {
                            break 'values;
                        }
                        continue 'values;
                    }
                    Some(bracket) if bracket == closing => {
                        open.pop();
                        at += 1;
                    }
                    _ => break 'values,
                }
            }
        }
        found
    }
}

/// Passes a key and its colon; whether they are whole.
fn key(bytes: &[u8], at: &mut usize, string: impl Fn(usize) -> Option<usize>) -> bool {
    let Some(end) = string(*at) else { return false };
    let rest = bytes.get(end..).unwrap_or_default();
    let colon = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n'));
    *at = end + colon.unwrap_or(rest.len());
    let is_colon = bytes.get(*at) == Some(&b':');
    *at += 1;
    is_colon
}
