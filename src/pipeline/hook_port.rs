//! The port through which the driver calls hooks between the stages of the pipeline.
//!
//! A stage calls nothing outside. The driver knows the points and their payloads; the
//! implementation decides which hooks run, and for how long.

use std::fmt;
use std::sync::Arc;

use super::Error;
use super::summary_ask::SummaryAsk;
use crate::domain::AskedSummary;
use crate::hook::{
    ChangeResult, CheckedInput, CountTokens, GuardDecision, HookInput, HookKind, HookSet,
    PayloadCheck, Point, ProvideResult,
};

/// The hooks of one compile: the driver makes one call after another, and each returns before the
/// next stage begins.
pub trait HookPort: fmt::Debug {
    /// The hooks that the compile is pinned to; none if it calls no hooks.
    fn set(&self) -> Option<&HookSet>;

    /// Calls guards and transforms. `check` validates a new payload.
    fn change(&mut self, at: HookInput<'_>, check: PayloadCheck<'_>)
    -> Result<ChangeResult, Error>;

    /// Calls transforms with many inputs at a point, then observers with the results; in the order
    /// of the inputs.
    fn each(
        &mut self,
        point: Point,
        items: &[CheckedInput<'_>],
    ) -> Result<Vec<ChangeResult>, Error>;

    /// Asks for a typed answer to each of many inputs at a point, in their order.
    fn answers(
        &mut self,
        point: Point,
        items: &[CheckedInput<'_>],
    ) -> Result<Vec<Option<Arc<str>>>, Error>;

    /// Calls providers for text to add. `check` validates a typed answer.
    fn provide(
        &mut self,
        at: HookInput<'_>,
        tokens: CountTokens<'_>,
        check: PayloadCheck<'_>,
    ) -> Result<ProvideResult, Error>;

    /// Calls observers.
    fn observe(&mut self, at: HookInput<'_>, decision: GuardDecision<'_>) -> Result<(), Error>;

    /// Notifies observers of a fact that holds once the compile is stored: hooks that are called at
    /// once are called after that.
    fn observe_stored(&mut self, at: HookInput<'_>) -> Result<(), Error> {
        self.observe(at, GuardDecision::None)
    }

    /// Whether a hook or model writes summaries.
    fn summarizes(&self) -> bool {
        self.has(Point::Summarize, HookKind::Provide)
    }

    /// Has a summary written of messages that leave the history; none if there is no summariser.
    fn summarize(&mut self, _: &SummaryAsk<'_>) -> Result<Option<AskedSummary>, Error> {
        Ok(None)
    }

    /// Whether there is a hook of this kind at a point.
    fn has(&self, point: Point, kind: HookKind) -> bool {
        self.set().is_some_and(|set| set.hooks_of_kind(point, kind).next().is_some())
    }

    /// Whether there is any hook at a point.
    fn has_any(&self, point: Point) -> bool {
        self.set().is_some_and(|set| !set.hooks_at(point).is_empty())
    }

    /// Tokens to keep free for what hooks may provide at a point.
    fn reserve(&self, point: Point) -> u64 {
        self.set().map_or(0, |set| set.reserve(point).into())
    }
}

/// A port without hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHooks;

impl HookPort for NoHooks {
    fn set(&self) -> Option<&HookSet> {
        None
    }

    fn change(&mut self, _: HookInput<'_>, _: PayloadCheck<'_>) -> Result<ChangeResult, Error> {
        Ok(ChangeResult::default())
    }

    fn each(&mut self, _: Point, items: &[CheckedInput<'_>]) -> Result<Vec<ChangeResult>, Error> {
        Ok(items.iter().map(|_| ChangeResult::default()).collect())
    }

    fn answers(
        &mut self,
        _: Point,
        items: &[CheckedInput<'_>],
    ) -> Result<Vec<Option<Arc<str>>>, Error> {
        Ok(items.iter().map(|_| None).collect())
    }

    fn provide(
        &mut self,
        _: HookInput<'_>,
        _: CountTokens<'_>,
        _: PayloadCheck<'_>,
    ) -> Result<ProvideResult, Error> {
        Ok(ProvideResult::default())
    }

    fn observe(&mut self, _: HookInput<'_>, _: GuardDecision<'_>) -> Result<(), Error> {
        Ok(())
    }
}
