//! The spans of traces: requests, the jobs that they cause, calls of hooks.
//!
//! They hold ids, names of ours and counts, and stand beside the spans that log lines show, in a target
//! of their own: no log holds them, and no trace holds what logs say. Nothing is made of them unless
//! traces are sent somewhere (`--otlp-endpoint`, in builds with the feature `otlp`).

use std::time::Duration;

use tracing::Span;
use tracing::field::Empty;

use super::TRACE_TARGET;

/// A request, from its head to that of its answer. `header` reads the caller's headers: where they name
/// a trace (W3C Trace Context), this is a part of it.
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

/// Says how a request was answered; only what went wrong on this side is an error of it.
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

/// Says what came of a call: `answered`, or the cause of the failure.
pub fn record_call(span: &Span, result: &'static str, status: Option<u16>) {
    span.record("contexture.result", result);
    if let Some(status) = status {
        span.record("http.response.status_code", status);
    }
    if result != "answered" {
        span.record("otel.status_code", "ERROR");
    }
}

/// What tells the called server which trace this is a part of: the value of `traceparent`.
pub fn parent_of(span: &Span) -> Option<String> {
    #[cfg(feature = "otlp")]
    return super::otlp::traceparent(span);
    #[cfg(not(feature = "otlp"))]
    {
        let _ = span;
        None
    }
}
