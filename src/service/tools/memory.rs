//! What a model remembers: allow-list, then existence, then the write.

use std::sync::Arc;

use serde_json::json;

use super::check::listed;
use super::hooks::{CallVerdict, ask_writes};
use super::{MemoryRights, ToolAnswer, object, text};
use crate::domain::{
    Actor, ActorKind, CandidateState, Classification, EventKind, MemoryAction, MemoryClass,
    MemoryOrigin, MemoryPromotion, MemoryTier, NewEvent, Proposal, RawJson, ToolCall,
};
use crate::json::beginning;
use crate::pipeline::CREATE_MEMORY;
use crate::request::{MemoryWrite, ProposalRequest, check_memory_text, is_memory_key};
use crate::service::candidates::{Ids, propose_in};
use crate::service::effects::Effects;
use crate::service::memory::{MemoryChange, carry_out as write, remove};
use crate::service::{Error, Services};
use crate::store::Tx;

/// Does what the calls ask for, in their order and in one transaction, in which what hooks said
/// before is told; an answer each. One that is refused keeps no other from being done.
pub(super) fn carry_out(
    services: &Services,
    rights: MemoryRights,
    calls: Vec<ToolCall>,
    effects: Effects,
) -> Result<Vec<ToolAnswer>, Error> {
    if calls.is_empty() {
        if !effects.is_empty() {
            services.tenant().write_durable(move |tx| effects.store(tx).map(drop))?;
        }
        return Ok(Vec::new());
    }
    let promotion = services.promotion();
    let verdicts = ask_writes(services, &rights, calls.iter())?;
    // Chosen before the transaction, which may be tried twice.
    let calls: Vec<_> = calls
        .into_iter()
        .zip(verdicts)
        .map(|(call, verdict)| (call, verdict, Ids::new()))
        .collect();
    let session = rights.scope.session_id.clone();
    services.write_told(session.as_ref(), move |tx| {
        effects.store(tx)?;
        all(tx, &rights, &calls, promotion)
    })
}

/// The same inside of a transaction; the ids are those of what is proposed.
pub(super) fn all(
    tx: &Tx<'_>,
    rights: &MemoryRights,
    calls: &[(ToolCall, CallVerdict, Ids)],
    promotion: MemoryPromotion,
) -> Result<Vec<ToolAnswer>, Error> {
    calls
        .iter()
        .map(|(call, verdict, ids)| match one(tx, rights, (call, verdict), ids, promotion)? {
            Ok(done) => Ok(ToolAnswer::Done(done)),
            Err(refused) => Ok(refused),
        })
        .collect()
}

/// What a call did, or why it did nothing.
fn one(
    tx: &Tx<'_>,
    rights: &MemoryRights,
    (call, verdict): (&ToolCall, &CallVerdict),
    ids: &Ids,
    promotion: MemoryPromotion,
) -> Result<Result<String, ToolAnswer>, Error> {
    let mut wish = match MemoryCommand::read(call) {
        Ok(wish) => wish,
        Err(refused) => return Ok(Err(refused)),
    };
    if let Some(refused) = not_allowed(rights, &wish.key) {
        tx.publish(&denied(rights, &wish, "key_not_allowed"))?;
        return Ok(Err(refused));
    }
    let old = tx.memory(&rights.scope, &wish.key)?;
    match verdict {
        CallVerdict::Denied(reason) => {
            tx.publish(&denied(rights, &wish, "hook"))?;
            let key = &wish.key;
            let text = format!("\"{key}\" was not written: {reason}. Nothing was done.");
            return Ok(Err(ToolAnswer::Refused(text)));
        }
        CallVerdict::Value(value) => wish.value = value.clone(),
        CallVerdict::Free => {}
    }
    let key = &wish.key;
    match (wish.does, old) {
        (MemoryOp::Update | MemoryOp::Delete, None) => {
            Ok(Err(ToolAnswer::Refused(format!("Nothing is remembered under \"{key}\"."))))
        }
        (does, _) if promotion == MemoryPromotion::Review => {
            if does == MemoryOp::Delete {
                let reason = format!(
                    "What is remembered under \"{key}\" is only forgotten by people. Nothing was done."
                );
                return Ok(Err(ToolAnswer::Refused(reason)));
            }
            propose(tx, rights, &wish, ids)
        }
        (MemoryOp::Delete, Some(old)) => {
            remove(tx, &old, MemoryAction::Delete, MemoryOrigin::Model)?;
            Ok(Ok(format!("Forgotten: \"{key}\".")))
        }
        (MemoryOp::Create | MemoryOp::Update, old) => {
            let change = MemoryChange {
                scope: rights.scope.clone(),
                key: Arc::clone(key),
                write: MemoryWrite {
                    value: Some(wish.value),
                    description: wish.description,
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

/// Makes a write a candidate; the model reads that it is not remembered yet.
fn propose(
    tx: &Tx<'_>,
    rights: &MemoryRights,
    wish: &MemoryCommand,
    ids: &Ids,
) -> Result<Result<String, ToolAnswer>, Error> {
    let id = rights.scope.agent.clone().unwrap_or_else(|| "model".into());
    let proposed = ProposalRequest {
        proposal: Proposal {
            value: wish.value.clone(),
            about: None,
            class: MemoryClass::Preference,
            key: Some(Arc::clone(&wish.key)),
            description: wish.description.clone(),
            scope: rights.scope.clone(),
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
    let key = &wish.key;
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryOp {
    Create,
    Update,
    Delete,
}

/// What a call asks for.
#[derive(Debug)]
pub(super) struct MemoryCommand {
    pub(super) does: MemoryOp,
    pub(super) key: Arc<str>,
    pub(super) value: RawJson,
    description: Option<Arc<str>>,
}

impl MemoryCommand {
    pub(super) fn read(call: &ToolCall) -> Result<Self, ToolAnswer> {
        let arguments = object(call)?;
        let does = if &*call.name == CREATE_MEMORY {
            MemoryOp::Create
        } else {
            match text(call, &arguments, "action")? {
                "update" => MemoryOp::Update,
                "delete" => MemoryOp::Delete,
                _ => {
                    let reason = "`action` must be `update` or `delete`. Nothing was done.";
                    return Err(ToolAnswer::Refused(reason.to_owned()));
                }
            }
        };
        let key = text(call, &arguments, "key")?;
        if !is_memory_key(key) {
            let key = beginning(key);
            return Err(ToolAnswer::Refused(format!(
                "\"{key}\" cannot be a key. Nothing was done."
            )));
        }
        let value = if does == MemoryOp::Delete { "" } else { text(call, &arguments, "value")? };
        let description = arguments.get("description").and_then(serde_json::Value::as_str);
        if let Some(fault) = check_memory_text(value, description) {
            return Err(ToolAnswer::Refused(format!("{fault}. Nothing was done.")));
        }
        // A text: there is nothing in it that JSON cannot hold.
        let value = RawJson::new(serde_json::to_string(value).unwrap_or_default());
        Ok(Self { does, key: key.into(), value, description: description.map(Into::into) })
    }
}

pub(super) fn not_allowed(rights: &MemoryRights, key: &str) -> Option<ToolAnswer> {
    let allowed = rights.allowed_keys.as_ref()?;
    if allowed.iter().any(|known| **known == *key) {
        return None;
    }
    let (key, list) = (beginning(key), listed(allowed.iter()));
    Some(ToolAnswer::Refused(format!("\"{key}\" may not be written; these keys may: {list}.")))
}

fn denied(rights: &MemoryRights, wish: &MemoryCommand, reason: &str) -> NewEvent {
    let data = json!({"key": wish.key, "reason": reason, "origin": "model"});
    NewEvent {
        kind: EventKind::MemoryDenied,
        session_id: rights.scope.session_id.clone(),
        compilation_id: None,
        data: RawJson::new(data.to_string()),
    }
}
