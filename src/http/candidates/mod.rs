//! `/memory-candidates`: proposed facts, before they become memory entries.

mod actions;
mod list;

use axum::response::Response;

pub(super) use self::actions::*;
pub(super) use self::list::*;
use super::response::respond_with_etag;
use super::schema::Candidate;
use crate::service::candidates::ShownCandidate;

/// Responds with a candidate, and with its version as the `ETag`.
fn respond_with_candidate(found: &ShownCandidate) -> Response {
    respond_with_etag(found.candidate.version, &Candidate::from(found))
}
