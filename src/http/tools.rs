//! `/tools`: tool calls of a model, and their results.

use axum::extract::{Request, State};
use axum::response::Response;

use super::body;
use super::compile;
use super::job::work;
use super::problem::Problem;
use super::response::respond_with;
use super::schema::{CallsAnswer, CallsRequest, ResultsAnswer, ResultsRequest};
use super::state::AppState;
use crate::service::tools;

/// Handle the calls of a model
///
/// All calls of one assistant message, as the provider gave them. Those of our own tools are
/// carried out: append their `message`. All others are yours to run.
#[utoipa::path(
    post,
    path = "/tools/calls",
    tag = "tools",
    operation_id = "handle_calls",
    request_body = CallsRequest,
    responses((status = OK, description = "What becomes of each call, in their order", body = CallsAnswer)),
)]
pub(super) async fn handle_calls(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let input = body::read(&state, request).await?;
    let handled = work(&state, input, tools::calls).await?;
    Ok(respond_with(&CallsAnswer::from(handled)))
}

/// Take the results of tools
///
/// Raw results become the messages to append, in the shape of `source`: long ones are cut, what is
/// cut may be kept as an artifact, all are compressed. Send them on with the next compile.
#[utoipa::path(
    post,
    path = "/tools/results",
    tag = "tools",
    operation_id = "take_results",
    request_body = ResultsRequest,
    responses((status = OK, description = "The messages to append", body = ResultsAnswer)),
)]
pub(super) async fn take_results(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let answer = compile::run(&state, request, tools::results).await?;
    Ok(compile::respond_with_timings(&state, answer))
}
