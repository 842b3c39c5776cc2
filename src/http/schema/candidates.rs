//! Schemas of `/memory-candidates`.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::memory::{Scope, Ttl};
use crate::domain::{
    ActorKind, CandidateState, ChainLink, Classification, ConsentCheck, Contradiction, MemoryClass,
    MemoryTier, RawJson, ReviewVerdict, word_of,
};
use crate::service::candidates::ShownCandidate;

/// Somebody who acts.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = CandidateActor)]
pub struct Actor {
    /// 1 to 256 bytes.
    #[schema(min_length = 1, max_length = 256, example = "ann")]
    pub id: String,
    /// `user`, `agent`, `service` or `automation`. An agent proposes, and decides nothing.
    #[schema(example = "user")]
    pub kind: String,
}

impl From<&crate::domain::Actor> for Actor {
    fn from(actor: &crate::domain::Actor) -> Self {
        Self { id: actor.id.to_string(), kind: word_of(ActorKind::WORDS, actor.kind).to_owned() }
    }
}

/// What is proposed.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "entity": "ann", "predicate": "preferred_contact", "value": "email", "class": "preference",
    "scope": {"subject": "ann"}, "confidence": 0.9, "by": {"id": "support-bot", "kind": "agent"}
}))]
pub struct CandidateProposal {
    /// Any JSON value, a text most of the time; at most 64 KiB.
    pub value: Value,
    /// What the value is said of; together with `predicate`.
    pub entity: Option<String>,
    /// Which of its properties the value is.
    pub predicate: Option<String>,
    /// `evidence_link`, `preference`, `decision_outcome` or `correction`.
    pub class: String,
    /// The key that the entry shall have. If it is absent, `entity.predicate`, or made of what
    /// is said.
    pub key: Option<String>,
    /// A sentence about the value, shown to the model with it.
    pub description: Option<String>,
    /// The scope that the entry shall have.
    pub scope: Option<Scope>,
    /// `working`, `episodic`, `semantic` or `durable`.
    #[schema(default = "semantic")]
    pub tier: Option<String>,
    /// `public`, `internal`, `confidential` or `restricted`.
    #[schema(default = "internal")]
    pub classification: Option<String>,
    /// Up to 32 short texts.
    pub intents: Option<Vec<String>>,
    /// How sure the proposer is.
    #[schema(minimum = 0.0, maximum = 1.0)]
    pub confidence: Option<f64>,
    /// Up to 32 values that are carried and not read; at most 16 KiB.
    pub evidence_refs: Option<Vec<Value>>,
    /// `true`, a record or its id; `false` is none.
    pub consent: Option<Value>,
    /// When the entry shall expire; never if absent.
    pub ttl: Option<Ttl>,
    /// Who proposes it; the service `application` when absent.
    pub by: Option<Actor>,
    /// The rules for this proposal, in place of the server's.
    pub policy: Option<WritePolicy>,
    /// The id of a pending candidate that is proposed again.
    pub revises: Option<String>,
}

/// What may be written, and what of it needs no review. The server's own, where there is none:
/// every class, and the tiers `working` and `episodic` without a review.
#[derive(Debug, ToSchema)]
pub struct WritePolicy {
    /// All of them when absent.
    pub classes: Option<Vec<String>>,
    /// Classes that may be promoted without a review.
    pub auto_promote_classes: Option<Vec<String>>,
    /// How sure a proposal must be to be promoted without a review.
    #[schema(default = 0.8)]
    pub min_confidence: Option<f64>,
    /// Whether nothing is promoted without consent.
    #[schema(default = false)]
    pub consent_required: Option<bool>,
}

/// What a reviewer says.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "verdict": "approve", "reason": "she said so twice", "by": {"id": "bob", "kind": "user"}
}))]
pub struct CandidateReview {
    /// `approve`, `reject` or `request_changes`.
    pub verdict: String,
    /// At most 4 KiB.
    #[schema(min_length = 1)]
    pub reason: String,
    /// A new classification of the candidate.
    pub classification: Option<String>,
    /// Who reviews it; not who proposed it.
    pub by: Actor,
}

/// How a candidate is promoted. What is absent is as it was proposed.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"tier": "semantic", "by": {"id": "bob", "kind": "user"}}))]
pub struct CandidatePromotion {
    /// The tier of the entry.
    pub tier: Option<String>,
    /// The key of the entry.
    pub key: Option<String>,
    /// The intents of packs for which the entry may be recalled.
    pub intents: Option<Vec<String>>,
    /// The scope of the entry.
    pub scope: Option<Scope>,
    /// The classification of the entry.
    pub classification: Option<String>,
    /// `null`: the entry does not expire.
    pub ttl: Option<Ttl>,
    /// What becomes of entries that say otherwise: `supersede`, `keep_both` or `reject`, which
    /// rejects the candidate.
    pub resolution: Option<String>,
    /// Who promotes it.
    pub by: Actor,
}

/// A fact that may become a memory entry.
#[derive(Debug, Serialize, ToSchema)]
pub struct Candidate {
    /// Its id.
    #[schema(example = "mcd_0199aa2b7c3d7e1f8a90b1c2d3e4f506")]
    pub id: String,
    /// `pending`, `in_review`, `duplicate`, `auto_rejected`, `rejected`, `approved`, `promoted` or
    /// `superseded`.
    #[schema(example = "in_review")]
    pub state: &'static str,
    /// Also the `ETag`.
    pub version: u64,
    /// What is proposed.
    #[schema(value_type = Value, example = "email")]
    pub value: Box<RawValue>,
    /// What the value is said of.
    pub entity: Option<String>,
    /// Which property of the entity the value is.
    pub predicate: Option<String>,
    /// Its class of fact: `evidence_link`, `preference`, `decision_outcome` or `correction`.
    #[schema(example = "preference")]
    pub class: &'static str,
    /// The key that the entry shall have.
    pub key: Option<String>,
    /// A sentence about the value.
    pub description: Option<String>,
    /// The scope that the entry shall have.
    pub scope: Scope,
    /// The tier that the entry shall have.
    #[schema(example = "semantic")]
    pub tier: &'static str,
    /// Who may see it: `public`, `internal`, `confidential` or `restricted`.
    #[schema(example = "internal")]
    pub classification: &'static str,
    /// The intents of packs for which the entry may be recalled.
    pub intents: Vec<String>,
    /// How sure the proposer is, from 0 to 1.
    pub confidence: Option<f64>,
    /// References to evidence, as they were proposed.
    #[schema(value_type = Option<Vec<Value>>)]
    pub evidence_refs: Option<Box<RawValue>>,
    /// The consent that was given: `true`, a record or its id.
    #[schema(value_type = Option<Value>)]
    pub consent: Option<Box<RawValue>>,
    /// When the entry shall expire; null for never.
    pub ttl: Option<Ttl>,
    /// Who proposed it, and who revised it.
    pub proposed_by: Vec<Actor>,
    /// What was found when it was proposed.
    pub checks: Checks,
    /// The line of the log of proposals.
    pub capture: ProposalRecord,
    /// The last review; null before the first.
    pub review: Option<ReviewGiven>,
    /// SHA-256 over what makes two proposals the same fact.
    pub fingerprint: String,
    /// The key of its entry, once it is promoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_key: Option<String>,
    /// The candidate that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The last line about it in `/memory-candidates/events`.
    pub last_event: u64,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub created_at: String,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub updated_at: String,
}

/// What was found out when it was proposed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CandidateChecks)]
pub struct Checks {
    /// The first candidate that says the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    /// The candidate that said the same and was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// Whether a promoted entry says otherwise.
    pub contradiction_check: ContradictionCheck,
    /// `not_required`, `given` or `missing`; without it nothing is promoted.
    #[schema(example = "not_required")]
    pub consent_check: &'static str,
    /// Whether the policy promotes it without a review.
    pub auto_promote_eligible: bool,
}

/// Whether a promoted entry says otherwise.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContradictionCheck {
    /// `none`, `conflict`, or `not_applicable` for a text under no key.
    #[schema(example = "none")]
    pub verdict: &'static str,
    /// The entries that say otherwise, in the candidate's scope.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub existing: Vec<ExistingEntry>,
}

/// An entry that says otherwise.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExistingEntry {
    /// The key of the entry.
    pub key: String,
    /// The candidate that it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate: Option<String>,
}

/// What was proposed, in a log that nothing is taken out of.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CandidateCapture)]
pub struct ProposalRecord {
    /// The id of the capture.
    #[schema(example = "mcp_0199aa2b7c3d7e1f8a90b1c2d3e4f507")]
    pub id: Option<String>,
    /// From 1, one more with each capture.
    pub seq: u64,
    /// 64 zeros for the first.
    pub prev_hash: String,
    /// SHA-256 over the 32 bytes of `prev_hash` and the proposal's bytes.
    pub hash: String,
}

/// The last review.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CandidateReviewRow)]
pub struct ReviewGiven {
    /// `approve`, `reject` or `request_changes`.
    #[schema(example = "approve")]
    pub verdict: &'static str,
    /// The reason that was given.
    pub reason: String,
    /// Who reviewed it.
    pub by: Actor,
}

fn text(text: Option<&Arc<str>>) -> Option<String> {
    text.map(ToString::to_string)
}

pub(super) fn raw(json: &RawJson) -> Option<Box<RawValue>> {
    RawValue::from_string(json.as_str().to_owned()).ok()
}

impl From<&ShownCandidate> for Candidate {
    fn from(shown: &ShownCandidate) -> Self {
        let ShownCandidate { candidate, capture_id, capture } = shown;
        let proposal = &candidate.proposal;
        let about = proposal.about.as_ref();
        let ChainLink { seq, prev_hash, hash } = capture;
        Self {
            id: candidate.id.to_string(),
            state: word_of(CandidateState::WORDS, candidate.state),
            version: candidate.version,
            // Only valid JSON is stored.
            value: raw(&proposal.value).unwrap_or_default(),
            entity: about.map(|about| about.entity.to_string()),
            predicate: about.map(|about| about.predicate.to_string()),
            class: word_of(MemoryClass::WORDS, proposal.class),
            key: text(proposal.key.as_ref()),
            description: text(proposal.description.as_ref()),
            scope: (&proposal.scope).into(),
            tier: word_of(MemoryTier::WORDS, proposal.tier),
            classification: word_of(Classification::WORDS, proposal.classification),
            intents: proposal.intents.iter().map(ToString::to_string).collect(),
            confidence: proposal.confidence,
            evidence_refs: proposal.evidence_refs.as_ref().and_then(raw),
            consent: proposal.consent.as_ref().and_then(raw),
            ttl: proposal.ttl.map(Into::into),
            proposed_by: candidate.proposers.iter().map(Into::into).collect(),
            checks: (&candidate.checks).into(),
            capture: ProposalRecord {
                id: text(capture_id.as_ref()),
                seq: *seq,
                prev_hash: prev_hash.to_string(),
                hash: hash.to_string(),
            },
            review: candidate.review.as_ref().map(|review| ReviewGiven {
                verdict: word_of(ReviewVerdict::WORDS, review.verdict),
                reason: review.reason.to_string(),
                by: (&review.by).into(),
            }),
            fingerprint: candidate.fingerprint.to_string(),
            memory_key: text(candidate.memory_key.as_ref()),
            superseded_by: text(candidate.superseded_by.as_ref()),
            last_event: candidate.last_event,
            created_at: candidate.created_at.to_string(),
            updated_at: candidate.updated_at.to_string(),
        }
    }
}

impl From<&crate::domain::Checks> for Checks {
    fn from(checks: &crate::domain::Checks) -> Self {
        let existing = checks.existing.iter().map(|existing| ExistingEntry {
            key: existing.key.to_string(),
            candidate: text(existing.candidate.as_ref()),
        });
        Self {
            duplicate_of: text(checks.duplicate_of.as_ref()),
            previous: text(checks.previous.as_ref()),
            contradiction_check: ContradictionCheck {
                verdict: word_of(Contradiction::WORDS, checks.contradiction),
                existing: existing.collect(),
            },
            consent_check: word_of(ConsentCheck::WORDS, checks.consent),
            auto_promote_eligible: checks.auto_promote_eligible,
        }
    }
}

/// A page of candidates.
#[derive(Debug, Serialize, ToSchema)]
pub struct CandidateList {
    pub items: Vec<Candidate>,
    /// Where the list goes on; null at its end.
    pub next_cursor: Option<String>,
}
