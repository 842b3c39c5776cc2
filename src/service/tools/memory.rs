//! Memory writes of a model: checks the allow-list, then whether the entry exists, then writes.

use std::sync::Arc;

use super::call_hooks::CallHooks;
use super::file_writes::{FileCall, carry_out_file_call};
use super::hooks::{CallVerdict, WriteVerdict, WriteVerdicts, ask_writes, denial_text};
use super::memory_command::{
    MemoryCommand, MemoryOp, WriteRefusal, WriteTarget, check_key, find_target,
};
use super::memory_denials::denied_event;
use super::memory_files::FileWork;
use super::memory_proposals::propose;
use super::{MemoryRights, ToolAnswer};
use crate::domain::{MEMORY_TOOL, MemoryAction, MemoryOrigin, MemoryPromotion, ToolCall};
use crate::hook::HookRun;
use crate::request::MemoryWrite;
use crate::service::candidates::Ids;
use crate::service::effects::Effects;
use crate::service::memory::{MemoryChange, carry_out as write, remove};
use crate::service::{Error, Services, StoreError};
use crate::store::Tx;

/// A call of a memory tool, with the verdict of the hooks and the ids of a proposal. The ids are
/// chosen before the transaction, which may run twice.
#[derive(Debug, Clone)]
pub(super) struct PlannedCall {
    pub(super) call: ToolCall,
    pub(super) verdict: WriteVerdict,
    pub(super) ids: Ids,
}

/// Memory calls of a request, and the effects of the hooks that were asked about its calls.
#[derive(Debug)]
pub(super) struct RequestedWrites {
    pub(super) calls: Vec<ToolCall>,
    pub(super) effects: Effects,
}

/// The answers of memory calls, and the runs of the hooks that were asked about the writes.
#[derive(Debug, Default)]
pub(super) struct CarriedOutWrites {
    pub(super) answers: Vec<ToolAnswer>,
    pub(super) runs: Vec<HookRun>,
}

/// Carries out the calls in their order, in one transaction that also stores `effects`. Returns an
/// answer for each call; a refused call does not stop the others.
pub(super) fn carry_out(
    services: &Services,
    hooks: &CallHooks,
    rights: MemoryRights,
    requested: RequestedWrites,
) -> Result<CarriedOutWrites, Error> {
    carry_out_with(services, hooks, rights, requested, None)
}

/// Writes what belongs to the calls in their transaction, such as the response for a repeated request.
pub(super) type WriteResponse =
    Box<dyn FnMut(&Tx<'_>, &CarriedOutWrites) -> Result<(), StoreError> + Send>;

/// As [`carry_out`], and writes the response in the same transaction.
pub(super) fn carry_out_with(
    services: &Services,
    hooks: &CallHooks,
    rights: MemoryRights,
    requested: RequestedWrites,
    mut respond: Option<WriteResponse>,
) -> Result<CarriedOutWrites, Error> {
    let RequestedWrites { calls, mut effects } = requested;
    if calls.is_empty() {
        if !effects.is_empty() || respond.is_some() {
            services.tenant().write_durable(move |tx| {
                effects.store(tx)?;
                respond.as_mut().map_or(Ok(()), |write| write(tx, &CarriedOutWrites::default()))
            })?;
        }
        return Ok(CarriedOutWrites::default());
    }
    let promotion = services.promotion();
    let WriteVerdicts { verdicts, effects: asked } =
        ask_writes(services, hooks, &rights, calls.iter())?;
    let runs = asked.runs.clone();
    effects.extend(asked);
    let calls: Vec<_> = calls
        .into_iter()
        .zip(verdicts)
        .map(|(call, verdict)| PlannedCall { call, verdict, ids: Ids::new() })
        .collect();
    let session = rights.visible.session_id.clone();
    services.write_observed(session.as_ref(), move |tx| {
        effects.store(tx)?;
        let answers = carry_out_all(tx, &rights, &calls, promotion)?;
        let done = CarriedOutWrites { answers, runs: runs.clone() };
        if let Some(write) = &mut respond {
            write(tx, &done)?;
        }
        Ok(done)
    })
}

/// Carries out planned calls inside of a transaction.
pub(super) fn carry_out_all(
    tx: &Tx<'_>,
    rights: &MemoryRights,
    calls: &[PlannedCall],
    promotion: MemoryPromotion,
) -> Result<Vec<ToolAnswer>, Error> {
    let mut work = FileWork::default();
    let mut carry_out = |planned: &PlannedCall| {
        let PlannedCall { call, verdict, ids } = planned;
        if *call.name == *MEMORY_TOOL {
            let verdict = verdict.files();
            let file_call = FileCall { call, verdict, ids, promotion };
            return carry_out_file_call(tx, rights, file_call, &mut work);
        }
        carry_out_one(tx, rights, planned, promotion)
    };
    calls
        .iter()
        .map(|planned| match carry_out(planned)? {
            Ok(done) => Ok(ToolAnswer::Done(done)),
            Err(refused) => Ok(refused),
        })
        .collect()
}

/// Carries out one call. Returns what it did, or its refusal.
fn carry_out_one(
    tx: &Tx<'_>,
    rights: &MemoryRights,
    planned: &PlannedCall,
    promotion: MemoryPromotion,
) -> Result<Result<String, ToolAnswer>, Error> {
    let PlannedCall { call, verdict, ids } = planned;
    let mut command = match MemoryCommand::read(call) {
        Ok(command) => command,
        Err(refused) => return Ok(Err(refused)),
    };
    let target = match check_key(rights, &command.key) {
        Ok(()) => find_target(tx, rights, &command)?,
        Err(refusal) => Err(refusal),
    };
    let target = match target {
        Ok(target) => target,
        Err(WriteRefusal { reason, answer }) => {
            if let Some(reason) = reason {
                tx.publish(&denied_event(&rights.written, &command.key, reason, None))?;
            }
            return Ok(Err(answer));
        }
    };
    match verdict.entry() {
        CallVerdict::Denied(denial) => {
            tx.publish(&denied_event(&target.scope, &command.key, "hook", Some(denial)))?;
            let (key, reason) = (&command.key, denial_text(denial));
            let text = format!("\"{key}\" was not written: {reason}. Nothing was done.");
            return Ok(Err(ToolAnswer::Refused(text)));
        }
        CallVerdict::Value(value) => command.value = value.clone(),
        CallVerdict::Free => {}
    }
    let key = &command.key;
    let WriteTarget { scope, old } = target;
    match (command.op, old) {
        (op, _) if promotion == MemoryPromotion::Review => {
            if op == MemoryOp::Delete {
                let reason = format!(
                    "What is remembered under \"{key}\" is only forgotten by people. Nothing was done."
                );
                return Ok(Err(ToolAnswer::Refused(reason)));
            }
            propose(tx, scope, &command, ids)
        }
        (MemoryOp::Delete, Some(old)) => {
            remove(tx, &old, MemoryAction::Delete, MemoryOrigin::Model)?;
            Ok(Ok(format!("Forgotten: \"{key}\".")))
        }
        (MemoryOp::Delete, None) => Ok(Err(WriteRefusal::not_found(key).answer)),
        (MemoryOp::Create | MemoryOp::Update, old) => {
            let change = MemoryChange {
                scope,
                key: Arc::clone(key),
                write: MemoryWrite {
                    value: Some(command.value),
                    description: command.description,
                    ttl: if old.is_none() { rights.ttl.map(Some) } else { None },
                    ..MemoryWrite::default()
                },
                action: MemoryAction::Set,
                origin: MemoryOrigin::Model,
            };
            let is_new = old.is_none();
            write(tx, &change, old)?;
            let verb = if is_new { "Remembered" } else { "Changed what is remembered" };
            Ok(Ok(format!("{verb} under \"{key}\".")))
        }
    }
}
