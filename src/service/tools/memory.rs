//! Memory writes of a model: checks the allow-list, then whether the entry exists, then writes.

use std::sync::Arc;

use serde_json::json;

use super::call_hooks::CallHooks;
use super::hooks::{CallVerdict, WriteVerdicts, ask_writes, denial_text};
use super::memory_command::{
    MemoryCommand, MemoryOp, WriteRefusal, WriteTarget, check_key, find_target,
};
use super::{MemoryRights, ToolAnswer};
use crate::domain::{
    Actor, ActorKind, CandidateState, Classification, EventKind, MemoryAction, MemoryClass,
    MemoryOrigin, MemoryPromotion, MemoryScope, MemoryTier, NewEvent, Proposal, RawJson, ToolCall,
};
use crate::hook::{Denial, HookRun};
use crate::request::{MemoryWrite, ProposalRequest};
use crate::service::candidates::{Ids, propose_in};
use crate::service::effects::Effects;
use crate::service::memory::{MemoryChange, carry_out as write, remove};
use crate::service::{Error, Services, StoreError};
use crate::store::Tx;

/// A call of a memory tool, with the verdict of the hooks and the ids of a proposal. The ids are
/// chosen before the transaction, which may run twice.
#[derive(Debug, Clone)]
pub(super) struct PlannedCall {
    pub(super) call: ToolCall,
    pub(super) verdict: CallVerdict,
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
    calls
        .iter()
        .map(|planned| match carry_out_one(tx, rights, planned, promotion)? {
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
                tx.publish(&denied_event(&rights.written, &command, reason, None))?;
            }
            return Ok(Err(answer));
        }
    };
    match verdict {
        CallVerdict::Denied(denial) => {
            tx.publish(&denied_event(&target.scope, &command, "hook", Some(denial)))?;
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

/// Proposes a write as a candidate. The answer says that it is not remembered yet.
fn propose(
    tx: &Tx<'_>,
    scope: MemoryScope,
    command: &MemoryCommand,
    ids: &Ids,
) -> Result<Result<String, ToolAnswer>, Error> {
    let id = scope.agent.clone().unwrap_or_else(|| "model".into());
    let proposed = ProposalRequest {
        proposal: Proposal {
            value: command.value.clone(),
            about: None,
            class: MemoryClass::Preference,
            key: Some(Arc::clone(&command.key)),
            description: command.description.clone(),
            scope,
            tier: MemoryTier::Working,
            classification: Classification::Internal,
            intents: Vec::new(),
            confidence: None,
            evidence_refs: None,
            consent: None,
            ttl: None,
        },
        by: Actor { id, kind: ActorKind::Agent },
        policy: None,
        revises: None,
    };
    let candidate = propose_in(tx, &proposed, None, ids, MemoryPromotion::Review)?;
    let key = &command.key;
    Ok(match candidate.state {
        CandidateState::AutoRejected => Err(ToolAnswer::Refused(format!(
            "The same was proposed under \"{key}\" before and rejected. Nothing was done."
        ))),
        CandidateState::Duplicate => Ok(format!("Proposed before under \"{key}\".")),
        _ => {
            Ok(format!("Proposed under \"{key}\"; it is remembered once people have reviewed it."))
        }
    })
}

/// The event of a denied write. Of a guard it lacks the reason, which may quote what was denied.
fn denied_event(
    scope: &MemoryScope,
    command: &MemoryCommand,
    reason: &str,
    denial: Option<&Denial>,
) -> NewEvent {
    let key = &command.key;
    let data = match denial {
        None => json!({"key": key, "reason": reason, "origin": "model"}),
        Some(Denial { hook, point, code, .. }) => json!({"key": key, "reason": reason,
            "origin": "model", "hook": hook, "point": point.as_str(), "code": code}),
    };
    NewEvent {
        kind: EventKind::MemoryDenied,
        session_id: scope.session_id.clone(),
        compilation_id: None,
        data: RawJson::new(data.to_string()),
        at: None,
    }
}
