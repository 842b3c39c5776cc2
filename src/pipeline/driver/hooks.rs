//! Stage 7 with the hooks around it, and the text that they provide for stage 8.

use super::Driver;
use super::stages::{ArrivedHistory, CompressionPass, HistoryUse, OutsideHistory, Preamble};
use crate::compress::AdapterSet;
use crate::domain::Message;
use crate::hook::{
    ChangeResult, GuardDecision, HookInput, HookKind, MatchContext, PayloadCheck, Point,
    ProvideResult, join,
};
use crate::pipeline::compress::Output as CompressOutput;
use crate::pipeline::points::{ask_formats, before_compile, result, shrink};
use crate::pipeline::stage::timed;
use crate::pipeline::{Error, StopReason};
use crate::request::Level;

impl Driver<'_> {
    /// Results as the hooks at `tool_result` leave them, before anything else is done with them. Under a
    /// pack they were asked before its stages.
    pub(super) fn results(&mut self, history: &mut [Message]) -> Result<(), Error> {
        const POINT: Point = Point::ToolResult;
        if self.request.is_governed || !self.hooks.has_any(POINT) {
            return Ok(());
        }
        let hooks = &mut *self.hooks;
        timed(&mut self.timings.hooks, || result::ask_results_of(hooks, history, &|_| Ok(())))?;
        self.meter.check().map_err(|stopped: StopReason| stopped.into())
    }

    /// The compressed history, and everything around it.
    pub(super) fn history(
        &mut self,
        arrived_history: &mut ArrivedHistory,
        preamble: &Preamble,
        outside: OutsideHistory,
    ) -> Result<(OutsideHistory, CompressOutput), Error> {
        if !self.is_asked() {
            let compressed =
                self.compress(arrived_history, &outside, &CompressionPass::new(HistoryUse::No, 0))?;
            return Ok((outside, compressed));
        }
        let adds = !self.request.is_governed && self.hooks.has_any(Point::BeforeCompile);
        let free = if adds { self.hooks.reserve(Point::BeforeCompile) } else { 0 };
        let free = self.request.model.unscale(free);
        let mut pass = CompressionPass::new(HistoryUse::Yes, free);
        let mut compressed = self.compress(arrived_history, &outside, &pass)?;
        if self.formats(arrived_history, &compressed)? {
            compressed = self.compress(arrived_history, &outside, &pass)?;
        }
        let (mut outside, compressed) =
            self.before_compress(arrived_history, preamble, outside, compressed, &mut pass)?;
        let compressed = self.summarized(arrived_history, &outside, compressed, &mut pass)?;
        self.after_compress(arrived_history, &outside, &compressed)?;
        if !adds {
            return Ok((outside, compressed));
        }
        let context = self.before_compile(arrived_history, preamble, &outside, &compressed)?;
        if context.is_none() && !(free > 0 && compressed.outcome.squeezed) {
            return Ok((outside, compressed));
        }
        // Room that was kept free for hooks and is not used goes to the history.
        outside = self.outside(preamble, arrived_history, context.as_deref())?;
        pass.free = pass.free.saturating_sub(free);
        let compressed = self.compress(arrived_history, &outside, &pass)?;
        let compressed = self.summarized(arrived_history, &outside, compressed, &mut pass)?;
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
        let shrinking = shrink::shrinking(&arrived_history.history, &compressed.outcome);
        let hooks = &mut *self.hooks;
        let made = timed(&mut self.timings.hooks, || {
            ask_formats(hooks, shrinking.into_iter(), &arrived_history.history)
        })?;
        let any = !made.is_empty();
        let choices = &self.request.compression.adapters;
        self.adapters = AdapterSet::new(choices, self.meter.deadline()).with_hook_texts(made);
        Ok(any)
    }

    /// The text of `<implicit_context>`, if hooks provided some.
    fn before_compile(
        &mut self,
        arrived_history: &ArrivedHistory,
        preamble: &Preamble,
        outside: &OutsideHistory,
        compressed: &CompressOutput,
    ) -> Result<Option<String>, Error> {
        let request = self.request;
        let stitched = &outside.frame.stitched;
        let system = &preamble.system;
        let input = before_compile::input(
            request,
            system,
            &compressed.slots,
            stitched,
            &arrived_history.history,
        );
        let at = HookInput {
            point: Point::BeforeCompile,
            input: &input,
            facts: MatchContext::default(),
        };
        let provided = if self.hooks.has(Point::BeforeCompile, HookKind::Provide) {
            join(&self.provide(at, &|_| Ok(()))?.fragments)
        } else {
            String::new()
        };
        self.observe(at, GuardDecision::None)?;
        let own = request.implicit_context.as_deref();
        let is_new = !provided.is_empty();
        Ok(before_compile::context(provided, own).filter(|_| is_new))
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
