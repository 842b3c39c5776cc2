//! Blocks in the place of lines: each part of a text is offered to the notations of its kind.

use std::fmt::Write as _;
use std::ops::Range;
use std::panic::AssertUnwindSafe;

use super::TextRole;
use super::text_parts::{TextPart, holds_whole_lines, is_json, may_be_rows, parts};
use super::tokens::{EditTokens, is_cut_off};
use crate::compress::notation::{
    ANY_LINES, DecodeSink, ErrorLines, FoundBlock, LOOSE_JSON, MARK, Notation, NotationBlock,
    NotationGroup, TextErrors, may_be_loose_json,
};
use crate::compress::segment::{Span, segment};
use crate::compress::text::lines_of;
use crate::domain::ValueClass;

/// Bytes below which a text is not looked at: no header would pay.
pub(super) const MIN_TEXT_BYTES: usize = 48;

/// Tokens of a part that machines put out, from which it is touched where people wrote it.
const MIN_WORDS_TOKENS: u64 = 400;
/// Bytes below which no part can have so many tokens.
pub(super) const MIN_WORDS_BYTES: usize = 400;

/// A form of a text with blocks in it.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) text: String,
    /// Ranges of the blocks in it with their line breaks, and their tokens.
    pub(super) block_tokens: Vec<(Range<usize>, u64)>,
    /// Whether no token of the text reaches into or out of the lines that blocks represent.
    pub(super) are_cut: bool,
    /// Bytes of the text that blocks represent which white space has no say in.
    pub(super) of_any_layout: usize,
    pub(super) used: Vec<&'static str>,
    /// The parts of the text, a fence as one.
    pub(super) spans: Vec<Span>,
    /// Notations whose blocks did not decode to their lines.
    pub(super) reverted: Vec<&'static str>,
}

/// When a block is decoded to check that it gives its lines back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DecodeCheck {
    /// By itself, before it is taken.
    Each,
    /// With the whole text, by the caller.
    Later,
}

/// Rules for the blocks of one text.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockRules {
    pub(super) role: TextRole,
    /// The class of values that blocks may have.
    pub(super) values: ValueClass,
    pub(super) check: DecodeCheck,
    /// Bytes of lines that a notation may be asked for: its work is linear in them.
    pub(super) max_bytes: usize,
}

/// Writes what the notations find, part by part; or in all lines together, if that is shorter.
pub(super) fn write_blocks(tokens: &EditTokens<'_>, text: &str, rules: BlockRules) -> Blocks {
    let errors = TextErrors::new(text);
    let spans = segment(text);
    let source = BlockSource { tokens, text, errors: &errors, rules };
    let mut found = source.write_parts(&parts(text, &spans, rules.role));
    let is_result = matches!(rules.role, TextRole::Result(_));
    if is_result && found.saved_bytes(text) * 2 < text.len() && may_be_rows(text, &spans) {
        let all = source.write_parts(&[TextPart { groups: ANY_LINES, range: 0..text.len() }]);
        // A tenth of the form: kinds say more about their lines than rows do.
        let others = text.len() - found.saved_bytes(text);
        if (text.len() - all.saved_bytes(text)) * 10 <= others * 9 {
            found = Blocks { reverted: found.reverted, ..all };
        }
    }
    if is_result && !is_json(&spans) && may_be_loose_json(text) {
        let loose = source.write_parts(&[TextPart { groups: LOOSE_JSON, range: 0..text.len() }]);
        if loose.saved_bytes(text) > found.saved_bytes(text) {
            found = Blocks { reverted: found.reverted, ..loose };
        }
    }
    Blocks { spans, ..found }
}

/// A text, and what its blocks are made with.
#[derive(Clone, Copy)]
struct BlockSource<'p> {
    tokens: &'p EditTokens<'p>,
    text: &'p str,
    errors: &'p TextErrors<'p>,
    rules: BlockRules,
}

impl BlockSource<'_> {
    fn write_parts(self, parts: &[TextPart]) -> Blocks {
        let text = self.text;
        let mut out = Blocks { are_cut: true, ..Blocks::default() };
        let mut copied = 0;
        for TextPart { groups, range } in parts {
            let Some(part) = text.get(range.clone()).filter(|_| !groups.is_empty()) else {
                continue;
            };
            if self.is_skipped(part) || !holds_whole_lines(text, range) {
                continue;
            }
            // The last line break of a part belongs to what follows.
            let body = part.strip_suffix('\n').unwrap_or(part);
            let lines: Vec<&str> = lines_of(body).collect();
            let has_marks = memchr::memmem::find(body.as_bytes(), "§".as_bytes()).is_some();
            let mut work = BlockPart { source: self, lines: &lines, out: &mut out, has_marks };
            let pieces = work.pieces(groups);
            if pieces.iter().all(|piece| matches!(piece, BlockPiece::Lines(_))) {
                continue;
            }
            out.text.push_str(text.get(copied..range.start).unwrap_or_default());
            out.write(text, &lines, pieces);
            copied = range.start + body.len();
        }
        if copied > 0 {
            out.text.push_str(text.get(copied..).unwrap_or_default());
        }
        out
    }

    /// Whether a part is too short.
    fn is_skipped(self, part: &str) -> bool {
        match self.rules.role {
            TextRole::Words => {
                part.len() < MIN_WORDS_BYTES || self.tokens.count(part) < MIN_WORDS_TOKENS
            }
            TextRole::Result(_) | TextRole::Reply | TextRole::Arguments => {
                part.len() < MIN_TEXT_BYTES
            }
        }
    }
}

impl Blocks {
    /// Bytes that the form saves.
    fn saved_bytes(&self, text: &str) -> usize {
        if self.used.is_empty() { 0 } else { text.len().saturating_sub(self.text.len()) }
    }
}

/// A stretch of a part on its way: lines as they are, or a block in their place.
enum BlockPiece {
    Lines(Range<usize>),
    Block(Range<usize>, WrittenBlock),
}

/// A block as it is shown.
struct WrittenBlock {
    text: String,
    /// Its tokens, with the line break after it if there is one.
    tokens: u64,
    has_break: bool,
    /// Bytes that it represents, if white space has no say in it.
    of_any_layout: usize,
}

impl Blocks {
    fn write(&mut self, text: &str, lines: &[&str], pieces: Vec<BlockPiece>) {
        for (index, piece) in pieces.into_iter().enumerate() {
            if index > 0 {
                self.text.push('\n');
            }
            match piece {
                BlockPiece::Lines(range) => self.text.push_str(place(text, lines, range).0),
                BlockPiece::Block(range, block) => {
                    let stretch = place(text, lines, range).1;
                    let from = (stretch.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
                    self.are_cut &= is_cut_off(text, &(from..from + stretch.len()));
                    let start = self.text.len();
                    self.text.push_str(&block.text);
                    let end = self.text.len() + usize::from(block.has_break);
                    self.block_tokens.push((start..end, block.tokens));
                    self.of_any_layout += block.of_any_layout;
                }
            }
        }
    }
}

/// Lines of a text as they are in it, and with the line break after them, if there is one.
fn place<'t>(text: &'t str, lines: &[&'t str], range: Range<usize>) -> (&'t str, &'t str) {
    let (Some(first), Some(last)) = (lines.get(range.start), lines.get(..range.end)) else {
        return ("", "");
    };
    let last = last.last().copied().unwrap_or_default();
    let at = |line: &str| (line.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let (from, to) = (at(first), at(last) + last.len());
    let plain = text.get(from..to).unwrap_or_default();
    let broken = text.get(from..=to).filter(|broken| broken.ends_with('\n'));
    (plain, broken.unwrap_or(plain))
}

/// One part of a text, offered to some notations.
struct BlockPart<'p> {
    /// The whole text, which the lines are slices of.
    source: BlockSource<'p>,
    lines: &'p [&'p str],
    out: &'p mut Blocks,
    /// Whether any line holds a mark's sign.
    has_marks: bool,
}

/// A block that was chosen for some lines.
struct ChosenBlock {
    lines: Range<usize>,
    block: WrittenBlock,
    notation: &'static str,
}

impl BlockPart<'_> {
    fn pieces(&mut self, groups: &[NotationGroup]) -> Vec<BlockPiece> {
        let mut pieces = vec![BlockPiece::Lines(0..self.lines.len())];
        for group in groups {
            let mut next = Vec::with_capacity(pieces.len());
            for piece in pieces {
                match piece {
                    BlockPiece::Lines(range) => self.offer_lines(*group, range, &mut next),
                    block @ BlockPiece::Block(..) => next.push(block),
                }
            }
            pieces = next;
        }
        pieces
    }

    /// Offers a stretch of lines to the notations of a group, between lines that hold a mark.
    fn offer_lines(
        &mut self,
        group: NotationGroup,
        range: Range<usize>,
        pieces: &mut Vec<BlockPiece>,
    ) {
        let mut literal = range.start;
        let mut run = range.start;
        for at in range.start..=range.end {
            let is_end = at == range.end;
            let is_marked = |line: &&str| self.has_marks && line.contains(MARK);
            if !is_end && !self.lines.get(at).is_some_and(is_marked) {
                continue;
            }
            for ChosenBlock { lines, block, notation } in self.best(group, run..at) {
                let (start, end) = (run + lines.start, run + lines.end);
                if start > literal {
                    pieces.push(BlockPiece::Lines(literal..start));
                }
                pieces.push(BlockPiece::Block(start..end, block));
                if !self.out.used.contains(&notation) {
                    self.out.used.push(notation);
                }
                literal = end;
            }
            run = at + 1;
        }
        if literal < range.end {
            pieces.push(BlockPiece::Lines(literal..range.end));
        }
    }

    /// The blocks of the notation that saves most in some lines; the first of equals.
    fn best(&mut self, group: NotationGroup, range: Range<usize>) -> Vec<ChosenBlock> {
        let lines = self.lines;
        let stretch = lines.get(range).unwrap_or_default();
        let is_short = stretch.len() < 2 && stretch.iter().all(|line| line.len() < MIN_TEXT_BYTES);
        if is_short {
            return Vec::new();
        }
        // The shortest in bytes is the one that is counted: a count costs more than a notation.
        let mut best: Option<(usize, &'static dyn Notation, Vec<FoundBlock>)> = None;
        let mut seen = ErrorLines::within(self.source.errors, stretch.len());
        // From the last to the first, which wins if it saves as much. What cannot is not asked.
        for notation in group.notations.iter().rev() {
            let most = best.as_ref().map_or(1, |(most, ..)| *most);
            if notation.at_most(stretch).is_some_and(|bound| bound < most) {
                continue;
            }
            let blocks = self.find_blocks(*notation, stretch, &mut seen);
            let saved = saved_bytes(stretch, &blocks);
            if saved >= most {
                best = Some((saved, *notation, blocks));
            }
        }
        let Some((saved, notation, blocks)) = best else { return Vec::new() };
        let least = |bytes: usize| bytes * group.least_share / 100;
        let represented = blocks.iter().filter_map(|found| stretch.get(found.lines.clone()));
        if saved < least(represented.map(bytes_of).sum()) {
            return Vec::new();
        }
        // With its header, and without blocks that save no tokens, it may save less than that.
        let taken = self.accept_blocks(notation, stretch, blocks);
        let represented = taken.iter().filter_map(|one| stretch.get(one.lines.clone()));
        let before: usize = represented.map(bytes_of).sum();
        let after: usize = taken.iter().map(|one| one.block.text.len()).sum();
        if after <= before - least(before) { taken } else { Vec::new() }
    }

    fn find_blocks(
        &mut self,
        notation: &'static dyn Notation,
        lines: &[&str],
        seen: &mut ErrorLines<'_>,
    ) -> Vec<FoundBlock> {
        if bytes_of(lines) > self.source.rules.max_bytes {
            self.revert(notation.name());
            return Vec::new();
        }
        // A panic is a defect of the notation, and must not fail a request.
        let values = self.source.rules.values;
        let found = std::panic::catch_unwind(AssertUnwindSafe(|| {
            notation.encode_seen(lines, values, seen)
        }));
        found.unwrap_or_else(|_| {
            self.revert(notation.name());
            Vec::new()
        })
    }

    /// The blocks of one notation that decode to the very lines and save tokens.
    fn accept_blocks(
        &mut self,
        notation: &'static dyn Notation,
        lines: &[&str],
        found: Vec<FoundBlock>,
    ) -> Vec<ChosenBlock> {
        let mut taken = Vec::new();
        for FoundBlock { lines: range, block } in found {
            let (plain, broken) = place(self.source.text, lines, range.clone());
            if plain.is_empty() {
                continue;
            }
            let has_break = broken.len() > plain.len();
            let mut text = header(notation.name(), &block);
            if has_break {
                text.push('\n');
            }
            let tokens = self.source.tokens.count(&text);
            if has_break {
                text.pop();
            }
            if !self.source.tokens.exceeds(broken, tokens) {
                continue;
            }
            if self.source.rules.check == DecodeCheck::Each && !holds(notation, &block, plain) {
                self.revert(notation.name());
                continue;
            }
            let of_any_layout = if block.body.is_of_any_layout() { plain.len() } else { 0 };
            let block = WrittenBlock { text, tokens, has_break, of_any_layout };
            taken.push(ChosenBlock { lines: range, block, notation: notation.name() });
        }
        taken
    }

    fn revert(&mut self, name: &'static str) {
        if !self.out.reverted.contains(&name) {
            self.out.reverted.push(name);
        }
    }
}

/// Whether a block decodes to the lines that it represents.
fn holds(notation: &dyn Notation, block: &NotationBlock, plain: &str) -> bool {
    let back = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let body: Vec<&str> = block.body.lines().collect();
        let mut out = DecodeSink::comparing(plain);
        notation.write(&block.args, &body, &mut out)?;
        Some(out.bytes_left())
    }));
    back.is_ok_and(|left| left == Some(0))
}

/// Bytes of lines with their breaks.
fn bytes_of(lines: &[&str]) -> usize {
    lines.iter().map(|line| line.len() + 1).sum()
}

/// Bytes that blocks save against the lines that they represent.
fn saved_bytes(lines: &[&str], blocks: &[FoundBlock]) -> usize {
    let saved = blocks.iter().map(|found| {
        let plain = lines.get(found.lines.clone()).unwrap_or_default();
        bytes_of(plain).saturating_sub(found.block.body.text().len())
    });
    saved.sum()
}

fn header(name: &str, block: &NotationBlock) -> String {
    let mut text = String::with_capacity(block.body.text().len() + block.args.len() + 24);
    let _ = write!(text, "{MARK}{name} {}", block.body.len());
    if !block.args.is_empty() {
        text.push(' ');
        text.push_str(&block.args);
    }
    text.push_str(block.body.text());
    text
}
