//! `POST /compile` and `POST /tokens`.

use std::fmt::Write as _;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;

use super::body;
use super::enum_values::COMPILE_FORMATS;
use super::idempotency::{self, Reply, RequestIdentity};
use super::job;
use super::problem::Problem;
use super::query::Query;
use super::response::{respond_json, respond_with};
use super::schema::{Compilation, CompileRequest, TokensRequest};
use super::state::AppState;
use crate::pipeline::{Deadline, Timings, TokensAnswer};
use crate::service::compile::{CompileMode, CompiledResponse, Error};
use crate::service::{Services, compile, tokens};

/// Compile a conversation
///
/// Answers the payload to send to the provider next: inside the token budget, in the provider's
/// own shape, with a report of every decision. Nothing but `messages` and `target` is needed;
/// under a pack, the text of its request may replace `messages`.
/// The header `Server-Timing` tells where the time went.
#[utoipa::path(
    post,
    path = "/compile",
    tag = "compile",
    operation_id = "compile",
    params(
        ("format" = Option<String>, Query, description = "Under a pack: `full`, or `contextos-v1` for the members of the published schema alone"),
        ("dry_run" = Option<bool>, Query,
         description = "Call no hook, store nothing, and list in the report what would be called"),
        ("Contexture-Deadline-Ms" = Option<u64>, Header, minimum = 1, maximum = 60_000,
         description = "Milliseconds that the compile may take, 10,000 when absent"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = CompileRequest,
    responses(
        (status = OK, description = "The payload and its report", body = Compilation,
         headers(("Server-Timing" = String, description = "Milliseconds by kind of work"))),
    ),
)]
pub(super) async fn compile_conversation(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri(), &["dry_run", "format"])?;
    let is_dry = query.choice("dry_run", &[("true", true), ("false", false)])? == Some(true);
    let published = query.choice("format", COMPILE_FORMATS)? == Some(true);
    let mode = CompileMode { is_dry, published };
    let identity = RequestIdentity::read("POST /compile", request.headers(), request.uri())?;
    if !is_dry && identity.has_key() {
        return compile_once(&state, request, identity, mode).await;
    }
    let work = move |services: &Services, text: &str, deadline: &Deadline| {
        compile::compile_as(services, text, mode, None, deadline)
    };
    let answer = run(&state, request, work).await?;
    Ok(respond_with_timings(&state, answer))
}

/// Compiles, or replays the stored response if the request was carried out before.
async fn compile_once(
    state: &AppState,
    request: Request,
    identity: RequestIdentity,
    mode: CompileMode,
) -> Result<Response, Problem> {
    let input = body::read(state, request).await?;
    let metrics = state.metrics.clone();
    idempotency::run_computing(state, input, identity, move |services, text, once| {
        let done = compile::compile_as(services, text, mode, once, services.deadline())?;
        metrics.record_compile(done.report.tokens_before, done.report.tokens_after);
        Ok::<_, Error>(Reply { status: StatusCode::OK, version: None, body: done.body })
    })
    .await
}

/// Responds to a compile or a compression: adds its tokens to the metrics, and its timings as the
/// header `Server-Timing`.
pub(super) fn respond_with_timings(state: &AppState, answer: CompiledResponse) -> Response {
    state.metrics.record_compile(answer.report.tokens_before, answer.report.tokens_after);
    let timing = server_timing(&answer.timings);
    let mut response = respond_json(answer.body);
    if let Ok(value) = HeaderValue::from_str(&timing) {
        response.headers_mut().insert(SERVER_TIMING, value);
    }
    response
}

/// Count tokens
///
/// Counts a text, messages or tools as the model's provider would, framing included.
#[utoipa::path(
    post,
    path = "/tokens",
    tag = "compile",
    operation_id = "count_tokens",
    request_body = TokensRequest,
    responses((status = OK, description = "The count", body = TokensAnswer)),
)]
pub(super) async fn count_tokens(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let answer = run(&state, request, tokens::count).await?;
    Ok(respond_with(&answer))
}

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// Reads the body and runs `work` on it in the pool, until its deadline.
pub(super) async fn run<T: Send + 'static>(
    state: &AppState,
    request: Request,
    work: impl FnOnce(&Services, &str, &Deadline) -> Result<T, Error> + Send + 'static,
) -> Result<T, Problem> {
    let input = body::read(state, request).await?;
    let place = state.pool.admit(input.tenant())?;
    job::run(place, input, |services, text| work(services, text, services.deadline())).await
}

/// Writes the value of `Server-Timing`: `name;dur=milliseconds` for each kind of work. The times do
/// not overlap.
fn server_timing(timings: &Timings) -> String {
    let rows: [(&str, Duration); 6] = [
        ("parse", timings.parse),
        ("count", timings.count),
        ("compile", timings.compile),
        ("hooks", timings.hooks),
        ("store", timings.store),
        ("serialise", timings.serialise),
    ];
    let mut text = String::with_capacity(128);
    for (name, took) in rows {
        let comma = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{comma}{name};dur={:.2}", took.as_secs_f64() * 1000.0);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::body::CancelOnDrop;

    #[test]
    fn timings_are_milliseconds_with_two_decimals() {
        let timings = Timings { parse: Duration::from_micros(414), ..Timings::default() };
        assert_eq!(
            server_timing(&timings),
            "parse;dur=0.41, count;dur=0.00, compile;dur=0.00, hooks;dur=0.00, store;dur=0.00, \
             serialise;dur=0.00"
        );
    }

    #[test]
    fn dropping_the_guard_cancels_the_work() {
        let deadline = Deadline::default();
        drop(CancelOnDrop(deadline.clone()));
        assert!(deadline.check().is_err());
    }
}
