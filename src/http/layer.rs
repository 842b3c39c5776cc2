//! What surrounds every handler: ids, logs, figures, problems, headers.

use std::any::Any;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::Instrument as _;
use tracing::field::Empty;

use super::access::Access;
use super::document::RouteTable;
use super::problem::{Kind, Problem};
use super::query::{Query, find_nul};
use super::state::{AppState, Hops};
use crate::service::hooks::{HOP_HEADER, MAX_HOPS};
use crate::telemetry::{Metrics, trace};

/// Identifies a request in its answer, its problem and the logs.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Stands around everything: gives the request an id, logs and counts the answer, writes the
/// body of problems and the headers that every answer has.
pub(super) async fn edge(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(request.headers().get(&REQUEST_ID));
    let method = method_name(&request);
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    let span = tracing::info_span!(
        "request", request.id = %id, method, route, tenant = Empty, key.id = Empty
    );
    let trace = trace::request(&id, method, &route, |name| {
        request.headers().get(name).and_then(|value| value.to_str().ok())
    });
    let flight = Flight::new(state.metrics.clone());

    let handled = next.run(request).instrument(span.clone());
    let mut response = handled.instrument(trace.clone()).await;

    let _entered = span.entered();
    let status = response.status();
    let problem = finish(&mut response, &id, &state.metrics);
    let took = started.elapsed();
    state.metrics.record_response(method, &route, status.as_u16(), took);
    trace::record_response(&trace, status.as_u16(), problem);
    flight.landed();
    log(status, took.as_secs_f64() * 1000.0, problem);
    response
}

/// Marks a response whose error is logged already, in the terms of another protocol.
#[derive(Debug, Clone, Copy)]
pub(super) struct AlreadyLogged;

/// Writes problems and headers; answers the code of the problem, if it is one.
fn finish(response: &mut Response, id: &str, metrics: &Metrics) -> Option<&'static str> {
    let status = response.status();
    let mut code = None;
    let is_told = response.extensions_mut().remove::<AlreadyLogged>().is_some();
    if !is_told && (status.is_client_error() || status.is_server_error()) {
        let problem = response
            .extensions_mut()
            .remove::<Problem>()
            .unwrap_or_else(|| Problem::of_status(status));
        code = Some(problem.kind.code());
        if problem.kind == Kind::Overloaded {
            let full = problem.detail.contains("bytes");
            metrics.record_shed(if full { "bytes" } else { "queue" });
        }
        problem.write_into(response, id);
    }
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, value);
    }
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    ];
    for (name, value) in fixed {
        // A page with scripts brings a policy of its own.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    code
}

fn log(status: StatusCode, duration_ms: f64, problem: Option<&str>) {
    let status = status.as_u16();
    let problem = problem.unwrap_or_default();
    match status {
        500.. => tracing::error!(status, duration_ms, problem, "request failed"),
        400.. => tracing::debug!(status, duration_ms, problem, "request refused"),
        _ => tracing::info!(status, duration_ms, "request answered"),
    }
}

/// The caller's id where it is short and plain, else one of ours.
fn request_id(given: Option<&HeaderValue>) -> String {
    let sane = |text: &&str| {
        (1..=128).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte))
    };
    match given.and_then(|value| value.to_str().ok()).filter(sane) {
        Some(id) => id.to_owned(),
        // Each `RandomState` has keys of its own, so its hash of anything is a fresh number.
        None => format!("req_{:016x}", RandomState::new().hash_one(0_u8)),
    }
}

/// The method as a label: what a caller invents is one label, not many.
fn method_name(request: &Request) -> &'static str {
    match request.method().as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

/// Counts a request as in flight until it is answered or dropped.
struct Flight {
    metrics: Metrics,
    answered: bool,
}

impl Flight {
    fn new(metrics: Metrics) -> Self {
        metrics.add_in_flight(1.0);
        Self { metrics, answered: false }
    }

    fn landed(mut self) {
        self.answered = true;
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.metrics.add_in_flight(-1.0);
        if !self.answered {
            self.metrics.record_abandoned();
            tracing::debug!("the caller went away");
        }
    }
}

/// Refuses bodies in an encoding that we cannot read, with the list of those that we can.
pub(super) async fn check_encoding(request: Request, next: Next) -> Response {
    let mut encodings = request.headers().get_all(header::CONTENT_ENCODING).iter();
    let known = match (encodings.next(), encodings.next()) {
        (None, _) => true,
        (Some(one), None) => matches!(one.as_bytes(), b"gzip" | b"zstd" | b"identity"),
        (Some(_), Some(_)) => false,
    };
    if known {
        return next.run(request).await;
    }
    let mut response =
        Problem::with_detail(Kind::UnsupportedEncoding, "send the body plain, as gzip or as zstd")
            .into_response();
    response.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, zstd"));
    response
}

/// Refuses parameters where a route has none in its query: one that nobody reads would otherwise be
/// passed over in silence, and `dry_run` at a route that knows no such thing stores everything.
/// Routes that have some refuse unknown ones themselves. What is open to all tells nothing, and the
/// wires of others have their own ways.
pub(super) async fn check_query(
    State(routes): State<RouteTable>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    let takes_none = path.is_some_and(|path| takes_none(&routes, request.method(), path.as_str()));
    if takes_none && let Err(problem) = Query::of(request.uri(), &[]) {
        return problem.into_response();
    }
    next.run(request).await
}

/// Refuses a path or a query with a NUL, where a route is served.
pub(super) async fn check_nul(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    match route.and_then(|route| find_nul(request.uri(), route.as_str())) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    }
}

fn takes_none(routes: &RouteTable, method: &Method, path: &str) -> bool {
    let is_anothers = path == "/mcp" || path.starts_with("/v1/");
    !is_anothers && !routes.has_query(method, path) && Access::of(method, path) != Access::Open
}

/// Refuses requests that go round: a hook that calls us, whose hooks call it again.
pub(super) async fn check_hops(mut request: Request, next: Next) -> Response {
    if let Some(value) = request.headers().get(HOP_HEADER) {
        let hops = value.to_str().ok().and_then(|text| text.trim().parse::<u8>().ok());
        match hops {
            Some(hops) if hops <= MAX_HOPS => request.extensions_mut().insert(Hops(hops)),
            Some(_) => {
                let detail = format!("it came through more than {MAX_HOPS} services like this one");
                return Problem::with_detail(Kind::LoopDetected, detail).into_response();
            }
            None => {
                let detail = format!("the header {HOP_HEADER} must be a number from 0 to 255");
                return Problem::invalid("", detail).into_response();
            }
        };
    }
    next.run(request).await
}

/// The answer to a panic: logged, with nothing told of it.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands it over")]
pub(super) fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    tracing::error!(message, "a handler panicked");
    Problem::new(Kind::Internal).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sane_id_is_kept_and_any_other_replaced() {
        let of = |text: &'static str| request_id(Some(&HeaderValue::from_static(text)));
        assert_eq!(of("trace-1:a.b_c"), "trace-1:a.b_c");
        for bad in ["", "a b", "a\"b", "<script>"] {
            assert!(of(bad).starts_with("req_"), "{bad}");
        }
        assert_ne!(request_id(None), request_id(None));
    }
}
