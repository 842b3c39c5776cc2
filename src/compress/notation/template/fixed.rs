//! Finds the words that are fixed among lines.
//!
//! A word is *fixed* if it has no digit and is at its place in many lines of that many
//! words: in a sixteenth of them, or in a sixty-fourth if groups are worth much more then, as
//! those of a report of twenty fields. Counts are kept in tables of a fixed size, so two words
//! may share one; that can cost savings, and changes nothing else.

use super::group_sizes::{GroupSizes, MIN_LINES, SAMPLE_LINES};
use super::words::{HAS_DIGIT, IS_FIXED, IS_FIXED_FIRST, LineWord, MAX_WORDS, WordLine};
use crate::compress::text::mix;

/// Words of the longest beginning that lines are grouped by.
pub(super) const MAX_BEGINNING_WORDS: usize = 14;
/// One line in so many has a fixed word, and one in so many if there are many groups.
const LINES_PER_FIXED: u32 = 16;
const LINES_PER_RARE_FIXED: u32 = 64;

/// Slots for counts, at most.
const MAX_SLOTS: usize = 1 << 16;

/// Number of lines that hold a word at its place.
struct WordCounts {
    table: Vec<u16>,
    mask: usize,
}

impl WordCounts {
    /// Room for about so many words.
    fn new(words: usize) -> Self {
        let slots = (words * 4).next_power_of_two().clamp(64, MAX_SLOTS);
        Self { table: vec![0; slots], mask: slots - 1 }
    }

    /// The slot of a word at its place; `apart` is what keeps lines of one sort from others.
    fn slot(&mut self, apart: usize, place: usize, word: &LineWord) -> Option<&mut u16> {
        let mixed = mix(word.hash, (apart << 8 | place) as u64) >> 40;
        let at = usize::try_from(mixed).unwrap_or(0) & self.mask;
        self.table.get_mut(at)
    }

    fn add(&mut self, apart: usize, place: usize, word: &LineWord) {
        if let Some(held) = self.slot(apart, place, word) {
            *held = held.saturating_add(1);
        }
    }

    /// Whether so many lines hold the word.
    fn is_fixed(&mut self, apart: usize, place: usize, word: &LineWord, least: u16) -> bool {
        self.slot(apart, place, word).is_some_and(|held| *held >= least)
    }
}

/// Lines that must hold a word for it to be fixed, if it is in one of `share` of so many.
fn least_lines(among: u32, share: u32) -> u16 {
    u16::try_from(MIN_LINES.max(among / share)).unwrap_or(u16::MAX)
}

/// Finds out which words are fixed among the lines of as many words; gives the keys of the lines by
/// all of their words.
pub(super) fn full_keys(read: &[WordLine], words: &mut [LineWord]) -> Vec<u64> {
    let mut counts = WordCounts::new(words.len());
    let mut lines = [0_u32; MAX_WORDS + 1];
    for line in read {
        if let Some(lines) = lines.get_mut(line.count) {
            *lines += 1;
        }
        for (place, word) in line.words(words).iter().enumerate() {
            if word.class & HAS_DIGIT == 0 {
                counts.add(line.count, place, word);
            }
        }
    }
    let shares = fixed_shares(read, words, &mut counts, &lines);
    let mut keys = Vec::with_capacity(read.len());
    for line in read {
        let among = lines.get(line.count).copied().unwrap_or(0);
        let share = shares.get(line.count).copied().unwrap_or(LINES_PER_FIXED);
        let least = least_lines(among, share);
        let mut key = mix(7, line.count as u64);
        let held = words.get_mut(line.first..line.first + line.count).unwrap_or_default();
        for (place, word) in held.iter_mut().enumerate() {
            let fixed =
                word.class & HAS_DIGIT == 0 && counts.is_fixed(line.count, place, word, least);
            if fixed {
                word.class |= IS_FIXED;
            }
            key = mix(key, if fixed { word.hash } else { 1 });
        }
        keys.push(key);
    }
    keys
}

/// By the number of words of a line, the share of lines that have a fixed word: the smaller one
/// where the groups are worth half as much again. Only a sample of the lines is looked at.
fn fixed_shares(
    read: &[WordLine],
    words: &[LineWord],
    counts: &mut WordCounts,
    lines: &[u32],
) -> Vec<u32> {
    let mut shares = vec![LINES_PER_FIXED; lines.len()];
    let apart = read.len().div_ceil(SAMPLE_LINES / 4).max(1);
    let apart_lines = i64::try_from(apart).unwrap_or(1);
    let mut samples: Vec<Vec<SampleKeys>> = vec![Vec::new(); lines.len()];
    for line in read.iter().step_by(apart) {
        let among = lines.get(line.count).copied().unwrap_or(0);
        // Below this, both shares ask for as many lines.
        if among < (MIN_LINES + 1) * LINES_PER_FIXED {
            continue;
        }
        if let Some(samples) = samples.get_mut(line.count) {
            samples.push(SampleKeys::new(line, words, counts, among));
        }
    }
    for ((count, samples), share) in samples.iter().enumerate().zip(&mut shares) {
        // Most texts have no word between the shares.
        if samples.iter().any(|keys| keys.few != keys.many) {
            let gain = |keys: fn(&SampleKeys) -> FixedKey| {
                let keys = samples.iter().map(keys).map(|key| (key.key, key.fixed));
                GroupSizes::new(samples.len()).gain(keys, count, apart_lines)
            };
            if gain(|keys| keys.many) * 2 > gain(|keys| keys.few) * 3 {
                *share = LINES_PER_RARE_FIXED;
            }
        }
    }
    shares
}

/// A key by the words of a line that are fixed, and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FixedKey {
    key: u64,
    fixed: u32,
}

/// The keys of a line if few words are fixed, and if many are.
#[derive(Debug, Clone, Copy)]
struct SampleKeys {
    few: FixedKey,
    many: FixedKey,
}

impl SampleKeys {
    fn new(line: &WordLine, words: &[LineWord], counts: &mut WordCounts, among: u32) -> Self {
        let mut key = |share| {
            let least = least_lines(among, share);
            let mut found = FixedKey { key: 7, fixed: 0 };
            for (place, word) in line.words(words).iter().enumerate() {
                let is_fixed =
                    word.class & HAS_DIGIT == 0 && counts.is_fixed(line.count, place, word, least);
                found.fixed += u32::from(is_fixed);
                found.key = mix(found.key, if is_fixed { word.hash } else { 1 });
            }
            found
        };
        Self { few: key(LINES_PER_FIXED), many: key(LINES_PER_RARE_FIXED) }
    }
}

/// Finds out which of the first words are fixed among all lines that are left.
pub(super) fn find_fixed(rest: &[WordLine], words: &mut [LineWord]) {
    let held = |line: &WordLine| line.count.min(MAX_BEGINNING_WORDS);
    let mut counts = WordCounts::new(rest.iter().map(held).sum());
    // Lines of more than so many words.
    let mut longer = [0_u32; MAX_BEGINNING_WORDS];
    for line in rest {
        let first = line.words(words).iter().take(MAX_BEGINNING_WORDS);
        for ((place, word), longer) in first.enumerate().zip(&mut longer) {
            *longer += 1;
            if word.class & HAS_DIGIT == 0 {
                counts.add(0, place, word);
            }
        }
    }
    for line in rest {
        let first = words.get_mut(line.first..line.first + held(line)).unwrap_or_default();
        for ((place, word), among) in first.iter_mut().enumerate().zip(&longer) {
            let least = least_lines(*among, LINES_PER_FIXED);
            if word.class & HAS_DIGIT == 0 && counts.is_fixed(0, place, word, least) {
                word.class |= IS_FIXED_FIRST;
            }
        }
    }
}
