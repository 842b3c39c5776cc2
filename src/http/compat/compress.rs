//! `POST /v1/compress`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;

use crate::http::body::{self, RequestInput};
use crate::http::compile::respond_with_timings;
use crate::http::job;
use crate::http::problem::{Kind, Problem};
use crate::http::response::respond_json;
use crate::http::schema::{GatewayAnswer, GatewayRequest};
use crate::http::state::AppState;
use crate::service::compile::CompiledResponse;
use crate::service::{Services, compat};

/// Header of a request whose messages are returned unchanged if it is `true`.
const BYPASS: &str = "x-headroom-bypass";

/// Compress for a gateway
///
/// As headroom's clients and `LiteLLM`'s guardrail ask for it. What cannot be read, done or
/// finished in time returns 200 with the messages as they came and a `skip_reason`.
#[utoipa::path(
    post,
    path = "/v1/compress",
    tag = "gateway",
    operation_id = "compress_for_gateway",
    params(("x-headroom-bypass" = Option<String>, Header, description = "`true`: the messages as they came", example = "true")),
    request_body = GatewayRequest,
    responses(
        (status = OK, description = "The messages, shorter or as they came", body = GatewayAnswer),
        (status = "4XX", description = "The caller is not known, or the body too large or not labelled as JSON"),
    ),
)]
pub(crate) async fn compress_for_gateway(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let is_bypassed = is_bypassed(request.headers());
    let input = match body::read(&state, request).await {
        Ok(input) => input,
        // No messages were read, so there are none to return.
        Err(problem) if is_unread(problem.kind) => return Err(problem),
        Err(problem) => return Ok(respond_json(compat::passed_on("", &reason(&problem)))),
    };
    let text: Arc<str> = input.text.as_str().into();
    if is_bypassed {
        return Ok(respond_json(compat::passed_on(&text, "bypass")));
    }
    Ok(match work(&state, input, Arc::clone(&text)).await {
        Ok(answer) => respond_with_timings(&state, answer),
        Err(problem) => respond_json(compat::passed_on(&text, &reason(&problem))),
    })
}

async fn work(
    state: &AppState,
    input: RequestInput,
    text: Arc<str>,
) -> Result<CompiledResponse, Problem> {
    let place = state.pool.admit(input.tenant())?;
    let job =
        move |services: &Services, _: &str| compat::compress(services, &text, services.deadline());
    job::run(place, input, job).await
}

/// Checks whether the body was refused before its messages were read.
fn is_unread(kind: Kind) -> bool {
    matches!(kind, Kind::BodyTooLarge | Kind::UnsupportedMediaType)
}

fn is_bypassed(headers: &HeaderMap) -> bool {
    let value = headers.get(BYPASS).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
}

/// Formats the `skip_reason` of a problem: its code and its detail, or its first fault with its
/// place.
fn reason(problem: &Problem) -> String {
    let code = problem.kind.code();
    match problem.errors.first() {
        Some(fault) => format!("{code}: {} {}", fault.pointer, fault.detail),
        None if problem.detail.is_empty() => code.to_owned(),
        None => format!("{code}: {}", problem.detail),
    }
}
