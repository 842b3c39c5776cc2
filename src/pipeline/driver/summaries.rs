//! Summaries by hooks or models, between two runs of stage 7.
//!
//! The stage names the summary that it needs and uses quotes in the meantime; a hook or model is
//! asked, and the stage runs once more with the result. It needs two at most: that of its last
//! compaction point, and that of a squeeze after it.

use super::Driver;
use super::history_parts::{ArrivedHistory, CompressionPass, OutsideHistory};
use crate::domain::Message;
use crate::pipeline::compress::{Output as CompressOutput, SummaryRequest, SummaryResult};
use crate::pipeline::points::summary::{MAX_SUMMARIES, SummarySlice};
use crate::pipeline::stage::timed;
use crate::pipeline::{Error, compress};

impl Driver<'_> {
    /// The history with summaries of hooks or models, if there are any.
    pub(super) fn summarized(
        &mut self,
        arrived_history: &mut ArrivedHistory,
        outside: &OutsideHistory,
        mut compressed: CompressOutput,
        pass: &mut CompressionPass,
    ) -> Result<CompressOutput, Error> {
        if !self.hooks.summarizes() || pass.leave || !compress::covers_any(&compressed.outcome) {
            return Ok(compressed);
        }
        pass.material.asks = true;
        for _ in 0..=MAX_SUMMARIES {
            if compressed.wanted.is_none() && pass.material.written.is_empty() {
                // The stage has not yet been asked which summaries it needs.
                compressed = self.compress(arrived_history, outside, pass)?;
            }
            let Some(wanted) = compressed.wanted.take() else { break };
            let written = self.write(arrived_history, wanted, pass)?;
            pass.material.written.push(written);
            compressed = self.compress(arrived_history, outside, pass)?;
        }
        Ok(compressed)
    }

    fn write(
        &mut self,
        arrived_history: &ArrivedHistory,
        wanted: SummaryRequest,
        pass: &CompressionPass,
    ) -> Result<SummaryResult, Error> {
        let covered = wanted.covered.iter().filter_map(|at| arrived_history.history.get(*at));
        let covered: Vec<&Message> = covered.collect();
        let compression = &self.request.compression;
        let (instructions, material) =
            (compression.summary_instructions.clone(), pass.material.input.clone());
        let stub_over = compression.stub_tool_results_over;
        let most = self.request.model.scale(wanted.max_tokens);
        let slice = SummarySlice::new(&covered, stub_over, instructions, material, most);
        let hooks = &mut *self.hooks;
        let asked = timed(&mut self.timings.hooks, || hooks.summarize(&slice.ask()))?;
        self.meter.check()?;
        Ok(compress::read_summary(wanted, asked, &mut self.notes))
    }
}
