//! `POST /tools/calls`: handles the calls of one assistant message. Calls of our tools are run
//! here; all others are returned for the caller to run.

mod call_hooks;
mod check;
mod context_read;
mod denials;
mod file_writes;
mod guards;
mod hooks;
mod memory;
mod memory_command;
mod memory_denials;
mod memory_files;
mod memory_proposals;
mod memory_rights;
mod named_keys;
mod prepared_calls;
mod results;
mod schema;
mod toolkit;
mod trial;
mod wire;

use std::iter;
use std::sync::Arc;

pub(crate) use self::call_hooks::CallHooks;
pub(crate) use self::check::{CallJudgement, JudgedTools};
pub(crate) use self::denials::denial_outcomes;
pub(crate) use self::guards::{CallQuestion, ask_calls};
use self::hooks::{CallVerdict, denial_text};
use self::memory::{CarriedOutWrites, RequestedWrites, WriteResponse};
pub(crate) use self::memory_files::MEMORY_COMMANDS;
pub(crate) use self::memory_rights::{MemoryLimits, MemoryRights};
pub(crate) use self::named_keys::named_keys;
use self::prepared_calls::{PreparedCalls, ToolCallPlan};
pub use self::results::{ResultOutcome, results};
use self::schema::CheckFailure;
pub(crate) use self::trial::{CallTrial, TriedCalls};
use self::wire::ReadCalls;

use super::compile::hook_line;
use super::effects::Effects;
use super::idempotency::ResponseRecorder;
use super::{Error, Services, StoreError, defaults};
use crate::domain::{MEMORY_TOOL, MemoryScope, RawJson, Source, ToolCall};
use crate::hook::{CallBatch, HookRun};
use crate::json::{self, Limits, Node, Value};
use crate::pipeline::{CREATE_MEMORY, MODIFY_MEMORY, READ_TOOL, StopReason};
pub use crate::request::RESULT_LEVELS;
use crate::request::{self, LOAD_TOOLKIT};
use crate::store::Tx;

/// A call with its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct HandledCall {
    pub id: Arc<str>,
    /// The name of the tool; of a namespace, that of its action.
    pub name: Arc<str>,
    /// The namespace that it was called through.
    pub namespace: Option<Arc<str>>,
    pub outcome: CallOutcome,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    /// The caller runs it, with these arguments.
    Caller { arguments: RawJson },
    /// The caller does not run it: the message to append, in the caller's shape.
    Denied { reason: String, message: RawJson },
    /// The service ran it: the message to append, in the caller's shape.
    Service { answer: ToolAnswer, message: RawJson },
}

/// The answer of one of our tools to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolAnswer {
    Done(String),
    /// Nothing was done; the text has the reason.
    Refused(String),
}

impl ToolAnswer {
    pub fn text(&self) -> &str {
        match self {
            Self::Done(text) | Self::Refused(text) => text,
        }
    }
}

/// Outcomes of the calls of one message, in their order.
#[derive(Debug, Clone)]
pub struct CallResults {
    pub results: Vec<HandledCall>,
    /// Runs of the hooks that were called.
    pub hooks: Vec<HookRun>,
}

impl CallResults {
    /// The hook lines of the response.
    pub fn hook_lines(&self) -> Vec<Box<serde_json::value::RawValue>> {
        self.hooks.iter().filter_map(hook_line).collect()
    }
}

/// Judges the calls in `body` and runs those of our tools, in their order. Returns an outcome for
/// each call. `recorder` stores the response for a repeated request.
pub fn calls(
    services: &Services,
    body: &str,
    recorder: ResponseRecorder<CallResults>,
) -> Result<CallResults, Error> {
    let mut node = json::parse(body, Limits::default())?;
    let texts = default_texts(services, &node)?;
    let defaults = parse_all(&texts)?;
    if node.get("tools").is_none()
        && let Value::Object(members) = &mut node.value
        && let Some(tools) = defaults.iter().find_map(|defaults| defaults.get("tools"))
    {
        members.push(("tools".into(), tools.clone()));
    }
    let request = request::read_calls(&node).map_err(Error::Invalid)?;
    let ReadCalls { source, mut calls, malformed, callers } = wire::read(&request)?;
    let rights = MemoryRights::of_calls(&request, &MemoryLimits::read(&defaults));
    let tools = JudgedTools {
        list: request.tools,
        options: request.options,
        is_complete: request.knows_tools,
        runs_memory_tool: !is_memory_off(&defaults),
        ..JudgedTools::default()
    };
    let mut judged = judge(services, &tools, &calls, true)?;
    for (at, reason) in malformed {
        if let Some(judged) = judged.get_mut(at) {
            *judged = CallJudgement::Denied(reason);
        }
    }
    let subject = rights.hook_scope(request.session_id);
    let size = calls.len();
    let batches: Vec<_> = (0..size).map(|index| CallBatch { index, size }).collect();
    let asked = JudgedCalls { calls: &mut calls, judged: &mut judged, batches: &batches };
    let call_hooks = CallHooks::new(services, &subject, &[])?;
    let effects = ask(services, &call_hooks, &tools, asked)?;
    let asked_runs = effects.runs.clone();
    let ours = calls.iter().zip(&judged).filter(|(_, judged)| **judged == CallJudgement::Ours);
    let memory_calls = ours.map(|(call, _)| call).filter(|call| is_memory(&call.name)).cloned();
    let writes = RequestedWrites { calls: memory_calls.collect(), effects };
    let mut handled = Vec::with_capacity(calls.len());
    for (call, judged) in calls.into_iter().zip(judged) {
        let writes = judged == CallJudgement::Ours && is_memory(&call.name);
        let caller = callers.get(&call.id).cloned();
        handled.push(if writes {
            ToolCallPlan::Write { source, call, caller }
        } else {
            let judged_call = JudgedCall { source, call, caller, judged };
            ToolCallPlan::Handled(conclude(services, &tools, judged_call, &mut iter::empty())?)
        });
    }
    let prepared = PreparedCalls { calls: handled, runs: asked_runs };
    let (respond, complete) = (prepared.clone(), prepared);
    let respond = recorder.is_needed().then(|| {
        let write = move |tx: &Tx<'_>, done: &CarriedOutWrites| {
            recorder.remember(tx, &respond.complete(done))
        };
        Box::new(write) as WriteResponse
    });
    let done = memory::carry_out_with(services, &call_hooks, rights, writes, respond)?;
    let done = complete.complete(&done);
    let outcomes = denial_outcomes(services, &call_hooks.set, source, &done.results);
    if !outcomes.is_empty() {
        services.tenant().write(move |tx| tx.keep_hook_outcomes(&outcomes))?;
    }
    Ok(done)
}

/// A call with its judgement, and the shape of its message.
#[derive(Debug)]
pub(crate) struct JudgedCall {
    pub(crate) source: Source,
    pub(crate) call: ToolCall,
    /// The `caller` of the call, if a program made it.
    pub(crate) caller: Option<RawJson>,
    pub(crate) judged: CallJudgement,
}

/// Decides the outcome of a call after its hooks were called. `remembered` are the answers of
/// memory writes, in the order of their calls.
pub(crate) fn conclude(
    services: &Services,
    tools: &JudgedTools,
    judged_call: JudgedCall,
    remembered: &mut impl Iterator<Item = ToolAnswer>,
) -> Result<HandledCall, Error> {
    let JudgedCall { source, call, caller, judged } = judged_call;
    let write = |answer: &ToolAnswer| wire::result(source, &call, caller.as_ref(), answer);
    let mut name = Arc::clone(&call.name);
    let mut namespace = None;
    let outcome = match judged {
        CallJudgement::Allowed(resolved) => {
            (name, namespace) = (resolved.name, resolved.namespace);
            CallOutcome::Caller { arguments: resolved.arguments }
        }
        CallJudgement::Denied(reason) => {
            let answer = ToolAnswer::Refused(reason.clone());
            CallOutcome::Denied { reason, message: write(&answer) }
        }
        CallJudgement::Ours => {
            let answer = match &*call.name {
                READ_TOOL => context_read::carry_out(services, &call)?,
                LOAD_TOOLKIT => toolkit::carry_out(services.allowance(), &tools.options, &call),
                _ => remembered.next().unwrap_or_else(|| ToolAnswer::Refused(String::new())),
            };
            let message = write(&answer);
            CallOutcome::Service { answer, message }
        }
    };
    Ok(HandledCall { id: call.id, name, namespace, outcome })
}

/// Runs a single call of one of our tools. The scope is a parameter, since models do not choose it.
pub(crate) fn own_call(
    services: &Services,
    scope: MemoryScope,
    mut call: ToolCall,
) -> Result<ToolAnswer, Error> {
    let question = CallQuestion {
        call: &call,
        name: &call.name,
        arguments: wire::arguments(&call),
        tool: None,
        batch: CallBatch { index: 0, size: 1 },
    };
    let hooks = CallHooks::new(services, &scope, &[])?;
    let (verdicts, effects) = ask_calls(services, &hooks, &[question])?;
    let mut denied = None;
    match verdicts.into_iter().next() {
        Some(CallVerdict::Denied(denial)) => denied = Some(denial_text(&denial)),
        Some(CallVerdict::Value(new)) => call.arguments = new.as_str().into(),
        Some(CallVerdict::Free) | None => {}
    }
    let defaults = parse_all(services.caller().defaults.as_slice())?;
    let rights = MemoryRights::of_scope(scope, &MemoryLimits::read(&defaults));
    let writes = denied.is_none() && is_memory(&call.name);
    let calls = writes.then(|| call.clone()).into_iter().collect();
    let writes = RequestedWrites { calls, effects };
    let done = memory::carry_out(services, &hooks, rights, writes)?.answers.pop();
    match (denied, done) {
        (Some(reason), _) => Ok(ToolAnswer::Refused(reason)),
        (None, Some(done)) => Ok(done),
        (None, None) if &*call.name == READ_TOOL => context_read::carry_out(services, &call),
        (None, None) => Ok(ToolAnswer::Refused("There is no such tool.".to_owned())),
    }
}

/// Calls of one request, and the judgement of each.
#[derive(Debug)]
pub(crate) struct JudgedCalls<'c> {
    pub(crate) calls: &'c mut [ToolCall],
    pub(crate) judged: &'c mut [CallJudgement],
    /// The place of each call among the calls of its message.
    pub(crate) batches: &'c [CallBatch],
}

/// Runs the hooks at `tool_call` for the calls that may be run. Calls that a hook denies are not
/// run; the others are run with the arguments that the hooks leave.
pub(crate) fn ask(
    services: &Services,
    hooks: &CallHooks,
    tools: &JudgedTools,
    calls: JudgedCalls<'_>,
) -> Result<Effects, Error> {
    let JudgedCalls { calls, judged, batches } = calls;
    let mut questions = Vec::with_capacity(calls.len());
    let mut asked = Vec::with_capacity(calls.len());
    for (index, ((call, judged), batch)) in calls.iter().zip(&*judged).zip(batches).enumerate() {
        let (name, arguments, tool) = match judged {
            CallJudgement::Allowed(resolved) => {
                (&resolved.name, resolved.arguments.clone(), tools.definition_of(resolved))
            }
            CallJudgement::Ours => (&call.name, wire::arguments(call), None),
            CallJudgement::Denied(_) => continue,
        };
        asked.push(index);
        questions.push(CallQuestion { call, name, arguments, tool, batch: *batch });
    }
    let (verdicts, effects) = ask_calls(services, hooks, &questions)?;
    for (index, verdict) in asked.into_iter().zip(verdicts) {
        let (Some(call), Some(judged)) = (calls.get_mut(index), judged.get_mut(index)) else {
            continue;
        };
        match (verdict, &mut *judged) {
            (CallVerdict::Denied(denial), _) => {
                *judged = CallJudgement::Denied(denial_text(&denial));
            }
            (CallVerdict::Value(new), CallJudgement::Allowed(resolved)) => resolved.arguments = new,
            (CallVerdict::Value(new), _) => call.arguments = new.as_str().into(),
            (CallVerdict::Free, _) => {}
        }
    }
    Ok(effects)
}

/// The defaults of the session of a request and of the caller's key, the session's first.
fn default_texts(services: &Services, node: &Node<'_>) -> Result<Vec<Arc<str>>, Error> {
    let named = node.get("session_id").and_then(Node::as_str);
    // An id that is not valid is a fault, which the reader of the request reports.
    let session = match named.filter(|id| request::is_session_id(id)) {
        Some(id) => services.tenant().read(|tx| tx.session(id))?,
        None => None,
    };
    let own = session.and_then(|session| session.defaults);
    let own = own.map(|defaults| Arc::clone(defaults.text()));
    Ok(own.into_iter().chain(services.caller().defaults.clone()).collect())
}

/// Parses the defaults of a session and a key.
pub(crate) fn parse_all(texts: &[Arc<str>]) -> Result<Vec<Node<'_>>, StoreError> {
    texts.iter().map(|text| defaults::parse(text)).collect()
}

/// Judges all calls before any of them is run. If `remembers` is true, calls that write memory are
/// ours; those of Anthropic's memory tool are by `tools` alone.
pub(crate) fn judge(
    services: &Services,
    tools: &JudgedTools,
    calls: &[ToolCall],
    remembers: bool,
) -> Result<Vec<CallJudgement>, Error> {
    let ours: &[&str] =
        if remembers { &[READ_TOOL, CREATE_MEMORY, MODIFY_MEMORY] } else { &[READ_TOOL] };
    let (mut judged, mut faults) = (Vec::with_capacity(calls.len()), Vec::new());
    for call in calls {
        services.deadline().check()?;
        match tools.judge(call, ours, services.deadline()) {
            Ok(verdict) => {
                // A tool with a long name may be called many times, so the names are limited in
                // sum.
                services.allowance().take(verdict.text_bytes()).map_err(StopReason::from)?;
                judged.push(verdict);
            }
            Err(CheckFailure::Schema(fault)) => faults.push(fault),
            Err(CheckFailure::Stopped(stop)) => return Err(stop.into()),
        }
    }
    if faults.is_empty() { Ok(judged) } else { Err(Error::Invalid(faults)) }
}

impl HandledCall {
    /// The result to append; none if the caller runs the call.
    pub(super) fn message(&self) -> Option<&RawJson> {
        match &self.outcome {
            CallOutcome::Service { message, .. } | CallOutcome::Denied { message, .. } => {
                Some(message)
            }
            CallOutcome::Caller { .. } => None,
        }
    }
}

pub(super) fn is_memory(name: &str) -> bool {
    [CREATE_MEMORY, MODIFY_MEMORY, MEMORY_TOOL].contains(&name)
}

/// Whether the defaults, those of the session first, say `"memory": false`: calls of Anthropic's
/// memory tool are then for the caller.
fn is_memory_off(defaults: &[Node<'_>]) -> bool {
    let given = |defaults: &&Node<'_>| defaults.get("memory").is_some_and(|node| !node.is_null());
    let first = defaults.iter().find(given);
    first.is_some_and(|node| node.get("memory").and_then(Node::as_bool) == Some(false))
}

/// A member of a call's arguments that must be a text.
fn text<'a>(
    call: &ToolCall,
    arguments: &'a serde_json::Value,
    key: &str,
) -> Result<&'a str, ToolAnswer> {
    arguments.get(key).and_then(serde_json::Value::as_str).ok_or_else(|| {
        ToolAnswer::Refused(format!("{} needs `{key}`, a text. Nothing was done.", call.name))
    })
}

/// A call's arguments, which must be a JSON object.
fn object(call: &ToolCall) -> Result<serde_json::Value, ToolAnswer> {
    let parsed = serde_json::from_str::<serde_json::Value>(&call.arguments).ok();
    parsed.filter(serde_json::Value::is_object).ok_or_else(|| {
        ToolAnswer::Refused(format!(
            "the arguments of {} must be a JSON object. Nothing was done.",
            call.name
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::domain::Models;
    use crate::pipeline::Deadline;

    #[test]
    fn calls_are_judged_until_the_time_is_up() {
        let services = Services::new(Models::built_in()).unwrap();
        let body = r#"{"source": "openai", "calls": [
            {"id": "c", "type": "function", "function": {"name": "t", "arguments": "{}"}}]}"#;
        assert_eq!(calls(&services, body, ResponseRecorder::nothing()).unwrap().results.len(), 1);
        let late = services.until(&Deadline::at(Instant::now()));
        let late = calls(&late, body, ResponseRecorder::nothing());
        assert!(matches!(late, Err(Error::Stopped(StopReason::TimeUp))));
    }
}
