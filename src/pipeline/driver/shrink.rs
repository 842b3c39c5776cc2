//! The hooks around a history that shrinks.

use super::Driver;
use super::stages::{ArrivedHistory, CompressionPass, OutsideHistory, Preamble};
use crate::domain::Message;
use crate::hook::{
    AnswerReader, GuardDecision, HookInput, HookKind, MatchContext, Point, TokenChange,
    TokenPressure,
};
use crate::pipeline::Error;
use crate::pipeline::compress::{self, Output as CompressOutput};
use crate::pipeline::points::list::{ReturnedList, ShownMessages};
use crate::pipeline::points::shrink;

impl Driver<'_> {
    /// Asks before a history shrinks: whether, with what history, and with what for its summary.
    pub(super) fn before_compress(
        &mut self,
        arrived_history: &mut ArrivedHistory,
        preamble: &Preamble,
        mut outside: OutsideHistory,
        mut compressed: CompressOutput,
        pass: &mut CompressionPass,
    ) -> Result<(OutsideHistory, CompressOutput), Error> {
        const POINT: Point = Point::BeforeCompress;
        if !self.hooks.has_any(POINT) || !shrink::shrinks(&compressed.outcome) {
            return Ok((outside, compressed));
        }
        let mut seen = ShownMessages::new(arrived_history.history.iter());
        let input = self.input(arrived_history, preamble, &outside, &compressed, &seen);
        let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
        let reader = AnswerReader::new(|payload: &str| seen.read(payload));
        let changed = self.change(at, &|payload| reader.check(payload))?;
        if let Some(denial) = changed.denied {
            self.observe(at, GuardDecision::Denied(&denial))?;
            let detail = format!("hook `{}`: {}", denial.hook, denial.reason);
            self.notes.warn("compression_denied", String::new(), detail);
            pass.leave = true;
            let compressed = self.compress(arrived_history, &outside, pass)?;
            return Ok((outside, compressed));
        }
        let mut input = changed.input.unwrap_or_else(|| input.into());
        if let Some(list) = changed.payload.and_then(|payload| reader.take(&payload))
            && self.replace(arrived_history, preamble, list)?
        {
            outside = self.outside(preamble, arrived_history, None)?;
            compressed = self.compress(arrived_history, &outside, pass)?;
            seen = ShownMessages::new(arrived_history.history.iter());
            input = self.input(arrived_history, preamble, &outside, &compressed, &seen).into();
        }
        let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
        // Text is for the summary: if none is made, no hook is asked for text.
        if self.hooks.has(POINT, HookKind::Provide) && compress::covers_any(&compressed.outcome) {
            let provided = self.provide(at, &|_| Ok(()))?;
            pass.material = shrink::material(&provided.fragments);
            if !pass.material.is_empty() {
                // Verbatim text is outside of the summary's own cap.
                let verbatim = pass.material.verbatim.as_deref();
                pass.free += verbatim.map_or(Ok(0), |text| self.meter.text(text))?;
                compressed = self.compress(arrived_history, &outside, pass)?;
            }
        }
        self.observe(at, GuardDecision::Allowed)?;
        Ok((outside, compressed))
    }

    /// Notifies observers of a history that shrank.
    pub(super) fn after_compress(
        &mut self,
        arrived_history: &ArrivedHistory,
        outside: &OutsideHistory,
        compressed: &CompressOutput,
    ) -> Result<(), Error> {
        const POINT: Point = Point::AfterCompress;
        if !self.hooks.has_any(POINT) || !shrink::shrinks(&compressed.outcome) {
            return Ok(());
        }
        let covered = shrink::covered(&arrived_history.history, &compressed.outcome);
        let note = compressed.slots.first().filter(|slot| slot.message.origin.is_none());
        let note = note.filter(|_| !covered.is_empty());
        let summary = note.and_then(|slot| slot.message.parts.first()?.as_text());
        let fixed = outside.allocation.fixed;
        let real: u64 = compressed.slots.iter().map(|slot| slot.cost.real()).sum();
        let model = self.request.measured();
        let tokens = TokenChange {
            before: self.arrived(arrived_history, outside),
            after: model.scale(fixed + real),
        };
        let input = shrink::after(summary.map(|text| &**text), &covered, tokens);
        let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
        self.observe(at, GuardDecision::None)
    }

    fn input(
        &self,
        arrived_history: &ArrivedHistory,
        preamble: &Preamble,
        outside: &OutsideHistory,
        compressed: &CompressOutput,
        seen: &ShownMessages,
    ) -> String {
        let limit = self.request.measured().scale(outside.allocation.budget);
        let tokens = TokenPressure { current: self.arrived(arrived_history, outside), limit };
        let touched = shrink::touched(&arrived_history.history, &compressed.outcome);
        shrink::before(&preamble.system, seen, tokens, &touched)
    }

    /// Tokens of the payload with the history as it arrived.
    fn arrived(&self, arrived_history: &ArrivedHistory, outside: &OutsideHistory) -> u64 {
        let costs: u64 = arrived_history.arrived.costs.iter().map(|cost| cost.real()).sum();
        let saved: u64 = arrived_history.arrived.forms.iter().map(|form| form.saved).sum();
        self.request.measured().scale(outside.allocation.fixed + costs.saturating_sub(saved))
    }

    /// Replaces the history with the one that hooks returned; false if it is unchanged.
    fn replace(
        &mut self,
        arrived_history: &mut ArrivedHistory,
        preamble: &Preamble,
        list: ReturnedList,
    ) -> Result<bool, Error> {
        let originals: Vec<&Message> = arrived_history.history.iter().collect();
        let target = self.request.target;
        let settled = list.settle(&originals, preamble.source, target, &mut self.notes);
        let Some(settled) = settled else { return Ok(false) };
        let history = settled.into_iter().map(|settled| settled.message).collect();
        // Notes on the messages of the first arrival are not repeated.
        let notes = std::mem::take(&mut self.notes);
        let read_back = std::mem::take(&mut arrived_history.read_back);
        let list = preamble.source.list_key();
        *arrived_history = self.arrive(history, &preamble.system, read_back, list)?;
        self.notes = notes;
        Ok(true)
    }
}
