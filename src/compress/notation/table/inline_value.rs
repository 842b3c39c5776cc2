//! Arrays and objects on one line, with quotes only where they are needed: `{a:b,c:[d,"e, f"]}`.

use super::scalar;
use super::shared::may_be_mark;
use super::style::JsonStyle;
use super::styled_writer::StyledWriter;
use crate::json::Marks;
use crate::json::tape::{TapeKind, TapeNode};

/// Nesting that is read.
const MAX_DEPTH: usize = 64;

pub(super) fn write(out: &mut String, node: TapeNode<'_, '_>, style: JsonStyle) {
    match node.kind() {
        TapeKind::Array => {
            out.push('[');
            for (index, item) in node.items().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, item, style);
            }
            out.push(']');
        }
        TapeKind::Object => {
            out.push('{');
            for (index, (key, value)) in node.members().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, key, style);
                out.push(':');
                write(out, value, style);
            }
            out.push('}');
        }
        TapeKind::String => {
            let text = node.text().filter(|_| scalar::is_canonical(node, style));
            let is_mark = |text: &str| style.shared && may_be_mark(text);
            let bare = text.filter(|text| stands_bare(text, node.marks()) && !is_mark(text));
            out.push_str(bare.unwrap_or(node.raw()));
        }
        TapeKind::Number | TapeKind::Other => out.push_str(node.raw()),
    }
}

fn stands_bare(text: &str, marks: Marks) -> bool {
    if marks.has(Marks::WORD) {
        return !scalar::is_other_than_string(text);
    }
    let is_mark = |byte: u8| {
        matches!(byte, b',' | b':' | b'[' | b']' | b'{' | b'}' | b'"') || byte.is_ascii_control()
    };
    !text.is_empty()
        && !text.bytes().any(is_mark)
        && (text.is_ascii() || !text.contains(char::is_control))
        && !scalar::has_outer_space(text)
        && !scalar::is_other_than_string(text)
}

/// Reads a whole value and writes it.
pub(super) fn read<'b>(writer: &mut StyledWriter<'b>, text: &'b str) -> Option<()> {
    value(writer, text, MAX_DEPTH)?.is_empty().then_some(())
}

fn value<'b>(writer: &mut StyledWriter<'b>, text: &'b str, depth: usize) -> Option<&'b str> {
    let depth = depth.checked_sub(1)?;
    match text.as_bytes().first()? {
        b'[' => {
            writer.array()?;
            let mut rest = text.get(1..)?;
            if !rest.starts_with(']') {
                loop {
                    rest = value(writer, rest, depth)?;
                    let Some(next) = rest.strip_prefix(',') else { break };
                    rest = next;
                }
            }
            writer.end()?;
            rest.strip_prefix(']')
        }
        b'{' => {
            writer.object()?;
            let mut rest = text.get(1..)?;
            if !rest.starts_with('}') {
                loop {
                    let (key, after) = scalar::split(rest, |byte| byte == b':')?;
                    writer.shown_key(key)?;
                    rest = value(writer, after.strip_prefix(':')?, depth)?;
                    let Some(next) = rest.strip_prefix(',') else { break };
                    rest = next;
                }
            }
            writer.end()?;
            rest.strip_prefix('}')
        }
        b'"' => {
            let (string, rest) = text.split_at_checked(scalar::value_end(text)?)?;
            writer.write_quoted(string)?;
            Some(rest)
        }
        _ => {
            let is_end = |byte| matches!(byte, b',' | b']' | b'}');
            let end = text.bytes().position(is_end).unwrap_or(text.len());
            let (bare, rest) = text.split_at_checked(end)?;
            if scalar::is_other_than_string(bare) {
                writer.raw(bare)?;
            } else {
                writer.string(bare)?;
            }
            Some(rest)
        }
    }
}
