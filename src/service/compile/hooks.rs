//! The hooks that a compile is pinned to.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::Error;
use crate::domain::Note;
use crate::hook::{CallScope, Hook, HookRun, HookSet, Point, RunOutcome, SkipReason};
use crate::json::{Node, to_text};
use crate::pipeline::ReportBuilder;
use crate::request::{CompileRequest, HookChoice};
use crate::service::sessions::SessionHandle;
use crate::service::{Services, StoreError};

/// Pins the hooks of a request. Hooks that are registered while it runs do not apply to it.
pub(crate) fn pinned(
    services: &Services,
    request: &CompileRequest,
) -> Result<Arc<HookSet>, StoreError> {
    let session = request.session_id.as_deref();
    match &request.hooks {
        HookChoice::Off => services.mandatory_hook_set(session),
        choice => services.hook_set(session, &inline_hooks(services, choice)),
    }
}

/// The hooks that a request brings, each with the key of the caller as its owner.
pub(crate) fn inline_hooks(services: &Services, choice: &HookChoice) -> Vec<Arc<Hook>> {
    let key = services.caller().key.clone().unwrap_or_default();
    let bring = |hook: &Arc<Hook>| {
        Arc::new(Hook { inline_owner: Some(Arc::clone(&key)), ..(**hook).clone() })
    };
    choice.inline().iter().map(bring).collect()
}

/// Refuses hooks with a `url` in the body of a request unless the caller has `hooks:write`, because such
/// a hook reads the conversation. Hooks in defaults are checked when they are stored.
pub(crate) fn require_scope_for_urls(services: &Services, body: &Node<'_>) -> Result<(), Error> {
    let hooks = body.get("hooks").and_then(Node::as_array).unwrap_or_default();
    let calls_out = |hook: &Node<'_>| hook.get("url").is_some_and(|url| !url.is_null());
    if services.may_write_hooks() || !hooks.iter().any(calls_out) {
        return Ok(());
    }
    let detail = "a hook with a `url` in `hooks` needs a key with the scope `hooks:write`";
    Err(Error::Forbidden(detail.to_owned()))
}

/// Adds warnings: which mandatory hooks ran in spite of `"hooks": false`, and that unscoped hooks in the
/// session's defaults did not run.
pub(super) fn warn(
    report: &mut ReportBuilder,
    node: &Node<'_>,
    session: Option<&SessionHandle>,
    runs: &[HookRun],
) {
    let wants_none = node.get("hooks").and_then(Node::as_bool) == Some(false);
    let mut warn = |code, detail: String| {
        report.warn(Note { code, pointer: "/hooks".to_owned(), detail });
    };
    let ran = |run: &&HookRun| run.outcome != RunOutcome::Skipped(SkipReason::NoMatch);
    let mut ids: Vec<&str> = runs.iter().filter(ran).map(|run| &*run.hook).collect();
    ids.sort_unstable();
    ids.dedup();
    if wants_none && !ids.is_empty() {
        let ids = ids.join("`, `");
        warn("mandatory_hooks", format!("`{ids}` ran although `hooks` is false: mandatory"));
    }
    let clipped = runs.iter().filter(|run| run.clipped);
    let clipped: BTreeSet<(&str, Point)> = clipped.map(|run| (&*run.hook, run.point)).collect();
    for (hook, point) in clipped {
        let detail = format!("the text of `{hook}` at `{point}` was cut to its `max_tokens`");
        warn("hook_text_clipped", detail);
    }
    if session.is_some_and(SessionHandle::has_unscoped_hooks) {
        let detail = "the hooks in the session's defaults did not run: it is not known that their \
                      writer had the scope `hooks:write`; write them again with it";
        warn("hooks_need_scope", detail.to_owned());
    }
}

/// The scope (tenant, session) of a compile, for its hook calls.
pub(crate) fn scope(services: &Services, id: &Arc<str>, session: Option<&Arc<str>>) -> CallScope {
    CallScope { compilation_id: Some(Arc::clone(id)), ..services.hook_scope(session, None) }
}

/// The scope of a compile, with its agent and its turn in the session.
pub(super) fn scope_of(
    services: &Services,
    id: &Arc<str>,
    session: Option<&SessionHandle>,
    request: &CompileRequest,
) -> CallScope {
    CallScope {
        agent: request.memory.as_ref().and_then(|memory| memory.scope.agent.clone()),
        turn: session.map(SessionHandle::turn),
        ..scope(services, id, session.map(|session| &session.id))
    }
}

/// The line of a hook run in the report. It is kept as text, since a report may have a line for
/// each result and hook.
pub(crate) fn line(run: &HookRun) -> Option<Box<RawValue>> {
    RawValue::from_string(to_text(&run.report())).ok()
}
