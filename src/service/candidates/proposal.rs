//! Captures and proposes facts, before anyone reviews them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::check::{canonical, check, fingerprint, raw};
use super::promotion::{plain_promotion, promote_in};
use super::step::{CandidateAction, CandidateStep, log_step, principal, take_step, write_line};
use super::{Error, current};
use crate::domain::{
    Actor, Candidate, CandidateState, ChainLink, Checks, Classification, ConsentCheck, ContentHash,
    Contradiction, MemoryClass, MemoryPromotion, MemoryTier, MemoryTtl, Proposal, word_of,
};
use crate::request::ProposalRequest;
use crate::service::CandidateRefusal;
use crate::store::{CapturedText, TenantLog, Tx};

/// Ids of a new candidate and its capture.
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

/// Captures a proposal, and creates or revises its candidate, as far as no reviewer is needed.
pub(crate) fn propose_in(
    tx: &Tx<'_>,
    proposed: &ProposalRequest,
    if_match: Option<u64>,
    ids: &Ids,
    promotion: MemoryPromotion,
) -> Result<Candidate, Error> {
    let (mut candidate, is_new) = match &proposed.revises {
        Some(id) => (revise(current(tx, id, if_match)?, proposed)?, false),
        None => (new_candidate(tx, proposed, ids), true),
    };
    candidate.capture = capture(tx, proposed, &candidate.id, &ids.capture)?.seq;
    candidate.fingerprint = fingerprint(tx.tenant(), &candidate.proposal);
    candidate.checks = check(tx, &candidate, proposed.policy.as_ref(), promotion)?;
    // A revision always goes to a reviewer.
    candidate.checks.auto_promote_eligible &= is_new;

    let from = (!is_new).then_some(candidate.state);
    let action = if is_new { CandidateAction::Propose } else { CandidateAction::Revise };
    let mut step = CandidateStep::new(action, candidate.state, &proposed.by);
    step.add_data("capture", candidate.capture);
    log_step(tx, &mut candidate, from, &step)?;
    apply_checks(tx, &mut candidate)?;
    tx.put_candidate(&candidate)?;
    Ok(candidate)
}

/// A new candidate before its checks.
fn new_candidate(tx: &Tx<'_>, proposed: &ProposalRequest, ids: &Ids) -> Candidate {
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

fn revise(mut candidate: Candidate, proposed: &ProposalRequest) -> Result<Candidate, Error> {
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

/// Moves a pending candidate by the results of its checks.
fn apply_checks(tx: &Tx<'_>, candidate: &mut Candidate) -> Result<(), Error> {
    let automation = Actor::automation();
    let checks = candidate.checks.clone();
    if let Some(first) = &checks.duplicate_of {
        let mut step =
            CandidateStep::new(CandidateAction::Duplicate, CandidateState::Duplicate, &automation);
        step.add_data("duplicate_of", &**first);
        return take_step(tx, candidate, &step);
    }
    if let Some(previous) = &checks.previous {
        let mut step = CandidateStep::new(
            CandidateAction::AutoReject,
            CandidateState::AutoRejected,
            &automation,
        );
        step.add_data("previous", &**previous);
        return take_step(tx, candidate, &step);
    }
    if checks.contradiction == Contradiction::Conflict {
        let mut step =
            CandidateStep::new(CandidateAction::Contradict, candidate.state, &automation);
        let keys: Vec<Value> =
            checks.existing.iter().map(|existing| (&*existing.key).into()).collect();
        step.add_data("existing", keys);
        let from = Some(candidate.state);
        log_step(tx, candidate, from, &step)?;
    }
    if checks.auto_promote_eligible {
        return promote_in(tx, candidate, &plain_promotion(automation));
    }
    take_step(
        tx,
        candidate,
        &CandidateStep::new(CandidateAction::Submit, CandidateState::InReview, &automation),
    )
}

/// The content of a capture.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pack_tenant: Option<&'c str>,
    tier: &'static str,
    classification: &'static str,
    intents: &'c [Arc<str>],
    confidence: Option<f64>,
    evidence_refs: Option<Box<RawValue>>,
    consent: Option<Box<RawValue>>,
    ttl_seconds: Option<u64>,
    ttl_turns: Option<u64>,
}

impl<'c> From<&'c Proposal> for CapturedContent<'c> {
    fn from(proposal: &'c Proposal) -> Self {
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
            pack_tenant: proposal.scope.pack_tenant.as_deref(),
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

/// Appends a proposal to the captures. The chain is over the hash of the content, so content can be
/// erased without breaking the chain.
fn capture(
    tx: &Tx<'_>,
    proposed: &ProposalRequest,
    candidate: &str,
    id: &str,
) -> Result<ChainLink, Error> {
    let content =
        serde_json::to_string(&CapturedContent::from(&proposed.proposal)).unwrap_or_default();
    let content = canonical(&content);
    let body: BTreeMap<&str, Value> = BTreeMap::from([
        ("at", tx.now().to_string().into()),
        ("by", principal(&proposed.by)),
        ("candidate", candidate.into()),
        ("content", ContentHash::of(&content).to_string().into()),
        ("id", id.into()),
    ]);
    let captured = Some(CapturedText { candidate, content: &content });
    Ok(tx.append_log(TenantLog::Captures, |seq| write_line(body, seq), captured)?)
}
