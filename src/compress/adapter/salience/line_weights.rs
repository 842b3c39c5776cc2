//! What each line says by itself: how the work ended, what went wrong, what it names.

use foldhash::HashMap;

use super::super::failure::{is_heading, is_passed, is_total};
use super::super::frame::frame;
use super::super::line_shape::line_kind;
use super::super::page::LinePage;
use super::SalienceWork;
use super::report::{
    ReportStrength, is_excerpt, is_marked_warning, is_pointed_at, names_bad_state, names_conflict,
    report_of,
};
use super::summary_line::{is_sentence, is_status, is_summary, names_code};
use super::verdicts::{ComparedValues, failed_test, is_duration, marked_at_end};
use super::weights::{
    BAD_STATE, CHANGE, COMPARED, DURATION, END_LINES, END_TOTAL, ERROR, FAILED, FEW_ENTRIES,
    FEW_WARNINGS, HEADING, INNER_TOTAL, LIST_HEAD, MAX_FEW_WARNINGS, MAX_INNER_TOTALS,
    MAX_LIST_HEADS, MESSAGE, MIN_ROWS, PART_TOTAL, TABLE_HEAD, TOTAL, WARNING, WEAK_ERROR,
};
use crate::compress::segment::is_entry;

/// A line of nothing but data.
const NO_WORDS: &str = "0";

/// Lines that name things, so far.
#[derive(Debug, Default)]
struct NamedLines<'t> {
    conflicts: usize,
    /// Lines that name a test that failed: of those that name the same one (where it ran, above
    /// what it printed, at the end) the shortest.
    failed: Vec<usize>,
    /// Places in `failed` by the name of the test.
    tests: HashMap<&'t str, usize>,
    /// Whether the failed test has reported an error.
    has_reported: bool,
    reported: usize,
    changes: usize,
    compared: usize,
    values: ComparedValues,
    /// Lines that announce the deeper lines below them.
    heads: Vec<usize>,
    warnings: Vec<usize>,
}

impl<'t> SalienceWork<'_, 't> {
    /// What each line says by itself.
    pub(super) fn weigh_lines(&mut self) {
        let page = self.page;
        let solid = (0..page.len()).rev().filter(|at| !page.is_blank(*at));
        let end = solid.take(END_LINES).last().unwrap_or_default();
        let mut named = NamedLines::default();
        let mut has_head = false;
        for at in page.solid().iter().copied() {
            let failed = failed_test(page.body(at));
            self.weigh_report(at, end, failed.is_some());
            self.weigh_name(at, failed, &mut named);
            if failed.is_none() && is_marked_warning(page.body(at)) {
                named.warnings.push(at);
            }
            let is_head = is_rule(page.body(at + 1)) && !is_rule(page.body(at));
            let is_first = !(self.has_separators && has_head);
            if is_head && is_first && failed.is_none() && !self.banners.closes(at + 1) {
                self.raise_kind(at, TABLE_HEAD);
                has_head = true;
            }
        }
        self.names_failures = !named.failed.is_empty();
        for (nth, at) in named.failed.into_iter().enumerate() {
            self.raise_name(at, FAILED, nth);
        }
        if self.names_failures {
            self.weigh_errors_of_tests();
        }
        self.weigh_totals(end);
        if named.warnings.len() <= MAX_FEW_WARNINGS {
            for (nth, at) in named.warnings.into_iter().enumerate() {
                self.raise_name(at, FEW_WARNINGS, nth);
            }
        }
        // Of more, they are keys.
        if named.heads.len() <= MAX_LIST_HEADS {
            for (nth, at) in named.heads.into_iter().enumerate() {
                self.raise_name(at, LIST_HEAD, nth);
                self.weigh_short_list(at);
            }
        }
    }

    /// How the work ended, and what went wrong. `end`: where the end of the text begins; `is_named`:
    /// whether the line names a test that failed.
    fn weigh_report(&mut self, at: usize, end: usize, is_named: bool) {
        let body = self.page.body(at);
        let may_report =
            self.page.reports_error(at) && !is_excerpt(body) && !self.heads_columns(at);
        let report = if may_report { report_of(body) } else { ReportStrength::None };
        let passed = is_passed(body);
        let kind = self.lines.get(at).map(|line| line.kind).unwrap_or_default();
        let count = self.counts.get(&kind).copied().unwrap_or_default();
        let is_row = count >= MIN_ROWS && kind != line_kind(NO_WORDS);
        let is_count = is_total(body) && !is_sentence(body) && !names_code(body);
        let is_end = !passed && (is_count || !is_row && is_summary(body));
        let is_result = is_count && !is_summary(body);
        if is_end && is_duration(body) {
            self.raise_kind(at, DURATION);
        } else if is_end && is_result {
            self.totals.push(at);
        } else if is_end {
            self.has_end_total |= is_count && at >= end;
            let is_last = at >= end && !is_status(body);
            self.raise_kind(at, if is_last { END_TOTAL } else { TOTAL });
        }
        match report {
            // What failed is named: each of these lines is asked for, and none twice.
            _ if is_named => {}
            ReportStrength::Weak if is_result && body.ends_with(':') => {}
            // `failures:`
            ReportStrength::Strong | ReportStrength::Weak if is_bare_heading(body) => {
                self.raise_kind(at, HEADING);
            }
            ReportStrength::Strong => self.raise_kind(at, ERROR),
            ReportStrength::Weak => self.raise_kind(at, WEAK_ERROR),
            ReportStrength::Warning => self.raise_kind(at, WARNING),
            // What most things are in is no bad state.
            ReportStrength::None
                if !passed && !is_row && !is_bare_heading(body) && names_bad_state(body) =>
            {
                self.raise_kind(at, BAD_STATE);
            }
            ReportStrength::None => {}
        }
        if let Some(line) = self.lines.get_mut(at) {
            line.is_error =
                !is_end && !is_named && !is_bare_heading(body) && report >= ReportStrength::Weak;
        }
        let announces = report >= ReportStrength::Weak && !is_heading(body) && body.contains(' ');
        if announces && body.ends_with(':') || is_end && body.ends_with(',') {
            self.raise_message(at);
        }
    }

    /// Counts of results: those at the end are of all; without one there, the few that there are.
    fn weigh_totals(&mut self, end: usize) {
        let totals = std::mem::take(&mut self.totals);
        let inner = totals.iter().filter(|at| **at < end).count();
        let is_last = inner == totals.len() && !self.has_end_total;
        for at in totals {
            let weight = match inner {
                _ if at >= end => END_TOTAL,
                0..=MAX_INNER_TOTALS if is_last => END_TOTAL,
                // `There were 2 failures:`
                0..=MAX_INNER_TOTALS if self.page.body(at).ends_with(':') => INNER_TOTAL,
                0..=MAX_INNER_TOTALS => TOTAL,
                _ => PART_TOTAL,
            };
            self.raise_kind(at, weight);
        }
    }

    /// What is named: what failed, what changes, what was compared. `failed`: the test that the line
    /// says failed.
    fn weigh_name(&mut self, at: usize, failed: Option<&'t str>, named: &mut NamedLines<'t>) {
        let body = self.page.body(at);
        if let Some(test) = failed {
            let nth = *named.tests.entry(test).or_insert(named.failed.len());
            match named.failed.get_mut(nth) {
                Some(other) if self.page.line(*other).len() > self.page.line(at).len() => {
                    *other = at;
                }
                Some(_) => {}
                None => named.failed.push(at),
            }
            named.has_reported = false;
            self.weigh_told_below(at, named.failed.len());
        } else if names_conflict(body) {
            self.raise_name(at, FAILED, named.conflicts);
            named.conflicts += 1;
        } else if is_heading(body) {
            self.raise_kind(at, HEADING);
        } else if is_pointed_at(body) {
            self.raise_kind(at, FAILED);
        }
        // What each test that failed says, though others say the same of other values.
        let is_error = self.lines.get(at).is_some_and(|line| line.is_error);
        if is_error && !named.failed.is_empty() && !named.has_reported {
            self.raise_name(at, MESSAGE, named.reported);
            named.has_reported = true;
            named.reported += 1;
        }
        if names_change(body) {
            self.raise_name(at, CHANGE, named.changes);
            named.changes += 1;
        }
        if named.values.take(body, failed.is_some()) {
            self.raise_name(at, COMPARED, named.compared);
            named.compared += 1;
        }
        if self.heads_list(at) {
            named.heads.push(at);
        }
    }

    /// Whether a line announces the deeper lines below it: `Untracked files:`, `Options:`.
    fn heads_list(&self, at: usize) -> bool {
        let is_deeper = |next: usize| self.page.indent(next) > 0;
        let next = self.page.next_solid(at);
        self.page.indent(at) == 0
            && self.page.body(at).ends_with(':')
            && next.is_some_and(is_deeper)
    }

    /// What a program logs while it is tested says less than which tests failed.
    fn weigh_errors_of_tests(&mut self) {
        let page = self.page;
        for (at, line) in self.lines.iter_mut().enumerate().filter(|(_, line)| line.is_error) {
            if is_entry(page.body(at).as_bytes()) {
                line.weight = line.weight.min(FAILED - 1);
            }
        }
    }

    /// What failed, if the verdict ends its line: the next line.
    fn weigh_told_below(&mut self, at: usize, nth: usize) {
        let page = self.page;
        let next = page.next_solid(at);
        let is_told = |next: &usize| {
            let body = page.body(*next);
            !is_rule(body) && !is_passed(body) && !is_total(body) && failed_test(body).is_none()
        };
        if let Some(next) = next.filter(|_| marked_at_end(page.body(at)).is_some()).filter(is_told)
        {
            self.raise_name(next, MESSAGE, nth);
        }
    }

    /// The entries of a list that has few: `Skipping packages with conflicts:`, ` nginx-mod`.
    fn weigh_short_list(&mut self, head: usize) {
        const MAX_ENTRIES: usize = 2;
        let page = self.page;
        let own =
            (head + 1..page.len()).take_while(|at| page.indent(*at) > 0 && !page.is_blank(*at));
        let own: Vec<usize> = own.take(MAX_ENTRIES + 1).collect();
        if own.len() <= MAX_ENTRIES {
            for (nth, at) in own.into_iter().enumerate() {
                self.raise_name(at, FEW_ENTRIES, nth);
            }
        }
    }

    /// Whether a line names the columns of the table below it.
    pub(super) fn heads_columns(&self, at: usize) -> bool {
        const MIN_COLUMNS: usize = 3;
        let (body, below) = (self.page.body(at), self.page.body(at + 1));
        let columns = body.split("  ").filter(|cell| !cell.trim_ascii().is_empty()).count();
        !self.has_separators && columns >= MIN_COLUMNS && is_rule(below) && !is_rule(body)
    }

    /// Raises the line after one that announces it: `error: 1 error occurred:`.
    fn raise_message(&mut self, at: usize) {
        let weight = self.lines.get(at).map_or(0, |line| line.weight);
        let next = self.page.next_solid(at);
        let is_frame = |next: &usize| frame(self.page, *next, true).is_some();
        if let Some(next) = next.filter(|next| !is_frame(next)) {
            self.raise(next, weight.saturating_sub(1));
        }
    }
}

/// Whether a line names what a plan, a difference or an exchange is about:
/// `# addr will be created`, `diff --git a/x b/x`, `> POST /orders HTTP/2`.
fn names_change(body: &str) -> bool {
    match body.bytes().next() {
        Some(b'#') => {
            body.starts_with("# ") && (body.contains(" will be ") || body.contains(" must be "))
        }
        Some(b'd') => body.starts_with("diff --git ") || body.starts_with("diff --cc "),
        Some(b'>') => body.rsplit(' ').next().is_some_and(|last| last.starts_with("HTTP/")),
        _ => false,
    }
}

/// Whether a line is one word that announces the lines below it.
fn is_bare_heading(body: &str) -> bool {
    let is_plural = body.len() > 4 && body.ends_with('S');
    match body.strip_suffix(':') {
        Some(word) => word.bytes().all(|byte| byte.is_ascii_alphabetic()),
        // `ERRORS`
        None => is_plural && body.bytes().all(|byte| byte.is_ascii_uppercase()),
    }
}

/// Whether rules part the lines of a text, so that they head nothing.
pub(super) fn has_separators(page: &LinePage<'_>) -> bool {
    let solid = page.solid();
    let rules = solid.iter().filter(|at| is_rule(page.body(**at))).count();
    rules * 10 >= solid.len() * 3
}

/// Whether a line is drawn between the head of a table and its rows.
pub(super) fn is_rule(body: &str) -> bool {
    let is_mark = |letter: char| {
        matches!(letter, '-' | '=' | '+' | '|' | ':' | ' ' | '\t' | '\u{2500}'..='\u{257f}')
    };
    body.len() >= 3
        && body.chars().all(is_mark)
        && body.chars().any(|letter| matches!(letter, '-' | '=' | '\u{2500}' | '\u{2550}'))
}
