//! Scripts and settings: lines that machines read, in which `#` begins a comment and no heading.
//!
//! Only the text as a whole tells: a line that begins with `#` is a heading if words are around
//! it, and a comment if commands are.

use std::ops::Range;

use super::line_bytes::{digits, is_path, is_sentence, list_marker};
use super::{Kind, Part, Span, fence};
use crate::compress::text::LineTable;

/// Lines that are looked at.
const MAX_LINES: usize = 400;
/// Hundredths of the lines without a comment that must be a machine's.
const MIN_MACHINE_PERCENT: usize = 60;
/// Words of a line that may be a command or a setting.
const MAX_COMMAND_WORDS: usize = 3;

/// Instructions of a file that a container is built by.
const BUILD_INSTRUCTIONS: [&[u8]; 18] = [
    b"ADD",
    b"ARG",
    b"CMD",
    b"COPY",
    b"ENTRYPOINT",
    b"ENV",
    b"EXPOSE",
    b"FROM",
    b"HEALTHCHECK",
    b"LABEL",
    b"MAINTAINER",
    b"ONBUILD",
    b"RUN",
    b"SHELL",
    b"STOPSIGNAL",
    b"USER",
    b"VOLUME",
    b"WORKDIR",
];

/// Words that the lines of shells open and close blocks with.
const SHELL_WORDS: [&[u8]; 16] = [
    b"if",
    b"then",
    b"else",
    b"elif",
    b"fi",
    b"for",
    b"while",
    b"until",
    b"do",
    b"done",
    b"case",
    b"esac",
    b"function",
    b"return",
    b"exit",
    b"set",
];

/// Whether a text is one script, or one file of settings, whatever its lines look like.
pub(super) fn is_script(lines: &LineTable<'_>, spans: &[Span]) -> bool {
    if lines.bytes(0).starts_with(b"#!") && names_program(lines.bytes(0)) {
        return !spans.iter().any(|span| span.kind == Kind::Diff);
    }
    is_build_file(lines) || (spans.iter().all(|span| may_be_script(span.kind)) && is_told(lines))
}

/// `#!/bin/sh`, `#! /usr/bin/env python3`.
fn names_program(line: &[u8]) -> bool {
    line.get(2..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"/"))
}

/// Kinds that the lines of a script look like by themselves.
fn may_be_script(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Prose
            | Kind::Code
            | Kind::Listing
            | Kind::Csv { .. }
            | Kind::Markdown(Part::Heading | Part::List)
    )
}

/// Whether each line is an instruction, goes on with one, or is a comment.
fn is_build_file(lines: &LineTable<'_>) -> bool {
    let mut instructions = 0;
    let mut has_base = false;
    let mut goes_on = false;
    // The word that ends a text in the file.
    let mut document: Option<&[u8]> = None;
    for line in 0..lines.len().min(MAX_LINES) {
        let body = lines.body(line).trim_ascii_end();
        if let Some(end) = document {
            if body == end {
                document = None;
            }
            continue;
        }
        if body.is_empty() || body.starts_with(b"#") {
            continue;
        }
        let is_own = goes_on || instruction(body).is_some();
        if !is_own {
            return false;
        }
        if !goes_on {
            instructions += 1;
            has_base |= instruction(body) == Some(b"FROM");
        }
        goes_on = body.ends_with(b"\\") || body.ends_with(b"`");
        document = here_document(body);
    }
    has_base && instructions >= 2
}

/// The instruction that a line begins with.
fn instruction(body: &[u8]) -> Option<&'static [u8]> {
    let (word, rest) = body.split_at_checked(memchr::memchr2(b' ', b'\t', body)?)?;
    let known = BUILD_INSTRUCTIONS.into_iter().find(|known| known.eq_ignore_ascii_case(word))?;
    // In small letters, some of them begin sentences.
    let is_capital = word.iter().all(u8::is_ascii_uppercase);
    (is_capital || !is_sentence(rest)).then_some(known)
}

/// The word that ends the text which begins below a line: `<<EOF`, `<<-"EOF"`.
fn here_document(body: &[u8]) -> Option<&[u8]> {
    let at = memchr::memmem::find(body, b"<<")?;
    let rest = body.get(at + 2..)?;
    let rest = rest.strip_prefix(b"-").unwrap_or(rest);
    let from = usize::from(matches!(rest.first(), Some(b'"' | b'\'')));
    let word = rest.get(from..)?;
    let length = word.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
    word.get(..length.count()).filter(|word| !word.is_empty())
}

/// Whether comments are between lines of which most are a machine's.
fn is_told(lines: &LineTable<'_>) -> bool {
    let last = lines.len().min(MAX_LINES);
    // Most texts have no line that could be a comment.
    if !(0..last).any(|line| lines.first_byte(line) == b'#') {
        return false;
    }
    let (mut all, mut machine, mut strong) = (0, 0, 0);
    for line in 0..last {
        let body = lines.body(line).trim_ascii_end();
        if body.is_empty() {
            continue;
        }
        if fence::opens(body) || body.starts_with(b"> ") {
            return false;
        }
        if body.starts_with(b"#") {
            continue;
        }
        all += 1;
        let sign = sign(lines, line, body);
        machine += usize::from(sign != Sign::Words);
        strong += usize::from(sign == Sign::Machine);
    }
    strong > 0 && all >= 2 && machine * 100 >= all * MIN_MACHINE_PERCENT
}

/// Reader of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Machine,
    /// Few words and no mark of a sentence.
    Short,
    Words,
}

fn sign(lines: &LineTable<'_>, line: usize, body: &[u8]) -> Sign {
    if body.starts_with(b"|") {
        return Sign::Words;
    }
    // Plans of changes mark their lines as lists are marked.
    if let Some(width) = list_marker(body) {
        let rest = body.get(width..).unwrap_or_default().trim_ascii_start();
        let is_block = rest.ends_with(b"{") || rest.ends_with(b"[");
        let is_machine = is_block || is_assignment(rest);
        return if is_machine { Sign::Machine } else { Sign::Words };
    }
    let has = |part: &[u8]| memchr::memmem::find(body, part).is_some();
    let word = body.get(..name_length(body)).unwrap_or_default();
    let is_recipe = lines.bytes(line).starts_with(b"\t");
    let ends = [&b"\\"[..], b"&&", b"||", b";", b"{", b"}", b";;"];
    let is_machine = ends.iter().any(|end| body.ends_with(end))
        || SHELL_WORDS.contains(&word) && !is_sentence(body)
        || is_recipe && !is_sentence(body)
        || is_assignment(body)
        || is_rule(body)
        || [&b" --"[..], b"$(", b"${", b"\"$", b" | ", b" > ", b" && "]
            .iter()
            .any(|part| has(part))
        || is_option(body)
        || is_pattern(body)
        || is_schedule(body);
    let is_ended = body.last().is_some_and(|last| b".!?:,".contains(last));
    let words = body.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count();
    if is_machine {
        Sign::Machine
    } else if words <= MAX_COMMAND_WORDS && !is_ended && body.is_ascii() {
        Sign::Short
    } else {
        Sign::Words
    }
}

fn name_length(body: &[u8]) -> usize {
    body.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte)).count()
}

/// `NAME=value`, `name = value`, `name += value`, `name := value`.
fn is_assignment(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"export ").unwrap_or(body);
    let length = name_length(body);
    let rest = body.get(length..).unwrap_or_default().trim_ascii_start();
    length > 0 && [&b"="[..], b"+=", b":=", b"?="].iter().any(|sign| rest.starts_with(sign))
}

/// `target: other target`, `.PHONY: all`.
fn is_rule(body: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', body) else { return false };
    let (name, rest) = body.split_at_checked(colon).unwrap_or_default();
    let is_name = !name.is_empty() && !name.contains(&b' ') && name.iter().all(u8::is_ascii);
    let rest = rest.get(1..).unwrap_or_default();
    is_name && (rest.is_empty() || rest.starts_with(b" ") && !is_sentence(rest))
}

/// A word that begins with a dash, after other words: `tar -xzf a.tgz`.
fn is_option(body: &[u8]) -> bool {
    memchr::memmem::find_iter(body, b" -")
        .any(|at| body.get(at + 2).is_some_and(u8::is_ascii_alphanumeric))
}

/// A path or a pattern of paths alone: `/target`, `*.log`, `!keep.txt`.
fn is_pattern(body: &[u8]) -> bool {
    let bare = body.strip_prefix(b"!").unwrap_or(body);
    !bare.contains(&b' ') && (is_path(bare) || bare.contains(&b'*') || is_version(bare))
}

/// `django==4.2`, `serde>=1`.
fn is_version(body: &[u8]) -> bool {
    [&b"=="[..], b">=", b"~="].iter().any(|sign| memchr::memmem::find(body, sign).is_some())
}

/// `0 5 * * * command`.
fn is_schedule(body: &[u8]) -> bool {
    let is_field = |field: &[u8]| {
        !field.is_empty()
            && field.iter().all(|byte| byte.is_ascii_digit() || b"*/,-".contains(byte))
            && (field.contains(&b'*') || digits(field) > 0)
    };
    let mut fields = body.split(|byte| matches!(byte, b' ' | b'\t')).filter(|own| !own.is_empty());
    (0..5).all(|_| fields.next().is_some_and(is_field)) && fields.next().is_some()
}

/// The one part of a script.
pub(super) fn part(text: &str) -> Span {
    let range: Range<usize> = 0..text.len();
    Span { kind: Kind::Code, range }
}
