//! Refusals of a change of a candidate.

use crate::domain::{CandidateState, MemoryRole, word_of};

/// The reason why a candidate was not changed. Each variant is a rule about the steps of a
/// candidate. Nothing was stored.
#[derive(Debug, thiserror::Error)]
pub enum CandidateRefusal {
    #[error("`{0}` is no class that may be written here")]
    Class(String),
    #[error("a candidate that is {} cannot become {}", name(*.from), name(*.to))]
    Transition { from: CandidateState, to: CandidateState },
    #[error("who proposed a candidate may not review it")]
    SelfReview,
    #[error("a principal of the kind agent may propose, but neither review nor promote")]
    Agent,
    #[error("the key lacks the role {}", .0.as_str())]
    Lacks(MemoryRole),
    /// The keys of the entries with another value.
    #[error(
        "the entry {} says otherwise: `resolution` must be supersede, keep_both or reject",
        .0.join(", ")
    )]
    Contradiction(Vec<String>),
    #[error("the policy asks for a consent, and the proposal has none")]
    NoConsent,
}

fn name(state: CandidateState) -> &'static str {
    word_of(CandidateState::WORDS, state)
}
