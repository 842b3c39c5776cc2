//! What is left to tell of hooks that were asked outside of a compile.

use std::sync::Arc;

use super::StoreError;
use super::fact_observers::failures;
use super::hook_runner::HookRunner;
use super::hooks::queue::enqueue;
use super::hooks::{disable_gone, gone};
use crate::domain::{EventKind, NewEvent, RawJson};
use crate::hook::{CallScope, HookRun, QueuedCall};
use crate::store::{HookOutcome, Tx};

/// Lines for the answer, and what is stored with what was asked about.
#[derive(Debug, Clone, Default)]
pub(super) struct HookEffects {
    pub(super) runs: Vec<HookRun>,
    later: Vec<QueuedCall>,
    events: Vec<NewEvent>,
    /// What hooks said of results of tools.
    said: Vec<HookOutcome>,
    gone: Vec<(Arc<str>, u64)>,
    scope: CallScope,
}

impl HookEffects {
    /// What hooks were asked and said.
    pub(super) fn of(asking: HookRunner<'_>, scope: CallScope) -> Self {
        let said = asking.kept().map(|kept| kept.take()).unwrap_or_default();
        let (runs, later) = asking.into_parts();
        let failed = |data: serde_json::Value| NewEvent {
            kind: EventKind::HookFailed,
            session_id: scope.session_id.as_ref().map(Arc::clone),
            compilation_id: None,
            data: RawJson::new(data.to_string()),
        };
        let events = failures(&runs).map(failed).collect();
        let gone = gone(&runs);
        Self { runs, later, events, said, gone, scope }
    }

    /// Tells of more.
    pub(super) fn add(&mut self, events: Vec<NewEvent>) {
        self.events.splice(0..0, events);
    }

    /// Keeps more of what hooks said.
    pub(super) fn keep(&mut self, said: Vec<HookOutcome>) {
        self.said.extend(said);
    }

    /// What was said here, and behind it what was said there.
    pub(super) fn extend(&mut self, other: Self) {
        let Self { runs, later, events, said, gone, scope } = other;
        self.runs.extend(runs);
        self.later.extend(later);
        self.events.extend(events);
        self.said.extend(said);
        self.gone.extend(gone);
        if self.scope == CallScope::default() {
            self.scope = scope;
        }
    }

    /// Whether nothing is to be stored.
    pub(super) fn is_empty(&self) -> bool {
        self.later.is_empty() && self.events.is_empty() && self.said.is_empty()
    }

    /// Whether calls wait in the queue once it is stored.
    pub(super) fn is_queued(&self) -> bool {
        !self.later.is_empty()
    }

    /// Tells of it, in the transaction of what it is about.
    pub(super) fn store(&self, tx: &Tx<'_>) -> Result<(), StoreError> {
        self.events.iter().try_for_each(|event| tx.publish(event).map(drop))?;
        tx.keep_hook_outcomes(&self.said)?;
        disable_gone(tx, &self.gone)?;
        enqueue(tx, &self.scope, &self.later)
    }
}
