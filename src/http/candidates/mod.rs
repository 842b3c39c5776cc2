//! `/memory-candidates`: facts on their way into memory.

mod act;
mod list;

use axum::response::Response;

pub(super) use self::act::*;
pub(super) use self::list::*;
use super::answer::tagged;
use super::schema::Candidate;
use crate::service::candidates::ShownCandidate;

/// A candidate, with its version as its `ETag`.
fn shown(shown: &ShownCandidate) -> Response {
    tagged(shown.candidate.version, &Candidate::from(shown))
}
