//! Checks a proposal: whether it was made before, and what it contradicts.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use super::Error;
use crate::domain::{
    Candidate, CandidateState, Checks, ConsentCheck, ContentHash, ContradictedEntry, Contradiction,
    MemoryEntry, MemoryPromotion, MemoryStatus, MemoryTier, Proposal, RawJson, value_text,
};
use crate::json::{self, Limits};
use crate::request::{WritePolicy, is_memory_key};
use crate::store::{self, Tx};

/// Identity of a fact, by which two proposals are the same: of a property or a key its value, of
/// free text its words.
#[derive(Serialize)]
struct FactIdentity<'f> {
    tenant: &'f str,
    subject: Option<&'f str>,
    session_id: Option<&'f str>,
    agent: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pack_tenant: Option<&'f str>,
    entity: Option<&'f str>,
    predicate: Option<&'f str>,
    key: Option<&'f str>,
    class: crate::domain::MemoryClass,
    value: Option<Box<RawValue>>,
    text: Option<String>,
}

/// Hashes the canonical form of a fact (SHA-256).
pub(super) fn fingerprint(tenant: &str, proposal: &Proposal) -> ContentHash {
    let about = proposal.about.as_ref();
    let is_free = about.is_none() && proposal.key.is_none();
    let fact = FactIdentity {
        tenant,
        subject: proposal.scope.subject.as_deref(),
        session_id: proposal.scope.session_id.as_deref(),
        agent: proposal.scope.agent.as_deref(),
        pack_tenant: proposal.scope.pack_tenant.as_deref(),
        entity: about.map(|about| &*about.entity),
        predicate: about.map(|about| &*about.predicate),
        key: proposal.key.as_deref().filter(|_| about.is_none()),
        class: proposal.class,
        value: if is_free { None } else { raw(&proposal.value) },
        text: is_free.then(|| words(&value_text(&proposal.value))),
    };
    ContentHash::of(&canonical(&serde_json::to_string(&fact).unwrap_or_default()))
}

/// Removes differences of case and white space from a text.
fn words(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

/// Writes JSON in its canonical form, the same for equal values.
pub(super) fn canonical(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    match json::parse(text, Limits::default()) {
        Ok(node) => json::canonical(&mut out, &node),
        // Not reached: the text was parsed before, or was written by us.
        Err(_) => out.push_str(text),
    }
    out
}

pub(super) fn raw(json: &RawJson) -> Option<Box<RawValue>> {
    RawValue::from_string(json.as_str().to_owned()).ok()
}

/// The key of a candidate's entry: the proposed key, else its property, else a hash of the fact.
pub(super) fn key_of(candidate: &Candidate) -> Arc<str> {
    let proposal = &candidate.proposal;
    let property = || {
        let about = proposal.about.as_ref()?;
        let key = format!("{}.{}", about.entity, about.predicate);
        is_memory_key(&key).then(|| key.into())
    };
    proposal.key.clone().or_else(property).unwrap_or_else(|| hash_key(candidate, 24))
}

/// A key for an entry whose own key is taken.
pub(super) fn alternative_key(candidate: &Candidate, taken: &str) -> Arc<str> {
    let digits = candidate.fingerprint.to_string();
    let key = format!("{taken}.{}", digits.get(..8).unwrap_or_default());
    if is_memory_key(&key) { key.into() } else { hash_key(candidate, 24) }
}

fn hash_key(candidate: &Candidate, length: usize) -> Arc<str> {
    let digits = candidate.fingerprint.to_string();
    format!("mem_{}", digits.get(..length).unwrap_or_default()).into()
}

/// Finds the promoted entries whose value differs from the candidate's: the entry under `key`, and
/// entries of other candidates for the same property.
pub(super) fn find_conflicts(
    tx: &Tx<'_>,
    candidate: &Candidate,
    key: &str,
) -> Result<Vec<MemoryEntry>, Error> {
    let proposal = &candidate.proposal;
    let value = canonical(proposal.value.as_str());
    let mut keys: Vec<Arc<str>> = vec![key.into()];
    if let Some(about) = &proposal.about {
        for other in tx.promoted_about(about, &proposal.scope)? {
            keys.extend(other.memory_key.filter(|key| !keys.contains(key)));
        }
    }
    let mut found = Vec::new();
    for key in keys {
        let entry = tx.memory(&proposal.scope, &key)?;
        let differs = |entry: &MemoryEntry| {
            entry.status.is_recalled() && canonical(entry.value.as_str()) != value
        };
        found.extend(entry.filter(differs));
    }
    Ok(found)
}

/// Checks a proposal against all earlier proposals and entries.
pub(super) fn check(
    tx: &Tx<'_>,
    candidate: &Candidate,
    policy: Option<&WritePolicy>,
    promotion: MemoryPromotion,
) -> Result<Checks, Error> {
    let proposal = &candidate.proposal;
    let is_free = proposal.about.is_none() && proposal.key.is_none();
    let mut existing = Vec::new();
    for entry in find_conflicts(tx, candidate, &key_of(candidate))? {
        let promoted = tx.promoted_as(&entry.scope, &entry.key)?.pop();
        existing.push(ContradictedEntry {
            key: entry.key,
            candidate: promoted.map(|candidate| candidate.id),
        });
    }
    let contradiction = match existing.is_empty() {
        false => Contradiction::Conflict,
        true if is_free => Contradiction::NotApplicable,
        true => Contradiction::None,
    };
    let consent = match (&proposal.consent, policy) {
        (Some(_), _) => ConsentCheck::Given,
        (None, Some(policy)) if policy.consent_required => ConsentCheck::Missing,
        (None, _) => ConsentCheck::NotRequired,
    };
    let duplicate_of = duplicate_of(tx, candidate)?;
    let previous = if duplicate_of.is_none() { last_rejected(tx, candidate)? } else { None };
    let auto_promote_eligible = promotion == MemoryPromotion::Auto
        && duplicate_of.is_none()
        && previous.is_none()
        && contradiction != Contradiction::Conflict
        && consent != ConsentCheck::Missing
        && needs_no_review(proposal, policy);
    Ok(Checks { duplicate_of, previous, contradiction, existing, consent, auto_promote_eligible })
}

/// Whether a proposal is promoted without a review. Without a policy, this is decided by its tier:
/// entries that are not meant to last need none.
fn needs_no_review(proposal: &Proposal, policy: Option<&WritePolicy>) -> bool {
    match policy {
        Some(policy) => {
            policy.auto_promote_classes.contains(&proposal.class)
                && proposal.confidence.is_some_and(|confidence| confidence >= policy.min_confidence)
        }
        None => matches!(proposal.tier, MemoryTier::Working | MemoryTier::Episodic),
    }
}

/// Finds the first candidate of the same fact that is still open, or whose entry still has its
/// value.
pub(super) fn duplicate_of(
    tx: &Tx<'_>,
    candidate: &Candidate,
) -> Result<Option<Arc<str>>, store::Error> {
    let mut first: Option<Arc<str>> = None;
    for state in [
        CandidateState::Pending,
        CandidateState::InReview,
        CandidateState::Approved,
        CandidateState::Promoted,
    ] {
        for other in tx.same_candidates(&candidate.fingerprint, state)? {
            let counts = other.id != candidate.id
                && (state != CandidateState::Promoted || has_entry(tx, &other)?);
            if counts && first.as_ref().is_none_or(|first| other.id < *first) {
                first = Some(other.id);
            }
        }
    }
    Ok(first)
}

/// Whether the entry of a promoted candidate exists and has the candidate's value.
fn has_entry(tx: &Tx<'_>, candidate: &Candidate) -> Result<bool, store::Error> {
    let Some(key) = &candidate.memory_key else { return Ok(false) };
    let entry = tx.memory(&candidate.proposal.scope, key)?;
    let value = canonical(candidate.proposal.value.as_str());
    Ok(entry.is_some_and(|entry| {
        entry.status == MemoryStatus::Promoted && canonical(entry.value.as_str()) == value
    }))
}

/// Finds the rejected candidate of the same fact, if the rejection is the last decision about it.
fn last_rejected(tx: &Tx<'_>, candidate: &Candidate) -> Result<Option<Arc<str>>, store::Error> {
    let mut last: Option<Candidate> = None;
    for state in [
        CandidateState::Rejected,
        CandidateState::Approved,
        CandidateState::Promoted,
        CandidateState::Superseded,
    ] {
        let found = tx.same_candidates(&candidate.fingerprint, state)?.into_iter().next();
        if let Some(found) = found
            && last.as_ref().is_none_or(|last| found.last_event > last.last_event)
        {
            last = Some(found);
        }
    }
    Ok(last.filter(|last| last.state == CandidateState::Rejected).map(|last| last.id))
}
