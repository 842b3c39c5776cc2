//! Promotes a candidate to a memory entry.

use std::sync::Arc;

use serde_json::json;

use super::Error;
use super::check::{alternative_key, find_conflicts, key_of};
use super::step::{CandidateAction, CandidateStep, take_step};
use crate::domain::{
    Actor, Candidate, CandidateState, ConsentCheck, MemoryAction, MemoryEntry, MemoryOrigin,
    MemoryStatus, MemoryTier, MemoryTtl, Proposal, RawJson, Resolution, word_of,
};
use crate::json::Fault;
use crate::request::{MemoryWrite, PromoteRequest};
use crate::service::CandidateRefusal;
use crate::service::memory::{MemoryChange, carry_out, replace};
use crate::store::Tx;

/// A promotion without changes to the proposal.
pub(super) fn plain_promotion(by: Actor) -> PromoteRequest {
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

/// Promotes a candidate to an entry, or rejects it if that resolves a contradiction.
pub(super) fn promote_in(
    tx: &Tx<'_>,
    candidate: &mut Candidate,
    request: &PromoteRequest,
) -> Result<(), Error> {
    if candidate.checks.consent == ConsentCheck::Missing {
        return Err(CandidateRefusal::NoConsent.into());
    }
    apply_options(&mut candidate.proposal, request)?;
    let mut key = request.key.clone().unwrap_or_else(|| key_of(candidate));
    let others = find_conflicts(tx, candidate, &key)?;
    match request.resolution {
        Some(Resolution::Reject) => {
            let mut step =
                CandidateStep::new(CandidateAction::Reject, CandidateState::Rejected, &request.by);
            step.add_data("resolution", "reject");
            return take_step(tx, candidate, &step);
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
            key = find_free_key(tx, candidate, request, &key)?;
        }
        Some(Resolution::KeepBoth) | None => {}
    }
    write(tx, candidate, &key)?;
    // Earlier candidates of this key have lost their entry to this candidate.
    retire(tx, &key, candidate, &request.by)?;
    let mut step =
        CandidateStep::new(CandidateAction::Promote, CandidateState::Promoted, &request.by);
    step.add_data("memory_key", &*key);
    if let Some(resolution) = request.resolution.filter(|_| !others.is_empty()) {
        step.add_data("resolution", word_of(Resolution::WORDS, resolution));
    }
    step.add_data("tier", word_of(MemoryTier::WORDS, candidate.proposal.tier));
    candidate.memory_key = Some(key);
    take_step(tx, candidate, &step)
}

/// Applies the options of a promotion to the proposal.
fn apply_options(proposal: &mut Proposal, request: &PromoteRequest) -> Result<(), Error> {
    let options = request.clone();
    proposal.tier = options.tier.unwrap_or(proposal.tier);
    proposal.classification = options.classification.unwrap_or(proposal.classification);
    proposal.intents = options.intents.unwrap_or(std::mem::take(&mut proposal.intents));
    proposal.scope = options.scope.unwrap_or(std::mem::take(&mut proposal.scope));
    proposal.ttl = options.ttl.unwrap_or(proposal.ttl);
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

/// Finds a key for an entry that is kept in addition to a contradicting one.
fn find_free_key(
    tx: &Tx<'_>,
    candidate: &Candidate,
    request: &PromoteRequest,
    taken: &str,
) -> Result<Arc<str>, Error> {
    let key = alternative_key(candidate, taken);
    let is_free = || Ok::<_, Error>(tx.memory(&candidate.proposal.scope, &key)?.is_none());
    if request.key.is_some() || !is_free()? {
        let detail = "an entry of this key is there: to keep both, name another `key`";
        return Err(Error::Conflict(detail.to_owned()));
    }
    Ok(key)
}

/// Marks an entry as superseded by a candidate.
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

/// Marks the candidates whose entry was under a key as superseded by another candidate.
fn retire(tx: &Tx<'_>, key: &str, candidate: &Candidate, by: &Actor) -> Result<(), Error> {
    for mut old in tx.promoted_as(&candidate.proposal.scope, key)? {
        let mut step =
            CandidateStep::new(CandidateAction::Supersede, CandidateState::Superseded, by);
        step.add_data("superseded_by", &*candidate.id);
        take_step(tx, &mut old, &step)?;
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
            // The candidate's own time to live, not that of an earlier entry.
            ttl: Some(proposal.ttl),
            tier: Some(proposal.tier),
            classification: Some(proposal.classification),
            author: candidate.proposers.first().map(|by| Arc::clone(&by.id)),
            metadata: Some(entry_metadata(candidate)),
            ..MemoryWrite::default()
        },
        action: MemoryAction::Set,
        origin: MemoryOrigin::Review,
    };
    carry_out(tx, &change, old).map(drop)
}

/// Metadata of an entry: the candidate that it comes from, and the intents for which it may be
/// recalled.
fn entry_metadata(candidate: &Candidate) -> RawJson {
    let proposal = &candidate.proposal;
    let mut metadata = json!({"candidate": candidate.id, "class": proposal.class});
    if let Some(members) = metadata.as_object_mut() {
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
    RawJson::new(metadata.to_string())
}
