//! A report before it is finished: [`ReportBuilder`].

use std::sync::Arc;

use serde_json::value::RawValue;

use super::{HistorySummary, NotationTokens, PutOffReport, Report};
use crate::domain::{Note, PayloadCost};
use crate::pipeline::FirstChange;
use crate::pipeline::requirements::Requirements;

/// A report that is being put together: the pipeline fills in its figures, the service what happens
/// around the pipeline. [`Self::finish`] ends it, and nothing changes a finished report.
#[derive(Debug)]
pub struct ReportBuilder {
    report: Report,
}

impl ReportBuilder {
    /// Begins with the figures of a compile.
    pub(crate) fn new(report: Report) -> Self {
        Self { report }
    }

    /// The report as far as it is known.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Sets the summary that replaces old messages, and why a compaction point waits.
    pub(crate) fn compression(
        &mut self,
        summary: Option<HistorySummary>,
        put_off: Option<PutOffReport>,
    ) {
        self.report.history_summary = summary;
        self.report.put_off = put_off;
    }

    /// Sets the pointers of the blocks that carry a cache mark.
    pub(crate) fn breakpoints(&mut self, pointers: Vec<String>) {
        self.report.cache.breakpoints = pointers;
    }

    /// Sets the tokens after lossless edits alone, by how they may show values.
    pub(crate) fn notations(&mut self, tokens: NotationTokens) {
        self.report.notations = Some(tokens);
    }

    /// Sets where the payload leaves the one before it.
    pub fn first_change(&mut self, change: Option<FirstChange>) {
        self.report.cache.first_change = change;
    }

    /// Sets what the request of the payload needs.
    pub(crate) fn requires(&mut self, requirements: Option<Requirements>) {
        self.report.requires = requirements;
    }

    /// Sets what the payload costs.
    pub fn cost(&mut self, cost: Option<PayloadCost>) {
        self.report.cost = cost;
    }

    /// Sets the tokens that no earlier compile of the session left out.
    pub fn unique_saved(&mut self, tokens: u64) {
        self.report.unique_saved_tokens = tokens;
    }

    /// Sets the cost of the session's last payload, as its provider reported it.
    pub fn reported_cost(&mut self, cost: Option<PayloadCost>) {
        self.report.reported_cost = cost;
    }

    /// Sets the keys of memory entries that have expired.
    pub fn expired_memory(&mut self, keys: Vec<String>) {
        self.report.memory.expired = keys;
    }

    pub fn warn(&mut self, warning: Note) {
        self.report.warnings.push(warning);
    }

    pub fn degrade(&mut self, degraded: Note) {
        self.report.degraded.push(degraded);
    }

    /// Removes the repairs of the last message that has calls without a result: the caller is about
    /// to run them.
    pub fn forgive_open_calls(&mut self) {
        let is_open = |note: &Note| note.code == "unanswered_call";
        let repairs = &mut self.report.repairs;
        let last = repairs.iter().rfind(|note| is_open(note)).map(|note| note.pointer.clone());
        repairs.retain(|note| !is_open(note) || Some(&note.pointer) != last.as_ref());
    }

    /// Adds lines of hooks that ran.
    pub fn hooks(&mut self, lines: impl IntoIterator<Item = Box<RawValue>>) {
        self.report.hooks.extend(lines);
    }

    /// Ends the report.
    pub fn finish(self) -> Arc<Report> {
        Arc::new(self.report)
    }
}
