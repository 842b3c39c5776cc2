//! A column: the values of a hole, and what foretells most of them.

use super::form::{Hole, Pad, foretold, number};

#[derive(Debug)]
pub(super) struct Column<'a> {
    pub(super) hole: Hole,
    pub(super) values: Vec<&'a str>,
}

impl<'a> Column<'a> {
    pub(super) fn new(pad: Pad, values: Vec<&'a str>) -> Self {
        let step = step(&values).filter(|step| {
            // As many values rise by it as stay the same, and more.
            hits(&values, *step) > hits(&values, 0)
        });
        let step = step.unwrap_or(0);
        let is_counter = step != 0 && hits(&values, step) + 1 == values.len();
        let first = values.first().filter(|_| is_counter).map(|first| (*first).to_owned());
        Self { hole: Hole { pad, step, first }, values }
    }

    /// The cell of a row: empty where the value is foretold.
    pub(super) fn cell(&self, row: usize) -> &'a str {
        let value = self.values.get(row).copied().unwrap_or("");
        let before = row.checked_sub(1).and_then(|before| self.values.get(before));
        if before.is_some_and(|before| is_foretold(before, value, self.hole.step)) {
            ""
        } else {
            value
        }
    }
}

fn is_foretold(before: &str, value: &str, step: i64) -> bool {
    if step == 0 { before == value } else { foretold(before, step).as_deref() == Some(value) }
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
