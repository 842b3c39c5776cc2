//! Makes events of one session and compile: [`EventOwner`].

use std::sync::Arc;

use serde::Serialize;

use super::event_data::{HookFailedData, to_raw};
use crate::domain::{EventKind, NewEvent};
use crate::hook::HookRun;

/// The session and the compile that events belong to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EventOwner<'o> {
    pub(super) session: Option<&'o Arc<str>>,
    pub(super) compilation: Option<&'o Arc<str>>,
}

impl EventOwner<'_> {
    pub(super) fn event(self, kind: EventKind, data: &impl Serialize) -> NewEvent {
        NewEvent {
            kind,
            session_id: self.session.cloned(),
            compilation_id: self.compilation.cloned(),
            data: to_raw(data),
            at: None,
        }
    }

    /// An event, and a line in the log, for each hook that failed. Neither has the detail of the
    /// failure, which may quote the answer.
    pub(super) fn hook_failures(self, runs: &[HookRun]) -> Vec<NewEvent> {
        let failed = runs.iter().filter_map(|run| {
            let failure = run.failure()?;
            let session = self.session.map(|id| &**id);
            tracing::warn!(
                hook.id = &*run.hook,
                hook.point = run.point.as_str(),
                hook.kind = run.kind.as_str(),
                cause = failure.cause.as_str(),
                status = failure.status,
                session.id = session,
                "a hook failed"
            );
            let data = HookFailedData {
                hook: &run.hook,
                point: run.point.as_str(),
                kind: Some(run.kind.as_str()),
                cause: Some(failure.cause.as_str()),
                status: Some(failure.status),
                ..HookFailedData::default()
            };
            Some(self.event(EventKind::HookFailed, &data))
        });
        failed.collect()
    }
}
