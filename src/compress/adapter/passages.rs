//! Passages: paragraphs that shrink where they are, by whole sentences.
//!
//! About a third of the bytes stays: see [`room`]. What goes is shown by `[…]`, one mark for each
//! gap; what stays is byte for byte what was there.

use std::ops::Range;

use super::duty::{KeepReason, best, oblige};
use super::{Cut, KeepRatio};
use crate::compress::extract::{
    Criticality, ExtractUnit, FACT_WEIGHT, GAP_MARK, Paragraph, Selection, UnitFacts, Weight,
    sentences, weigh,
};

/// Hundredths of the bytes that stay.
const KEEP_PERCENT: usize = 32;
/// A short text keeps hundredths of its bytes, up to so many bytes.
const SHORT_KEEP_PERCENT: usize = 45;
const MAX_SHORT_KEEP_BYTES: usize = 200;
/// Bytes of a gap that its mark is not worth.
const MIN_GAP_BYTES: usize = 12;

/// Bytes that stay of so many.
pub(super) fn room(bytes: usize) -> usize {
    (bytes * KEEP_PERCENT / 100).max((bytes * SHORT_KEEP_PERCENT / 100).min(MAX_SHORT_KEEP_BYTES))
}

/// A paragraph of a Markdown text, or the words of a list's item.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextBlock {
    pub(super) range: Range<usize>,
    /// The first below a heading.
    pub(super) opens: bool,
    pub(super) in_item: bool,
    /// The same for paragraphs that follow each other in one list's item, or one quote.
    pub(super) group: usize,
    /// Elements within a line: no border falls into one.
    pub(super) unbreakable: Vec<Range<usize>>,
    /// Links and pictures.
    pub(super) links: Vec<Range<usize>>,
}

impl TextBlock {
    pub(super) fn new(range: Range<usize>) -> Self {
        let (whole, links) = (Vec::new(), Vec::new());
        Self { range, opens: false, in_item: false, group: 0, unbreakable: whole, links }
    }
}

#[derive(Debug)]
pub(super) struct Passages<'t> {
    text: &'t str,
    blocks: Vec<PassageBlock>,
    sentences: Vec<Range<usize>>,
    /// Links and pictures: nothing else says where they lead.
    links: Vec<Range<usize>>,
    /// Whether any word may begin a line; otherwise it could be read as a mark of the format.
    is_plain: bool,
    ratio: KeepRatio,
}

#[derive(Debug)]
struct PassageBlock {
    outer: Range<usize>,
    /// Places in the list of sentences.
    sentences: Range<usize>,
    /// The first of its section.
    opens: bool,
    /// The list, the item, or the quote that holds it.
    group: usize,
}

impl<'t> Passages<'t> {
    /// The passages of a text that is words alone.
    pub(super) fn new_plain(text: &'t str) -> Self {
        Self { is_plain: true, ..Self::new(text) }
    }

    pub(super) fn new(text: &'t str) -> Self {
        let ratio = KeepRatio::default();
        let (blocks, sentences, links) = (Vec::new(), Vec::new(), Vec::new());
        Self { text, blocks, sentences, links, is_plain: false, ratio }
    }

    /// The same, of which another share stays.
    #[must_use]
    pub(super) fn with_ratio(self, ratio: KeepRatio) -> Self {
        Self { ratio, ..self }
    }

    /// Adds a paragraph of plain words after the earlier ones.
    pub(super) fn add(&mut self, paragraph: &Paragraph) {
        let from = self.sentences.len();
        sentences(self.text, paragraph.inner.clone(), &mut self.sentences);
        self.block(paragraph.outer.clone(), from, false, 0);
    }

    /// Adds a paragraph of a document after the earlier ones.
    pub(super) fn add_place(&mut self, place: &TextBlock) {
        let from = self.sentences.len();
        let mut parts = Vec::new();
        sentences(self.text, place.range.clone(), &mut parts);
        let inside = |at: usize| {
            let next = place.unbreakable.partition_point(|whole| whole.end <= at);
            place.unbreakable.get(next).filter(|whole| whole.start < at)
        };
        for mut part in parts {
            // The end of a tag on a line of its own looks like the mark of a quote.
            part.end = inside(part.end).map_or(part.end, |whole| whole.end);
            match self.sentences.get_mut(from..).and_then(<[_]>::last_mut) {
                Some(last) if inside(part.start).is_some() => last.end = last.end.max(part.end),
                _ => self.sentences.push(part),
            }
        }
        self.links.extend_from_slice(&place.links);
        self.block(place.range.clone(), from, place.opens, place.group);
    }

    fn block(&mut self, outer: Range<usize>, from: usize, opens: bool, group: usize) {
        let sentences = from..self.sentences.len();
        self.blocks.push(PassageBlock { outer, sentences, opens, group });
    }

    /// The sentences, in order.
    pub(super) fn sentences(&self) -> &[Range<usize>] {
        &self.sentences
    }

    /// Cuts, and the marks in their place.
    pub(super) fn cuts(&self) -> Vec<Cut> {
        let kept = self.kept_sentences();
        let mut gaps =
            GapBuilder { text: self.text, cuts: Vec::new(), is_plain: self.is_plain, group: 0 };
        for block in &self.blocks {
            let kept = kept.get(block.sentences.clone()).unwrap_or_default();
            let ranges = self.sentences.get(block.sentences.clone()).unwrap_or_default();
            if !kept.contains(&true) {
                gaps.push(block.outer.clone(), None, block.group);
                continue;
            }
            let mut gap: Option<Range<usize>> = None;
            for (range, stays) in ranges.iter().zip(kept) {
                match &mut gap {
                    Some(gap) if !stays => gap.end = range.end,
                    None if !stays => gap = Some(range.clone()),
                    _ => {
                        if let Some(gap) = gap.take() {
                            gaps.push(gap, Some(range.start), block.group);
                        }
                    }
                }
            }
            if let Some(gap) = gap {
                gaps.push(gap, None, block.group);
            }
        }
        gaps.into_cuts()
    }

    /// Flags of the sentences that stay.
    fn kept_sentences(&self) -> Vec<bool> {
        let bytes = self.sentences.iter().map(Range::len).sum();
        let room = self.ratio.asked_bytes(bytes).unwrap_or(room(bytes));
        let (units, duties) = self.weigh_sentences();
        let shows = UnitFacts::collect(units.iter().copied(), FACT_WEIGHT);
        let mut selection = Selection::new(&units, &shows);
        oblige(&mut selection, &units, &duties, room);
        let left = room.saturating_sub(selection.bytes());
        selection.fill(0..units.len(), left);
        if selection.bytes() == 0
            && let Some(best) = best(&units, 0..units.len())
        {
            selection.choose(best);
        }
        selection.into_chosen()
    }

    fn has_link(&self, range: &Range<usize>) -> bool {
        let next = self.links.partition_point(|link| link.start < range.start);
        self.links.get(next).is_some_and(|link| link.start < range.end)
    }

    /// The sentences as units, and why some of them stay.
    fn weigh_sentences(&self) -> (Vec<ExtractUnit<'t>>, Vec<Option<KeepReason>>) {
        let mut units = Vec::with_capacity(self.sentences.len());
        let mut duties = Vec::with_capacity(self.sentences.len());
        for block in &self.blocks {
            let ranges = self.sentences.get(block.sentences.clone()).unwrap_or_default();
            let first = duties.len();
            for (at, range) in ranges.iter().enumerate() {
                let text = self.text.get(range.clone()).unwrap_or_default();
                let Weight { worth, critical } = weigh(text, at == 0 && ranges.len() > 1);
                let weight = if text == GAP_MARK { 0 } else { worth };
                duties.push(match critical {
                    Criticality::Report => Some(KeepReason::Report),
                    Criticality::Strict => Some(KeepReason::Strict),
                    _ if self.has_link(range) => Some(KeepReason::Link),
                    _ if block.opens && at == 0 && weight > 0 => Some(KeepReason::Opening),
                    Criticality::Negation => Some(KeepReason::Negation),
                    Criticality::No => None,
                });
                units.push(ExtractUnit { text, weight, must: false });
            }
            self.spread(ranges, duties.get_mut(first..).unwrap_or_default());
        }
        (units, duties)
    }

    /// The rest of the line of a report belongs to it: what is missing, where, what to do.
    fn spread(&self, ranges: &[Range<usize>], duties: &mut [Option<KeepReason>]) {
        /// Bytes between the ends of what belongs together.
        const MAX_REPORT_BYTES: usize = 240;
        let is_one = |from: usize, to: usize| {
            let between = self.text.as_bytes().get(from..to).unwrap_or_default();
            between.len() <= MAX_REPORT_BYTES && memchr::memchr(b'\n', between).is_none()
        };
        let mut reports: Vec<usize> = Vec::new();
        for (at, _) in
            duties.iter().enumerate().filter(|(_, duty)| **duty == Some(KeepReason::Report))
        {
            reports.push(at);
        }
        for at in reports {
            let Some(report) = ranges.get(at) else { continue };
            let before = (0..at).rev().zip(ranges.get(..at).unwrap_or_default().iter().rev());
            let before = before.take_while(|(_, other)| is_one(other.start, report.end));
            let after = (at + 1..).zip(ranges.get(at + 1..).unwrap_or_default());
            let after = after.take_while(|(_, other)| is_one(report.start, other.end));
            for (other, _) in before.chain(after) {
                if let Some(duty) = duties.get_mut(other) {
                    *duty = Some(KeepReason::Report);
                }
            }
        }
    }
}

/// Gaps while they are found, in order.
struct GapBuilder<'t> {
    text: &'t str,
    cuts: Vec<Cut>,
    is_plain: bool,
    /// The group that contains the last gap.
    group: usize,
}

impl GapBuilder<'_> {
    /// A stretch that goes; `next` is where what stays of its paragraph goes on.
    fn push(&mut self, range: Range<usize>, next: Option<usize>, group: usize) {
        let is_beside = std::mem::replace(&mut self.group, group) == group;
        let is_near = |last: &Cut| {
            let between = self.text.get(last.range.end..range.start);
            is_beside && between.is_some_and(|between| between.trim().is_empty())
        };
        match (self.cuts.last_mut().filter(|last| is_near(last)), next) {
            (Some(last), None) => {
                last.range.end = range.end;
                GAP_MARK.clone_into(&mut last.with);
            }
            // The mark before the paragraph's border represents both.
            (Some(last), Some(next)) if self.is_plain && last.range.len() > MIN_GAP_BYTES => {
                self.cuts.push(Cut { range: range.start..next, with: String::new() });
            }
            _ => self.cuts.push(Cut { range, with: GAP_MARK.to_owned() }),
        }
    }

    fn into_cuts(mut self) -> Vec<Cut> {
        self.cuts.retain(|cut| cut.with.is_empty() || cut.range.len() > MIN_GAP_BYTES);
        self.cuts
    }
}
