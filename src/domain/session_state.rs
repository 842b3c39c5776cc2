//! Everything of a session that decides its next compile.

use std::sync::Arc;

use super::{MemoryEntry, ModelCalibration, Models, RawJson, SentHistory, Session, Source};

/// The state that a snapshot stores and a restore puts back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionState {
    pub turns: u64,
    pub defaults: Option<RawJson>,
    /// As [`Session::hooks_scoped`].
    pub hooks_scoped: bool,
    pub points: Vec<u64>,
    pub measured: Vec<ModelCalibration>,
    /// As [`Session::sent`].
    pub sent: Arc<SentHistory>,
    /// As [`SessionCosts::removed`](super::SessionCosts::removed): what was left out before is not
    /// saved again.
    pub removed: u64,
    /// Entries of its scope, in the order of their keys.
    pub memory: Vec<MemoryEntry>,
    /// The shape of its messages, if it has any.
    pub source: Option<Source>,
    /// Each as it was given.
    pub messages: Vec<RawJson>,
}

/// Facts about a snapshot that are not in its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotHead {
    pub id: std::sync::Arc<str>,
    pub session: std::sync::Arc<str>,
    pub label: Option<std::sync::Arc<str>>,
    pub created_at: super::Timestamp,
    /// The number of its messages.
    pub messages: u64,
    /// As [`Session::hooks_scoped`], of the defaults in it.
    pub hooks_scoped: bool,
}

impl SessionState {
    /// The part of the state that is in the session's row.
    pub fn new(session: &Session) -> Self {
        Self {
            turns: session.turns,
            defaults: session.defaults.clone(),
            hooks_scoped: session.hooks_scoped,
            points: session.points.clone(),
            measured: session.measured.clone(),
            sent: Arc::clone(&session.sent),
            removed: session.costs.removed,
            memory: Vec::new(),
            source: session.source,
            messages: Vec::new(),
        }
    }

    /// Forgets factors that are implausible by a table of models.
    pub fn forget_implausible_factors(&mut self, models: &Models) {
        for known in &mut self.measured {
            known.forget_implausible(models.calibrated(&known.model).factor_milli);
        }
    }

    /// Puts that part into a session.
    pub fn put_into(&self, session: &mut Session) {
        session.turns = self.turns;
        session.defaults.clone_from(&self.defaults);
        session.hooks_scoped = self.hooks_scoped;
        session.points.clone_from(&self.points);
        session.measured.clone_from(&self.measured);
        session.sent.clone_from(&self.sent);
        session.costs.removed = self.removed;
        session.source = self.source;
    }
}
