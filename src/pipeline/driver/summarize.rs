//! Summaries that others write, between two runs of stage 7.
//!
//! The stage says which summary it wants and goes on with quotes; whoever writes summaries is asked,
//! and the stage runs once more with what came of it. It wants two at most: that of its last
//! compaction point, and that of a squeeze which comes behind it.

use super::Driver;
use super::stages::{ArrivedHistory, CompressionPass, OutsideHistory};
use crate::domain::Message;
use crate::pipeline::compress::{Output as Compressed, SummaryRequest, SummaryResult};
use crate::pipeline::points::summarize::SummarySlice;
use crate::pipeline::stage::timed;
use crate::pipeline::{Error, compress};

/// Summaries of one payload.
const MAX_SUMMARIES: usize = 2;

impl Driver<'_> {
    /// The history with summaries that others wrote, where they write any.
    pub(super) fn summarized(
        &mut self,
        past: &mut ArrivedHistory,
        around: &OutsideHistory,
        mut compressed: Compressed,
        how: &mut CompressionPass,
    ) -> Result<Compressed, Error> {
        if !self.hooks.summarizes() || how.leave || !compress::covers_any(&compressed.outcome) {
            return Ok(compressed);
        }
        how.material.asks = true;
        for _ in 0..=MAX_SUMMARIES {
            if compressed.wanted.is_none() && how.material.written.is_empty() {
                // Nobody has asked the stage yet which summaries it wants.
                compressed = self.compress(past, around, how)?;
            }
            let Some(wanted) = compressed.wanted.take() else { break };
            let written = self.write(past, wanted, how)?;
            how.material.written.push(written);
            compressed = self.compress(past, around, how)?;
        }
        Ok(compressed)
    }

    fn write(
        &mut self,
        past: &ArrivedHistory,
        wanted: SummaryRequest,
        how: &CompressionPass,
    ) -> Result<SummaryResult, Error> {
        let covered = wanted.covered.iter().filter_map(|at| past.history.get(*at));
        let covered: Vec<&Message> = covered.collect();
        let compression = &self.request.compression;
        let (instructions, material) =
            (compression.summary_instructions.clone(), how.material.input.clone());
        let stub_over = compression.stub_tool_results_over;
        let most = self.request.model.scale(wanted.max_tokens);
        let slice = SummarySlice::new(&covered, stub_over, instructions, material, most);
        let hooks = &mut *self.hooks;
        let asked = timed(&mut self.timings.hooks, || hooks.summarize(&slice.ask()))?;
        self.meter.check()?;
        Ok(compress::read_summary(wanted, asked, &mut self.notes))
    }
}
