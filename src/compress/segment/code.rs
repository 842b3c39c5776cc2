//! Source code outside fences, by the marks at the ends of its lines and the shapes of its
//! statements. Where sentences begin, it ends.

use super::line_bytes::{contains, is_sentence};
use super::{LineRegion, fence, markup};
use crate::compress::text::LineTable;

/// Class of a line in a run of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeLine {
    /// No prose looks like this.
    Strong,
    /// Code if the lines around it are code.
    Weak,
    /// The run ends here.
    Other,
}

/// Reads the region that begins at a line; `None` if none begins.
pub(super) fn region(lines: &LineTable<'_>, at: usize) -> Option<LineRegion> {
    /// Comments may be before the first statement; not more of them than this.
    const MAX_LEAD_LINES: usize = 24;
    if mark(lines, at) == CodeLine::Other {
        return None;
    }
    let mut strong = 0;
    let mut weak = 0;
    let end = lines.run_end(at, |line| {
        match mark(lines, line) {
            CodeLine::Strong => strong += 1,
            CodeLine::Weak if strong > 0 || weak < MAX_LEAD_LINES => weak += 1,
            _ => return false,
        }
        true
    });
    Some(LineRegion { end, holds: strong >= 2 && strong * 4 >= strong + weak })
}

fn mark(lines: &LineTable<'_>, line: usize) -> CodeLine {
    let body = lines.body(line).trim_ascii_end();
    if (lines.indent(line) <= 3 && fence::opens(body)) || body.starts_with(b"```") {
        return CodeLine::Other;
    }
    if is_statement(body) {
        return CodeLine::Strong;
    }
    if is_comment(body) || is_closing(body) {
        return CodeLine::Weak;
    }
    if lines.indent(line) >= 2 && !is_list(body) {
        return if !body.starts_with(b"\"") && is_sentence(body) {
            CodeLine::Other
        } else {
            CodeLine::Weak
        };
    }
    CodeLine::Other
}

fn is_list(body: &[u8]) -> bool {
    body.starts_with(b"- ") || body.starts_with(b"* ")
}

/// Whether a line is one that programs have and reports of tools do not, however many braces and
/// assignments these have.
pub(crate) fn is_of_program(body: &[u8]) -> bool {
    body.ends_with(b";") || is_declaration(body) || body.ends_with(b":") && is_block_head(body)
}

/// Brackets and what ends them, alone.
fn is_closing(body: &[u8]) -> bool {
    !body.is_empty()
        && body
            .iter()
            .all(|byte| matches!(byte, b'{' | b'}' | b'[' | b']' | b'(' | b')' | b';' | b','))
}

fn is_comment(body: &[u8]) -> bool {
    match body {
        [b'/', second, ..] => matches!(second, b'/' | b'*'),
        [b'*', rest @ ..] => matches!(rest.first(), None | Some(b'/' | b' ')),
        [b'#', rest @ ..] => matches!(rest.first(), None | Some(b' ' | b'!')),
        [b'-', b'-', ..] | [b'"', b'"', b'"', ..] | [b'@', ..] => true,
        _ => false,
    }
}

fn is_statement(body: &[u8]) -> bool {
    match body.last() {
        None => return false,
        Some(b';') => return memchr::memchr(b'(', body).is_some() || !is_sentence(body),
        Some(b'{') => return body.len() > 1,
        Some(b')') if is_call(body) => return true,
        Some(b':') if is_block_head(body) => return true,
        Some(b']') if body.starts_with(b"[") => return is_table_name(body),
        Some(b'>') if markup::is_tag(body) => return true,
        _ => {}
    }
    is_declaration(body) || is_assignment(body)
}

/// `name(…)` and nothing else.
fn is_call(body: &[u8]) -> bool {
    let name = body
        .iter()
        .take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'!' | b'$')
        })
        .count();
    name > 0 && body.get(name) == Some(&b'(')
}

/// `def f(x):`, `if x > 0:`, `class A:`, `else:`: the words that open blocks in Python.
fn is_block_head(body: &[u8]) -> bool {
    const BLOCK_WORDS: [&[u8]; 11] = [
        b"def ",
        b"class ",
        b"if ",
        b"elif ",
        b"for ",
        b"while ",
        b"with ",
        b"try:",
        b"else:",
        b"except",
        b"async def ",
    ];
    BLOCK_WORDS.iter().any(|head| body.starts_with(head)) && !is_sentence(body)
}

/// `[package]`, `[[bin]]`, `[a."b".c]`.
fn is_table_name(body: &[u8]) -> bool {
    let inner = body.get(1..body.len() - 1).unwrap_or_default();
    inner.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'[')
        && inner.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.\"[]".contains(byte))
}

/// Statements that need no mark at their end in some language: the word and the shape after it.
fn is_declaration(body: &[u8]) -> bool {
    let starts = |heads: &[&[u8]]| heads.iter().any(|head| body.starts_with(head));
    let (imports, named) = heads_with(body.first().copied().unwrap_or_default());
    if starts(imports) {
        let is_quoted = memchr::memchr2(b'"', b'\'', body).is_some();
        let words = body.split(|byte| *byte == b' ').count();
        let is_from = body.starts_with(b"from ") && contains(body, b" import ");
        return is_from || is_quoted || words == 2 || (words == 4 && contains(body, b" as "));
    }
    starts(named) && memchr::memchr3(b'=', b'(', b'{', body).is_some()
        || (body.starts_with(b"return") && !is_sentence(body))
}

/// Words that statements open with, by their first letter: those that import, and those that give
/// a name to something.
fn heads_with(first: u8) -> (&'static [&'static [u8]], &'static [&'static [u8]]) {
    match first {
        b'#' => (&[b"#include "], &[]),
        b'c' => (&[], &[b"const "]),
        b'e' => (&[], &[b"export "]),
        b'f' => (&[b"from "], &[b"func ", b"fn "]),
        b'i' => (&[b"import "], &[b"interface "]),
        b'l' => (&[], &[b"let "]),
        b'p' => (&[b"package "], &[b"pub ", b"private ", b"public "]),
        b'r' => (&[b"require "], &[]),
        b's' => (&[], &[b"static "]),
        b't' => (&[], &[b"type "]),
        b'u' => (&[b"use "], &[]),
        b'v' => (&[], &[b"var "]),
        _ => (&[], &[]),
    }
}

/// `name = value`, `a.b += c`, `name: Type = value`; not `a = b` in a sentence.
fn is_assignment(body: &[u8]) -> bool {
    const MAX_SEARCH_BYTES: usize = 80;
    let head = body.get(..body.len().min(MAX_SEARCH_BYTES)).unwrap_or_default();
    let Some(at) = memchr::memchr(b'=', head) else { return false };
    let name = head.get(..at).unwrap_or_default().trim_ascii_end();
    let name = name.strip_suffix(b"+").or(name.strip_suffix(b":")).unwrap_or(name).trim_ascii_end();
    let is_name = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'.' | b'-' | b'[' | b']' | b'\'' | b'"' | b'$' | b':')
    };
    let words = name.split(|byte| *byte == b' ').count();
    let is_target = !name.is_empty()
        && name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"_$\"'".contains(byte))
        && name.split(|byte| *byte == b' ').all(|word| word.iter().all(is_name));
    let typed = words == 2 && (contains(name, b": ") || name.starts_with(b"self."));
    let is_value = body.get(at + 1..).is_some_and(|rest| rest != b"=" && !rest.is_empty());
    is_target && is_value && (words == 1 || typed || starts_with_binding(name))
}

fn starts_with_binding(name: &[u8]) -> bool {
    [&b"let "[..], b"const ", b"var ", b"val ", b"final ", b"export "]
        .iter()
        .any(|head| name.starts_with(head))
}
