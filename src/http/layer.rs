//! Middleware of every handler: request ids, logs, metrics, bodies of problems, headers.

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

/// Identifies a request in its response, its problem and the logs.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Wraps all other middleware but compression: gives the request an id, logs and counts the
/// response, writes the body of problems and the headers that every response has.
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
    let in_flight = InFlightGuard::new(state.metrics.clone());

    let handled = next.run(request).instrument(span.clone());
    let mut response = handled.instrument(trace.clone()).await;

    let _entered = span.entered();
    let status = response.status();
    let problem = finish(&mut response, &id, &state.metrics);
    let took = started.elapsed();
    state.metrics.record_response(method, &route, status.as_u16(), took);
    trace::record_response(&trace, status.as_u16(), problem);
    in_flight.finish();
    log(status, took.as_secs_f64() * 1000.0, problem);
    response
}

/// Marks a response whose body is in the format of another protocol, even if its status is an
/// error.
#[derive(Debug, Clone, Copy)]
pub(super) struct ForeignBody;

/// Writes the body of a problem, if the response is one, and the headers. Returns the problem's
/// code.
fn finish(response: &mut Response, id: &str, metrics: &Metrics) -> Option<&'static str> {
    let status = response.status();
    let mut code = None;
    let is_foreign = response.extensions_mut().remove::<ForeignBody>().is_some();
    if !is_foreign && (status.is_client_error() || status.is_server_error()) {
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
        // A page with scripts has set a policy of its own.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    code
}

pub(super) fn log(status: StatusCode, duration_ms: f64, problem: Option<&str>) {
    let status = status.as_u16();
    let problem = problem.unwrap_or_default();
    match status {
        500.. => tracing::error!(status, duration_ms, problem, "request failed"),
        400.. => tracing::debug!(status, duration_ms, problem, "request refused"),
        _ => tracing::info!(status, duration_ms, "request completed"),
    }
}

/// Returns the caller's request id if it is short and plain, else a new one.
pub(super) fn request_id(header: Option<&HeaderValue>) -> String {
    let is_plain = |text: &&str| {
        (1..=128).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte))
    };
    match header.and_then(|value| value.to_str().ok()).filter(is_plain) {
        Some(id) => id.to_owned(),
        // Each `RandomState` has other keys, so its hash of a constant is a new number.
        None => format!("req_{:016x}", RandomState::new().hash_one(0_u8)),
    }
}

/// Returns the method as a label of metrics. All unknown methods share one label, so that callers
/// cannot create labels.
pub(super) fn method_name(request: &Request) -> &'static str {
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

/// Counts a request as in flight until its response is ready or its future is dropped.
pub(super) struct InFlightGuard {
    metrics: Metrics,
    is_finished: bool,
}

impl InFlightGuard {
    pub(super) fn new(metrics: Metrics) -> Self {
        metrics.add_in_flight(1.0);
        Self { metrics, is_finished: false }
    }

    pub(super) fn finish(mut self) {
        self.is_finished = true;
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.metrics.add_in_flight(-1.0);
        if !self.is_finished {
            self.metrics.record_abandoned();
            tracing::debug!("the client disconnected");
        }
    }
}

/// Refuses bodies in an unsupported content encoding, and lists the supported ones.
pub(super) async fn check_encoding(request: Request, next: Next) -> Response {
    let mut encodings = request.headers().get_all(header::CONTENT_ENCODING).iter();
    let is_supported = match (encodings.next(), encodings.next()) {
        (None, _) => true,
        (Some(one), None) => matches!(one.as_bytes(), b"gzip" | b"zstd" | b"identity"),
        (Some(_), Some(_)) => false,
    };
    if is_supported {
        return next.run(request).await;
    }
    let mut response =
        Problem::with_detail(Kind::UnsupportedEncoding, "send the body plain, as gzip or as zstd")
            .into_response();
    response.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, zstd"));
    response
}

/// Refuses query parameters on routes that have none. Such a parameter would be ignored otherwise:
/// `dry_run` on a route that does not have it would store everything. Routes with parameters refuse
/// unknown ones themselves. Open routes and those of foreign protocols are not checked.
pub(super) async fn check_query(
    State(routes): State<RouteTable>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    let refuses = |path: &MatchedPath| refuses_query(&routes, request.method(), path.as_str());
    if path.is_some_and(refuses)
        && let Err(problem) = Query::parse(request.uri(), &[])
    {
        return problem.into_response();
    }
    next.run(request).await
}

/// Refuses a NUL in the path or query of a served route.
pub(super) async fn check_nul(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    match route.and_then(|route| find_nul(request.uri(), route.as_str())) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    }
}

fn refuses_query(routes: &RouteTable, method: &Method, path: &str) -> bool {
    let is_foreign = path == "/mcp" || path.starts_with("/v1/");
    !is_foreign
        && !routes.has_query(method, path)
        && Access::for_route(method, path) != Access::Open
}

/// Refuses requests in a loop: a hook calls this server, which calls the hook again.
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

/// Logs a panic and responds with a problem that reveals nothing about it.
#[expect(clippy::needless_pass_by_value, reason = "the layer passes it by value")]
pub(super) fn respond_to_panic(panic: Box<dyn Any + Send + 'static>) -> Response {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    tracing::error!(message, "the handler of a request panicked; this is a bug, please report it");
    Problem::new(Kind::Internal).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_id_is_kept_and_any_other_is_replaced() {
        let id = |text: &'static str| request_id(Some(&HeaderValue::from_static(text)));
        assert_eq!(id("trace-1:a.b_c"), "trace-1:a.b_c");
        for bad in ["", "a b", "a\"b", "<script>"] {
            assert!(id(bad).starts_with("req_"), "{bad}");
        }
        assert_ne!(request_id(None), request_id(None));
    }
}
