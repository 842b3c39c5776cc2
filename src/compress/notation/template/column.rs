//! A column: the values of a hole, and what foretells most of them.

use std::borrow::Cow;

use super::form::{Hole, Pad, folded, number};

/// Hits of a step below which it says nothing.
const HITS: usize = 4;

#[derive(Debug)]
pub(super) struct Column<'a> {
    pub(super) hole: Hole,
    pub(super) values: Vec<Cow<'a, str>>,
}

impl<'a> Column<'a> {
    pub(super) fn new(pad: Pad, values: Vec<&'a str>) -> Self {
        let same = hits(&values, 0);
        let step = step(&values).filter(|step| {
            let hits = hits(&values, *step);
            hits >= HITS.max(same + 2).max(values.len() / 4) || hits + 1 == values.len()
        });
        let step = step.unwrap_or(0);
        let is_counter = step != 0 && hits(&values, step) + 1 == values.len();
        let first = values.first().filter(|_| is_counter).map(|first| (*first).to_owned());
        let path = step == 0 && are_paths(&values);
        let values = values.into_iter().map(Cow::Borrowed).collect();
        Self { hole: Hole { pad, path, name: None, step, first }, values }
    }

    /// Widths for the next column.
    pub(super) fn of_widths(widths: &[usize]) -> Self {
        let values = widths.iter().map(|width| Cow::Owned(width.to_string())).collect();
        Self {
            hole: Hole { pad: Pad::Next, path: false, name: None, step: 0, first: None },
            values,
        }
    }

    pub(super) fn has_cell(&self) -> bool {
        self.hole.first.is_none()
    }

    /// The cell of a row: empty where the value is foretold.
    pub(super) fn cell(&self, row: usize, before: Option<&str>) -> Cow<'_, str> {
        let value = self.values.get(row).map_or("", |value| value);
        let Some(before) = before else { return Cow::Borrowed(value) };
        if is_foretold(before, value, self.hole.step) {
            return Cow::Borrowed("");
        }
        let folded = if self.hole.path { folded(value, before) } else { None };
        folded.map_or(Cow::Borrowed(value), Cow::Owned)
    }
}

/// Whether enough values have folders in common with the one before. A `^` of their own would be
/// taken for one of ours.
fn are_paths(values: &[&str]) -> bool {
    let has_folder = |value: &&str| memchr::memchr(b'/', value.as_bytes()).is_some();
    if !values.iter().take(HITS).any(has_folder) || values.iter().any(|value| value.contains('^')) {
        return false;
    }
    let alike = |pair: &[&str]| matches!(pair, [a, b] if a != b && folded(b, a).is_some());
    values.windows(2).filter(|pair| alike(pair)).count() * 5 > values.len()
}

/// Whether `foretold` gives the value.
fn is_foretold(before: &str, value: &str, step: i64) -> bool {
    if step == 0 {
        return before == value;
    }
    let wider = value.len() > before.len() && !value.starts_with('0');
    let next = || number(before)?.checked_add(step);
    (value.len() == before.len() || wider)
        && number(value).is_some_and(|value| next() == Some(value))
}

fn hits(values: &[&str], step: i64) -> usize {
    values.windows(2).filter(|pair| matches!(pair, [a, b] if is_foretold(a, b, step))).count()
}

/// The difference that stands most often among the first few.
fn step(values: &[&str]) -> Option<i64> {
    const LOOK: usize = 9;
    let mut steps: Vec<i64> = values
        .windows(2)
        .take(LOOK)
        .filter_map(|pair| match pair {
            [a, b] => number(b)?.checked_sub(number(a)?).filter(|step| *step != 0),
            _ => None,
        })
        .collect();
    steps.sort_unstable();
    steps.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).and_then(|run| run.first().copied())
}

#[cfg(test)]
mod tests {
    use super::super::form::foretold;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn what_counts_as_foretold_is_foretold(
            before in "0{0,2}[0-9]{0,3}|9{1,19}|[a-z]{1,2}", step in -20..20_i64, other in "0{0,2}[0-9]{1,3}",
        ) {
            let next = foretold(&before, step);
            prop_assert_eq!(is_foretold(&before, &other, step), next.as_deref() == Some(other.as_str()));
            if let Some(next) = next {
                prop_assert!(is_foretold(&before, &next, step) || next.len() > 18);
            }
        }
    }
}
