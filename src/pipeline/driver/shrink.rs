//! The hooks around a history that shrinks.

use super::Driver;
use super::stages::{ArrivedHistory, CompressionPass, OutsideHistory, Preamble};
use crate::domain::Message;
use crate::hook::{
    AnswerReader, GuardDecision, HookInput, HookKind, MatchContext, Point, TokenChange,
    TokenPressure,
};
use crate::pipeline::Error;
use crate::pipeline::compress::{self, Output as Compressed};
use crate::pipeline::points::list::{ReturnedList, ShownMessages};
use crate::pipeline::points::shrink;

impl Driver<'_> {
    /// Asks before a history shrinks: whether, with what history, and with what for its summary.
    pub(super) fn before_compress(
        &mut self,
        past: &mut ArrivedHistory,
        shown: &Preamble,
        mut around: OutsideHistory,
        mut compressed: Compressed,
        how: &mut CompressionPass,
    ) -> Result<(OutsideHistory, Compressed), Error> {
        const POINT: Point = Point::BeforeCompress;
        if !self.hooks.has_any(POINT) || !shrink::shrinks(&compressed.outcome) {
            return Ok((around, compressed));
        }
        let mut seen = ShownMessages::new(past.history.iter());
        let input = self.input(past, shown, &around, &compressed, &seen);
        let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
        let reader = AnswerReader::new(|payload: &str| seen.read(payload));
        let changed = self.change(at, &|payload| reader.check(payload))?;
        if let Some(denial) = changed.denied {
            self.observe(at, GuardDecision::Denied(&denial))?;
            let detail = format!("hook `{}`: {}", denial.hook, denial.reason);
            self.notes.warn("compression_denied", String::new(), detail);
            how.leave = true;
            let compressed = self.compress(past, &around, how)?;
            return Ok((around, compressed));
        }
        let mut input = changed.input.unwrap_or_else(|| input.into());
        if let Some(list) = changed.payload.and_then(|payload| reader.take(&payload))
            && self.replace(past, shown, list)?
        {
            around = self.around(shown, past, None)?;
            compressed = self.compress(past, &around, how)?;
            seen = ShownMessages::new(past.history.iter());
            input = self.input(past, shown, &around, &compressed, &seen).into();
        }
        let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
        // Text is for the summary: if none is made, no hook is asked for text.
        if self.hooks.has(POINT, HookKind::Provide) && compress::covers_any(&compressed.outcome) {
            let provided = self.provide(at, &|_| Ok(()))?;
            how.material = shrink::material(&provided.fragments);
            if !how.material.is_empty() {
                // Verbatim text is outside of the summary's own cap.
                let verbatim = how.material.verbatim.as_deref();
                how.free += verbatim.map_or(Ok(0), |text| self.meter.text(text))?;
                compressed = self.compress(past, &around, how)?;
            }
        }
        self.observe(at, GuardDecision::Allowed)?;
        Ok((around, compressed))
    }

    /// Notifies observers of a history that shrank.
    pub(super) fn after_compress(
        &mut self,
        past: &ArrivedHistory,
        around: &OutsideHistory,
        compressed: &Compressed,
    ) -> Result<(), Error> {
        const POINT: Point = Point::AfterCompress;
        if !self.hooks.has_any(POINT) || !shrink::shrinks(&compressed.outcome) {
            return Ok(());
        }
        let covered = shrink::covered(&past.history, &compressed.outcome);
        let note = compressed.slots.first().filter(|slot| slot.message.origin.is_none());
        let note = note.filter(|_| !covered.is_empty());
        let summary = note.and_then(|slot| slot.message.parts.first()?.as_text());
        let fixed = around.allocation.fixed;
        let real: u64 = compressed.slots.iter().map(|slot| slot.cost.real()).sum();
        let model = self.request.measured();
        let tokens =
            TokenChange { before: self.arrived(past, around), after: model.scale(fixed + real) };
        let input = shrink::after(summary.map(|text| &**text), &covered, tokens);
        let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
        self.observe(at, GuardDecision::None)
    }

    fn input(
        &self,
        past: &ArrivedHistory,
        shown: &Preamble,
        around: &OutsideHistory,
        compressed: &Compressed,
        seen: &ShownMessages,
    ) -> String {
        let limit = self.request.measured().scale(around.allocation.budget);
        let tokens = TokenPressure { current: self.arrived(past, around), limit };
        let touched = shrink::touched(&past.history, &compressed.outcome);
        shrink::before(&shown.system, seen, tokens, &touched)
    }

    /// Tokens of the payload with the history as it arrived.
    fn arrived(&self, past: &ArrivedHistory, around: &OutsideHistory) -> u64 {
        let costs: u64 = past.arrived.costs.iter().map(|cost| cost.real()).sum();
        let saved: u64 = past.arrived.forms.iter().map(|form| form.saved).sum();
        self.request.measured().scale(around.allocation.fixed + costs.saturating_sub(saved))
    }

    /// Replaces the history with the one that hooks returned; false if it is unchanged.
    fn replace(
        &mut self,
        past: &mut ArrivedHistory,
        shown: &Preamble,
        list: ReturnedList,
    ) -> Result<bool, Error> {
        let originals: Vec<&Message> = past.history.iter().collect();
        let target = self.request.target;
        let settled = list.settle(&originals, shown.source, target, &mut self.notes);
        let Some(settled) = settled else { return Ok(false) };
        let history = settled.into_iter().map(|settled| settled.message).collect();
        // Notes on the messages of the first arrival are not repeated.
        let notes = std::mem::take(&mut self.notes);
        let read_back = std::mem::take(&mut past.read_back);
        let list = shown.source.list_key();
        *past = self.arrive(history, &shown.system, read_back, list)?;
        self.notes = notes;
        Ok(true)
    }
}
