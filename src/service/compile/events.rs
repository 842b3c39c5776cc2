//! The events of a compile: ids and counts, never content.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use super::Error;
use crate::domain::{EventKind, NewEvent, Note, RecordLevel, Timestamp};
use crate::hook::{HookKind, HookRun, HookSet, Point, RunOutcome};
use crate::pipeline::CompiledPayload;
use crate::request::CompileRequest;
use crate::service::effects::Effects;
use crate::service::event_data::{
    CompileDoneData, CompileFailedData, CompileStartData, CompressData, ContextInjectedData,
    HookDeniedData,
};
use crate::service::event_owner::EventOwner;
use crate::service::hooks::{follows, gone};
use crate::service::{Services, StoreError};

/// Why a compile cannot be begun.
#[derive(Debug)]
pub(super) struct UnreadCompile {
    pub(super) error: Error,
    pub(super) events: Box<CompileEvents>,
}

/// Facts of the request that events contain, read before the compile runs.
#[derive(Debug)]
pub(super) struct CompileEvents {
    /// Absent if the request is not valid.
    target: Option<&'static str>,
    model: Option<Arc<str>>,
    messages: Option<usize>,
    has_state: bool,
    has_context: bool,
    /// The id of the caller's key.
    key: Option<Arc<str>>,
    started_at: Timestamp,
    /// When the work on the request began.
    start: Instant,
    /// Whether `compile:start` is published.
    is_started: bool,
}

impl CompileEvents {
    /// Events of a request that is not valid.
    pub(super) fn unread(services: &Services, start: Instant) -> Self {
        let started_at = services.now().before(start.elapsed());
        Self {
            target: None,
            model: None,
            messages: None,
            has_state: false,
            has_context: false,
            key: services.caller().key.clone(),
            started_at,
            start,
            is_started: false,
        }
    }

    /// Milliseconds since the work on the request began.
    fn millis(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Facts of a valid request.
    pub(super) fn read(&mut self, request: &CompileRequest) {
        self.target = Some(request.target.as_str());
        self.model = Some(Arc::clone(&request.model.name));
        self.messages = Some(request.conversation.history.len());
        self.has_state = request.dynamic_state.is_some();
        self.has_context = request.implicit_context.is_some();
    }

    /// The event `compile:start`, unless it is published.
    pub(super) fn started(&self, owner: EventOwner<'_>) -> Option<NewEvent> {
        let data = CompileStartData {
            target: self.target,
            model: self.model.as_deref(),
            messages: self.messages,
        };
        let event = owner.event(EventKind::CompileStart, &data);
        (!self.is_started).then_some(NewEvent { at: Some(self.started_at), ..event })
    }

    /// Publishes `compile:start` at once if a stream of this process is open or a hook follows it. It
    /// is published with the other events if it cannot be stored now.
    pub(super) fn publish_start(
        &mut self,
        services: &Services,
        set: &HookSet,
        owner: EventOwner<'_>,
    ) {
        let session = owner.session.map(|id| &**id);
        let is_followed = || {
            set.hooks_at(Point::Event)
                .iter()
                .any(|hook| follows(hook, EventKind::CompileStart, session))
        };
        if !services.tenant().has_event_readers() && !is_followed() {
            return;
        }
        let Some(event) = self.started(owner) else { return };
        match services.tenant().write(move |tx| tx.publish(&event)) {
            Ok(_) => self.is_started = true,
            Err(error) => {
                let error: StoreError = error;
                tracing::debug!(%error, "the event compile:start could not be stored");
            }
        }
    }

    /// The events of a compile that has a payload: failed hooks, injected context, compression, and
    /// the end. `level`: what the record of the compile keeps.
    pub(super) fn finished(
        &self,
        owner: EventOwner<'_>,
        compiled: &CompiledPayload,
        runs: &[HookRun],
        level: RecordLevel,
    ) -> Vec<NewEvent> {
        let report = compiled.report.report();
        let mut events = owner.hook_failures(runs);
        let memory = report.memory.injected.len();
        let hooks: BTreeSet<&str> =
            runs.iter().filter(|run| provides(run)).map(|run| &*run.hook).collect();
        if memory > 0 || self.has_state || self.has_context || !hooks.is_empty() {
            let data = ContextInjectedData {
                memory_entries: memory,
                dynamic_state: self.has_state,
                implicit_context: self.has_context || !hooks.is_empty(),
                hooks,
            };
            events.push(owner.event(EventKind::ContextInjected, &data));
        }
        if let Some(tokens) = compiled.shrink {
            let data = CompressData {
                tokens_before: tokens.before,
                tokens_after: tokens.after,
                actions: report.actions,
            };
            events.push(owner.event(EventKind::Compress, &data));
        }
        let done = CompileDoneData {
            target: self.target,
            model: self.model.as_deref(),
            tokens_before: report.tokens_before,
            tokens_after: report.tokens_after,
            fits: report.fits,
            parts: report.parts,
            actions: report.actions,
            unique_saved_tokens: report.unique_saved_tokens,
            cost: report.cost,
            reported_cost: report.reported_cost,
            key: self.key.as_deref(),
            payload_hash: compiled.payload_hash.to_string(),
            first_change: report.cache.first_change.as_ref(),
            duration_ms: self.millis(),
            record: level.as_str(),
        };
        events.push(owner.event(EventKind::CompileDone, &done));
        events
    }
}

/// Whether the text of a hook is in the payload.
fn provides(run: &HookRun) -> bool {
    let is_text = run.point == Point::BeforeCompile && run.kind == HookKind::Provide;
    is_text && run.outcome == RunOutcome::Applied && !run.audit
}

/// Publishes the events of a failed compile: `compile:start`, the failures and the denial of hooks,
/// `compile:failed`. If the store cannot be written, the events are lost.
pub(super) fn publish_failure(
    services: &Services,
    owner: EventOwner<'_>,
    events: &CompileEvents,
    runs: &[HookRun],
    error: &Error,
) {
    if matches!(error, Error::Json(_) | Error::Stopped(crate::pipeline::StopReason::Cancelled)) {
        return;
    }
    let mut published: Vec<NewEvent> = events.started(owner).into_iter().collect();
    published.extend(owner.hook_failures(runs));
    if let Error::Denied(denial) = error {
        // Without the reason: it may quote what was denied.
        let data = HookDeniedData {
            hook: &denial.hook,
            point: denial.point.as_str(),
            code: denial.code.as_deref(),
        };
        published.push(owner.event(EventKind::HookDenied, &data));
    }
    let failed = CompileFailedData { code: error.code(), duration_ms: events.millis() };
    published.push(owner.event(EventKind::CompileFailed, &failed));
    let effects = Effects { events_after: published, gone: gone(runs), ..Effects::default() };
    if let Err(error) = services.tenant().write(move |tx| effects.store(tx)) {
        tracing::debug!(%error, "the events of a failed compile could not be stored");
    }
}

/// The note that the events of a compile are lost.
pub(super) fn not_stored() -> Note {
    Note {
        code: "events_not_stored",
        pointer: String::new(),
        detail: "the store cannot be written".to_owned(),
    }
}
