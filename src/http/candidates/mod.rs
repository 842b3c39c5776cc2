//! `/memory-candidates`: facts on their way into memory.

mod act;
mod list;

use axum::response::Response;

pub(super) use self::act::*;
pub(super) use self::list::*;
use super::answer::tagged;
use super::problem::Kind;
use super::schema::Candidate;
use crate::service::candidates::{Refusal, Shown};

/// The problem that a refusal is.
pub(super) fn kind_of(refusal: &Refusal) -> Kind {
    match refusal {
        Refusal::Class(_) => Kind::MemoryClassUnknown,
        Refusal::Transition { .. } => Kind::MemoryBadTransition,
        Refusal::SelfReview => Kind::MemorySelfReview,
        Refusal::Agent | Refusal::Lacks(_) => Kind::MemoryRole,
        Refusal::Contradiction(_) => Kind::MemoryContradiction,
        Refusal::NoConsent => Kind::MemoryConsentMissing,
    }
}

/// A candidate, with its version as its `ETag`.
fn shown(shown: &Shown) -> Response {
    tagged(shown.candidate.version, &Candidate::from(shown))
}
