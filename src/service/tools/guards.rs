//! Runs the hooks at `tool_call`, which decide whether a call is run, and with which arguments.
//! Every path that runs a call, or returns it to the caller to run, goes through here.

use std::sync::Arc;

use super::call_hooks::CallHooks;
use super::hooks::CallVerdict;
use super::schema::{self, CheckFailure, SchemaVerdict};
use crate::domain::{EventKind, NewEvent, RawJson, ToolCall, ToolDefinition};
use crate::hook::{
    CallBatch, Denial, GuardDecision, HookInput, HookedCall, MatchContext, Point, PointInput as _,
    ToolArguments, ToolCallInput,
};
use crate::json::{Limits, parse};
use crate::limit::Deadline;
use crate::pipeline::HookPort as _;
use crate::service::effects::Effects;
use crate::service::event_data::{ToolDeniedData, to_raw};
use crate::service::hook_runner::HookRunner;
use crate::service::{Error, Services};

const POINT: Point = Point::ToolCall;

/// A call that is run if no hook denies it.
#[derive(Debug)]
pub(crate) struct CallQuestion<'q> {
    pub(crate) call: &'q ToolCall,
    /// The name of the tool; of a namespace, that of its action.
    pub(crate) name: &'q str,
    /// The arguments that the tool is run with.
    pub(crate) arguments: RawJson,
    /// The definition that the arguments must match, if it is known.
    pub(crate) tool: Option<&'q ToolDefinition>,
    pub(crate) batch: CallBatch,
}

/// Calls the hooks about each call, in order, and returns the verdicts.
pub(crate) fn ask_calls(
    services: &Services,
    hooks: &CallHooks,
    questions: &[CallQuestion<'_>],
) -> Result<(Vec<CallVerdict>, Effects), Error> {
    let session = hooks.session.as_ref();
    if hooks.set.hooks_at(POINT).is_empty() {
        return Ok((questions.iter().map(|_| CallVerdict::Free).collect(), Effects::default()));
    }
    let mut runner = hooks.runner(services);
    let (mut verdicts, mut events) = (Vec::with_capacity(questions.len()), Vec::new());
    for question in questions {
        let answer = match ask(&mut runner, question, services.deadline()) {
            Ok(answer) => answer,
            Err(error) => {
                services.publish_failures(hooks.owner(), runner.runs());
                return Err(error);
            }
        };
        verdicts.push(match answer {
            GuardAnswer::Denied(denial) => {
                events.push(denied_event(session, question, &denial));
                CallVerdict::Denied(denial)
            }
            GuardAnswer::Arguments(new) => CallVerdict::Value(RawJson::new(new)),
            GuardAnswer::Free => CallVerdict::Free,
        });
    }
    let scope = services.hook_scope(session, hooks.agent.as_ref());
    let mut effects = Effects::of_hooks(runner, scope);
    effects.events_after.splice(0..0, events);
    Ok((verdicts, effects))
}

enum GuardAnswer {
    Free,
    Denied(Denial),
    Arguments(Arc<str>),
}

fn ask(
    runner: &mut HookRunner<'_>,
    question: &CallQuestion<'_>,
    deadline: &Deadline,
) -> Result<GuardAnswer, Error> {
    let input = input(question);
    let facts = MatchContext { tool: Some(question.name), ..MatchContext::default() };
    let at = HookInput { point: POINT, input: &input, facts };
    let (tool, is_text) = (question.tool, question.call.custom);
    let changed = runner.change(at, &move |payload| check(payload, tool, is_text, deadline))?;
    if let Some(denial) = changed.denied {
        runner.observe(at, GuardDecision::Denied(&denial))?;
        return Ok(GuardAnswer::Denied(denial));
    }
    let input = changed.input.as_deref().unwrap_or(&input);
    runner.observe(HookInput { input, ..at }, GuardDecision::Allowed)?;
    Ok(changed.payload.map_or(GuardAnswer::Free, GuardAnswer::Arguments))
}

/// Writes the input of the hooks: `{"tool": {"name", "call_id", "arguments"}, "batch": {"index",
/// "size"}}`.
fn input(question: &CallQuestion<'_>) -> String {
    let tool = HookedCall {
        name: Some(question.name),
        call_id: &question.call.id,
        arguments: Some(ToolArguments::Json(question.arguments.as_json())),
    };
    ToolCallInput { tool, batch: question.batch }.to_json()
}

/// Checks new arguments like those of the model.
fn check(
    payload: &str,
    tool: Option<&ToolDefinition>,
    is_text: bool,
    deadline: &Deadline,
) -> Result<(), String> {
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
    match schema::check(tool, &RawJson::new(payload), deadline) {
        Ok(SchemaVerdict::Valid) => Ok(()),
        Ok(SchemaVerdict::Invalid(reason)) => Err(format!("/tool/arguments: {reason}")),
        Err(CheckFailure::Schema(fault)) => Err(format!("/tool/arguments: {}", fault.detail)),
        Err(CheckFailure::Stopped(stop)) => Err(format!("/tool/arguments: {stop}")),
    }
}

/// The event of a denied call. It lacks the reason, which may quote what was denied.
fn denied_event(
    session: Option<&Arc<str>>,
    question: &CallQuestion<'_>,
    denial: &Denial,
) -> NewEvent {
    let data = ToolDeniedData {
        call_id: &question.call.id,
        tool: question.name,
        hook: &denial.hook,
        code: denial.code.as_deref(),
    };
    NewEvent {
        kind: EventKind::ToolDenied,
        session_id: session.cloned(),
        compilation_id: None,
        data: to_raw(&data),
        at: None,
    }
}
