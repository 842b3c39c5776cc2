//! Runs the hooks at `tool_result` and `compress_format` outside of a compile: for results on their
//! own, and for lists that are shortened.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use super::Services;
use super::compile::{Error, hook_line};
use super::effects::Effects;
use super::event_owner::EventOwner;
use super::hooks::HookOutcomes;
use crate::domain::Source;
use crate::hook::{HookSet, Point};
use crate::json::{self, Limits};
use crate::pipeline::{self, Deadline, HookPort};

/// Runs of hooks about the results of one request, with their effects.
#[derive(Debug, Default)]
pub(super) struct ResultHooks {
    effects: Effects,
    kept: Option<Arc<HookOutcomes>>,
    set: Arc<HookSet>,
    pub(super) took: Duration,
}

impl ResultHooks {
    /// Runs `ask` with a hook runner if there are hooks at `point`; returns none in place of its
    /// value if there are no hooks.
    pub(super) fn ask<T>(
        services: &Services,
        session: Option<&Arc<str>>,
        deadline: &Deadline,
        point: Point,
        ask: impl FnOnce(&mut dyn HookPort) -> Result<T, pipeline::Error>,
    ) -> Result<(Option<T>, Self), Error> {
        let set = services.hook_set(session.map(|id| &**id), &[])?;
        if set.hooks_at(point).is_empty() {
            return Ok((None, Self::default()));
        }
        let start = Instant::now();
        let scope = services.hook_scope(session, None);
        let mut runner = services.hook_runner(Arc::clone(&set), scope.clone(), deadline);
        let asked = match ask(&mut runner) {
            Ok(asked) => asked,
            Err(error) => {
                let owner = EventOwner { session, ..EventOwner::default() };
                services.publish_failures(owner, runner.runs());
                return Err(error.into());
            }
        };
        let kept = runner.kept();
        let effects = Effects::of_hooks(runner, scope);
        Ok((Some(asked), Self { effects, kept, set, took: start.elapsed() }))
    }

    /// Appends the runs and effects of a later call.
    #[must_use]
    pub(super) fn then(mut self, other: Self) -> Self {
        self.took = self.took.saturating_add(other.took);
        self.effects.extend(other.effects);
        if self.kept.is_none() {
            (self.kept, self.set) = (other.kept, other.set);
        }
        self
    }

    /// The lines of the hooks for a report.
    pub(super) fn hook_lines(&self) -> impl Iterator<Item = Box<RawValue>> {
        self.effects.runs.iter().filter_map(hook_line)
    }

    /// Stores an outcome for each result in the returned list, so that hooks are not called for it
    /// again when the client sends the list back.
    pub(super) fn answered(&mut self, source: Source, list: &str) {
        let Some(kept) = &self.kept else { return };
        let text = format!("{{\"{}\":{list}}}", source.list_key());
        if let Ok(node) = json::parse(&text, Limits::default()) {
            kept.answered(&self.set, &pipeline::result_inputs(&node, source));
            self.effects.outcomes.extend(kept.take());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.effects.is_empty()
    }

    /// The effects, which are stored with the response.
    pub(super) fn into_effects(self) -> Effects {
        self.effects
    }
}
