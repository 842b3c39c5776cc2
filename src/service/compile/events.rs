//! The events of a compile: ids and counts, never content.

use std::sync::Arc;

use serde_json::json;

use super::Error;
use crate::domain::{EventKind, NewEvent, Note};
use crate::hook::HookRun;
use crate::pipeline::CompiledPayload;
use crate::request::CompileRequest;
use crate::service::Services;
use crate::service::effects::Effects;
use crate::service::event_owner::EventOwner;
use crate::service::hooks::gone;

/// Why a compile cannot be begun.
#[derive(Debug)]
pub(super) struct UnreadCompile {
    pub(super) error: Error,
    /// The events of the compile, if its request was valid.
    pub(super) events: Option<CompileEvents>,
}

/// Facts of the request that events contain, read before the compile runs.
#[derive(Debug)]
pub(super) struct CompileEvents {
    target: &'static str,
    model: Arc<str>,
    messages: usize,
    has_state: bool,
    has_context: bool,
}

impl CompileEvents {
    pub(super) fn new(request: &CompileRequest) -> Self {
        Self {
            target: request.target.as_str(),
            model: Arc::clone(&request.model.name),
            messages: request.conversation.history.len(),
            has_state: request.dynamic_state.is_some(),
            has_context: request.implicit_context.is_some(),
        }
    }

    /// The event `compile:start`.
    pub(super) fn started(&self, owner: EventOwner<'_>) -> NewEvent {
        let data = json!({"target": self.target, "model": &*self.model, "messages": self.messages});
        owner.event(EventKind::CompileStart, &data)
    }

    /// The events of a compile that has a payload: failed hooks, injected context, compression, and
    /// the end.
    pub(super) fn finished(
        &self,
        owner: EventOwner<'_>,
        compiled: &CompiledPayload,
        runs: &[HookRun],
    ) -> Vec<NewEvent> {
        let report = compiled.report.report();
        let mut events = owner.hook_failures(runs);
        let memory = report.memory.injected.len();
        if memory > 0 || self.has_state || self.has_context {
            let data = json!({
                "memory_entries": memory, "dynamic_state": self.has_state,
                "implicit_context": self.has_context,
            });
            events.push(owner.event(EventKind::ContextInjected, &data));
        }
        let actions = &report.actions;
        if actions.cleared + actions.summarized + actions.dropped > 0 {
            let data = json!({
                "tokens_before": report.tokens_before, "tokens_after": report.tokens_after,
                "actions": actions,
            });
            events.push(owner.event(EventKind::Compress, &data));
        }
        let done = json!({
            "target": self.target,
            "model": &*self.model,
            "tokens_before": report.tokens_before,
            "tokens_after": report.tokens_after,
            "fits": report.fits,
            "parts": report.parts,
            "actions": actions,
            "payload_hash": compiled.payload_hash.to_string(),
            "first_change": report.cache.first_change,
        });
        events.push(owner.event(EventKind::CompileDone, &done));
        events
    }
}

/// Publishes the events of a failed compile: `compile:start` if its request was valid, the failures
/// and the denial of hooks, `compile:failed`. If the store cannot be written, the events are lost.
pub(super) fn publish_failure(
    services: &Services,
    session: Option<&str>,
    events: Option<&CompileEvents>,
    runs: &[HookRun],
    error: &Error,
) {
    if matches!(error, Error::Json(_) | Error::Stopped(crate::pipeline::StopReason::Cancelled)) {
        return;
    }
    let recorded = match error {
        Error::Governed(refused) => refused.compilation.clone(),
        _ => None,
    };
    let session = session.map(Arc::from);
    let owner = EventOwner { session: session.as_ref(), compilation: recorded.as_ref() };
    let mut published: Vec<NewEvent> =
        events.map(|events| events.started(owner)).into_iter().collect();
    published.extend(owner.hook_failures(runs));
    if let Error::Denied(denial) = error {
        // Without the reason: it may quote what was denied.
        let data = json!({"hook": &*denial.hook, "point": denial.point.as_str(),
            "code": denial.code.as_deref()});
        published.push(owner.event(EventKind::HookDenied, &data));
    }
    published.push(owner.event(EventKind::CompileFailed, &json!({"code": error.code()})));
    let effects = Effects { events_after: published, gone: gone(runs), ..Effects::default() };
    if let Err(error) = services.tenant().write(move |tx| effects.store(tx)) {
        tracing::debug!(%error, "events of a failed compile could not be stored");
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
