//! The words of lines: where they are, what is in them, and which lines report errors.

use super::super::ErrorLines;
use super::super::error_lines::is_large_share;
use super::super::severity::ErrorScan;
use crate::compress::gaps::is_gap_line;
use crate::compress::text::{ByteClasses, chunks, hash_within};

/// Words into which a line is split; the last takes the rest of the line.
pub(super) const MAX_WORDS: usize = 40;
/// Bytes of a line that is worth a row, and of one that still is.
const LINE_BYTES: std::ops::Range<usize> = 8..20_000;

/// A word of a line. Words of the same hash are taken for the same: a block in which they are not
/// does not decode, and is not used.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineWord {
    pub(super) hash: u64,
    /// Byte positions: no line with words is longer than these can tell.
    pub(super) start: u16,
    pub(super) end: u16,
    /// Whether nothing but spaces is between it and the word before.
    pub(super) is_spaced: bool,
    pub(super) class: u8,
}

/// Content of a word, and whether it is fixed among the lines of as many words, and among all.
pub(super) const HAS_DIGIT: u8 = 1;
pub(super) const HAS_LETTER: u8 = 2;
pub(super) const IS_FIXED: u8 = 4;
pub(super) const IS_FIXED_FIRST: u8 = 8;

/// A line that may become a row: where it is, and its words among those of all lines.
#[derive(Debug)]
pub(super) struct WordLine {
    pub(super) at: usize,
    pub(super) first: usize,
    pub(super) count: usize,
}

impl WordLine {
    #[inline]
    pub(super) fn words<'a>(&self, words: &'a [LineWord]) -> &'a [LineWord] {
        words.get(self.first..self.first + self.count).unwrap_or_default()
    }
}

/// The lines of a run that may become rows.
#[derive(Debug)]
pub(super) struct ReadLines {
    pub(super) lines: Vec<WordLine>,
    /// Whether lines that report errors are among them.
    pub(super) have_errors: bool,
}

/// What becomes of a line that reports an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorRule {
    StaysWhole,
    IsRow,
}

/// The lines that may become rows; what is seen of errors on the way is noted.
pub(super) fn read(
    lines: &[&str],
    words: &mut Vec<LineWord>,
    seen: &mut ErrorLines<'_>,
) -> ReadLines {
    let read = read_lines(lines, words, seen, ErrorRule::StaysWhole);
    let reports = (0..)
        .zip(lines)
        .filter(|(at, line)| LINE_BYTES.contains(&line.len()) && seen.reports(*at, line));
    if !is_large_share(reports.count(), lines.len()) || !seen.are_rows() {
        return ReadLines { lines: read, have_errors: false };
    }
    words.clear();
    let lines = read_lines(lines, words, seen, ErrorRule::IsRow);
    ReadLines { lines, have_errors: true }
}

fn read_lines(
    lines: &[&str],
    words: &mut Vec<LineWord>,
    seen: &mut ErrorLines<'_>,
    rule: ErrorRule,
) -> Vec<WordLine> {
    let mut read = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        if !LINE_BYTES.contains(&line.len()) {
            continue;
        }
        let first = words.len();
        let reports = split(line, words, rule);
        seen.set(at, reports);
        let is_row = (!reports || rule == ErrorRule::IsRow) && !is_gap_line(line);
        if !is_row {
            words.truncate(first);
            continue;
        }
        let count = words.len() - first;
        if count > 0 {
            read.push(WordLine { at, first, count });
        }
    }
    read
}

/// Content of a word that is in a chunk from a bit on, up to another.
fn class(planes: &ByteClasses, from: u32, to: u32) -> u8 {
    let range = (u32::MAX << from) & !(u32::MAX.checked_shl(to).unwrap_or(0));
    u8::from(planes.digits & range != 0) * HAS_DIGIT
        + u8::from(planes.letters & range != 0) * HAS_LETTER
}

/// The words of a line, some of them if it stays whole; whether it reports an error.
fn split(text: &str, words: &mut Vec<LineWord>, rule: ErrorRule) -> bool {
    let line = text.as_bytes();
    let first = words.len();
    let mut reports = ErrorScan::new(text);
    // A word that goes on in the next chunk: where it began, what was in it.
    let mut open: Option<(usize, u8)> = None;
    let mut has_tab = false;
    chunks(line, |base, chunk, shift| {
        let planes = &ByteClasses::new(chunk, shift);
        reports.scan_chunk(base, planes);
        has_tab |= planes.tabs != 0;
        let before = planes.solid << 1 | u32::from(open.is_some());
        let mut starts = planes.solid & !before;
        // After the end of the line, no byte is solid.
        let mut ends = !planes.solid & before;
        while ends != 0 {
            let end = ends.trailing_zeros();
            ends &= ends.wrapping_sub(1);
            let (start, class) = if let Some((start, held)) = open.take() {
                (start, held | class(planes, 0, end))
            } else {
                let start = starts.trailing_zeros();
                starts &= starts.wrapping_sub(1);
                (base + start as usize, class(planes, start, end))
            };
            words.push(word(start, base + end as usize, class));
        }
        if let Some((_, held)) = &mut open {
            *held |= class(planes, 0, u32::BITS);
        } else if starts != 0 {
            let start = starts.trailing_zeros();
            open = Some((base + start as usize, class(planes, start, u32::BITS)));
        }
    });
    let reports = reports.reports_error();
    if reports && rule == ErrorRule::StaysWhole {
        return true;
    }
    words.extend(open.map(|(start, class)| word(start, line.len(), class)));
    if words.len() > first + MAX_WORDS {
        let rest = words.iter().skip(first + MAX_WORDS).fold(0, |class, word| class | word.class);
        words.truncate(first + MAX_WORDS);
        if let Some(last) = words.last_mut() {
            last.class |= rest;
        }
    }
    let held = words.get_mut(first..).unwrap_or_default();
    if let Some(last) = held.last_mut() {
        // White space at the end belongs to the last word.
        last.end = position(line.len());
    }
    let mut before = 0;
    for word in held {
        let (start, end) = (word.start as usize, word.end as usize);
        word.hash = hash_within(line, start, end);
        word.is_spaced = !has_tab
            || line.get(before..start).is_some_and(|gap| gap.iter().all(|byte| *byte == b' '));
        before = end;
    }
    reports
}

fn word(start: usize, end: usize, class: u8) -> LineWord {
    LineWord { hash: 0, start: position(start), end: position(end), is_spaced: false, class }
}

#[inline]
pub(super) fn position(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}
