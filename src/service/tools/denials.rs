//! Denials of calls come back as results of tools: transforms at `tool_result` leave them as they are,
//! unless they ask for them.

use crate::domain::Source;
use crate::hook::{Hook, HookKind, HookSet, Point};
use crate::json::{self, Limits};
use crate::pipeline::result_inputs;
use crate::service::Services;
use crate::service::hooks::HookOutcomes;
use crate::store::HookOutcome;

use super::{CallOutcome, HandledCall, ToolAnswer, is_memory};

/// The outcomes of transforms for the denials among handled calls, to be stored with them.
pub(crate) fn denial_outcomes(
    services: &Services,
    set: &HookSet,
    source: Source,
    handled: &[HandledCall],
) -> Vec<HookOutcome> {
    let asks = |hook: &Hook| hook.kind == HookKind::Transform && !hook.matching.denials;
    if !set.hooks_at(Point::ToolResult).iter().any(|hook| asks(hook)) {
        return Vec::new();
    }
    let denied = handled.iter().filter(|handled| is_denied(handled));
    let messages: Vec<&str> =
        denied.filter_map(HandledCall::message).map(crate::domain::RawJson::as_str).collect();
    let Ok(Some(kept)) = HookOutcomes::for_set(services, set) else { return Vec::new() };
    let text = format!("{{\"{}\":[{}]}}", source.list_key(), messages.join(","));
    if let (false, Ok(node)) = (messages.is_empty(), json::parse(&text, Limits::default())) {
        kept.answered_for(set, &result_inputs(&node, source), asks);
    }
    kept.take()
}

/// Whether a call was denied, or a write of memory refused.
fn is_denied(handled: &HandledCall) -> bool {
    match &handled.outcome {
        CallOutcome::Denied { .. } => true,
        CallOutcome::Service { answer: ToolAnswer::Refused(_), .. } => is_memory(&handled.name),
        CallOutcome::Service { .. } | CallOutcome::Caller { .. } => false,
    }
}
