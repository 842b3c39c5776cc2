//! The hooks at `tool_call`: whether a call is carried out, and with which arguments. Whoever carries
//! out calls, or lets the caller do so, asks here.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;

use super::hooks::{CallVerdict as Said, deadline, told};
use super::schema::{self, SchemaVerdict};
use crate::domain::{EventKind, MemoryScope, NewEvent, RawJson, ToolCall, ToolDefinition};
use crate::hook::{Denial, GuardDecision, HookInput, MatchContext, Point};
use crate::json::{Limits, parse, write_string};
use crate::pipeline::HookPort as _;
use crate::service::effects::Effects;
use crate::service::hook_runner::HookRunner;
use crate::service::{Error, Services};

const POINT: Point = Point::ToolCall;

/// A call that may be carried out where no hook has anything against it.
#[derive(Debug)]
pub(crate) struct CallQuestion<'q> {
    pub(crate) call: &'q ToolCall,
    /// The tool that is meant: of a namespace, its action.
    pub(crate) name: &'q str,
    /// What the tool is run with.
    pub(crate) arguments: RawJson,
    /// What its arguments are held to, where that is known.
    pub(crate) tool: Option<&'q ToolDefinition>,
    /// Its place among the calls of its message, and how many these are.
    pub(crate) batch: (usize, usize),
}

/// Asks the hooks about calls, in their order; a verdict each. `whose`: the session and the agent of
/// the scope.
pub(crate) fn ask_calls(
    services: &Services,
    whose: &MemoryScope,
    questions: &[CallQuestion<'_>],
) -> Result<(Vec<Said>, Effects), Error> {
    let session = whose.session_id.as_ref();
    let set = services.hook_set(session.map(|id| &**id), &[])?;
    if set.hooks_at(POINT).is_empty() {
        return Ok((questions.iter().map(|_| Said::Free).collect(), Effects::default()));
    }
    let scope = services.hook_scope(session, whose.agent.as_ref());
    let mut asking = services.asking(set, scope.clone(), &deadline(services));
    let (mut verdicts, mut events) = (Vec::with_capacity(questions.len()), Vec::new());
    for question in questions {
        let answer = match ask(&mut asking, question) {
            Ok(answer) => answer,
            Err(error) => {
                services.tell_failures(asking.runs());
                return Err(error);
            }
        };
        verdicts.push(match answer {
            GuardAnswer::Denied(denial) => {
                events.push(denied(session, question, &denial));
                Said::Denied(told(&denial))
            }
            GuardAnswer::Arguments(new) => Said::Value(RawJson::new(new)),
            GuardAnswer::Free => Said::Free,
        });
    }
    let mut effects = Effects::of_hooks(asking, scope);
    effects.events_after.splice(0..0, events);
    Ok((verdicts, effects))
}

enum GuardAnswer {
    Free,
    Denied(Denial),
    Arguments(Arc<str>),
}

fn ask(asking: &mut HookRunner<'_>, question: &CallQuestion<'_>) -> Result<GuardAnswer, Error> {
    let input = input(question);
    let facts = MatchContext { tool: Some(question.name), ..MatchContext::default() };
    let at = HookInput { point: POINT, input: &input, facts };
    let (tool, is_text) = (question.tool, question.call.custom);
    let changed = asking.change(at, &move |payload| check(payload, tool, is_text))?;
    if let Some(denial) = changed.denied {
        asking.observe(at, GuardDecision::Denied(&denial))?;
        return Ok(GuardAnswer::Denied(denial));
    }
    let input = changed.input.as_deref().unwrap_or(&input);
    asking.observe(HookInput { input, ..at }, GuardDecision::Allowed)?;
    Ok(changed.payload.map_or(GuardAnswer::Free, GuardAnswer::Arguments))
}

/// What hooks are shown: `{"tool": {"name", "call_id", "arguments"}, "batch": {"index", "size"}}`.
fn input(question: &CallQuestion<'_>) -> String {
    let mut out = String::from("{\"tool\":{\"name\":");
    write_string(&mut out, question.name);
    out.push_str(",\"call_id\":");
    write_string(&mut out, &question.call.id);
    let (index, size) = question.batch;
    let arguments = question.arguments.as_str();
    let _ = write!(
        out,
        ",\"arguments\":{arguments}}},\"batch\":{{\"index\":{index},\"size\":{size}}}}}"
    );
    out
}

/// New arguments are held to what the model's own would be.
fn check(payload: &str, tool: Option<&ToolDefinition>, is_text: bool) -> Result<(), String> {
    let node = parse(payload, Limits::default()).map_err(|error| error.to_string())?;
    match is_text {
        true if node.as_str().is_some() => return Ok(()),
        true => return Err(format!("/tool/arguments: must be a text, not {}", node.kind())),
        false if node.as_object().is_none() => {
            return Err(format!("/tool/arguments: must be an object, not {}", node.kind()));
        }
        false => {}
    }
    let Some(tool) = tool.filter(|tool| tool.opaque.is_none()) else { return Ok(()) };
    match schema::check(tool, &RawJson::new(payload)) {
        Ok(SchemaVerdict::Valid) => Ok(()),
        Ok(SchemaVerdict::Invalid(reason)) => Err(format!("/tool/arguments: {reason}")),
        Err(fault) => Err(format!("/tool/arguments: {}", fault.detail)),
    }
}

/// Tells that a guard denied a call. Not the reason: it may quote what was denied.
fn denied(session: Option<&Arc<str>>, question: &CallQuestion<'_>, denial: &Denial) -> NewEvent {
    let data = json!({"call_id": question.call.id, "tool": question.name, "hook": denial.hook,
        "code": denial.code});
    NewEvent {
        kind: EventKind::ToolDenied,
        session_id: session.cloned(),
        compilation_id: None,
        data: RawJson::new(data.to_string()),
    }
}
