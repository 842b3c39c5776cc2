//! What the driver may ask for outside of the pipeline, between its stages.
//!
//! A stage asks nobody. The driver knows the points and what is said there; who answers, and how
//! long that is waited for, is the affair of whoever implements this.

use std::fmt;
use std::sync::Arc;

use super::{Error, SummaryAsk};
use crate::domain::AskedSummary;
use crate::hook::{
    Changed, CheckedInput, CountTokens, GuardDecision, HookInput, HookKind, HookSet, PayloadCheck,
    Point, ProvideResult,
};

/// The hooks of one compile, as the driver meets them: one call after another, each answered
/// before the next stage begins.
pub trait HookPort: fmt::Debug {
    /// The hooks that the compile is pinned to; none where nobody is to be asked.
    fn set(&self) -> Option<&HookSet>;

    /// Asks guards and transforms. `check` says whether a new payload is valid.
    fn change(&mut self, at: HookInput<'_>, check: PayloadCheck<'_>) -> Result<Changed, Error>;

    /// Asks transforms about many inputs at a point, and tells of what they leave; in the order of
    /// the inputs.
    fn each(&mut self, point: Point, items: &[CheckedInput<'_>]) -> Result<Vec<Changed>, Error>;

    /// Asks for a typed answer to each of many inputs at a point, in their order.
    fn answers(
        &mut self,
        point: Point,
        items: &[CheckedInput<'_>],
    ) -> Result<Vec<Option<Arc<str>>>, Error>;

    /// Asks for what is to be added. `check` says whether a typed answer is valid.
    fn provide(
        &mut self,
        at: HookInput<'_>,
        tokens: CountTokens<'_>,
        check: PayloadCheck<'_>,
    ) -> Result<ProvideResult, Error>;

    /// Tells.
    fn observe(&mut self, at: HookInput<'_>, decision: GuardDecision<'_>) -> Result<(), Error>;

    /// Whether there is somebody who writes summaries.
    fn summarizes(&self) -> bool {
        self.has(Point::Summarize, HookKind::Provide)
    }

    /// Has a summary written of messages that leave the history; none where nobody does.
    fn summarize(&mut self, _: &SummaryAsk<'_>) -> Result<Option<AskedSummary>, Error> {
        Ok(None)
    }

    /// Whether a hook of this kind stands at a point.
    fn has(&self, point: Point, kind: HookKind) -> bool {
        self.set().is_some_and(|set| set.hooks_of_kind(point, kind).next().is_some())
    }

    /// Whether any hook stands at a point.
    fn has_any(&self, point: Point) -> bool {
        self.set().is_some_and(|set| !set.hooks_at(point).is_empty())
    }

    /// Tokens to keep free for what hooks may provide at a point.
    fn reserve(&self, point: Point) -> u64 {
        self.set().map_or(0, |set| set.reserve(point).into())
    }
}

/// Nobody to ask.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHooks;

impl HookPort for NoHooks {
    fn set(&self) -> Option<&HookSet> {
        None
    }

    fn change(&mut self, _: HookInput<'_>, _: PayloadCheck<'_>) -> Result<Changed, Error> {
        Ok(Changed::default())
    }

    fn each(&mut self, _: Point, items: &[CheckedInput<'_>]) -> Result<Vec<Changed>, Error> {
        Ok(items.iter().map(|_| Changed::default()).collect())
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
