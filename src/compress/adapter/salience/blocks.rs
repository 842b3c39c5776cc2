//! Lines that are asked for with others: what belongs to a failure, where it is, and the lines
//! under which it is read.

use super::super::failure::{is_heading, is_passed, rank};
use super::super::frame::frame;
use super::super::line_choice::LineRank;
use super::SalienceWork;
use super::report::{ReportStrength, is_caret, names_place, report_of};
use super::verdicts::failed_test;
use super::weights::{
    BAD_STATE, BANNER_DISCOUNT, DETAIL, FAILED, LIBRARY_DISCOUNT, MIN_ROWS, PARENT_DISCOUNT, PLACE,
};

impl SalienceWork<'_, '_> {
    /// The lines that belong to a failure.
    pub(super) fn weigh_blocks(&mut self) {
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
                        || self.heads_columns(at)
                        || self.page.reports_error(at) && self.reports_little(at);
                    if !is_warned {
                        blocks += 1;
                        told = 0;
                        if failed_test(self.page.body(at)).is_none() {
                            self.raise_kind(at, FAILED - 2);
                        }
                    }
                }
                _ if ends_step(self.page.body(at)) => is_warned = true,
                LineRank::Must | LineRank::Should if !is_warned => {
                    let steps = u8::try_from((told * 2 + blocks).min(40)).unwrap_or_default();
                    // The program's own calls come first.
                    let is_library =
                        frame(self.page, at, true).is_some_and(|frame| frame.is_library);
                    let steps = steps + if is_library { LIBRARY_DISCOUNT } else { 0 };
                    self.raise(at, DETAIL - steps);
                    told += 1;
                }
                _ => {}
            }
        }
    }

    /// Where an error is: the first place below it that is no library's, and what a caret points at.
    pub(super) fn weigh_places(&mut self) {
        /// Lines below an error in which its place is.
        const MAX_DISTANCE: usize = 24;
        let page = self.page;
        let mut error: Option<usize> = None;
        let mut has_place = false;
        let mut places = 0;
        for at in 0..page.len() {
            let body = page.body(at);
            if page.reports_error(at) && !is_passed(body) {
                if let Some(place) = self.place_above(at) {
                    self.raise_name(place, PLACE, places);
                    places += 1;
                }
                let is_own =
                    self.lines.get(at).is_some_and(|line| line.is_error && line.weight >= DETAIL);
                error = Some(at).filter(|_| is_own);
                has_place = names_place(body);
            } else if error.is_some_and(|error| at - error <= MAX_DISTANCE) {
                let is_library = frame(page, at, true).is_some_and(|frame| frame.is_library);
                let is_place = !has_place && !is_library && names_place(body);
                if is_place || is_caret(page.body(at + 1)) {
                    has_place |= is_place;
                    self.raise_name(at, PLACE, places);
                    places += 1;
                }
            }
        }
    }

    /// Whether a line only speaks of an error.
    fn reports_little(&self, at: usize) -> bool {
        let body = self.page.body(at);
        let is_named = is_heading(body) || failed_test(body).is_some();
        !is_named && report_of(body) <= ReportStrength::Warning
    }

    /// The line that says where an error is, if a compiler says it first and shows the code between:
    /// `solve.f90:118:19:`.
    fn place_above(&self, error: usize) -> Option<usize> {
        /// Lines of code between.
        const MAX_DISTANCE: usize = 6;
        let page = self.page;
        let is_own = self.lines.get(error).is_some_and(|line| line.is_error);
        let above = (error.saturating_sub(MAX_DISTANCE)..error).rev();
        let mut above = above.take_while(|at| !page.reports_error(*at));
        let is_place = |at: &usize| {
            let body = page.body(*at);
            body.ends_with(':') && names_place(body) && !body.contains(' ')
        };
        above.find(is_place).filter(|_| is_own && !names_place(page.body(error)))
    }

    /// Whether the lines around a line are rows of one list.
    fn is_between_rows(&self, at: usize) -> bool {
        let kind = |at: usize| self.lines.get(at).map(|line| line.kind);
        let before = at.checked_sub(1).filter(|before| !self.page.is_blank(*before)).and_then(kind);
        let count = before.and_then(|kind| self.counts.get(&kind));
        before.is_some() && before == kind(at + 1) && count.is_some_and(|count| *count >= MIN_ROWS)
    }

    /// A line that is asked for is read under the nearest line above that is indented less, and
    /// under the first one of a short paragraph.
    pub(super) fn weigh_parents(&mut self) {
        /// Lines of a paragraph whose first line says what the others are about.
        const MAX_PARAGRAPH_LINES: usize = 8;
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut section = None;
        let mut banner = None;
        let mut paragraph = 0;
        for at in 0..self.page.len() {
            if self.page.is_blank(at) {
                paragraph = at + 1;
                continue;
            }
            let indent = self.page.indent(at);
            while open.last().is_some_and(|(other, _)| *other >= indent) {
                open.pop();
            }
            let weight = self.lines.get(at).map_or(0, |line| line.weight);
            if weight >= BAD_STATE {
                let parent = open.last().map(|(_, parent)| *parent);
                let is_near = at > paragraph && at - paragraph < MAX_PARAGRAPH_LINES;
                let first = Some(paragraph).filter(|_| is_near && paragraph > 0);
                for heading in parent.into_iter().chain(section).chain(first) {
                    self.raise(heading, weight - PARENT_DISCOUNT);
                }
            }
            if self.banners.heads(at) {
                banner = Some(at);
            } else if let Some(banner) = banner
                && failed_test(self.page.body(at)).is_some()
            {
                self.raise(banner, weight.saturating_sub(BANNER_DISCOUNT));
            }
            if heads_section(self.page.body(at)) {
                section = Some(at);
            }
            open.push((indent, at));
        }
    }
}

/// Whether a line is where one step of a pipeline ends or the next one begins: no failure goes on
/// there.
fn ends_step(body: &str) -> bool {
    const HEADS: [&str; 3] = ["[Pipeline] ", "section_start:", "section_end:"];
    HEADS.iter().any(|head| body.starts_with(head))
        || body.contains("##[group]")
        || body.contains("##[endgroup]")
}

/// Whether a line heads the lines up to the next one like it: `TASK [x] ****`, `*** 3. row ***`,
/// `==> v1/Secret`, `> Task :a:b`.
fn heads_section(body: &str) -> bool {
    const HEADS: [&str; 5] = ["==> ", "> Task ", "*** ", "[Pipeline] { (", "$ "];
    let is_ruled = ["****", "====", "----"].iter().any(|rule| body.ends_with(rule));
    HEADS.iter().any(|head| body.starts_with(head))
        || body.contains("##[group]Run ")
        || is_ruled && body.bytes().any(|byte| byte.is_ascii_alphanumeric())
}
