//! What is told of a compile: ids and counts, never content.

use std::sync::Arc;

use serde_json::{Value, json};

use super::fact_observers::failures;
use super::hooks::{disable_gone, gone};
use super::{Services, StoreError, compile, packs};
use crate::domain::{EventKind, NewEvent, RawJson};
use crate::hook::HookRun;
use crate::pipeline::{CompiledPayload, StopReason};
use crate::request::CompileRequest;

/// What is known of a request before it is compiled.
#[derive(Debug)]
pub(super) struct CompileEvents {
    target: &'static str,
    model: Arc<str>,
    messages: usize,
    state: bool,
    context: bool,
}

impl CompileEvents {
    pub(super) fn of(request: &CompileRequest) -> Self {
        Self {
            target: request.target.as_str(),
            model: Arc::clone(&request.model.name),
            messages: request.conversation.history.len(),
            state: request.dynamic_state.is_some(),
            context: request.implicit_context.is_some(),
        }
    }

    /// The events of a compile: those before its effects, and those behind them.
    pub(super) fn events(
        &self,
        id: &Arc<str>,
        session: Option<&Arc<str>>,
        (compiled, runs): (&CompiledPayload, &[HookRun]),
    ) -> (Vec<NewEvent>, Vec<NewEvent>) {
        let event = |kind: EventKind, data: &Value| NewEvent {
            kind,
            session_id: session.cloned(),
            compilation_id: Some(Arc::clone(id)),
            data: RawJson::new(data.to_string()),
        };
        let report = &compiled.report;
        let started = self.started();
        let mut after =
            failures(runs).map(|data| event(EventKind::HookFailed, &data)).collect::<Vec<_>>();
        let memory = report.memory.injected.len();
        if memory > 0 || self.state || self.context {
            let data = json!({
                "memory_entries": memory, "dynamic_state": self.state,
                "implicit_context": self.context,
            });
            after.push(event(EventKind::ContextInjected, &data));
        }
        let actions = &report.actions;
        if actions.cleared + actions.summarized + actions.dropped > 0 {
            let data = json!({
                "tokens_before": report.tokens_before, "tokens_after": report.tokens_after,
                "actions": actions,
            });
            after.push(event(EventKind::Compress, &data));
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
        after.push(event(EventKind::CompileDone, &done));
        (vec![event(EventKind::CompileStart, &started)], after)
    }

    fn started(&self) -> Value {
        json!({"target": self.target, "model": &*self.model, "messages": self.messages})
    }
}

/// Tells that a compile failed, as well as that can be told; that it began too, where its request
/// was valid.
pub(super) fn tell_failed(
    services: &Services,
    session: Option<&str>,
    (told, runs): (Option<&CompileEvents>, &[HookRun]),
    error: &compile::Error,
) {
    let code = match error {
        compile::Error::Json(_) | compile::Error::Stopped(StopReason::Cancelled) => return,
        compile::Error::Invalid(_) => "invalid_request",
        compile::Error::OverBudget { .. } => "over_budget",
        compile::Error::Stopped(StopReason::TimeUp) => "deadline",
        compile::Error::Stopped(StopReason::TooMuchText(_)) => "text_limit",
        compile::Error::Store(_) => "store_unavailable",
        compile::Error::Governed(refused) => refused.refusal.code.as_str(),
        compile::Error::Pack(packs::PackRefusal::Lint(_)) => "pack_lint",
        compile::Error::Pack(_) => "pack_not_found",
        compile::Error::Forbidden(_) => "forbidden",
        compile::Error::Denied(_) => "hook_denied",
        compile::Error::Hook(stop) if stop.is_timeout() => "hook_timeout",
        compile::Error::Hook(stop) if stop.is_text_limit() => "text_limit",
        compile::Error::Hook(_) => "hook_failed",
    };
    let recorded = match error {
        compile::Error::Governed(refused) => refused.compilation.clone(),
        _ => None,
    };
    let event = |kind, data: &Value| NewEvent {
        kind,
        session_id: session.map(Into::into),
        compilation_id: recorded.clone(),
        data: RawJson::new(data.to_string()),
    };
    let started = told.map(|told| event(EventKind::CompileStart, &told.started()));
    let mut events: Vec<NewEvent> = started.into_iter().collect();
    events.extend(failures(runs).map(|data| event(EventKind::HookFailed, &data)));
    if let compile::Error::Denied(denial) = error {
        // Not the reason: it may quote what was denied.
        let data = json!({"hook": &*denial.hook, "point": denial.point.as_str(),
            "code": denial.code.as_deref()});
        events.push(event(EventKind::HookDenied, &data));
    }
    events.push(event(EventKind::CompileFailed, &json!({"code": code})));
    let gone = gone(runs);
    let told = services.tenant().write(move |tx| {
        events.iter().try_for_each(|event| tx.publish(event).map(drop))?;
        disable_gone(tx, &gone)
    });
    if let Err(error) = told {
        let error: StoreError = error;
        tracing::debug!(%error, "a failed compile was not told of");
    }
}
