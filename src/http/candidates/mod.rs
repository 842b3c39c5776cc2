//! `/memory-candidates`: facts on their way into memory.

mod act;
mod list;

use axum::response::Response;

pub(super) use self::act::*;
pub(super) use self::list::*;
use super::answer::tagged;
use super::problem::Kind;
use super::schema::Candidate;
use crate::service::candidates::{CandidateRefusal, ShownCandidate};

/// The problem that a refusal is.
pub(super) fn kind_of(refusal: &CandidateRefusal) -> Kind {
    match refusal {
        CandidateRefusal::Class(_) => Kind::MemoryClassUnknown,
        CandidateRefusal::Transition { .. } => Kind::MemoryBadTransition,
        CandidateRefusal::SelfReview => Kind::MemorySelfReview,
        CandidateRefusal::Agent | CandidateRefusal::Lacks(_) => Kind::MemoryRole,
        CandidateRefusal::Contradiction(_) => Kind::MemoryContradiction,
        CandidateRefusal::NoConsent => Kind::MemoryConsentMissing,
    }
}

/// A candidate, with its version as its `ETag`.
fn shown(shown: &ShownCandidate) -> Response {
    tagged(shown.candidate.version, &Candidate::from(shown))
}
