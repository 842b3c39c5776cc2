//! The short form of a text by itself: what it says depends on nothing but the text.

use std::borrow::Cow;
use std::ops::Range;

use super::mark;
use crate::compress::lossless::equivalent;
use crate::compress::notation::{Found, GROUPS, MARK, Notation};
use crate::domain::TokenizerName;
use crate::tokenizer::Counter;

/// Bytes below which a text is not looked at: no header would pay.
const SHORTEST: usize = 48;

/// What became of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Solo {
    /// The short form; none where the text stands as it is.
    pub(super) form: Option<String>,
    /// Whether something was taken out that says nothing (class `equivalent`).
    pub(super) equivalent: bool,
    /// The notations used, in the order of their first blocks.
    pub(super) notations: Vec<&'static str>,
    pub(super) tokens_before: u64,
    pub(super) tokens_after: u64,
}

/// Finds the short form of a text that is not ours to decode as it stands.
pub(super) fn solo(counter: &Counter, name: TokenizerName, text: &str, exact_only: bool) -> Solo {
    let tokens_before = counter.count(name, text);
    let mut solo = Solo {
        form: None,
        equivalent: false,
        notations: Vec::new(),
        tokens_before,
        tokens_after: tokens_before,
    };
    if text.len() < SHORTEST {
        return solo;
    }
    let mut best: Cow<'_, str> = Cow::Borrowed(text);
    if !exact_only {
        let short = equivalent(text);
        if short != text {
            let tokens = counter.count(name, &short);
            if tokens < solo.tokens_after {
                (solo.tokens_after, solo.equivalent, best) = (tokens, true, short);
            }
        }
    }
    if let Some((form, notations)) = blocks(counter, name, &best) {
        let tokens = counter.count(name, &form);
        if tokens < solo.tokens_after {
            (solo.tokens_after, solo.notations, best) = (tokens, notations, Cow::Owned(form));
        }
    }
    if let Cow::Owned(form) = best {
        solo.form = Some(form);
    }
    solo
}

/// A stretch of a text on its way: lines as they are, or a block in their place.
enum Piece {
    Lines(Range<usize>),
    Block(String),
}

/// Writes what the notations find; none where they find nothing.
fn blocks(
    counter: &Counter,
    name: TokenizerName,
    text: &str,
) -> Option<(String, Vec<&'static str>)> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut pieces = vec![Piece::Lines(0..lines.len())];
    let mut used = Vec::new();
    for group in GROUPS {
        let mut next = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match piece {
                Piece::Lines(range) => {
                    offer(counter, name, group, &lines, range, &mut next, &mut used);
                }
                block @ Piece::Block(_) => next.push(block),
            }
        }
        pieces = next;
    }
    if used.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    for (index, piece) in pieces.into_iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        match piece {
            Piece::Block(block) => out.push_str(&block),
            Piece::Lines(range) => {
                out.push_str(&lines.get(range).unwrap_or_default().join("\n"));
            }
        }
    }
    Some((out, used))
}

/// Offers a stretch of lines to the notations of a group, between lines that hold a mark.
fn offer(
    counter: &Counter,
    name: TokenizerName,
    group: &[&dyn Notation],
    lines: &[&str],
    range: Range<usize>,
    pieces: &mut Vec<Piece>,
    used: &mut Vec<&'static str>,
) {
    let mut literal = range.start;
    let mut run = range.start;
    for at in range.start..=range.end {
        let ends = at == range.end || lines.get(at).is_some_and(|line| line.contains(MARK));
        if !ends {
            continue;
        }
        let stretch = lines.get(run..at).unwrap_or_default();
        if stretch.len() > 1 || stretch.first().is_some_and(|line| line.len() >= SHORTEST) {
            let best = group
                .iter()
                .map(|notation| accepted(counter, name, *notation, stretch))
                .max_by_key(|(saved, _)| *saved);
            for (found, text, notation) in best.map(|(_, taken)| taken).unwrap_or_default() {
                let (start, end) = (run + found.start, run + found.end);
                if start > literal {
                    pieces.push(Piece::Lines(literal..start));
                }
                pieces.push(Piece::Block(text));
                if !used.contains(&notation) {
                    used.push(notation);
                }
                literal = end;
            }
        }
        run = at + 1;
    }
    if literal < range.end {
        pieces.push(Piece::Lines(literal..range.end));
    }
}

type Taken = Vec<(Range<usize>, String, &'static str)>;

/// The blocks of one notation that decode to the very lines and save tokens, and how many.
fn accepted(
    counter: &Counter,
    name: TokenizerName,
    notation: &dyn Notation,
    lines: &[&str],
) -> (u64, Taken) {
    let mut saved = 0;
    let mut taken = Taken::new();
    for Found { lines: range, block } in notation.encode(lines) {
        let Some(stretch) = lines.get(range.clone()) else { continue };
        let plain = stretch.join("\n");
        let body: Vec<&str> = block.body.iter().map(String::as_str).collect();
        if notation.decode(&block.args, &body, plain.len()).as_deref() != Some(plain.as_str()) {
            continue;
        }
        let mut text = format!("{MARK}{} {}", notation.name(), body.len());
        if !block.args.is_empty() {
            text.push(' ');
            text.push_str(&block.args);
        }
        for line in body {
            text.push('\n');
            text.push_str(line);
        }
        if text.len() >= plain.len() + plain.len() / 4 {
            continue;
        }
        let gain = counter.count(name, &plain).saturating_sub(counter.count(name, &text));
        if gain > 0 {
            saved += gain;
            taken.push((range, text, notation.name()));
        }
    }
    (saved, taken)
}

/// Undoes [`blocks`]: `None` where a block is not one of ours or the text grows beyond `limit`.
pub(super) fn decoded(text: &str, limit: usize) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split('\n');
    let mut first = true;
    while let Some(line) = lines.next() {
        if !std::mem::take(&mut first) {
            out.push('\n');
        }
        if !mark::is_marked(line) {
            out.push_str(line);
            continue;
        }
        let (name, count, args) = mark::header(line)?;
        let notation = crate::compress::notation::named(name)?;
        let body: Vec<&str> = lines.by_ref().take(count).collect();
        if body.len() < count {
            return None;
        }
        out.push_str(&notation.decode(args, &body, limit.saturating_sub(out.len()))?);
        if out.len() > limit {
            return None;
        }
    }
    Some(out)
}
