//! `/memory-candidates`: facts on their way into memory.

mod act;
mod list;

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

pub(super) use self::act::*;
pub(super) use self::list::*;
use super::memory::written;
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

/// What stands behind `/memory-candidates/`. What cannot be an id names nothing.
fn id_of(request: &Request) -> String {
    request.uri().path().split('/').nth(2).unwrap_or_default().to_owned()
}

/// A candidate, with its version as its `ETag`.
fn tagged(status: StatusCode, shown: &Shown) -> Response {
    let mut response = (status, written(&Candidate::from(shown))).into_response();
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", shown.candidate.version)) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}
