//! A text of one line that holds something else than prose: a data URI, JSON after a word.

use std::ops::Range;

use super::{Kind, Span, base64, json};

/// Bytes that are worth a part of their own.
const MIN_PART_BYTES: usize = 200;
/// Brackets at which JSON is looked for.
const MAX_BRACKETS: usize = 8;

/// The parts of a line that is prose as a whole.
pub(super) fn parts(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut from = 0;
    while let Some((kind, range)) = next(text, from) {
        if range.start > from {
            spans.push(Span { kind: Kind::Prose, range: from..range.start });
        }
        from = range.end;
        spans.push(Span { kind, range });
    }
    if from < text.len() || spans.is_empty() {
        spans.push(Span { kind: Kind::Prose, range: from..text.len() });
    }
    spans
}

fn next(text: &str, from: usize) -> Option<(Kind, Range<usize>)> {
    let mut at = from;
    while let Some(uri) = base64::uri(text.as_bytes(), at) {
        if uri.len() >= MIN_PART_BYTES {
            return Some((Kind::Base64, uri));
        }
        at = uri.end;
    }
    if from > 0 {
        return None;
    }
    let brackets = memchr::memchr2_iter(b'{', b'[', text.as_bytes());
    brackets.take(MAX_BRACKETS).find_map(|open| {
        let end = json::value_end(text, open)?;
        (end - open >= MIN_PART_BYTES).then_some((Kind::Json, open..end))
    })
}
