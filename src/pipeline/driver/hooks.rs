//! Stage 7 with the hooks that stand around it, and what they bring to stage 8.

use super::Driver;
use super::stages::{Around, Keep, Past, Shown};
use crate::hook::{At, Changed, Check, Decision, Facts, Kind, Point, Provided, join};
use crate::pipeline::compress::Output as Compressed;
use crate::pipeline::points::before_compile;
use crate::pipeline::stage::timed;
use crate::pipeline::{Error, Stopped};

impl Driver<'_> {
    /// The history in its form, and what stands around it.
    pub(super) fn history(
        &mut self,
        past: &mut Past,
        shown: &Shown,
        around: Around,
    ) -> Result<(Around, Compressed), Error> {
        if !self.is_asked() {
            let compressed = self.compress(past, &around, (Keep::No, 0))?;
            return Ok((around, compressed));
        }
        let free = self.request.model.unscale(self.asks.reserve(Point::BeforeCompile));
        let compressed = self.compress(past, &around, (Keep::Yes, free))?;
        if !self.asks.has_any(Point::BeforeCompile) {
            return Ok((around, compressed));
        }
        let context = self.before_compile(past, shown, (&around, &compressed))?;
        if context.is_none() && !(free > 0 && compressed.outcome.squeezed) {
            return Ok((around, compressed));
        }
        // What was kept free for hooks and is not taken goes to the history.
        let around = self.around(shown, past, context.as_deref())?;
        let compressed = self.compress(past, &around, (Keep::Yes, 0))?;
        Ok((around, compressed))
    }

    /// The text of `<implicit_context>` where hooks provided some.
    fn before_compile(
        &mut self,
        past: &Past,
        shown: &Shown,
        (around, compressed): (&Around, &Compressed),
    ) -> Result<Option<String>, Error> {
        let request = self.request;
        let stitched = &around.frame.stitched;
        let lists = (compressed.slots.as_slice(), stitched.as_slice());
        let input = before_compile::input(request, &shown.system, lists, &past.history);
        let at = At { point: Point::BeforeCompile, input: &input, facts: Facts::default() };
        let provided = if self.asks.has(Point::BeforeCompile, Kind::Provide) {
            join(&self.provide(at, &|_| Ok(()))?.fragments)
        } else {
            String::new()
        };
        self.observe(at, Decision::None)?;
        let own = request.implicit_context.as_deref();
        let is_new = !provided.is_empty();
        Ok(before_compile::context(provided, own).filter(|_| is_new))
    }

    pub(super) fn change(&mut self, at: At<'_>, check: Check<'_>) -> Result<Changed, Error> {
        let asks = &mut *self.asks;
        timed(&mut self.timings.hooks, || asks.change(at, check))
    }

    pub(super) fn provide(&mut self, at: At<'_>, check: Check<'_>) -> Result<Provided, Error> {
        let (asks, counter) = (&mut *self.asks, self.meter.counter());
        let model = &self.request.model;
        // Caps are in tokens as the report counts them.
        let tokens = |text: &str| {
            let scaled = model.scale(counter.count(model.tokenizer, text));
            u32::try_from(scaled).unwrap_or(u32::MAX)
        };
        timed(&mut self.timings.hooks, || asks.provide(at, &tokens, check))
    }

    pub(super) fn observe(&mut self, at: At<'_>, decision: Decision<'_>) -> Result<(), Error> {
        let asks = &mut *self.asks;
        timed(&mut self.timings.hooks, || asks.observe(at, decision))?;
        self.meter.check().map_err(|stopped: Stopped| stopped.into())
    }
}
