//! Memory writes of a model as candidates, for servers whose memory people review.

use std::sync::Arc;

use super::ToolAnswer;
use super::memory_command::MemoryCommand;
use crate::domain::{
    Actor, ActorKind, CandidateState, Classification, MemoryClass, MemoryPromotion, MemoryScope,
    MemoryTier, Proposal,
};
use crate::request::ProposalRequest;
use crate::service::Error;
use crate::service::candidates::{Ids, propose_in};
use crate::store::Tx;

/// Proposes a write as a candidate. The answer says that it is not remembered yet.
pub(super) fn propose(
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
