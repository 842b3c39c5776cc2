//! Candidates for memory: proposals that are reviewed and promoted to entries.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Classification, ContentHash, MemoryScope, MemoryTier, MemoryTtl, RawJson, Timestamp};

/// A fact that may become a memory entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub id: Arc<str>,
    pub state: CandidateState,
    /// From 1, one more with each request that changed it.
    pub version: u64,
    pub proposal: Proposal,
    /// Identifies the fact: two proposals with the same fingerprint are the same fact.
    pub fingerprint: ContentHash,
    /// The proposer, and those who revised it: none of them may review it.
    pub proposers: Vec<Actor>,
    pub checks: Checks,
    /// The last review, `None` if there was none yet.
    pub review: Option<Review>,
    /// The capture of what was proposed last, by its number.
    pub capture: u64,
    /// The last line of the transition log that is about it.
    pub last_event: u64,
    /// The key of the entry that it was promoted to; the entry's scope is the proposal's.
    pub memory_key: Option<Arc<str>>,
    /// The candidate whose entry replaced this one's.
    pub superseded_by: Option<Arc<str>>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Candidate {
    /// Bytes of the texts of its proposal.
    pub fn text_bytes(&self) -> usize {
        let proposal = &self.proposal;
        let json =
            [Some(&proposal.value), proposal.evidence_refs.as_ref(), proposal.consent.as_ref()];
        let words = [proposal.key.as_ref(), proposal.description.as_ref()];
        json.into_iter().flatten().map(|json| json.as_str().len()).sum::<usize>()
            + words
                .into_iter()
                .flatten()
                .chain(&proposal.intents)
                .map(|text| text.len())
                .sum::<usize>()
    }
}

/// The proposal. A review and a promotion may change how it is kept, never its content.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// A JSON value; text is a JSON string.
    pub value: RawJson,
    /// The subject of the value, and which property of it the value is.
    pub about: Option<FactProperty>,
    pub class: MemoryClass,
    /// The key of the future entry; generated if it is absent.
    pub key: Option<Arc<str>>,
    pub description: Option<Arc<str>>,
    pub scope: MemoryScope,
    pub tier: MemoryTier,
    pub classification: Classification,
    pub intents: Vec<Arc<str>>,
    /// From 0 to 1.
    pub confidence: Option<f64>,
    /// A JSON array that is carried and not read.
    pub evidence_refs: Option<RawJson>,
    /// The consent or its record, as JSON.
    pub consent: Option<RawJson>,
    pub ttl: Option<MemoryTtl>,
}

/// The property that a fact states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactProperty {
    pub entity: Arc<str>,
    pub predicate: Arc<str>,
}

/// The kind of fact, which decides who may write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryClass {
    EvidenceLink,
    Preference,
    DecisionOutcome,
    Correction,
}

impl MemoryClass {
    pub const WORDS: &[(&str, Self)] = &[
        ("evidence_link", Self::EvidenceLink),
        ("preference", Self::Preference),
        ("decision_outcome", Self::DecisionOutcome),
        ("correction", Self::Correction),
    ];
}

/// The person or program that acts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub id: Arc<str>,
    pub kind: ActorKind,
}

impl Actor {
    /// The server's own policy, which promotes what needs no review.
    pub fn automation() -> Self {
        Self { id: "auto-policy".into(), kind: ActorKind::Automation }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    User,
    /// A model that acts. It proposes, and neither reviews nor promotes.
    Agent,
    Service,
    Automation,
}

impl ActorKind {
    pub const WORDS: &[(&str, Self)] = &[
        ("user", Self::User),
        ("agent", Self::Agent),
        ("service", Self::Service),
        ("automation", Self::Automation),
    ];
}

/// The state of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CandidateState {
    /// Its proposer has to revise it.
    Pending,
    InReview,
    Duplicate,
    /// The same fact was rejected before; a review reopens it.
    AutoRejected,
    Rejected,
    Approved,
    Promoted,
    /// Another candidate's entry took the place of its own.
    Superseded,
}

impl CandidateState {
    pub const WORDS: &[(&str, Self)] = &[
        ("pending", Self::Pending),
        ("in_review", Self::InReview),
        ("duplicate", Self::Duplicate),
        ("auto_rejected", Self::AutoRejected),
        ("rejected", Self::Rejected),
        ("approved", Self::Approved),
        ("promoted", Self::Promoted),
        ("superseded", Self::Superseded),
    ];

    /// Whether a candidate may change from this state to `next`.
    pub fn may_become(self, next: Self) -> bool {
        match self {
            Self::Pending => matches!(
                next,
                Self::InReview | Self::Duplicate | Self::AutoRejected | Self::Promoted
            ),
            Self::InReview => matches!(next, Self::Approved | Self::Rejected | Self::Pending),
            Self::AutoRejected => next == Self::InReview,
            Self::Approved => matches!(next, Self::Promoted | Self::Rejected),
            Self::Promoted => next == Self::Superseded,
            Self::Duplicate | Self::Rejected | Self::Superseded => false,
        }
    }
}

/// The findings about a proposal when it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    /// The first candidate with the same content.
    pub duplicate_of: Option<Arc<str>>,
    /// A candidate with the same content that was rejected.
    pub previous: Option<Arc<str>>,
    pub contradiction: Contradiction,
    /// The entries that contradict it.
    pub existing: Vec<ContradictedEntry>,
    pub consent: ConsentCheck,
    /// Whether the policy promotes it without a review.
    pub auto_promote_eligible: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Contradiction {
    None,
    Conflict,
    /// Free text without a key: nothing shows what it would contradict.
    NotApplicable,
}

impl Contradiction {
    pub const WORDS: &[(&str, Self)] = &[
        ("none", Self::None),
        ("conflict", Self::Conflict),
        ("not_applicable", Self::NotApplicable),
    ];
}

/// A promoted entry, in the scope of the candidate, that contradicts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContradictedEntry {
    pub key: Arc<str>,
    /// The candidate of the entry, if it had one.
    pub candidate: Option<Arc<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentCheck {
    NotRequired,
    Given,
    Missing,
}

impl ConsentCheck {
    pub const WORDS: &[(&str, Self)] =
        &[("not_required", Self::NotRequired), ("given", Self::Given), ("missing", Self::Missing)];
}

/// The decision of a reviewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub verdict: ReviewVerdict,
    pub reason: Arc<str>,
    pub by: Actor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewVerdict {
    Approve,
    Reject,
    RequestChanges,
}

impl ReviewVerdict {
    pub const WORDS: &[(&str, Self)] = &[
        ("approve", Self::Approve),
        ("reject", Self::Reject),
        ("request_changes", Self::RequestChanges),
    ];

    /// The state that it leads to.
    pub fn state(self) -> CandidateState {
        match self {
            Self::Approve => CandidateState::Approved,
            Self::Reject => CandidateState::Rejected,
            Self::RequestChanges => CandidateState::Pending,
        }
    }
}

/// Treatment of contradicting entries when a candidate is promoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// They are out of sight, the candidate takes their place.
    Supersede,
    /// They stay, and the candidate's entry gets a key of its own.
    KeepBoth,
    /// They stay, and the candidate is rejected.
    Reject,
}

impl Resolution {
    pub const WORDS: &[(&str, Self)] =
        &[("supersede", Self::Supersede), ("keep_both", Self::KeepBoth), ("reject", Self::Reject)];
}

/// Whether anything is promoted without a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemoryPromotion {
    /// Candidates that the policy exempts are promoted without one.
    #[default]
    Auto,
    /// Every candidate waits for a review, writes by models included.
    Review,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_terminal_goes_nowhere_and_nothing_stays() {
        for (_, from) in CandidateState::WORDS {
            let next = CandidateState::WORDS.iter().filter(|(_, to)| from.may_become(*to)).count();
            let expected = match from {
                CandidateState::Duplicate
                | CandidateState::Rejected
                | CandidateState::Superseded => 0,
                CandidateState::AutoRejected | CandidateState::Promoted => 1,
                CandidateState::Approved => 2,
                CandidateState::InReview => 3,
                CandidateState::Pending => 4,
            };
            assert_eq!(next, expected, "{from:?}");
            assert!(!from.may_become(*from), "{from:?}");
        }
    }
}
