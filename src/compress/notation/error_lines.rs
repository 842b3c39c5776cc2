//! What was found out of a run of lines that several notations are asked about.

use super::severity::reports_error;

/// Which lines report errors, as far as they were checked.
#[derive(Debug)]
pub(crate) struct ErrorLines {
    reports: Vec<Option<bool>>,
}

impl ErrorLines {
    /// Nothing is known of so many lines.
    pub(crate) fn new(lines: usize) -> Self {
        Self { reports: vec![None; lines] }
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
}
