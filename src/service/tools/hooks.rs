//! Runs the hooks at `memory_update` about memory writes of a model, before any of them is carried
//! out.

use std::collections::HashMap;
use std::sync::Arc;

use super::MemoryRights;
use super::call_hooks::CallHooks;
use super::memory_command::{MemoryCommand, MemoryOp, WriteTarget, check_key, find_target};
use super::memory_files::{FileChange, FileChanges, FileReader, FileWork, PlanFailure, plan};
use crate::domain::{MEMORY_TOOL, MemoryScope, RawJson, ToolCall};
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

/// The verdict of hooks on a call that writes memory.
#[derive(Debug, Clone)]
pub(super) enum WriteVerdict {
    /// On the one entry of a call of ours.
    Entry(CallVerdict),
    /// On each entry that a command of the memory tool changes.
    Files(FileVerdict),
}

/// The verdict of hooks on a command of the memory tool.
#[derive(Debug, Clone)]
pub(super) struct FileVerdict {
    /// The changes that the hooks were asked about.
    pub(super) changes: Vec<FileChange>,
    /// For each change, the value that replaces that of the model.
    pub(super) values: Vec<Option<RawJson>>,
    /// The first denial, which stops the whole command.
    pub(super) denial: Option<FileWriteDenial>,
}

impl FileVerdict {
    /// The values of the keys after the command; none for a key that is gone.
    fn values_after(&self) -> Vec<(Arc<str>, Option<RawJson>)> {
        let mut after = Vec::new();
        if self.denial.is_some() {
            return after;
        }
        for (change, replaced) in self.changes.iter().zip(&self.values) {
            let new = |value: &RawJson| Some(replaced.clone().unwrap_or_else(|| value.clone()));
            match change {
                FileChange::Write { key, value, .. } => after.push((Arc::clone(key), new(value))),
                FileChange::Remove { key, .. } => after.push((Arc::clone(key), None)),
                FileChange::Move { from, to, value } => {
                    after.push((Arc::clone(from), None));
                    after.push((Arc::clone(to), new(value)));
                }
            }
        }
        after
    }
}

/// A denied change of a file.
#[derive(Debug, Clone)]
pub(super) struct FileWriteDenial {
    pub(super) key: Arc<str>,
    pub(super) denial: Denial,
}

impl WriteVerdict {
    /// The verdict on a call of ours.
    pub(super) fn entry(&self) -> &CallVerdict {
        match self {
            Self::Entry(verdict) => verdict,
            Self::Files(_) => &CallVerdict::Free,
        }
    }

    /// The verdict on a command of the memory tool; none if no hook was asked.
    pub(super) fn files(&self) -> Option<&FileVerdict> {
        match self {
            Self::Entry(_) => None,
            Self::Files(verdict) => Some(verdict),
        }
    }
}

/// The verdicts of hooks on the memory writes of a model, and the effects of the hooks.
#[derive(Debug, Default)]
pub(super) struct WriteVerdicts {
    pub(super) verdicts: Vec<WriteVerdict>,
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
        let verdicts = calls.map(|_| WriteVerdict::Entry(CallVerdict::Free)).collect();
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
) -> Result<Vec<WriteVerdict>, Error> {
    // The values of keys after the earlier calls, and of those in the scope of files.
    let mut values: HashMap<Arc<str>, Option<RawJson>> = HashMap::new();
    let (mut changes, mut work) = (FileChanges::new(), FileWork::default());
    let mut verdicts: Vec<WriteVerdict> = Vec::new();
    for call in calls {
        if *call.name == *MEMORY_TOOL {
            let planned = services.tenant().read(|tx| {
                let (changes, work) = (&changes, &mut work);
                plan(FileReader { tx, scope: &rights.written, changes, work }, rights, call)
            });
            let planned = match planned {
                Ok(planned) => planned.changes,
                Err(PlanFailure::Refused(_)) => Vec::new(),
                Err(PlanFailure::Store(error)) => return Err(error.into()),
            };
            let verdict = ask_files(runner, planned, &rights.written)?;
            for (key, value) in verdict.values_after() {
                changes.insert(Arc::clone(&key), value.clone());
                values.insert(key, value);
            }
            verdicts.push(WriteVerdict::Files(verdict));
            continue;
        }
        let command = match MemoryCommand::read(call) {
            Ok(command) if check_key(rights, &command.key).is_ok() => command,
            _ => {
                verdicts.push(WriteVerdict::Entry(CallVerdict::Free));
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
                verdicts.push(WriteVerdict::Entry(CallVerdict::Free));
                continue;
            }
        };
        let old = match values.get(&command.key) {
            Some(value) => value.clone(),
            None => target.old.map(|entry| entry.value),
        };
        if command.op != MemoryOp::Create && old.is_none() {
            verdicts.push(WriteVerdict::Entry(CallVerdict::Free));
            continue;
        }
        let verdict = ask_write(runner, &command, &target.scope, old.as_ref())?;
        let value = match &verdict {
            CallVerdict::Denied(_) => old,
            CallVerdict::Value(value) => Some(value.clone()),
            CallVerdict::Free => (command.op != MemoryOp::Delete).then_some(command.value),
        };
        if target.scope == rights.written {
            changes.insert(Arc::clone(&command.key), value.clone());
        }
        values.insert(command.key, value);
        verdicts.push(WriteVerdict::Entry(verdict));
    }
    Ok(verdicts)
}

/// Asks about each entry that a command of the memory tool changes. A renamed file is a deletion and
/// a creation. The first denial ends it.
fn ask_files(
    runner: &mut HookRunner<'_>,
    changes: Vec<FileChange>,
    scope: &MemoryScope,
) -> Result<FileVerdict, Error> {
    let mut verdict = FileVerdict { changes, values: Vec::new(), denial: None };
    for change in &verdict.changes {
        let mut ask = |op, key: &Arc<str>, value: &RawJson, old: Option<&RawJson>| {
            let (key, value) = (Arc::clone(key), value.clone());
            ask_write(runner, &MemoryCommand { op, key, value, description: None }, scope, old)
        };
        let (key, asked) = match change {
            FileChange::Write { key, old, value } => {
                (key, ask(MemoryOp::Create, key, value, old.as_ref())?)
            }
            FileChange::Remove { key, old } => (key, ask(MemoryOp::Delete, key, old, Some(old))?),
            FileChange::Move { from, to, value } => {
                match ask(MemoryOp::Delete, from, value, Some(value))? {
                    CallVerdict::Denied(denial) => (from, CallVerdict::Denied(denial)),
                    _ => (to, ask(MemoryOp::Create, to, value, None)?),
                }
            }
        };
        match asked {
            CallVerdict::Denied(denial) => {
                verdict.denial = Some(FileWriteDenial { key: Arc::clone(key), denial });
                break;
            }
            CallVerdict::Value(value) => verdict.values.push(Some(value)),
            CallVerdict::Free => verdict.values.push(None),
        }
    }
    Ok(verdict)
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
