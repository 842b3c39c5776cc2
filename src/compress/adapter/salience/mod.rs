//! Salience: how much an operator asks for a line of a tool's output, in hundredths.
//!
//! A choice that knows facts alone takes the line with the most numbers. What is asked for first is
//! how it ended: the totals, the errors (one of each kind before a second one of any), the headings
//! of what failed or changes and the lines below them, the row whose state hardly another row has.

mod banners;
mod block_heads;
mod blocks;
mod columns;
mod differences;
mod history;
mod line_weights;
mod messages;
mod parts;
mod rankings;
mod records;
mod report;
mod runs;
mod settings;
mod stacks;
mod summary_line;
mod tables;
mod verdicts;
mod weights;

use foldhash::{HashMap, HashMapExt as _};

use self::banners::Banners;
pub(crate) use self::columns::RareColumns;
use self::columns::mark_rare_rows;
use self::history::{Commit, find_commits};
use self::line_weights::has_separators;
pub(crate) use self::report::{ReportStrength, names_bad_state, report_of};
use self::runs::mark_failed_runs;
use self::settings::{SettingLine, mark_settings};
use self::weights::{
    CHANGE, END_ROW, END_TOTAL, FEW_ENTRIES, FIRST_LINE, FIRST_LINE_OF_FAILURES, LAST_LINE,
    MAX_NAME_STEPS, MAX_REPEATS, MIN_ROWS, MIN_STOPS, NEAR_END, NEAR_END_LINES, NEAR_START,
    OUTLIER, RARE_ROW, RARE_SHAPE, RARE_WORD, REPEAT_DISCOUNT, RUN_DETAIL, SECTION,
};
use super::failure::is_passed;
use super::frame::frame;
pub(crate) use super::line_shape::line_kind;
use super::page::LinePage;
use crate::compress::text::mix;

/// Weight of a line, and the kind of line that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Salience {
    /// 0 if the line counts for its facts alone.
    pub(crate) weight: u8,
    /// The words of the line without numbers, ids and paths.
    pub(crate) kind: u64,
    /// Whether it reports an error of its own.
    pub(crate) is_error: bool,
    /// Whether it says that a test passed.
    pub(crate) is_passed: bool,
}

/// The salience of each line of a text.
pub(crate) fn salience(text: &str) -> Vec<Salience> {
    let page = LinePage::new(text);
    let mut work = SalienceWork::new(&page);
    work.weigh_lines();
    work.weigh_commits();
    work.weigh_settings();
    work.weigh_parts();
    work.weigh_blocks();
    work.weigh_places();
    work.weigh_rare();
    mark_failed_runs(&page, |at, is_first| {
        work.raise(at, RUN_DETAIL - if is_first { 0 } else { 2 });
    });
    work.weigh_parents();
    work.weigh_ends();
    work.part_names();
    work.lines
}

struct SalienceWork<'p, 't> {
    page: &'p LinePage<'t>,
    lines: Vec<Salience>,
    /// Number of lines of each kind.
    counts: HashMap<u64, usize>,
    /// Lines that name one of several things.
    names: Vec<usize>,
    /// Number of lines that were raised to a weight, by kind and weight.
    raised: HashMap<(u64, u8), usize>,
    /// Lines that count results.
    totals: Vec<usize>,
    /// Whether another line at the end counts results.
    has_end_total: bool,
    banners: Banners,
    /// Whether rules part the lines.
    has_separators: bool,
    /// Whether a line names a test that failed.
    names_failures: bool,
}

impl<'p, 't> SalienceWork<'p, 't> {
    fn new(page: &'p LinePage<'t>) -> Self {
        let mut counts = HashMap::with_capacity(page.len());
        let line = |at: usize| {
            let kind = line_kind(page.line(at));
            *counts.entry(kind).or_insert(0) += 1;
            Salience { weight: 0, kind, is_error: false, is_passed: is_passed(page.body(at)) }
        };
        let lines = (0..page.len()).map(line).collect();
        Self {
            page,
            lines,
            counts,
            names: Vec::new(),
            raised: HashMap::new(),
            totals: Vec::new(),
            has_end_total: false,
            banners: Banners::find(page),
            has_separators: has_separators(page),
            names_failures: false,
        }
    }

    fn raise(&mut self, at: usize, weight: u8) {
        if let Some(line) = self.lines.get_mut(at).filter(|_| says_something(self.page.body(at))) {
            line.weight = line.weight.max(weight);
        }
    }

    /// Raises a line that others of its kind may have been raised before.
    fn raise_kind(&mut self, at: usize, weight: u8) {
        let kind = self.lines.get(at).map_or(0, |line| line.kind);
        let raised = self.raised.entry((kind, weight)).or_insert(0);
        let before = *raised;
        *raised += 1;
        match u8::try_from(before.min(MAX_REPEATS + 1)).unwrap_or_default() {
            0 => self.raise(at, weight),
            steps if before <= MAX_REPEATS => {
                self.raise(at, weight.saturating_sub(REPEAT_DISCOUNT + steps));
            }
            _ => {}
        }
    }

    /// Raises a line that names one of several things: each of them is asked for.
    fn raise_name(&mut self, at: usize, weight: u8, nth: usize) {
        self.names.push(at);
        let steps = u8::try_from(nth.min(MAX_NAME_STEPS)).unwrap_or_default();
        self.raise(at, weight.saturating_sub(steps));
    }

    /// Makes each line that names something a kind of its own: none repeats another.
    fn part_names(&mut self) {
        for at in std::mem::take(&mut self.names) {
            if let Some(line) = self.lines.get_mut(at).filter(|line| !line.is_error) {
                line.kind = mix(line.kind, at as u64 + 1);
            }
        }
    }

    /// Of a history, the newest and the oldest commit, then what each was about, then its name.
    fn weigh_commits(&mut self) {
        let commits = find_commits(self.page);
        let last = commits.len().saturating_sub(1);
        for (nth, Commit { head, subject, is_revert }) in commits.into_iter().enumerate() {
            let steps = if nth == 0 || nth == last { 0 } else { nth + 1 };
            match steps {
                0 => self.raise(head, CHANGE),
                _ if is_revert => self.raise(head, CHANGE - REPEAT_DISCOUNT + 1),
                steps => self.raise_name(head, CHANGE - REPEAT_DISCOUNT, steps),
            }
            if let Some(subject) = subject {
                self.raise_name(subject, CHANGE, if is_revert { 1 } else { steps });
            }
        }
    }

    /// The names of sections of settings, and the entries of those that have few.
    fn weigh_settings(&mut self) {
        mark_settings(self.page, |at, entry| match entry {
            SettingLine::Head { nth } => self.raise_name(at, SECTION, nth),
            SettingLine::Entry { nth } => self.raise_name(at, FEW_ENTRIES, nth),
        });
    }

    /// Rows in a state that hardly another one is in, and lines unlike all others.
    fn weigh_rare(&mut self) {
        let rare = mark_rare_rows(self.page);
        for at in rare.states {
            self.raise(at, if rare.is_drawn { RARE_ROW } else { RARE_WORD });
        }
        for at in rare.outliers {
            self.raise(at, OUTLIER);
        }
        let count = |line: &Salience| self.counts.get(&line.kind).copied().unwrap_or_default();
        let solid = self.page.solid().len();
        let least = 4.max(solid / 20);
        let alike = self
            .lines
            .iter()
            .enumerate()
            .filter(|(at, line)| !self.page.is_blank(*at) && count(line) >= least);
        let alike = alike.count();
        // In prose and in source code each line has words of its own.
        if alike * 2 < solid {
            return;
        }
        let rare: Vec<usize> = (0..self.lines.len())
            .filter(|at| !self.page.is_blank(*at))
            .filter(|at| self.lines.get(*at).is_some_and(|line| count(line) <= 2))
            .collect();
        for at in rare {
            self.raise(at, RARE_SHAPE);
        }
    }

    /// The beginning and the end of a text say what it is and how it ended.
    fn weigh_ends(&mut self) {
        let solid = self.page.solid();
        let last = solid.last().and_then(|at| frame(self.page, *at, true));
        let is_library = last.is_some_and(|frame| frame.is_library);
        // What failed, and how many, is asked for before the name of the runner and its last words.
        let ends_counted =
            self.names_failures && self.lines.iter().any(|line| line.weight >= END_TOTAL);
        let first = if ends_counted { FIRST_LINE_OF_FAILURES } else { FIRST_LINE };
        let ends = [
            (solid.first(), first),
            (solid.get(1), NEAR_START),
            (solid.get(2), NEAR_START - 1),
            (solid.last(), if is_library || ends_counted { NEAR_END } else { LAST_LINE }),
        ];
        let near = solid.iter().rev().skip(1).take(NEAR_END_LINES).map(Some);
        let near = near.zip((0..=NEAR_END).rev());
        for (at, weight) in ends.into_iter().chain(near) {
            let Some(at) = at else { continue };
            // The first words of a paragraph say no more than others.
            if weight <= NEAR_END && self.page.line(*at).matches(". ").nth(MIN_STOPS - 1).is_some()
            {
                continue;
            }
            self.raise(*at, if self.is_row(solid, *at) { weight.min(END_ROW) } else { weight });
        }
    }

    /// Whether a line that is not blank is one of many rows: one next to it is, too.
    fn is_row(&self, solid: &[usize], at: usize) -> bool {
        let kind = |at: usize| self.lines.get(at).map(|line| line.kind);
        let own = kind(at);
        let count = own.and_then(|own| self.counts.get(&own));
        let place = solid.partition_point(|other| *other < at);
        let neighbours = [place.checked_sub(1), Some(place + 1)];
        let is_like = |other: Option<usize>| {
            other.and_then(|other| solid.get(other)).is_some_and(|other| kind(*other) == own)
        };
        count.is_some_and(|count| *count >= MIN_ROWS) && neighbours.into_iter().any(is_like)
    }
}

/// Whether a line says more than the marks that it is drawn with.
fn says_something(body: &str) -> bool {
    /// Letters and digits of a line that does, however long it is.
    const MIN_LETTERS: usize = 4;
    let letters = body.chars().filter(|letter| letter.is_alphanumeric()).count();
    let is_drawn = |letter: &char| !letter.is_ascii() && !letter.is_alphanumeric();
    let drawn = body.chars().filter(is_drawn).count();
    drawn <= letters && (letters >= MIN_LETTERS || letters * 2 >= body.len().max(1))
}

#[cfg(test)]
mod tests;
