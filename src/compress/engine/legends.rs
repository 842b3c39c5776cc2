//! Legends in the forms of texts: the first block of each kind in a list explains itself.
//!
//! A form is found without legends first, since it does not depend on other texts then. The legends
//! that it needs in its place of the list are written into it afterwards; blocks of a kind that
//! save no more than their legend takes become the lines that they represent.

use std::ops::Range;
use std::sync::Arc;

use super::block_decoder;
use super::counted_text::{CountedText, TextChange, recount};
use super::lines::LazyLineIndex;
use super::mark::{self, BlockHeader, Reference};
use super::{CachedForm, Fidelity, ShownForm};
use crate::compress::MAX_EDIT_BYTES;
use crate::compress::notation::{MARK, NotationKind, NotationKinds, find_notation, notation_name};
use crate::domain::TokenizerName;
use crate::tokenizer::Counter;

/// A block in a shown text.
struct ShownBlock {
    /// The header and the body, without the line break after them.
    range: Range<usize>,
    /// End of the header.
    head_end: usize,
    kind: NotationKind,
}

/// The kinds of notations that a form without legends uses.
pub(super) fn kinds_of(text: &str) -> NotationKinds {
    let mut kinds = NotationKinds::default();
    for block in find_blocks(text) {
        kinds.insert(block.kind);
    }
    kinds
}

/// The kinds that a text of an earlier response explains.
pub(super) fn explained_in(text: &str) -> NotationKinds {
    let mut kinds = NotationKinds::default();
    for start in mark_starts(text) {
        let line = line_at(text, start);
        if let Some(kind) = NotationKind::of_legend(line) {
            kinds.insert(kind);
        }
    }
    kinds
}

/// Starts of the lines that begin with the sign of a mark.
fn mark_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut bytes = [0; 4];
    let sign: Vec<u8> = MARK.encode_utf8(&mut bytes).bytes().collect();
    let found: Vec<usize> = memchr::memmem::find_iter(text.as_bytes(), &sign).collect();
    let begins = |at: &usize| {
        at.checked_sub(1).is_none_or(|before| text.as_bytes().get(before) == Some(&b'\n'))
    };
    found.into_iter().filter(begins)
}

fn line_at(text: &str, start: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    rest.split_once('\n').map_or(rest, |(line, _)| line)
}

/// The blocks of a form without legends.
fn find_blocks(text: &str) -> Vec<ShownBlock> {
    let mut found = Vec::new();
    let mut end = 0;
    for start in mark_starts(text) {
        let line = line_at(text, start);
        if start < end || !mark::is_marked(line) || Reference::parse(line).is_some() {
            continue;
        }
        let Some(header) = BlockHeader::parse(line) else { continue };
        let Some(notation) = find_notation(header.name) else { continue };
        let head_end = start + line.len();
        let rest = text.get(head_end + 1..).unwrap_or_default();
        let last = memchr::memchr_iter(b'\n', rest.as_bytes()).nth(header.lines - 1);
        let length = last.unwrap_or(rest.len());
        let body: Vec<&str> = rest.get(..length).unwrap_or_default().split('\n').collect();
        end = head_end + 1 + length;
        let kind = notation.kind(header.args, &body);
        found.push(ShownBlock { range: start..end, head_end, kind });
    }
    found
}

/// Counts for the forms of one text.
#[derive(Clone, Copy)]
pub(super) struct LegendCounter<'c> {
    pub(super) counter: &'c Counter,
    pub(super) name: TokenizerName,
}

impl LegendCounter<'_> {
    fn count(self, text: &str) -> u64 {
        self.counter.count_once(self.name, text)
    }

    /// Tokens of the line of a legend.
    pub(super) fn legend_tokens(self, kind: NotationKind) -> u64 {
        self.count(&format!("{}\n", kind.legend()))
    }

    /// The form with legends for these kinds, without the blocks whose legend does not pay.
    pub(super) fn explain(self, known: &CachedForm, missing: NotationKinds) -> CachedForm {
        let form = &known.form;
        let Some(shown) = form.text.as_deref() else { return known.unchanged() };
        let blocks = find_blocks(shown);
        let mut dropped = NotationKinds::default();
        for kind in missing.iter().filter(|kind| !self.pays(shown, &blocks, *kind)) {
            dropped.insert(kind);
        }
        let (text, changes) = rewrite(shown, &blocks, missing.without(dropped), dropped);
        let own = CountedText { text: shown, tokens: form.tokens_after };
        let tokens = recount(self.counter, self.name, own, &text, &changes)
            .unwrap_or_else(|| self.count(&text));
        let kinds = form.kinds.without(dropped);
        let is_bare = kinds.is_empty() && form.class == Fidelity::Exact;
        if is_bare || tokens >= form.tokens_before {
            return known.unchanged();
        }
        let is_kept = |rule: &str| {
            let is_notation = find_notation(rule).is_some();
            !is_notation || kinds.iter().any(|kind| notation_name(kind) == Some(rule))
        };
        let mut rules = form.rules.clone();
        rules.retain(|rule| is_kept(rule));
        let lines = Arc::new(LazyLineIndex::new(&text));
        let form = ShownForm {
            text: Some(text.into()),
            rules,
            kinds,
            tokens_after: tokens,
            tokens_alone: tokens,
            ..form.clone()
        };
        CachedForm { form, lines, plain: known.plain.clone(), spans: None }
    }

    /// Whether the blocks of a kind save more than the line that explains them.
    fn pays(self, shown: &str, blocks: &[ShownBlock], kind: NotationKind) -> bool {
        let legend = self.legend_tokens(kind);
        let (mut before, mut after) = (0, legend);
        for block in blocks.iter().filter(|block| block.kind == kind) {
            let text = shown.get(block.range.clone()).unwrap_or_default();
            let Some(lines) = decode(text) else { return true };
            after += self.count(text);
            before += self.counter.at_least(self.name, &lines);
            if before > after {
                return true;
            }
        }
        // The lower bound was too low: few blocks come here.
        let exact = blocks.iter().filter(|block| block.kind == kind).map(|block| {
            let text = shown.get(block.range.clone()).unwrap_or_default();
            decode(text).map_or(u64::MAX / 2, |lines| self.count(&lines))
        });
        exact.fold(0_u64, u64::saturating_add) > after
    }
}

/// The lines that a block represents.
fn decode(block: &str) -> Option<String> {
    let mut left = MAX_EDIT_BYTES.saturating_mul(2);
    block_decoder::decode(block, &mut left)
}

/// The text with legends for some kinds, and without the blocks of others.
fn rewrite(
    shown: &str,
    blocks: &[ShownBlock],
    explained: NotationKinds,
    dropped: NotationKinds,
) -> (String, Vec<TextChange>) {
    let mut out = String::with_capacity(shown.len() + 64);
    let mut changes = Vec::new();
    let mut left = explained;
    let mut copied = 0;
    for block in blocks {
        let (range, with) = if dropped.contains(block.kind) {
            let text = shown.get(block.range.clone()).unwrap_or_default();
            let Some(lines) = decode(text) else { continue };
            (block.range.clone(), lines)
        } else if left.contains(block.kind) {
            left = left.without(block.kind.into());
            (block.head_end..block.head_end, format!("\n{}", block.kind.legend()))
        } else {
            continue;
        };
        out.push_str(shown.get(copied..range.start).unwrap_or_default());
        let start = out.len();
        out.push_str(&with);
        copied = range.end;
        changes.push(TextChange { before: range, after: start..out.len() });
    }
    out.push_str(shown.get(copied..).unwrap_or_default());
    (out, changes)
}
