//! Lists and reads candidates, and the log of their steps.

use axum::extract::{Request, State};
use axum::response::Response;

use super::respond_with_candidate;
use crate::domain::CandidateState;
use crate::http::body::RequestInput;
use crate::http::enum_values::VERIFY_FLAGS;
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::query::{Query, encode_cursor, name_of};
use crate::http::response::respond_with;
use crate::http::schema::{Candidate, CandidateEvents, CandidateList};
use crate::http::state::AppState;
use crate::service::candidates;

/// List candidates
///
/// In the order in which they came; with `state=in_review`, the queue of the reviewers.
#[utoipa::path(
    get,
    path = "/memory-candidates",
    tag = "memory",
    operation_id = "list_candidates",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the answer before"),
        ("state" = Option<String>, Query, description = "Only candidates in this state"),
    ),
    responses((status = OK, description = "Some of them, and where the list goes on", body = CandidateList)),
)]
pub(crate) async fn list_candidates(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri(), &["limit", "cursor", "state"])?;
    let (limit, wanted) = (query.limit()?, query.choice("state", CandidateState::WORDS)?);
    let after = query.cursor()?;
    let input = RequestInput::without_body(&state, &request)?;
    let list = visit(&state, input, move |services, _| {
        let page = candidates::list(services, wanted, after.as_deref(), limit)?;
        let items = page.rows.iter().map(Candidate::from).collect();
        let next_cursor = page.next.map(|id| encode_cursor(&id));
        Ok(respond_with(&CandidateList { items, next_cursor }))
    });
    list.await
}

/// Read a candidate
#[utoipa::path(
    get,
    path = "/memory-candidates/{id}",
    tag = "memory",
    operation_id = "get_candidate",
    params(("id" = String, Path, description = "The candidate's id")),
    responses(
        (status = OK, description = "The candidate", body = Candidate),
        (status = "4XX", description = "There is no such candidate"),
    ),
)]
pub(crate) async fn get_candidate(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let input = RequestInput::without_body(&state, &request)?;
    let find = visit(&state, input, move |services, _| candidates::find(services, &id));
    Ok(respond_with_candidate(&find.await?))
}

/// See the outcome of candidates
///
/// A line a step, in order. Each carries the hash of the line before; with `verify=1` this log and
/// that of the captures are followed from end to end.
#[utoipa::path(
    get,
    path = "/memory-candidates/events",
    tag = "memory",
    operation_id = "list_candidate_events",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Lines at once, 100 when absent"),
        ("cursor" = Option<u64>, Query, description = "`next_cursor` of the answer before"),
        ("verify" = Option<String>, Query, description = "`1` to have both logs checked"),
    ),
    responses((status = OK, description = "Some of the lines, and where the log goes on", body = CandidateEvents)),
)]
pub(crate) async fn list_candidate_events(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri(), &["limit", "cursor", "verify"])?;
    let (limit, after) = (query.limit()?, query.number_cursor()?.unwrap_or_default());
    let verify = query.choice("verify", VERIFY_FLAGS)?.unwrap_or(false);
    let input = RequestInput::without_body(&state, &request)?;
    let events = visit(&state, input, move |services, _| {
        let events = candidates::events(services, after, limit, verify)?;
        Ok(respond_with(&CandidateEvents::from(&events)))
    });
    events.await
}
