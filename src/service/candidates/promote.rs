//! From a candidate to a memory entry.

use std::sync::Arc;

use serde_json::json;

use super::check::{conflicts, key_beside, key_of};
use super::step::{CandidateAction, CandidateStep, go};
use super::{CandidateRefusal, Error};
use crate::domain::{
    Actor, Candidate, CandidateState, ConsentCheck, MemoryAction, MemoryEntry, MemoryOrigin,
    MemoryStatus, MemoryTier, MemoryTtl, Proposal, RawJson, Resolution, word_of,
};
use crate::json::Fault;
use crate::request::{MemoryWrite, PromoteRequest};
use crate::service::memory::{MemoryChange, carry_out, replace};
use crate::store::Tx;

/// A promotion as it was proposed.
pub(super) fn by_policy(by: Actor) -> PromoteRequest {
    PromoteRequest {
        tier: None,
        key: None,
        intents: None,
        scope: None,
        classification: None,
        ttl: None,
        resolution: None,
        by,
    }
}

/// Makes a candidate an entry, or rejects it where that resolves a contradiction.
pub(super) fn promote_in(
    tx: &Tx<'_>,
    candidate: &mut Candidate,
    request: &PromoteRequest,
) -> Result<(), Error> {
    if candidate.checks.consent == ConsentCheck::Missing {
        return Err(CandidateRefusal::NoConsent.into());
    }
    settle(&mut candidate.proposal, request)?;
    let mut key = request.key.clone().unwrap_or_else(|| key_of(candidate));
    let others = conflicts(tx, candidate, &key)?;
    match request.resolution {
        Some(Resolution::Reject) => {
            let mut step =
                CandidateStep::new(CandidateAction::Reject, CandidateState::Rejected, &request.by);
            step.says("resolution", "reject");
            return go(tx, candidate, &step);
        }
        None if !others.is_empty() => {
            let keys = others.iter().map(|entry| format!("`{}`", entry.key)).collect();
            return Err(CandidateRefusal::Contradiction(keys).into());
        }
        Some(Resolution::Supersede) => {
            for entry in &others {
                supersede(tx, entry, candidate, &request.by)?;
            }
        }
        Some(Resolution::KeepBoth) if others.iter().any(|entry| entry.key == key) => {
            key = free_key(tx, candidate, request, &key)?;
        }
        Some(Resolution::KeepBoth) | None => {}
    }
    write(tx, candidate, &key)?;
    // Whatever stood under this key is this candidate's from now on.
    retire(tx, &key, candidate, &request.by)?;
    let mut step =
        CandidateStep::new(CandidateAction::Promote, CandidateState::Promoted, &request.by);
    step.says("memory_key", &*key);
    if let Some(resolution) = request.resolution.filter(|_| !others.is_empty()) {
        step.says("resolution", word_of(Resolution::WORDS, resolution));
    }
    step.says("tier", word_of(MemoryTier::WORDS, candidate.proposal.tier));
    candidate.memory_key = Some(key);
    go(tx, candidate, &step)
}

/// Takes over what a promotion says of how the fact is kept.
fn settle(proposal: &mut Proposal, request: &PromoteRequest) -> Result<(), Error> {
    let wish = request.clone();
    proposal.tier = wish.tier.unwrap_or(proposal.tier);
    proposal.classification = wish.classification.unwrap_or(proposal.classification);
    proposal.intents = wish.intents.unwrap_or(std::mem::take(&mut proposal.intents));
    proposal.scope = wish.scope.unwrap_or(std::mem::take(&mut proposal.scope));
    proposal.ttl = wish.ttl.unwrap_or(proposal.ttl);
    let counts_turns = matches!(proposal.ttl, Some(MemoryTtl::Turns(_)));
    if counts_turns && proposal.scope.session_id.is_none() {
        return Err(Error::Invalid(vec![Fault {
            pointer: "/ttl".to_owned(),
            detail: "turns are those of a session: `scope.session_id` is needed".to_owned(),
            did_you_mean: None,
        }]));
    }
    Ok(())
}

/// A key for an entry that stands beside one that says otherwise.
fn free_key(
    tx: &Tx<'_>,
    candidate: &Candidate,
    request: &PromoteRequest,
    taken: &str,
) -> Result<Arc<str>, Error> {
    let key = key_beside(candidate, taken);
    let is_free = || Ok::<_, Error>(tx.memory(&candidate.proposal.scope, &key)?.is_none());
    if request.key.is_some() || !is_free()? {
        let detail = "an entry of this key is there: to keep both, name another `key`";
        return Err(Error::Conflict(detail.to_owned()));
    }
    Ok(key)
}

/// Takes an entry out of sight because of a candidate.
fn supersede(
    tx: &Tx<'_>,
    entry: &MemoryEntry,
    candidate: &Candidate,
    by: &Actor,
) -> Result<(), Error> {
    let superseded = MemoryEntry { status: MemoryStatus::Superseded, ..entry.clone() };
    replace(tx, entry, superseded, MemoryAction::Supersede, MemoryOrigin::Review)?;
    retire(tx, &entry.key, candidate, by)
}

/// Tells the candidates whose entry stood under a key that another has taken its place.
fn retire(tx: &Tx<'_>, key: &str, candidate: &Candidate, by: &Actor) -> Result<(), Error> {
    for mut old in tx.promoted_as(&candidate.proposal.scope, key)? {
        let mut step =
            CandidateStep::new(CandidateAction::Supersede, CandidateState::Superseded, by);
        step.says("superseded_by", &*candidate.id);
        go(tx, &mut old, &step)?;
        old.superseded_by = Some(Arc::clone(&candidate.id));
        old.version += 1;
        tx.put_candidate(&old)?;
    }
    Ok(())
}

fn write(tx: &Tx<'_>, candidate: &Candidate, key: &Arc<str>) -> Result<(), Error> {
    let proposal = &candidate.proposal;
    let old = tx.memory(&proposal.scope, key)?;
    let change = MemoryChange {
        scope: proposal.scope.clone(),
        key: Arc::clone(key),
        write: MemoryWrite {
            value: Some(proposal.value.clone()),
            description: proposal.description.clone(),
            // What it says of itself, not what an entry before it said.
            ttl: Some(proposal.ttl),
            tier: Some(proposal.tier),
            classification: Some(proposal.classification),
            author: candidate.proposers.first().map(|by| Arc::clone(&by.id)),
            metadata: Some(origin(candidate)),
            ..MemoryWrite::default()
        },
        action: MemoryAction::Set,
        origin: MemoryOrigin::Review,
    };
    carry_out(tx, &change, old).map(drop)
}

/// Where an entry comes from, and for which intents it may be recalled.
fn origin(candidate: &Candidate) -> RawJson {
    let proposal = &candidate.proposal;
    let mut said = json!({"candidate": candidate.id, "class": proposal.class});
    if let Some(members) = said.as_object_mut() {
        if let Some(about) = &proposal.about {
            members.insert("entity".to_owned(), json!(about.entity));
            members.insert("predicate".to_owned(), json!(about.predicate));
        }
        if !proposal.intents.is_empty() {
            members.insert("intents".to_owned(), json!(proposal.intents));
        }
        if let Some(confidence) = proposal.confidence {
            members.insert("confidence".to_owned(), json!(confidence));
        }
    }
    RawJson::new(said.to_string())
}
