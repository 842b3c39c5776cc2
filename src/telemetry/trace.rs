//! The spans of traces: requests, their jobs, calls of hooks.
//!
//! They contain ids, names and counts, and are separate from the spans of log lines, in a target of
//! their own: no log contains them, and no trace contains log lines. No spans are made unless
//! traces are sent somewhere (`--otlp-endpoint`, in builds with the feature `otlp`).

use std::time::Duration;

use tracing::Span;
use tracing::field::Empty;

use super::TRACE_TARGET;

/// A span of a request, until the head of the response. `header` reads the caller's headers: if
/// they name a trace (W3C Trace Context), the span is a part of it.
pub fn request<'h>(
    id: &str,
    method: &'static str,
    route: &str,
    header: impl Fn(&str) -> Option<&'h str>,
) -> Span {
    let span = tracing::info_span!(
        target: TRACE_TARGET,
        "request",
        otel.name = %format_args!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        contexture.request_id = id,
        contexture.problem = Empty,
    );
    #[cfg(feature = "otlp")]
    super::otlp::join_trace(&span, header);
    #[cfg(not(feature = "otlp"))]
    let _ = header;
    span
}

/// Records the response of a request; only a server error counts as an error of the span.
pub fn record_response(span: &Span, status: u16, problem: Option<&'static str>) {
    span.record("http.response.status_code", status);
    if let Some(problem) = problem {
        span.record("contexture.problem", problem);
    }
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
}

/// The work of a request on a thread of its own, from the moment that it has one: `waited` before.
pub fn job(waited: Duration) -> Span {
    tracing::info_span!(target: TRACE_TARGET, "job", contexture.waited_ms = waited.as_secs_f64() * 1e3)
}

/// A call of a hook, by whatever cause.
pub fn hook(id: &str, point: &str) -> Span {
    tracing::info_span!(
        target: TRACE_TARGET,
        "hook",
        otel.name = %format_args!("hook {point}"),
        otel.kind = "client",
        otel.status_code = Empty,
        contexture.hook = id,
        contexture.point = point,
        contexture.result = Empty,
        http.response.status_code = Empty,
    )
}

/// Records the result of a call: `answered`, or the cause of the failure.
pub fn record_call(span: &Span, result: &'static str, status: Option<u16>) {
    span.record("contexture.result", result);
    if let Some(status) = status {
        span.record("http.response.status_code", status);
    }
    if result != "answered" {
        span.record("otel.status_code", "ERROR");
    }
}

/// The value of `traceparent` for a called server, which links its spans to this trace.
pub fn parent_of(span: &Span) -> Option<String> {
    #[cfg(feature = "otlp")]
    return super::otlp::traceparent(span);
    #[cfg(not(feature = "otlp"))]
    {
        let _ = span;
        None
    }
}
