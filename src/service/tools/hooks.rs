//! Runs the hooks at `memory_update` about memory writes of a model, before any of them is carried
//! out.

use std::collections::HashMap;
use std::sync::Arc;

use super::MemoryRights;
use super::call_hooks::CallHooks;
use super::memory_command::{MemoryCommand, MemoryOp, WriteTarget, check_key, find_target};
use crate::domain::{MemoryScope, RawJson, ToolCall};
use crate::hook::{
    Denial, HookInput, HookKind, MatchContext, MemoryUpdateInput, Point, PointInput as _,
};
use crate::json::{Limits, parse};
use crate::pipeline::{self, HookPort as _};
use crate::request::check_memory_text;
use crate::service::effects::Effects;
use crate::service::hook_runner::HookRunner;
use crate::service::{Error, Services};

/// The verdict of hooks on a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallVerdict {
    /// No hook denies or changes it.
    Free,
    Denied(Denial),
    /// The arguments or the value that replace what the model gave.
    Value(RawJson),
}

impl From<pipeline::Error> for Error {
    fn from(error: pipeline::Error) -> Self {
        match error {
            pipeline::Error::Hook(stop) => Self::Hook(stop),
            pipeline::Error::Stopped(stopped) => Self::Stopped(stopped),
            // No payload is made here, and a denial is a verdict, not an error.
            pipeline::Error::OverBudget(_) | pipeline::Error::Denied(_) => {
                Self::Stopped(pipeline::StopReason::Cancelled)
            }
        }
    }
}

/// The verdicts of hooks on the memory writes of a model, and the effects of the hooks.
#[derive(Debug, Default)]
pub(super) struct WriteVerdicts {
    pub(super) verdicts: Vec<CallVerdict>,
    pub(super) effects: Effects,
}

pub(super) fn denial_text(denial: &Denial) -> String {
    match &denial.code {
        Some(code) => format!("{} ({code})", denial.reason),
        None => denial.reason.to_string(),
    }
}

/// Asks the hooks whether each write of a model is allowed, and with which value. No hook is called
/// for a key outside of the allow-list, or for a change of a missing entry: both are refused later.
pub(super) fn ask_writes<'c>(
    services: &Services,
    hooks: &CallHooks,
    rights: &MemoryRights,
    calls: impl Iterator<Item = &'c ToolCall> + Clone,
) -> Result<WriteVerdicts, Error> {
    const POINT: Point = Point::MemoryUpdate;
    let asks = [HookKind::Guard, HookKind::Transform]
        .iter()
        .any(|kind| hooks.set.hooks_of_kind(POINT, *kind).next().is_some());
    if !asks {
        let verdicts = calls.map(|_| CallVerdict::Free).collect();
        return Ok(WriteVerdicts { verdicts, ..WriteVerdicts::default() });
    }
    let mut runner = hooks.runner(services);
    let verdicts = ask_each(services, &mut runner, rights, calls).inspect_err(|_| {
        services.publish_failures(hooks.owner(), runner.runs());
    })?;
    let scope = services.hook_scope(hooks.session.as_ref(), hooks.agent.as_ref());
    Ok(WriteVerdicts { verdicts, effects: Effects::of_hooks(runner, scope) })
}

fn ask_each<'c>(
    services: &Services,
    runner: &mut HookRunner<'_>,
    rights: &MemoryRights,
    calls: impl Iterator<Item = &'c ToolCall>,
) -> Result<Vec<CallVerdict>, Error> {
    // The values of keys after the earlier calls.
    let mut values: HashMap<Arc<str>, Option<RawJson>> = HashMap::new();
    let mut verdicts = Vec::new();
    for call in calls {
        let command = match MemoryCommand::read(call) {
            Ok(command) if check_key(rights, &command.key).is_ok() => command,
            _ => {
                verdicts.push(CallVerdict::Free);
                continue;
            }
        };
        // An entry of an earlier call of the message is not stored yet.
        let target = match services.tenant().read(|tx| find_target(tx, rights, &command))? {
            Ok(target) => target,
            Err(_) if values.get(&command.key).is_some_and(Option::is_some) => {
                WriteTarget { scope: rights.written.clone(), old: None }
            }
            Err(_) => {
                verdicts.push(CallVerdict::Free);
                continue;
            }
        };
        let old = match values.get(&command.key) {
            Some(value) => value.clone(),
            None => target.old.map(|entry| entry.value),
        };
        if command.op != MemoryOp::Create && old.is_none() {
            verdicts.push(CallVerdict::Free);
            continue;
        }
        let verdict = ask_write(runner, &command, &target.scope, old.as_ref())?;
        let value = match &verdict {
            CallVerdict::Denied(_) => old,
            CallVerdict::Value(value) => Some(value.clone()),
            CallVerdict::Free => (command.op != MemoryOp::Delete).then_some(command.value),
        };
        values.insert(command.key, value);
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

fn ask_write(
    runner: &mut HookRunner<'_>,
    command: &MemoryCommand,
    scope: &MemoryScope,
    old: Option<&RawJson>,
) -> Result<CallVerdict, Error> {
    let deletes = command.op == MemoryOp::Delete;
    let op = match (command.op, old) {
        (MemoryOp::Delete, _) => "delete",
        (_, Some(_)) => "update",
        (_, None) => "create",
    };
    let input = MemoryUpdateInput {
        origin: "model",
        op,
        key: &command.key,
        value: (!deletes).then(|| command.value.as_json()),
        old_value: old.map(RawJson::as_json),
        memory_id: &scope.entry_id(&command.key),
        scope: scope.into(),
    }
    .to_json();
    let check = move |payload: &str| {
        let node = parse(payload, Limits::default()).map_err(|error| error.to_string())?;
        match node.as_str() {
            _ if deletes && node.is_null() => Ok(()),
            _ if deletes => Err("/value: must be null for a deletion".to_owned()),
            None => Err(format!("/value: must be a text, not {}", node.kind())),
            Some(text) => match check_memory_text(text, None) {
                Some(fault) => Err(format!("/value: {fault}")),
                None => Ok(()),
            },
        }
    };
    let at =
        HookInput { point: Point::MemoryUpdate, input: &input, facts: MatchContext::default() };
    let changed = runner.change(at, &check)?;
    Ok(match (changed.denied, changed.payload) {
        (Some(denial), _) => CallVerdict::Denied(denial),
        (None, Some(value)) if !deletes => CallVerdict::Value(RawJson::new(value)),
        (None, _) => CallVerdict::Free,
    })
}
