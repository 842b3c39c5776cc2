//! Compares records, and replays them.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::http::body;
use crate::http::job::work;
use crate::http::problem::Problem;
use crate::http::query::name_of;
use crate::http::response::respond_with;
use crate::http::schema::{CompareAnswer, CompareRequest, ReplayAnswer, ReplayRequest};
use crate::http::state::AppState;
use crate::service::compilations;

/// Compare two compilations
///
/// Tells the first stage in which they parted, and what from outside it was given that was not the
/// same.
#[utoipa::path(
    post,
    path = "/compilations/diff",
    tag = "compilations",
    operation_id = "compare_compilations",
    request_body = CompareRequest,
    responses((status = OK, description = "Where they parted", body = CompareAnswer)),
)]
pub(crate) async fn compare_compilations(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let input = body::read(&state, request).await?;
    let compared = work(&state, input, compilations::compare);
    Ok(respond_with(&CompareAnswer::from(compared.await?)))
}

/// Replay a compilation
///
/// Compiles once more with what reached the first compile from outside, calls nothing, stores
/// nothing, and compares stage by stage. Of a record that holds hashes alone the request is sent
/// again. A payload that is not the same is an answer, not an error.
#[utoipa::path(
    post,
    path = "/compilations/{id}/replay",
    tag = "compilations",
    operation_id = "replay_compilation",
    params(("id" = String, Path, description = "The `id` of a compile's answer")),
    request_body = ReplayRequest,
    responses(
        (status = OK, description = "The result of the replay", body = ReplayAnswer),
        (status = "4XX", description = "It cannot be run again"),
    ),
)]
pub(crate) async fn replay_compilation(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let input = body::read(&state, request).await?;
    let replayed = work(&state, input, move |services, text| {
        compilations::replay(services, &id, text, services.deadline())
    });
    Ok(respond_with(&ReplayAnswer::from(replayed.await?)))
}
