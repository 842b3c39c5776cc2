//! A column: the values of a hole, and what foretells most of them.

use super::form::{Hole, PadSide, fold, number, width_text};
use crate::compress::text::{has, is_same};

/// Hits of a step below which it says nothing.
const MIN_HITS: usize = 4;

/// The content of a cell: so many `^`, and a text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cell<'a> {
    pub(super) ups: usize,
    pub(super) text: &'a str,
}

impl Cell<'_> {
    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.ups == 0 && self.text.is_empty()
    }
}

#[derive(Debug)]
pub(super) struct HoleColumn<'a> {
    pub(super) hole: Hole,
    pub(super) values: Vec<&'a str>,
    /// Whether all values are runs, which nothing that separates cells is in.
    pub(super) is_run: bool,
    /// Whether the cell of each row has its value.
    is_filled: bool,
}

impl<'a> HoleColumn<'a> {
    /// A column in which every cell is filled.
    pub(super) fn filled(pad: PadSide, values: Vec<&'a str>, is_run: bool) -> Self {
        let hole = Hole { pad, path: false, name: None, step: 0, first: None };
        Self { hole, values, is_run, is_filled: true }
    }

    /// A column in which cells may be foretold.
    pub(super) fn new(pad: PadSide, values: Vec<&'a str>, is_run: bool) -> Self {
        let step = step(&values).map(|step| (step, count_foretold(&values, step)));
        let step = step.filter(|(_, found)| {
            let pays = |found| found >= MIN_HITS.max(repeats(&values) + 2);
            found + 1 == values.len() || *found >= values.len() / 4 && pays(*found)
        });
        let (step, found) = step.unwrap_or_default();
        let is_counter = step != 0 && found + 1 == values.len();
        let first = values.first().filter(|_| is_counter).map(|first| (*first).to_owned());
        let path = step == 0 && !is_run && are_paths(&values);
        let hole = Hole { pad, path, name: None, step, first };
        Self { hole, values, is_run, is_filled: false }
    }

    /// Widths for the next column.
    pub(super) fn from_widths(widths: &[usize]) -> Self {
        let values = widths.iter().map(|width| width_text(*width)).collect();
        Self {
            hole: Hole { pad: PadSide::Next, path: false, name: None, step: 0, first: None },
            values,
            is_run: true,
            is_filled: false,
        }
    }

    #[inline]
    pub(super) fn has_cell(&self) -> bool {
        self.hole.first.is_none()
    }

    /// The cell of a value: empty if it is foretold.
    #[inline]
    pub(super) fn cell<'v>(&self, text: &'v str, before: Option<&str>) -> Cell<'v> {
        match before.filter(|_| !self.is_filled) {
            Some(before) if self.hole.step == 0 && is_same(before, text) => Cell::default(),
            Some(before) if self.hole.step != 0 || self.hole.path => self.of_foretold(text, before),
            _ => Cell { ups: 0, text },
        }
    }

    /// The same of numbers and of paths.
    #[inline(never)]
    fn of_foretold<'v>(&self, text: &'v str, before: &str) -> Cell<'v> {
        if is_foretold(before, text, self.hole.step) {
            return Cell::default();
        }
        let folded = if self.hole.path { fold(text, before) } else { None };
        folded.map_or(Cell { ups: 0, text }, |(ups, text)| Cell { ups, text })
    }
}

/// Whether enough values have folders in common with the one before. A `^` of their own would be
/// taken for one of ours.
fn are_paths(values: &[&str]) -> bool {
    let has_folder = |value: &&str| has(value.as_bytes(), b'/');
    if !values.iter().take(MIN_HITS).any(has_folder) || has_sign(values) {
        return false;
    }
    let alike = |pair: &[&str]| matches!(pair, [a, b] if !is_same(a, b) && fold(b, a).is_some());
    values.windows(2).filter(|pair| alike(pair)).count() * 5 > values.len()
}

fn has_sign(values: &[&str]) -> bool {
    values.iter().any(|value| has(value.as_bytes(), b'^'))
}

/// Whether `foretold` gives the value.
fn is_foretold(before: &str, value: &str, step: i64) -> bool {
    if step == 0 {
        return is_same(before, value);
    }
    let wider = value.len() > before.len() && !value.starts_with('0');
    let next = || number(before)?.checked_add(step);
    (value.len() == before.len() || wider)
        && number(value).is_some_and(|value| next() == Some(value))
}

/// Number of values that are the one before and a step.
fn count_foretold(values: &[&str], step: i64) -> usize {
    let mut next = None;
    let mut found = 0;
    for value in values {
        let number = number(value);
        found += usize::from(next.is_some_and(|(next, length)| {
            number == Some(next)
                && (value.len() == length || value.len() > length && !value.starts_with('0'))
        }));
        next = number.and_then(|number| number.checked_add(step)).map(|next| (next, value.len()));
    }
    found
}

/// Number of values that are equal to the one before.
fn repeats(values: &[&str]) -> usize {
    values.windows(2).filter(|pair| matches!(pair, [a, b] if is_same(a, b))).count()
}

/// The difference that is most often among the first few, if it is no chance.
fn step(values: &[&str]) -> Option<i64> {
    const MAX_SAMPLE_ROWS: usize = 9;
    let mut steps: Vec<i64> = values
        .windows(2)
        .take(MAX_SAMPLE_ROWS)
        .filter_map(|pair| match pair {
            [a, b] => number(b)?.checked_sub(number(a)?).filter(|step| *step != 0),
            _ => None,
        })
        .collect();
    steps.sort_unstable();
    let most = steps.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
    most.filter(|run| run.len() > 1).and_then(|run| run.first().copied())
}

#[cfg(test)]
mod tests {
    use super::super::form::next_value;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn what_counts_as_foretold_is_foretold(
            before in "0{0,2}[0-9]{0,3}|9{1,19}|[a-z]{1,2}", step in -20..20_i64, other in "0{0,2}[0-9]{1,3}",
        ) {
            let next = next_value(&before, step);
            prop_assert_eq!(is_foretold(&before, &other, step), next.as_deref() == Some(other.as_str()));
            // A step of 0 is not asked for: texts need be no numbers to be the same.
            if step != 0 {
                let counted = count_foretold(&[&before, &other], step);
                prop_assert_eq!(counted, usize::from(is_foretold(&before, &other, step)));
            }
            if let Some(next) = next {
                prop_assert!(is_foretold(&before, &next, step) || next.len() > 18);
            }
        }
    }
}
