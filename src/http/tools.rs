//! `/tools`: tool calls of a model, and their results.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::body;
use super::compile;
use super::idempotency::{self, Reply, RequestIdentity};
use super::problem::Problem;
use super::schema::{CallsAnswer, CallsRequest, ResultsAnswer, ResultsRequest};
use super::state::AppState;
use crate::service::tools::{self, CallResults};

/// Handle the calls of a model
///
/// All calls of one assistant message, as the provider gave them. Those of our own tools are
/// carried out: append their `message`. All others are yours to run.
#[utoipa::path(
    post,
    path = "/tools/calls",
    tag = "tools",
    operation_id = "handle_calls",
    params(("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done")),
    request_body = CallsRequest,
    responses((status = OK, description = "What becomes of each call, in their order", body = CallsAnswer)),
)]
pub(super) async fn handle_calls(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let identity = RequestIdentity::read("POST /tools/calls", request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run_computing_recorded(&state, input, identity, reply_to_calls, tools::calls).await
}

fn reply_to_calls(done: &CallResults) -> Reply {
    Reply::new(StatusCode::OK, &CallsAnswer::from(done.clone()))
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
