//! `/memory-candidates`: facts on their way into memory.

mod act;
mod list;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

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
        Refusal::Role => Kind::MemoryRole,
        Refusal::Contradiction(_) => Kind::MemoryContradiction,
        Refusal::NoConsent => Kind::MemoryConsentMissing,
    }
}

/// A candidate, with its version as its `ETag`.
fn shown(status: StatusCode, shown: &Shown) -> Response {
    (status, tagged(shown.candidate.version, &Candidate::from(shown))).into_response()
}
