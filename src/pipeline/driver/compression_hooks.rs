//! The hooks around a history that shrinks.

use std::collections::BTreeSet;

use super::Driver;
use super::history_parts::{ArrivedHistory, CompressionPass, OutsideHistory, Preamble};
use super::hooks::PlannedHistory;
use crate::domain::Message;
use crate::hook::{
    AnswerReader, GuardDecision, HookInput, HookKind, MatchContext, Point, TokenPressure,
};
use crate::pipeline::Error;
use crate::pipeline::compress::{self, Output as CompressOutput};
use crate::pipeline::manifest;
use crate::pipeline::points::compression::{self, ShrinkPressure};
use crate::pipeline::points::list::{AcceptedMessage, ReturnedList, ShownMessages};
use crate::pipeline::report::Action;

impl Driver<'_> {
    /// Asks before a history shrinks: whether, with what history, and with what for its summary. Asks
    /// again if the text of hooks makes it shrink further; a denial then leaves it as it was before.
    pub(super) fn before_compress(
        &mut self,
        arrived_history: &mut ArrivedHistory,
        preamble: &Preamble,
        planned: PlannedHistory,
        pass: &mut CompressionPass,
    ) -> Result<PlannedHistory, Error> {
        const POINT: Point = Point::BeforeCompress;
        let PlannedHistory { mut outside, mut compressed, text } = planned;
        if !self.hooks.has_any(POINT) || !compression::shrinks(&compressed.outcome) {
            return Ok(PlannedHistory { outside, compressed, text });
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
            if text.is_some() {
                outside.allocation.budget += pass.text_tokens;
                outside.allocation.drop_budget += pass.text_tokens;
            } else {
                pass.leave = true;
            }
            let compressed = self.compress(arrived_history, &outside, pass)?;
            return Ok(PlannedHistory { outside, compressed, text });
        }
        let mut input = changed.input.unwrap_or_else(|| input.into());
        if let Some(list) = changed.payload.and_then(|payload| reader.take(&payload))
            && self.replace(arrived_history, preamble, list)?
        {
            outside = self.outside(preamble, arrived_history, text.as_deref())?;
            compressed = self.compress(arrived_history, &outside, pass)?;
            seen = ShownMessages::new(arrived_history.history.iter());
            input = self.input(arrived_history, preamble, &outside, &compressed, &seen).into();
        }
        let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
        // Text is for the summary: if none is made, no hook is asked for text.
        if self.hooks.has(POINT, HookKind::Provide) && compress::covers_any(&compressed.outcome) {
            let provided = self.provide(at, &|_| Ok(()))?;
            pass.material = compression::material(&provided.fragments);
            // Verbatim text is outside of the summary's own cap.
            let verbatim = pass.material.verbatim.as_deref();
            pass.free = verbatim.map_or(Ok(0), |text| self.meter.text(text))?;
            if !pass.material.is_empty() {
                compressed = self.compress(arrived_history, &outside, pass)?;
            }
        }
        self.observe(at, GuardDecision::Allowed)?;
        Ok(PlannedHistory { outside, compressed, text })
    }

    fn input(
        &self,
        arrived_history: &ArrivedHistory,
        preamble: &Preamble,
        outside: &OutsideHistory,
        compressed: &CompressOutput,
        seen: &ShownMessages,
    ) -> String {
        let (model, measured) = (&self.request.model, self.request.measured());
        let pressure = ShrinkPressure {
            payload: TokenPressure {
                current: self.arrived(arrived_history, outside),
                limit: measured.scale(outside.allocation.budget),
            },
            history: TokenPressure {
                current: model.scale(arrived_history.flat()),
                limit: model.scale(self.history_limit(arrived_history, outside)),
            },
        };
        let touched = compression::touched(&arrived_history.history, &compressed.outcome);
        compression::before(&preamble.system, seen, pressure, &touched)
    }

    /// Raw tokens above which the history shrinks, media by kind.
    fn history_limit(&self, arrived_history: &ArrivedHistory, outside: &OutsideHistory) -> u64 {
        let compression = &self.request.compression;
        let trigger = compression.trigger(outside.allocation.room);
        let length = arrived_history.history.iter().filter_map(|message| message.origin).max();
        let length = length.map_or(0, |origin| origin as u64 + 1);
        if arrived_history.points.first().is_some_and(|point| *point <= length) {
            return trigger.min(compression.target(outside.allocation.room));
        }
        trigger
    }

    /// Tokens of the payload with the history as it arrived.
    pub(super) fn arrived(
        &self,
        arrived_history: &ArrivedHistory,
        outside: &OutsideHistory,
    ) -> u64 {
        let costs = arrived_history.arrived.costs.iter().enumerate();
        let real = costs.map(|(at, cost)| {
            let stitched = outside.frame.stitched.iter().find(|(stitched, _)| *stitched == at);
            stitched.map_or(cost.real(), |(_, slot)| slot.cost.real())
        });
        let taken = outside.allocation.fixed + real.sum::<u64>();
        self.request.measured().scale(taken.saturating_sub(arrived_history.saved))
    }

    /// Replaces the history with the one that hooks returned; false if it is unchanged.
    fn replace(
        &mut self,
        arrived_history: &mut ArrivedHistory,
        preamble: &Preamble,
        list: ReturnedList,
    ) -> Result<bool, Error> {
        let originals: Vec<&Message> = arrived_history.history.iter().collect();
        let destination = self.request.destination();
        let settled = list.settle(&originals, preamble.source, destination, &mut self.notes);
        let Some(settled) = settled else { return Ok(false) };
        let found = |own: &AcceptedMessage| own.of.and_then(|of| originals.get(of));
        let edits = settled.iter().enumerate().filter_map(|(at, own)| match found(own) {
            None => Some((at, Action::Added)),
            Some(original) => {
                let is_edited = original.parts != own.message.parts
                    || self.changed_results.contains(&own.message);
                is_edited.then_some((at, Action::Changed))
            }
        });
        let edits: Vec<(usize, Action)> = edits.collect();
        let left: BTreeSet<usize> = settled.iter().filter_map(|own| own.of).collect();
        self.hooked.removed += originals.len() - left.len();
        let arrived = &arrived_history.arrived;
        let tokens = arrived.costs.iter().map(|cost| cost.real()).sum();
        let tokens = manifest::restore_saved(tokens, &arrived.saved);
        self.hooked.history.get_or_insert(tokens);
        let history = settled.into_iter().map(|settled| settled.message).collect();
        // Notes on the messages of the first arrival are not repeated.
        let notes = std::mem::take(&mut self.notes);
        let read_back = std::mem::take(&mut arrived_history.read_back);
        let list = preamble.source.list_key();
        let in_sight = std::mem::take(&mut arrived_history.in_sight);
        *arrived_history = self.arrive(history, &preamble.system, read_back, list)?;
        arrived_history.anchor =
            self.anchor(&arrived_history.history, &arrived_history.read_back, &in_sight);
        arrived_history.in_sight = in_sight;
        arrived_history.edits = edits;
        self.notes = notes;
        Ok(true)
    }
}
