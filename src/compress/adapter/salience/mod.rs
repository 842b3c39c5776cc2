//! Salience: how much an operator asks for a line of a tool's output, in hundredths.
//!
//! A choice that knows facts alone takes the line with the most numbers. What is asked for first is
//! how it ended: the totals, the errors (one of each kind before a second one of any), the headings
//! of what failed or changes and the lines below them, the row whose state hardly another row has.

mod columns;
mod report;
mod runs;
mod summary_line;

use foldhash::{HashMap, HashMapExt as _};

pub(crate) use self::columns::RareColumns;
use self::columns::mark_rare_rows;
use self::report::is_pointed_at;
pub(crate) use self::report::{ReportStrength, names_bad_state, report_of};
use self::runs::mark_failed_runs;
use self::summary_line::is_summary;
use super::failure::{is_failed, is_heading, is_passed, is_total, rank};
use super::line_choice::LineRank;
pub(crate) use super::line_shape::line_kind;
use super::page::LinePage;

/// Weights of lines, by why they are asked for.
const ERROR: u8 = 100;
const END_TOTAL: u8 = 102;
const TOTAL: u8 = 96;
const LAST_LINE: u8 = 94;
const FIRST_LINE: u8 = 92;
const RARE_ROW: u8 = 90;
/// A row whose columns only blanks part: words of sentences look alike.
const RARE_WORD: u8 = 79;
const WEAK_ERROR: u8 = 84;
const CHANGE: u8 = 82;
const FAILED: u8 = 80;
const TABLE_HEAD: u8 = 76;
const OUTLIER: u8 = 72;
const DETAIL: u8 = 70;
const RUN_DETAIL: u8 = 78;
const BAD_STATE: u8 = 68;
const RARE_SHAPE: u8 = 52;
/// The first or the last of many rows.
const END_ROW: u8 = 48;
const WARNING: u8 = 46;
const NEAR_END: u8 = 57;
const NEAR_START: u8 = 56;
const HEADING: u8 = 36;

/// Lines at the end of a text in which it is summed up.
const END_LINES: usize = 12;
/// Lines before the last that are near the end.
const NEAR_END_LINES: usize = 5;
/// Lines of one kind that are rows of something.
const MIN_ROWS: usize = 6;
/// What a heading weighs less than the line for which it is shown.
const PARENT_DISCOUNT: u8 = 20;
/// What a second line of a kind weighs less than the first. Further ones count for what they show.
const REPEAT_DISCOUNT: u8 = 26;
const MAX_REPEATS: usize = 2;
/// What a name weighs less than the one before, up to so many.
const MAX_NAME_STEPS: usize = 16;

/// Weight of a line, and the kind of line that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Salience {
    /// 0 if the line counts for its facts alone.
    pub(crate) weight: u8,
    /// The words of the line without numbers, ids and paths.
    pub(crate) kind: u64,
    /// Whether it reports an error of its own.
    pub(crate) is_error: bool,
}

/// The salience of each line of a text.
pub(crate) fn salience(text: &str) -> Vec<Salience> {
    let page = LinePage::new(text);
    let mut work = SalienceWork::new(&page);
    work.weigh_lines();
    work.weigh_blocks();
    work.weigh_rare();
    mark_failed_runs(&page, |at, is_first| {
        work.raise(at, RUN_DETAIL - if is_first { 0 } else { 2 });
    });
    work.weigh_parents();
    work.weigh_ends();
    work.lines
}

struct SalienceWork<'p, 't> {
    page: &'p LinePage<'t>,
    lines: Vec<Salience>,
    /// Number of lines of each kind.
    counts: HashMap<u64, usize>,
    /// Number of lines that were raised to a weight, by kind and weight.
    raised: HashMap<(u64, u8), usize>,
}

impl<'p, 't> SalienceWork<'p, 't> {
    fn new(page: &'p LinePage<'t>) -> Self {
        let mut counts = HashMap::with_capacity(page.len());
        let line = |at: usize| {
            let kind = line_kind(page.line(at));
            *counts.entry(kind).or_insert(0) += 1;
            Salience { weight: 0, kind, is_error: false }
        };
        let lines = (0..page.len()).map(line).collect();
        Self { page, lines, counts, raised: HashMap::new() }
    }

    fn raise(&mut self, at: usize, weight: u8) {
        if let Some(line) = self.lines.get_mut(at) {
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
        let steps = u8::try_from(nth.min(MAX_NAME_STEPS)).unwrap_or_default();
        self.raise(at, weight.saturating_sub(steps));
    }

    /// What each line says by itself.
    fn weigh_lines(&mut self) {
        let page = self.page;
        let (mut failed, mut changes) = (0, 0);
        let solid = (0..page.len()).rev().filter(|at| !page.is_blank(*at));
        let end = solid.take(END_LINES).last().unwrap_or_default();
        let mut commit = None;
        for at in 0..page.len() {
            let body = page.body(at);
            if body.is_empty() {
                continue;
            }
            let report =
                if page.reports_error(at) { report_of(body) } else { ReportStrength::None };
            let passed = is_passed(body);
            let count = self.lines.get(at).and_then(|line| self.counts.get(&line.kind));
            let is_row = count.is_some_and(|count| *count >= MIN_ROWS);
            let is_end = !passed && (is_total(body) || !is_row && is_summary(body));
            if is_end {
                self.raise_kind(at, if at >= end { END_TOTAL } else { TOTAL });
            }
            match report {
                ReportStrength::Strong => self.raise_kind(at, ERROR),
                ReportStrength::Weak => self.raise_kind(at, WEAK_ERROR),
                ReportStrength::Warning => self.raise_kind(at, WARNING),
                ReportStrength::None if passed => {}
                ReportStrength::None => {
                    if names_bad_state(body) {
                        self.raise_kind(at, BAD_STATE);
                    }
                }
            }
            if let Some(line) = self.lines.get_mut(at) {
                line.is_error =
                    !is_end && matches!(report, ReportStrength::Strong | ReportStrength::Weak);
            }
            if is_failed(body) {
                self.raise_name(at, FAILED, failed);
                failed += 1;
            } else if is_heading(body) {
                self.raise_kind(at, HEADING);
            } else if is_pointed_at(body) {
                self.raise_kind(at, FAILED);
            }
            if names_change(body) {
                self.raise_name(at, CHANGE, changes);
                changes += 1;
                commit = body.starts_with("commit ").then_some((changes, false));
            } else if let Some((nth, is_after_blank)) = &mut commit {
                // The subject of a commit is the first line after its headers.
                if *is_after_blank {
                    let nth = *nth;
                    commit = None;
                    self.raise_name(at, CHANGE, nth);
                } else {
                    *is_after_blank = page.is_blank(at + 1);
                }
            }
            if is_rule(page.body(at + 1)) && !is_rule(body) {
                self.raise_kind(at, TABLE_HEAD);
            }
        }
    }

    /// The lines that belong to a failure.
    fn weigh_blocks(&mut self) {
        let mut ranks = vec![LineRank::May(0); self.page.len()];
        rank(self.page, &mut ranks);
        let (mut blocks, mut told) = (0_usize, 0_usize);
        let mut is_warned = false;
        for (at, rank) in ranks.iter().enumerate() {
            match rank {
                LineRank::Once => {
                    // A warning that speaks of an error opens no failure, and neither does a line
                    // between two of a list.
                    is_warned = self.is_between_rows(at)
                        || self.page.reports_error(at)
                            && report_of(self.page.body(at)) == ReportStrength::Warning;
                    if !is_warned {
                        blocks += 1;
                        told = 0;
                        self.raise_kind(at, FAILED - 2);
                    }
                }
                LineRank::Must | LineRank::Should if !is_warned => {
                    let steps = u8::try_from((told * 2 + blocks).min(40)).unwrap_or_default();
                    self.raise(at, DETAIL - steps);
                    told += 1;
                }
                _ => {}
            }
        }
    }

    /// Whether the lines around a line are rows of one list.
    fn is_between_rows(&self, at: usize) -> bool {
        let kind = |at: usize| self.lines.get(at).map(|line| line.kind);
        let before = at.checked_sub(1).filter(|before| !self.page.is_blank(*before)).and_then(kind);
        let count = before.and_then(|kind| self.counts.get(&kind));
        before.is_some() && before == kind(at + 1) && count.is_some_and(|count| *count >= MIN_ROWS)
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
        let solid = (0..self.page.len()).filter(|at| !self.page.is_blank(*at)).count();
        let least = 4.max(solid / 20);
        let alike = self.lines.iter().filter(|line| count(line) >= least).count();
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

    /// A line that is asked for is read under the nearest line above that is indented less.
    fn weigh_parents(&mut self) {
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut section = None;
        for at in (0..self.page.len()).filter(|at| !self.page.is_blank(*at)) {
            let indent = self.page.indent(at);
            while open.last().is_some_and(|(other, _)| *other >= indent) {
                open.pop();
            }
            let weight = self.lines.get(at).map_or(0, |line| line.weight);
            if weight >= BAD_STATE {
                let parent = open.last().map(|(_, parent)| *parent);
                for heading in parent.into_iter().chain(section) {
                    self.raise(heading, weight - PARENT_DISCOUNT);
                }
            }
            if heads_section(self.page.body(at)) {
                section = Some(at);
            }
            open.push((indent, at));
        }
    }

    /// The beginning and the end of a text say what it is and how it ended.
    fn weigh_ends(&mut self) {
        let solid: Vec<usize> =
            (0..self.page.len()).filter(|at| !self.page.is_blank(*at)).collect();
        let ends = [
            (solid.first(), FIRST_LINE),
            (solid.get(1), NEAR_START),
            (solid.get(2), NEAR_START - 1),
            (solid.last(), LAST_LINE),
        ];
        let near = solid.iter().rev().skip(1).take(NEAR_END_LINES).map(Some);
        let near = near.zip((0..=NEAR_END).rev());
        for (at, weight) in ends.into_iter().chain(near) {
            let Some(at) = at else { continue };
            let kind = self.lines.get(*at).map(|line| line.kind).unwrap_or_default();
            let is_row = self.counts.get(&kind).is_some_and(|count| *count >= MIN_ROWS);
            self.raise(*at, if is_row { weight.min(END_ROW) } else { weight });
        }
    }
}

/// Whether a line names what a plan, a history or a difference is about: `# addr will be created`,
/// `commit 9f2c…`, `diff --git a/x b/x`.
fn names_change(body: &str) -> bool {
    match body.bytes().next() {
        Some(b'#') => {
            body.starts_with("# ") && (body.contains(" will be ") || body.contains(" must be "))
        }
        Some(b'c') => body.strip_prefix("commit ").is_some_and(|hash| {
            let digits = hash.bytes().take_while(u8::is_ascii_hexdigit).count();
            digits >= 7 && hash.as_bytes().get(digits).is_none_or(|next| *next == b' ')
        }),
        Some(b'd') => body.starts_with("diff --git ") || body.starts_with("diff --cc "),
        _ => false,
    }
}

/// Whether a line heads the lines up to the next one like it: `TASK [x] ****`, `*** 3. row ***`,
/// `==> v1/Secret`, `> Task :a:b`.
fn heads_section(body: &str) -> bool {
    const HEADS: [&str; 3] = ["==> ", "> Task ", "*** "];
    let is_ruled = ["****", "====", "----"].iter().any(|rule| body.ends_with(rule));
    HEADS.iter().any(|head| body.starts_with(head))
        || is_ruled && body.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a line is drawn between the head of a table and its rows.
fn is_rule(body: &str) -> bool {
    let is_mark = |letter: char| {
        matches!(letter, '-' | '=' | '+' | '|' | ':' | ' ' | '\t' | '\u{2500}'..='\u{257f}')
    };
    body.len() >= 3
        && body.chars().all(is_mark)
        && body.chars().any(|letter| matches!(letter, '-' | '=' | '\u{2500}' | '\u{2550}'))
}

#[cfg(test)]
mod tests;
