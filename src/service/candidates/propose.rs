//! Capture and proposal: what is known of a fact before anyone looks at it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::check::{canonical, check, fingerprint, raw};
use super::promote::{by_policy, promote_in};
use super::step::{CandidateAction, CandidateStep, go, note, numbered, principal};
use super::{CandidateRefusal, Error, current};
use crate::domain::{
    Actor, Candidate, CandidateState, ChainLink, Checks, Classification, ConsentCheck, ContentHash,
    Contradiction, MemoryClass, MemoryPromotion, MemoryTier, MemoryTtl, Proposal, word_of,
};
use crate::request::ProposalRequest;
use crate::store::{TenantLog, Tx};

/// Ids of what a proposal makes.
#[derive(Debug, Clone)]
pub(crate) struct Ids {
    candidate: Arc<str>,
    capture: Arc<str>,
}

impl Ids {
    pub(crate) fn new() -> Self {
        let id = |kind: &str| format!("{kind}_{}", uuid::Uuid::now_v7().simple()).into();
        Self { candidate: id("mcd"), capture: id("mcp") }
    }
}

/// Captures what is proposed, and makes or revises its candidate as far as no reviewer is needed.
pub(crate) fn propose_in(
    tx: &Tx<'_>,
    proposed: &ProposalRequest,
    if_match: Option<u64>,
    ids: &Ids,
    promotion: MemoryPromotion,
) -> Result<Candidate, Error> {
    let (mut candidate, is_new) = match &proposed.revises {
        Some(id) => (revised(current(tx, id, if_match)?, proposed)?, false),
        None => (begun(tx, proposed, ids), true),
    };
    candidate.capture = capture(tx, proposed, &candidate.id, &ids.capture)?.seq;
    candidate.fingerprint = fingerprint(tx.tenant(), &candidate.proposal);
    candidate.checks = check(tx, &candidate, proposed.policy.as_ref(), promotion)?;
    // What a reviewer sent back is for a reviewer.
    candidate.checks.auto_promote_eligible &= is_new;

    let from = (!is_new).then_some(candidate.state);
    let action = if is_new { CandidateAction::Propose } else { CandidateAction::Revise };
    let mut step = CandidateStep::new(action, candidate.state, &proposed.by);
    step.says("capture", candidate.capture);
    note(tx, &mut candidate, from, &step)?;
    sort(tx, &mut candidate)?;
    tx.put_candidate(&candidate)?;
    Ok(candidate)
}

/// A candidate of which nothing is known yet.
fn begun(tx: &Tx<'_>, proposed: &ProposalRequest, ids: &Ids) -> Candidate {
    let checks = Checks {
        duplicate_of: None,
        previous: None,
        contradiction: Contradiction::NotApplicable,
        existing: Vec::new(),
        consent: ConsentCheck::NotRequired,
        auto_promote_eligible: false,
    };
    Candidate {
        id: Arc::clone(&ids.candidate),
        state: CandidateState::Pending,
        version: 1,
        proposal: proposed.proposal.clone(),
        fingerprint: ChainLink::START,
        proposers: vec![proposed.by.clone()],
        checks,
        review: None,
        capture: 0,
        last_event: 0,
        memory_key: None,
        superseded_by: None,
        created_at: tx.now(),
        updated_at: tx.now(),
    }
}

fn revised(mut candidate: Candidate, proposed: &ProposalRequest) -> Result<Candidate, Error> {
    let from = candidate.state;
    if from != CandidateState::Pending {
        return Err(CandidateRefusal::Transition { from, to: CandidateState::InReview }.into());
    }
    candidate.version += 1;
    candidate.proposal = proposed.proposal.clone();
    if !candidate.proposers.contains(&proposed.by) {
        candidate.proposers.push(proposed.by.clone());
    }
    Ok(candidate)
}

/// Sends a pending candidate where its checks lead.
fn sort(tx: &Tx<'_>, candidate: &mut Candidate) -> Result<(), Error> {
    let automation = Actor::automation();
    let checks = candidate.checks.clone();
    if let Some(first) = &checks.duplicate_of {
        let mut step =
            CandidateStep::new(CandidateAction::Duplicate, CandidateState::Duplicate, &automation);
        step.says("duplicate_of", &**first);
        return go(tx, candidate, &step);
    }
    if let Some(previous) = &checks.previous {
        let mut step = CandidateStep::new(
            CandidateAction::AutoReject,
            CandidateState::AutoRejected,
            &automation,
        );
        step.says("previous", &**previous);
        return go(tx, candidate, &step);
    }
    if checks.contradiction == Contradiction::Conflict {
        let mut step =
            CandidateStep::new(CandidateAction::Contradict, candidate.state, &automation);
        let keys: Vec<Value> =
            checks.existing.iter().map(|existing| (&*existing.key).into()).collect();
        step.says("existing", keys);
        let from = Some(candidate.state);
        note(tx, candidate, from, &step)?;
    }
    if checks.auto_promote_eligible {
        return promote_in(tx, candidate, &by_policy(automation));
    }
    go(
        tx,
        candidate,
        &CandidateStep::new(CandidateAction::Submit, CandidateState::InReview, &automation),
    )
}

/// What was proposed, as a capture keeps it.
#[derive(Serialize)]
struct CapturedContent<'c> {
    value: Option<Box<RawValue>>,
    entity: Option<&'c str>,
    predicate: Option<&'c str>,
    class: MemoryClass,
    key: Option<&'c str>,
    description: Option<&'c str>,
    subject: Option<&'c str>,
    session_id: Option<&'c str>,
    agent: Option<&'c str>,
    tier: &'static str,
    classification: &'static str,
    intents: &'c [Arc<str>],
    confidence: Option<f64>,
    evidence_refs: Option<Box<RawValue>>,
    consent: Option<Box<RawValue>>,
    ttl_seconds: Option<u64>,
    ttl_turns: Option<u64>,
}

impl<'c> CapturedContent<'c> {
    fn of(proposal: &'c Proposal) -> Self {
        let about = proposal.about.as_ref();
        let (ttl_seconds, ttl_turns) = match proposal.ttl {
            Some(MemoryTtl::Seconds(seconds)) => (Some(seconds), None),
            Some(MemoryTtl::Turns(turns)) => (None, Some(turns)),
            None => (None, None),
        };
        Self {
            value: raw(&proposal.value),
            entity: about.map(|about| &*about.entity),
            predicate: about.map(|about| &*about.predicate),
            class: proposal.class,
            key: proposal.key.as_deref(),
            description: proposal.description.as_deref(),
            subject: proposal.scope.subject.as_deref(),
            session_id: proposal.scope.session_id.as_deref(),
            agent: proposal.scope.agent.as_deref(),
            tier: word_of(MemoryTier::WORDS, proposal.tier),
            classification: word_of(Classification::WORDS, proposal.classification),
            intents: &proposal.intents,
            confidence: proposal.confidence,
            evidence_refs: proposal.evidence_refs.as_ref().and_then(raw),
            consent: proposal.consent.as_ref().and_then(raw),
            ttl_seconds,
            ttl_turns,
        }
    }
}

/// Appends what is proposed to the captures. The chain is over the hash of the content, so a
/// content that has to go can go without breaking it.
fn capture(
    tx: &Tx<'_>,
    proposed: &ProposalRequest,
    candidate: &str,
    id: &str,
) -> Result<ChainLink, Error> {
    let content =
        serde_json::to_string(&CapturedContent::of(&proposed.proposal)).unwrap_or_default();
    let content = canonical(&content);
    let body: BTreeMap<&str, Value> = BTreeMap::from([
        ("at", tx.now().to_string().into()),
        ("by", principal(&proposed.by)),
        ("candidate", candidate.into()),
        ("content", ContentHash::of(&content).to_string().into()),
        ("id", id.into()),
    ]);
    Ok(tx.append_log(TenantLog::Captures, |seq| numbered(body, seq), Some(&content))?)
}
