//! The parts of a text that notations are tried on, and which are tried on each.

use std::ops::Range;

use super::TextRole;
use crate::compress::notation::{NotationGroup, groups};
use crate::compress::segment::{Kind, Span, is_of_program, segment};
use crate::compress::text::hash;

/// A part of a text, and the notations that are tried on it.
pub(super) struct TextPart {
    pub(super) groups: &'static [NotationGroup],
    pub(super) range: Range<usize>,
}

/// The parts of a text, and those of what is fenced in it: a fence is mostly how a person hands
/// over what a machine put out. In what people wrote, only what machines have put out is touched.
pub(super) fn parts(text: &str, spans: &[Span], role: TextRole) -> Vec<TextPart> {
    let mut found = Vec::with_capacity(spans.len());
    let mut push = |kind: Kind, range| {
        if role != TextRole::Words || kind.is_put_out() {
            found.push(TextPart { groups: groups(kind), range });
        }
    };
    for span in spans {
        let fenced = text.get(span.range.clone()).filter(|_| span.kind == Kind::Fence);
        let Some((head, inside)) = fenced.and_then(|part| part.split_once('\n')) else {
            push(span.kind, span.range.clone());
            continue;
        };
        let start = span.range.start + head.len() + 1;
        let close = inside.trim_end().rfind('\n').map_or(0, |at| at + 1);
        let inside = inside.get(..close).unwrap_or_default();
        for inner in segment(inside) {
            push(inner.kind, start + inner.range.start..start + inner.range.end);
        }
    }
    found
}

/// Whether a text begins with JSON that is whole.
pub(super) fn is_json(spans: &[Span]) -> bool {
    spans.first().is_some_and(|span| matches!(span.kind, Kind::Json | Kind::JsonLines))
}

/// Whether rows may be found in all lines of a text together that none of its parts has by itself:
/// kinds take reports of tools apart, or hold them for source code. Programs stay as they are, and
/// what a kind knows more about than lines are is left to it.
pub(super) fn may_be_rows(text: &str, spans: &[Span]) -> bool {
    let bytes = |kept: fn(Kind) -> bool| -> usize {
        spans.iter().filter(|span| kept(span.kind)).map(|span| span.range.len()).sum()
    };
    let is_tried = matches!(spans, [span] if is_tried_for_rows(span.kind));
    !is_tried
        && bytes(is_no_list_of_lines) * 2 <= text.len()
        && begins_alike(text)
        && !is_program(text, spans)
}

/// Whether half of the first lines of a text begin with two words that others of them begin with:
/// a look at a few lines is much faster than rows are found.
fn begins_alike(text: &str) -> bool {
    const MAX_SAMPLE_LINES: usize = 400;
    const MIN_LINES: usize = 4;
    let lines = text.lines().map(str::trim_ascii).filter(|body| !body.is_empty());
    let mut words: Vec<u64> =
        lines.take(MAX_SAMPLE_LINES).map(|body| hash(first_words(body.as_bytes()))).collect();
    words.sort_unstable();
    let alike = words.chunk_by(|a, b| a == b).map(<[u64]>::len);
    alike.filter(|lines| *lines >= MIN_LINES).sum::<usize>() * 2 >= words.len()
}

/// The first two words of a line, up to what is data.
fn first_words(body: &[u8]) -> &[u8] {
    const MAX_WORDS_BYTES: usize = 32;
    let mut words = 1;
    let is_head = |byte: &&u8| {
        words += usize::from(matches!(byte, b' ' | b'\t'));
        words <= 2 && !matches!(byte, b'0'..=b'9' | b'(' | b'"' | b'\'')
    };
    let length = body.iter().take(MAX_WORDS_BYTES).take_while(is_head).count();
    body.get(..length).unwrap_or_default()
}

fn is_tried_for_rows(kind: Kind) -> bool {
    matches!(kind, Kind::Search | Kind::Listing | Kind::Log | Kind::Test | Kind::Prose)
}

fn is_no_list_of_lines(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Json
            | Kind::JsonLines
            | Kind::Numbered
            | Kind::Base64
            | Kind::Csv { .. }
            | Kind::Xml
            | Kind::Html
            | Kind::Fence
    )
}

/// Whether so many lines of a text are those of a program that it is one.
fn is_program(text: &str, spans: &[Span]) -> bool {
    const MAX_LINES_PER_STATEMENT: usize = 20;
    let code = spans.iter().filter(|span| span.kind == Kind::Code);
    let code = code.filter_map(|span| text.get(span.range.clone()));
    let lines = code.flat_map(str::lines).map(|line| line.trim_ascii().as_bytes());
    let lines = lines.filter(|body| !body.is_empty());
    let (all, own) =
        lines.fold((0, 0), |(all, own), body| (all + 1, own + usize::from(is_of_program(body))));
    own * MAX_LINES_PER_STATEMENT > all
}

/// Whether a part neither begins nor ends within a line. A header is read where a line begins, so
/// a block cannot be after a word, nor a word after a block.
pub(super) fn holds_whole_lines(text: &str, part: &Range<usize>) -> bool {
    let byte = |at: usize| text.as_bytes().get(at).copied();
    let is_break = |at: Option<usize>| at.is_none_or(|at| byte(at) == Some(b'\n'));
    let last = part.end.checked_sub(1);
    is_break(part.start.checked_sub(1))
        && (part.end == text.len() || byte(part.end) == Some(b'\n') || is_break(last))
}
