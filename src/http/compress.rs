//! `POST /compress` and `POST /expand`.

use axum::extract::{Request, State};
use axum::response::Response;

use super::compile::{respond_with_timings, run};
use super::problem::Problem;
use super::response::respond_json;
use super::schema::{CompressRequest, CompressResponse, ExpandRequest, ExpandedList};
use super::state::AppState;
use crate::service::{compress, expansion};

/// Compress messages or a text
///
/// Answers in the shape it came in, so that it drops into an existing loop. Without a level and a
/// budget nothing is lost: what is shown decodes to the original. `POST /expand` gives the
/// originals back.
#[utoipa::path(
    post,
    path = "/compress",
    tag = "compile",
    operation_id = "compress",
    request_body = CompressRequest,
    responses(
        (status = OK, description = "The shorter messages or text, and a report", body = CompressResponse,
         headers(("Server-Timing" = String, description = "Milliseconds by kind of work"))),
    ),
)]
pub(super) async fn compress_messages(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let answer = run(&state, request, compress::compress).await?;
    Ok(respond_with_timings(&state, answer))
}

/// Give the originals back
///
/// For messages that `/compress` answered, for an answer by its id, or for one artifact. What
/// cannot be restored is passed through and listed.
#[utoipa::path(
    post,
    path = "/expand",
    tag = "compile",
    operation_id = "expand",
    request_body = ExpandRequest,
    responses((status = OK, description = "What stood there before", body = ExpandedList)),
)]
pub(super) async fn expand_messages(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    Ok(respond_json(run(&state, request, expansion::expand).await?))
}
