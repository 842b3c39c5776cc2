//! Proposes, reviews and promotes candidates.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use crate::http::body;
use crate::http::idempotency::{self, Reply, RequestIdentity};
use crate::http::job;
use crate::http::problem::Problem;
use crate::http::query::name_of;
use crate::http::response::read_if_match;
use crate::http::schema::{Candidate, CandidatePromotion, CandidateProposal, CandidateReview};
use crate::http::state::AppState;
use crate::service::candidates::{self, ShownCandidate};
use crate::service::idempotency::ResponseRecorder;
use crate::service::{Error, Services};

fn reply_to_proposal(proposal: &(ShownCandidate, bool)) -> Reply {
    let (candidate, is_new) = proposal;
    let status = if *is_new { StatusCode::CREATED } else { StatusCode::OK };
    Reply { status, ..reply_with_candidate(candidate) }
}

fn reply_with_candidate(found: &ShownCandidate) -> Reply {
    Reply::with_version(StatusCode::OK, found.candidate.version, &Candidate::from(found))
}

/// A service that decides about a candidate of an id. It reads a body and the version that the
/// candidate must have, and records its result.
type CandidateDecision = fn(
    &Services,
    &str,
    &str,
    Option<u64>,
    ResponseRecorder<ShownCandidate>,
) -> Result<ShownCandidate, Error>;

/// Decides about the candidate that the path names, once for an idempotency key.
async fn decide(
    state: &AppState,
    request: Request,
    route: &'static str,
    decision: CandidateDecision,
) -> Result<Response, Problem> {
    let (id, if_match) = (name_of(&request).to_owned(), read_if_match(request.headers())?);
    let identity = RequestIdentity::read(route, request.headers(), request.uri())?;
    let input = body::read(state, request).await?;
    let work = move |services: &Services, text: &str, recorder| {
        decision(services, &id, text, if_match, recorder)
    };
    idempotency::run_recorded(state, input, identity, reply_with_candidate, work).await
}

/// Propose a fact
///
/// It is captured for good, checked against what is known, and sent where the checks lead: to a
/// review, or into memory where the policy asks for none. With `revises`, the pending candidate of
/// that id is proposed again; that needs `If-Match`.
#[utoipa::path(
    post,
    path = "/memory-candidates",
    tag = "memory",
    operation_id = "propose_candidate",
    params(
        ("If-Match" = Option<String>, Header, description = "With `revises`: the candidate's `ETag`"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = CandidateProposal,
    responses(
        (status = CREATED, description = "A candidate, and where it stands", body = Candidate),
        (status = OK, description = "The candidate, revised", body = Candidate),
    ),
)]
pub(crate) async fn propose_candidate(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let if_match = read_if_match(request.headers())?;
    let identity =
        RequestIdentity::read("POST /memory-candidates", request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run_recorded(
        &state,
        input,
        identity,
        reply_to_proposal,
        move |services, text, recorder| candidates::propose(services, text, if_match, recorder),
    )
    .await
}

/// Delete a candidate
///
/// Its row goes, and the content of its captures. The log keeps its lines and gets a last one,
/// `deleted`; it still verifies. A memory entry that was made of the candidate stays.
#[utoipa::path(
    delete,
    path = "/memory-candidates/{id}",
    tag = "memory",
    operation_id = "delete_candidate",
    params(
        ("id" = String, Path, description = "The candidate's id"),
        ("If-Match" = Option<String>, Header, description = "The candidate's `ETag`"),
    ),
    responses(
        (status = NO_CONTENT, description = "It is deleted"),
        (status = "4XX", description = "There is no such candidate"),
    ),
)]
pub(crate) async fn delete_candidate(
    State(state): State<AppState>,
    request: Request,
) -> Result<StatusCode, Problem> {
    let id = name_of(&request).to_owned();
    job::delete(&state, request, id, candidates::delete).await
}

/// Review a candidate
///
/// By somebody who did not propose it and is no agent. `approve` lets it be promoted, `reject` is
/// remembered, `request_changes` sends it back.
#[utoipa::path(
    post,
    path = "/memory-candidates/{id}/review",
    tag = "memory",
    operation_id = "review_candidate",
    params(
        ("id" = String, Path, description = "The candidate's id"),
        ("If-Match" = String, Header, description = "The candidate's `ETag`"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = CandidateReview,
    responses((status = OK, description = "The candidate as it is now", body = Candidate)),
)]
pub(crate) async fn review_candidate(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    decide(&state, request, "POST /memory-candidates/{id}/review", candidates::review).await
}

/// Promote a candidate
///
/// An approved candidate becomes a memory entry. Where an entry says otherwise, `resolution` must
/// say what becomes of it.
#[utoipa::path(
    post,
    path = "/memory-candidates/{id}/promote",
    tag = "memory",
    operation_id = "promote_candidate",
    params(
        ("id" = String, Path, description = "The candidate's id"),
        ("If-Match" = String, Header, description = "The candidate's `ETag`"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = CandidatePromotion,
    responses((status = OK, description = "The candidate as it is now", body = Candidate)),
)]
pub(crate) async fn promote_candidate(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    decide(&state, request, "POST /memory-candidates/{id}/promote", candidates::promote).await
}
