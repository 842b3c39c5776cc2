//! Lines of a run that report errors, and whether so many of a text do that they are its rows.

use std::cell::OnceCell;

use super::severity::{reporting, reports_error};
use crate::compress::text::LineTable;

/// Finds out, once it is asked, whether errors are what a text consists of. One error among other
/// lines is what a reader looks for; a log of nothing but errors is rows like any other.
#[derive(Debug)]
pub(crate) struct TextErrors<'t> {
    text: &'t str,
    are_many: OnceCell<bool>,
}

impl<'t> TextErrors<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, are_many: OnceCell::new() }
    }

    /// Whether more than a third of the lines of the text report errors.
    fn are_many(&self) -> bool {
        *self.are_many.get_or_init(|| {
            let lines = LineTable::new(self.text);
            let reports = reporting(&lines).into_iter().filter(|reports| *reports).count();
            let solid = (0..lines.len()).filter(|line| !lines.is_blank(*line)).count();
            is_large_share(reports, solid)
        })
    }
}

/// Whether so many of some lines are more than a third of them.
pub(super) fn is_large_share(reports: usize, lines: usize) -> bool {
    reports * 3 > lines
}

/// Error flags of the lines of a run, as far as they were checked: several notations are asked
/// about the same lines.
#[derive(Debug)]
pub(crate) struct ErrorLines<'t> {
    reports: Vec<Option<bool>>,
    /// The text that the run is of; none if it is all there is.
    text: Option<&'t TextErrors<'t>>,
}

impl<'t> ErrorLines<'t> {
    /// Nothing is known of so many lines.
    pub(crate) fn new(lines: usize) -> Self {
        Self { reports: vec![None; lines], text: None }
    }

    /// The same, of lines of a text.
    pub(crate) fn within(text: &'t TextErrors<'t>, lines: usize) -> Self {
        Self { text: Some(text), ..Self::new(lines) }
    }

    /// Says whether a line reports an error.
    #[inline]
    pub(super) fn set(&mut self, at: usize, reports: bool) {
        if let Some(known) = self.reports.get_mut(at) {
            *known = Some(reports);
        }
    }

    /// Whether a line, which is this one, reports an error.
    #[inline]
    pub(super) fn reports(&mut self, at: usize, line: &str) -> bool {
        match self.reports.get_mut(at) {
            Some(known) => *known.get_or_insert_with(|| reports_error(line)),
            None => reports_error(line),
        }
    }

    /// Whether errors are rows like any other: they are a large share of these lines, as the
    /// caller knows, and of the text.
    pub(super) fn are_rows(&self) -> bool {
        self.text.is_none_or(TextErrors::are_many)
    }
}
