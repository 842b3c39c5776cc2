//! Blocks in the place of lines: each part of a text is offered to the notations of its kind.

use std::fmt::Write as _;
use std::ops::Range;
use std::panic::AssertUnwindSafe;

use super::TextRole;
use super::tokens::{EditTokens, is_cut_off};
use crate::compress::notation::{
    DecodeSink, ErrorLines, FoundBlock, MARK, Notation, NotationBlock, TextErrors, groups,
    least_share,
};
use crate::compress::segment::{Kind, Span, segment};
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

/// Writes what the notations find, part by part.
pub(super) fn write_blocks(tokens: &EditTokens<'_>, text: &str, rules: BlockRules) -> Blocks {
    let mut out = Blocks { spans: segment(text), are_cut: true, ..Blocks::default() };
    let errors = TextErrors::new(text);
    let mut copied = 0;
    for span in parts(text, &out.spans) {
        let groups = groups(span.kind);
        let Some(part) = text.get(span.range.clone()).filter(|_| !groups.is_empty()) else {
            continue;
        };
        // In what people wrote, only what machines have put out is touched, and only much of it.
        let is_skipped = match rules.role {
            TextRole::Words => {
                !span.kind.is_put_out()
                    || part.len() < MIN_WORDS_BYTES
                    || tokens.count(part) < MIN_WORDS_TOKENS
            }
            TextRole::Result(_) | TextRole::Reply | TextRole::Arguments => {
                part.len() < MIN_TEXT_BYTES
            }
        };
        if is_skipped || !holds_whole_lines(text, &span.range) {
            continue;
        }
        // The last line break of a part belongs to what follows.
        let body = part.strip_suffix('\n').unwrap_or(part);
        let lines: Vec<&str> = lines_of(body).collect();
        let least_share = least_share(span.kind);
        let has_marks = memchr::memmem::find(body.as_bytes(), "§".as_bytes()).is_some();
        let out = &mut out;
        let mut work = BlockPart {
            tokens,
            lines: &lines,
            errors: &errors,
            out,
            text,
            has_marks,
            least_share,
            rules,
        };
        let pieces = work.pieces(groups);
        if pieces.iter().all(|piece| matches!(piece, BlockPiece::Lines(_))) {
            continue;
        }
        out.text.push_str(text.get(copied..span.range.start).unwrap_or_default());
        out.write(text, &lines, pieces);
        copied = span.range.start + body.len();
    }
    if copied > 0 {
        out.text.push_str(text.get(copied..).unwrap_or_default());
    }
    out
}

/// The parts of a text, and those of what is fenced in it: a fence is mostly how a person hands
/// over what a machine put out.
fn parts(text: &str, spans: &[Span]) -> Vec<Span> {
    let mut found = Vec::with_capacity(spans.len());
    for span in spans {
        let fenced = text.get(span.range.clone()).filter(|_| span.kind == Kind::Fence);
        let Some((head, inside)) = fenced.and_then(|part| part.split_once('\n')) else {
            found.push(span.clone());
            continue;
        };
        let start = span.range.start + head.len() + 1;
        let close = inside.trim_end().rfind('\n').map_or(0, |at| at + 1);
        let inside = inside.get(..close).unwrap_or_default();
        found.extend(segment(inside).into_iter().map(|inner| Span {
            kind: inner.kind,
            range: start + inner.range.start..start + inner.range.end,
        }));
    }
    found
}

/// Whether a part neither begins nor ends within a line. A header is read where a line begins, so
/// a block cannot be after a word, nor a word after a block.
fn holds_whole_lines(text: &str, part: &Range<usize>) -> bool {
    let byte = |at: usize| text.as_bytes().get(at).copied();
    let is_break = |at: Option<usize>| at.is_none_or(|at| byte(at) == Some(b'\n'));
    let last = part.end.checked_sub(1);
    is_break(part.start.checked_sub(1))
        && (part.end == text.len() || byte(part.end) == Some(b'\n') || is_break(last))
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

/// One part of a text, offered to the notations of its kind.
struct BlockPart<'p> {
    tokens: &'p EditTokens<'p>,
    lines: &'p [&'p str],
    errors: &'p TextErrors<'p>,
    out: &'p mut Blocks,
    /// The whole text, which the lines are slices of.
    text: &'p str,
    /// Whether any line holds a mark's sign.
    has_marks: bool,
    /// Hundredths of their bytes that blocks must save.
    least_share: usize,
    rules: BlockRules,
}

/// A block that was chosen for some lines.
struct ChosenBlock {
    lines: Range<usize>,
    block: WrittenBlock,
    notation: &'static str,
}

impl BlockPart<'_> {
    fn pieces(&mut self, groups: &[&[&'static dyn Notation]]) -> Vec<BlockPiece> {
        let mut pieces = vec![BlockPiece::Lines(0..self.lines.len())];
        for group in groups {
            let mut next = Vec::with_capacity(pieces.len());
            for piece in pieces {
                match piece {
                    BlockPiece::Lines(range) => self.offer_lines(group, range, &mut next),
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
        group: &[&'static dyn Notation],
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
    fn best(&mut self, group: &[&'static dyn Notation], range: Range<usize>) -> Vec<ChosenBlock> {
        let lines = self.lines;
        let stretch = lines.get(range).unwrap_or_default();
        let is_short = stretch.len() < 2 && stretch.iter().all(|line| line.len() < MIN_TEXT_BYTES);
        if is_short {
            return Vec::new();
        }
        // The shortest in bytes is the one that is counted: a count costs more than a notation.
        let mut best: Option<(usize, &'static dyn Notation, Vec<FoundBlock>)> = None;
        let mut seen = ErrorLines::within(self.errors, stretch.len());
        // From the last to the first, which wins if it saves as much. What cannot is not asked.
        for notation in group.iter().rev() {
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
        let Some((_, notation, blocks)) = best else { return Vec::new() };
        let taken = self.accept_blocks(notation, stretch, blocks);
        if self.saves_enough(stretch, &taken) { taken } else { Vec::new() }
    }

    /// Whether blocks are shorter than their lines by the share that their kind asks for.
    fn saves_enough(&self, lines: &[&str], taken: &[ChosenBlock]) -> bool {
        let bytes = |lines: &[&str]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
        let ranges = taken.iter().filter_map(|one| lines.get(one.lines.clone()));
        let before: usize = ranges.map(bytes).sum();
        let after: usize = taken.iter().map(|one| one.block.text.len()).sum();
        after * 100 <= before * (100 - self.least_share)
    }

    fn find_blocks(
        &mut self,
        notation: &'static dyn Notation,
        lines: &[&str],
        seen: &mut ErrorLines<'_>,
    ) -> Vec<FoundBlock> {
        if lines.iter().map(|line| line.len() + 1).sum::<usize>() > self.rules.max_bytes {
            self.revert(notation.name());
            return Vec::new();
        }
        // A panic is a defect of the notation, and must not fail a request.
        let values = self.rules.values;
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
            let (plain, broken) = place(self.text, lines, range.clone());
            if plain.is_empty() {
                continue;
            }
            let has_break = broken.len() > plain.len();
            let mut text = header(notation.name(), &block);
            if has_break {
                text.push('\n');
            }
            let tokens = self.tokens.count(&text);
            if has_break {
                text.pop();
            }
            if !self.tokens.exceeds(broken, tokens) {
                continue;
            }
            if self.rules.check == DecodeCheck::Each && !holds(notation, &block, plain) {
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

/// Bytes that blocks save against the lines that they represent.
fn saved_bytes(lines: &[&str], blocks: &[FoundBlock]) -> usize {
    let bytes = |line: &&str| line.len() + 1;
    let saved = blocks.iter().map(|found| {
        let plain = lines.get(found.lines.clone()).unwrap_or_default();
        plain.iter().map(bytes).sum::<usize>().saturating_sub(found.block.body.text().len())
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
