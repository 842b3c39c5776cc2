//! The hooks at `tool_result` and `compress_format` where no payload is compiled: results on their own, and lists that are
//! made shorter.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use super::Services;
use super::compile::{Error, hook_line};
use super::effects::Effects;
use super::hooks::HookOutcomes;
use crate::domain::Source;
use crate::hook::{HookSet, Point};
use crate::json::{self, Limits};
use crate::pipeline::{self, Deadline, HookPort};

/// What hooks said of the results of one request.
#[derive(Debug, Default)]
pub(super) struct Results {
    effects: Effects,
    kept: Option<Arc<HookOutcomes>>,
    set: Arc<HookSet>,
    pub(super) took: Duration,
}

impl Results {
    /// Asks the hooks, where there are any; what `ask` gave, then.
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
        let mut asking = services.asking(Arc::clone(&set), scope.clone(), deadline);
        let asked = match ask(&mut asking) {
            Ok(asked) => asked,
            Err(error) => {
                services.tell_failures(asking.runs());
                return Err(error.into());
            }
        };
        let kept = asking.kept();
        let effects = Effects::of_hooks(asking, scope);
        Ok((Some(asked), Self { effects, kept, set, took: start.elapsed() }))
    }

    /// What was said here, and behind it what was said there.
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

    /// Notes the messages of the answer: their results come back as they are.
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

    /// What is stored with the answer.
    pub(super) fn into_effects(self) -> Effects {
        self.effects
    }
}
