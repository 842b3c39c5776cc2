//! Selects the items of a long list that stay, and writes the mark in the place of the others.

use std::ops::Range;

use foldhash::{HashMap, HashSet};

use super::KeepRatio;
use crate::compress::extract::{ExtractUnit, select};

/// Items of a list that always stays whole.
pub(super) const MAX_WHOLE_ITEMS: usize = 8;
/// Items at the head that stay.
const HEAD_ITEMS: usize = 3;
/// Limits of the items that stay for their facts: that part of the bytes, and no more than so many
/// and that part of them.
const FACT_SHARE: usize = 4;
const MAX_FACT_BYTES: usize = 8 << 10;
const LARGE_FACT_SHARE: usize = 16;
/// Bytes a gap must have: a mark is shorter, and costs a reader attention.
const MIN_GAP_BYTES: usize = 64;

/// The runs of items that go, in order. The first few, the last, those that `must` stay and those
/// that hold facts which no other shows are in none of them.
pub(super) fn gaps(items: &[&str], must: &[bool], ratio: KeepRatio) -> Vec<Range<usize>> {
    if items.len() <= MAX_WHOLE_ITEMS {
        return Vec::new();
    }
    let total: usize = items.iter().map(|item| item.len()).sum();
    let usual = (total / FACT_SHARE).min(MAX_FACT_BYTES + total / LARGE_FACT_SHARE);
    let room = ratio.asked_bytes(total).unwrap_or(usual);
    let mut seen = HashSet::default();
    let units: Vec<ExtractUnit<'_>> = items
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let is_end = at < HEAD_ITEMS || at + 1 == items.len();
            // A repetition word for word adds nothing.
            let must = is_end || must.get(at) == Some(&true) && seen.insert(*text);
            ExtractUnit { text, weight: 0, must }
        })
        .collect();
    let stays = select(&units, room);
    let mut gaps: Vec<Range<usize>> = Vec::new();
    for (at, _) in stays.iter().enumerate().filter(|(_, stays)| !**stays) {
        match gaps.last_mut() {
            Some(gap) if gap.end == at => gap.end += 1,
            _ => gaps.push(at..at + 1),
        }
    }
    let bytes = |gap: &Range<usize>| -> usize {
        items.get(gap.clone()).unwrap_or_default().iter().map(|item| item.len() + 1).sum()
    };
    gaps.retain(|gap| bytes(gap) >= MIN_GAP_BYTES);
    gaps
}

/// The beginning of a mark.
pub(super) const MARK_START: &str = "… ";

/// The mark in the place of so many items: `… 212 more items`.
pub(crate) fn mark(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("{MARK_START}1 more {noun}"),
        (_, Some(stem)) => format!("{MARK_START}{count} more {stem}ies"),
        _ => format!("{MARK_START}{count} more {noun}s"),
    }
}

/// Number of items that a mark represents.
pub(super) fn mark_items(text: &str, noun: &str) -> Option<usize> {
    let (count, rest) = text.strip_prefix(MARK_START)?.split_once(" more ")?;
    let rest = rest.strip_prefix(noun)?;
    let count = count.parse().ok()?;
    (rest == if count == 1 { "" } else { "s" }).then_some(count)
}

/// Numbers of a list that are far from the others of their column.
#[derive(Default)]
pub(super) struct Outliers {
    numbers: Vec<TableNumber>,
    columns: Vec<ColumnStats>,
}

struct TableNumber {
    column: usize,
    item: usize,
    number: f64,
}

#[derive(Default, Clone, Copy)]
struct ColumnStats {
    count: f64,
    sum: f64,
    squares: f64,
    found: usize,
}

impl Outliers {
    pub(super) fn add_number(&mut self, column: usize, item: usize, number: f64) {
        if !number.is_finite() || number.abs() > 1e100 {
            return;
        }
        if self.columns.len() <= column {
            self.columns.resize(column + 1, ColumnStats::default());
        }
        if let Some(seen) = self.columns.get_mut(column) {
            seen.count += 1.0;
            seen.sum += number;
            seen.squares += number * number;
        }
        self.numbers.push(TableNumber { column, item, number });
    }

    /// Marks the items that hold one, a few for each column.
    pub(super) fn mark(mut self, must: &mut [bool]) {
        /// Deviations from the mean, and items of a column.
        const MIN_DEVIATIONS: f64 = 3.0;
        const MAX_OUTLIERS: usize = 4;
        for TableNumber { column, item, number } in self.numbers {
            let Some(seen) = self.columns.get_mut(column) else { continue };
            let mean = seen.sum / seen.count;
            let variance = (seen.squares / seen.count - mean * mean).max(0.0);
            let distance = number - mean;
            if distance * distance > MIN_DEVIATIONS * MIN_DEVIATIONS * variance
                && variance > 0.0
                && seen.found < MAX_OUTLIERS
            {
                seen.found += 1;
                if let Some(must) = must.get_mut(item) {
                    *must = true;
                }
            }
        }
    }
}

/// Words of columns that know few: a state that one item has and the others do not is what the list
/// is read for.
#[derive(Default)]
pub(super) struct StateWords {
    /// For each word of a column how many items have it, and the first of them.
    seen: HashMap<(usize, u64), (u32, [usize; StateWords::MAX_RARE_ITEMS])>,
    /// Values and words of each column.
    columns: Vec<(u32, u32)>,
}

impl StateWords {
    /// Items that have a word which is rare.
    const MAX_RARE_ITEMS: usize = 2;
    /// Words of a column that are states.
    const MAX_STATE_WORDS: u32 = 6;
    /// Values of a column that tell which word is rare.
    const MIN_STATE_VALUES: u32 = 16;
    /// Bytes of a word.
    pub(super) const MAX_STATE_BYTES: usize = 32;

    /// Takes in a word by its hash.
    pub(super) fn add_word(&mut self, column: usize, item: usize, word: u64) {
        if self.columns.len() <= column {
            self.columns.resize(column + 1, (0, 0));
        }
        let Some((values, words)) = self.columns.get_mut(column) else { return };
        *values += 1;
        if *words > Self::MAX_STATE_WORDS {
            return;
        }
        let (count, items) = self.seen.entry((column, word)).or_default();
        if *count == 0 {
            *words += 1;
        }
        if let Some(place) = items.get_mut(*count as usize) {
            *place = item;
        }
        *count += 1;
    }

    /// Marks the items that have a rare one.
    pub(super) fn mark(&self, must: &mut [bool]) {
        for ((column, _), (count, items)) in &self.seen {
            let told = self.columns.get(*column);
            if told.is_some_and(|(values, words)| {
                *values >= Self::MIN_STATE_VALUES && *words <= Self::MAX_STATE_WORDS
            }) {
                let rare = items.get(..*count as usize).unwrap_or_default();
                for item in rare {
                    if let Some(must) = must.get_mut(*item) {
                        *must = true;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_items_stay_and_marks_count() {
        let usual = KeepRatio::default();
        let items = ["an item of some length that is the same"; 40];
        assert!(gaps(&items[..MAX_WHOLE_ITEMS], &[false; MAX_WHOLE_ITEMS], usual).is_empty());
        let mut must = [false; 40];
        must[20] = true;
        let gone: usize = gaps(&items, &must, usual).iter().map(Range::len).sum();
        assert!(gone >= 30, "{gone}");
        assert!(
            gaps(&items, &must, usual).iter().all(|gap| !gap.contains(&20) && !gap.contains(&0))
        );
        for count in [1, 2, 212] {
            assert_eq!(mark_items(&mark(count, "item"), "item"), Some(count));
        }
        assert_eq!(mark_items("… 1 more items", "item"), None);
        assert_eq!(mark_items("… some more items", "item"), None);
    }

    #[test]
    fn a_state_that_few_items_have_is_marked() {
        let marked = |word_of: &dyn Fn(usize) -> u64| {
            let mut states = StateWords::default();
            (0..60).for_each(|item| states.add_word(0, item, word_of(item)));
            let mut must = [false; 60];
            states.mark(&mut must);
            must.iter().enumerate().filter(|(_, must)| **must).map(|(at, _)| at).collect::<Vec<_>>()
        };
        assert_eq!(marked(&|item| u64::from(item == 31)), [31]);
        assert_eq!(marked(&|item| u64::from(item == 31) + 2 * u64::from(item == 40)), [31, 40]);
        // Names are no states, and neither is what every third item has.
        assert!(marked(&|item| item as u64).is_empty());
        assert!(marked(&|item| (item % 3) as u64).is_empty());
    }

    #[test]
    fn what_is_far_from_the_others_is_marked() {
        let mut outliers = Outliers::default();
        for item in 0..50 {
            let number = if item == 31 { 900.0 } else { f64::from(item % 5) };
            outliers.add_number(0, usize::try_from(item).unwrap(), number);
        }
        let mut must = [false; 50];
        outliers.mark(&mut must);
        assert_eq!(must.iter().position(|must| *must), Some(31));
        assert_eq!(must.iter().filter(|must| **must).count(), 1);
    }
}
