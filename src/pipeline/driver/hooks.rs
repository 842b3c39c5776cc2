//! Stage 7 with the hooks around it, and the text that they provide for stage 8.

use super::Driver;
use super::history_parts::{ArrivedHistory, CompressionPass, HistoryUse, OutsideHistory, Preamble};
use crate::compress::AdapterSet;
use crate::domain::{Message, Part};
use crate::hook::{
    ChangeResult, GuardDecision, HookInput, HookKind, MatchContext, PayloadCheck, Point,
    ProvideResult, join,
};
use crate::pipeline::changed_results::ChangedResults;
use crate::pipeline::compress::Output as CompressOutput;
use crate::pipeline::points::{ask_formats, ask_prose, before_compile, compression, result};
use crate::pipeline::report::Action;
use crate::pipeline::stage::timed;
use crate::pipeline::{Error, StopReason};
use crate::request::Level;

/// What hooks at `before_compile` are asked.
fn before_compile_at(input: &str) -> HookInput<'_> {
    HookInput { point: Point::BeforeCompile, input, facts: MatchContext::default() }
}

/// The history as a pass left it, with everything around it.
pub(super) struct PlannedHistory {
    pub(super) outside: OutsideHistory,
    pub(super) compressed: CompressOutput,
    /// The text of `<implicit_context>` that hooks provided.
    pub(super) text: Option<String>,
}

impl Driver<'_> {
    /// Results as the hooks at `tool_result` leave them, before anything else is done with them. Under a
    /// pack they were asked before its stages.
    pub(super) fn results(&mut self, history: &mut [Message]) -> Result<(), Error> {
        const POINT: Point = Point::ToolResult;
        let asked;
        let replaced = if self.request.is_governed {
            &self.request.replaced_results
        } else if self.hooks.has_any(POINT) {
            let hooks = &mut *self.hooks;
            let ask = || result::ask_results_of(hooks, history, &|_| Ok(()));
            asked = timed(&mut self.timings.hooks, ask)?;
            self.meter.check()?;
            &asked
        } else {
            return Ok(());
        };
        let count = || ChangedResults::count(&self.meter, replaced);
        self.changed_results = timed(&mut self.timings.count, count)?;
        Ok(())
    }

    /// The messages whose results hooks at `tool_result` changed, by their indexes.
    pub(super) fn edited_results(&self, history: &[Message]) -> Vec<(usize, Action)> {
        let changed = &self.changed_results;
        let messages = history.iter().enumerate().filter(|(_, own)| changed.contains(own));
        messages.map(|(at, _)| (at, Action::Changed)).collect()
    }

    /// The compressed history, and everything around it.
    pub(super) fn history(
        &mut self,
        arrived_history: &mut ArrivedHistory,
        preamble: &Preamble,
        outside: OutsideHistory,
    ) -> Result<(OutsideHistory, CompressOutput), Error> {
        if !self.is_asked() && !self.adapters.ask_summarizer() {
            let compressed =
                self.compress(arrived_history, &outside, &CompressionPass::new(HistoryUse::No, 0))?;
            return Ok((outside, compressed));
        }
        let mut pass = CompressionPass::new(HistoryUse::Yes, 0);
        let mut compressed = self.compress(arrived_history, &outside, &pass)?;
        let is_formed = self.formats(arrived_history, &compressed)?;
        if self.shorten_prose(arrived_history, &compressed)? || is_formed {
            compressed = self.compress(arrived_history, &outside, &pass)?;
        }
        let planned = PlannedHistory { outside, compressed, text: None };
        let planned = self.before_compress(arrived_history, preamble, planned, &mut pass)?;
        let PlannedHistory { outside, compressed, .. } = planned;
        let compressed = self.summarized(arrived_history, &outside, compressed, &mut pass)?;
        if self.request.is_governed || !self.hooks.has_any(Point::BeforeCompile) {
            return Ok((outside, compressed));
        }
        // Hooks are shown the history as it is sent: no room is kept free for them.
        let (input, text) = self.provided(arrived_history, preamble, &outside, &compressed)?;
        let Some(text) = text else {
            self.observe(before_compile_at(&input), GuardDecision::None)?;
            return Ok((outside, compressed));
        };
        let forms = compressed.outcome.forms;
        let before = outside.taken();
        let outside = self.outside(preamble, arrived_history, Some(&text))?;
        pass.text_tokens = outside.taken().saturating_sub(before);
        let compressed = self.compress(arrived_history, &outside, &pass)?;
        let mut planned = PlannedHistory { outside, compressed, text: Some(text) };
        let shrinks_further = planned.compressed.outcome.forms != forms;
        if shrinks_further {
            planned = self.before_compress(arrived_history, preamble, planned, &mut pass)?;
        }
        let PlannedHistory { outside, compressed, .. } = planned;
        let compressed = self.summarized(arrived_history, &outside, compressed, &mut pass)?;
        let input = if shrinks_further {
            self.before_compile_input(arrived_history, preamble, &outside, &compressed)
        } else {
            input
        };
        self.observe(before_compile_at(&input), GuardDecision::None)?;
        Ok((outside, compressed))
    }

    /// Has long results of what shrinks made shorter by hooks that know their format; whether any were.
    fn formats(
        &mut self,
        arrived_history: &ArrivedHistory,
        compressed: &CompressOutput,
    ) -> Result<bool, Error> {
        let is_off = self.request.compression.level < Level::Reversible;
        if is_off || !self.hooks.has(Point::CompressFormat, HookKind::Provide) {
            return Ok(false);
        }
        let shrinking = compression::shrinking(&arrived_history.history, &compressed.outcome);
        let hooks = &mut *self.hooks;
        let made = timed(&mut self.timings.hooks, || {
            ask_formats(hooks, shrinking.into_iter(), &arrived_history.history)
        })?;
        let any = !made.is_empty();
        let choices = &self.request.compression.adapters;
        self.adapters = AdapterSet::new(choices, self.meter.deadline()).with_hook_texts(made);
        Ok(any)
    }

    /// Has prose in what shrinks made shorter by a summariser, if adapters are told to; whether any was.
    fn shorten_prose(
        &mut self,
        arrived_history: &ArrivedHistory,
        compressed: &CompressOutput,
    ) -> Result<bool, Error> {
        if self.request.compression.level < Level::Reversible || !self.adapters.ask_summarizer() {
            return Ok(false);
        }
        let shrinking = compression::shrinking(&arrived_history.history, &compressed.outcome);
        let results = shrinking.into_iter().flat_map(Message::tool_results);
        let texts = results.flat_map(|result| result.content.iter().filter_map(Part::as_text));
        let (hooks, adapters, notes) = (&mut *self.hooks, &self.adapters, &mut self.notes);
        let made = timed(&mut self.timings.hooks, || ask_prose(hooks, adapters, texts, notes))?;
        self.meter.check()?;
        let any = !made.is_empty();
        self.adapters = self.adapters.clone().with_summaries(made);
        Ok(any)
    }

    /// The input of hooks at `before_compile`, and the text of `<implicit_context>` if they provided
    /// some.
    fn provided(
        &mut self,
        arrived_history: &ArrivedHistory,
        preamble: &Preamble,
        outside: &OutsideHistory,
        compressed: &CompressOutput,
    ) -> Result<(String, Option<String>), Error> {
        let input = self.before_compile_input(arrived_history, preamble, outside, compressed);
        if !self.hooks.has(Point::BeforeCompile, HookKind::Provide) {
            return Ok((input, None));
        }
        let provided = join(&self.provide(before_compile_at(&input), &|_| Ok(()))?.fragments);
        let own = self.request.implicit_context.as_deref();
        let is_new = !provided.is_empty();
        let text = before_compile::context(provided, own).filter(|_| is_new);
        Ok((input, text))
    }

    fn before_compile_input(
        &self,
        arrived_history: &ArrivedHistory,
        preamble: &Preamble,
        outside: &OutsideHistory,
        compressed: &CompressOutput,
    ) -> String {
        before_compile::input(
            self.request,
            &preamble.system,
            &compressed.slots,
            &outside.frame.stitched,
            &arrived_history.history,
        )
    }

    pub(super) fn change(
        &mut self,
        at: HookInput<'_>,
        check: PayloadCheck<'_>,
    ) -> Result<ChangeResult, Error> {
        let hooks = &mut *self.hooks;
        timed(&mut self.timings.hooks, || hooks.change(at, check))
    }

    pub(super) fn provide(
        &mut self,
        at: HookInput<'_>,
        check: PayloadCheck<'_>,
    ) -> Result<ProvideResult, Error> {
        let (hooks, counter) = (&mut *self.hooks, self.meter.counter());
        let model = &self.request.model;
        // Caps are in tokens as the report counts them.
        let tokens = |text: &str| {
            let scaled = model.scale(counter.count(model.tokenizer, text));
            u32::try_from(scaled).unwrap_or(u32::MAX)
        };
        timed(&mut self.timings.hooks, || hooks.provide(at, &tokens, check))
    }

    /// Notifies observers of what holds once the compile is stored.
    pub(super) fn observe_stored(&mut self, at: HookInput<'_>) -> Result<(), Error> {
        let hooks = &mut *self.hooks;
        timed(&mut self.timings.hooks, || hooks.observe_stored(at))?;
        self.meter.check().map_err(|stopped: StopReason| stopped.into())
    }

    pub(super) fn observe(
        &mut self,
        at: HookInput<'_>,
        decision: GuardDecision<'_>,
    ) -> Result<(), Error> {
        let hooks = &mut *self.hooks;
        timed(&mut self.timings.hooks, || hooks.observe(at, decision))?;
        self.meter.check().map_err(|stopped: StopReason| stopped.into())
    }
}
