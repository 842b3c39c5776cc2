//! Errors of the gateway itself, in the format of the provider that the client believes to speak to.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use crate::gateway::Wire;
use crate::http::problem::{Kind, Problem};
use crate::upstream::SendFailure;

/// The header with the id of a request that went through the gateway.
pub(super) const ID_HEADER: &str = "x-contexture-id";

/// An error of the gateway. Errors of upstreams are relayed as they are.
#[derive(Debug)]
pub(super) struct RelayFailure {
    pub(super) status: StatusCode,
    /// The error as a word for programs.
    pub(super) code: &'static str,
    message: String,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl RelayFailure {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), headers: Vec::new() }
    }

    /// A request for an upstream that no setting names.
    pub(super) fn no_upstream(name: Option<&str>, wire: Wire) -> Self {
        let message = if name.is_some() {
            "no upstream of that name is set: start the server with --upstream NAME=URL".to_owned()
        } else {
            let wire = wire.as_str();
            format!("no upstream for {wire} is set: start the server with --upstream {wire}")
        };
        Self::new(StatusCode::NOT_FOUND, "no_upstream", message)
    }

    /// A request to speak another protocol, such as a `WebSocket`. Clients fall back to HTTP.
    pub(super) fn upgrade() -> Self {
        let mut failure = Self::new(
            StatusCode::UPGRADE_REQUIRED,
            "http_only",
            "the gateway relays HTTP alone: send the same as an HTTP request",
        );
        failure.headers = vec![
            (header::UPGRADE, HeaderValue::from_static("HTTP/1.1")),
            (header::CONNECTION, HeaderValue::from_static("upgrade")),
        ];
        failure
    }

    /// An upstream that sent nothing for too long.
    pub(super) fn silent() -> Self {
        let message = "the upstream sent nothing within the time limit \
                       (--upstream-silence-seconds)";
        Self::new(StatusCode::GATEWAY_TIMEOUT, "upstream_silent", message)
    }

    /// Writes the error in a wire format.
    pub(super) fn respond(self, wire: Wire, id: &str) -> Response {
        let Self { status, code, message, headers } = self;
        let body = body(wire, status, code, &format!("contexture: {message}"), id);
        let mut response = (status, body.to_string()).into_response();
        let response_headers = response.headers_mut();
        response_headers.extend(headers);
        let json = HeaderValue::from_static("application/json");
        response_headers.insert(header::CONTENT_TYPE, json);
        response
    }
}

fn body(wire: Wire, status: StatusCode, code: &str, message: &str, id: &str) -> Value {
    match wire {
        // https://docs.anthropic.com/en/api/errors
        Wire::Anthropic => {
            let kind = match status.as_u16() {
                401 => "authentication_error",
                403 => "permission_error",
                404 => "not_found_error",
                413 => "request_too_large",
                429 => "rate_limit_error",
                503 => "overloaded_error",
                400..500 => "invalid_request_error",
                _ => "api_error",
            };
            let error = json!({"type": kind, "message": message});
            json!({"type": "error", "error": error, "request_id": id})
        }
        // https://platform.openai.com/docs/guides/error-codes
        Wire::Openai => {
            let kind = match status.as_u16() {
                401 => "authentication_error",
                403 => "permission_error",
                429 => "rate_limit_error",
                400..500 => "invalid_request_error",
                _ => "server_error",
            };
            json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
        }
        // https://cloud.google.com/apis/design/errors
        Wire::Gemini => {
            let word = match status.as_u16() {
                401 => "UNAUTHENTICATED",
                403 => "PERMISSION_DENIED",
                404 => "NOT_FOUND",
                429 => "RESOURCE_EXHAUSTED",
                400..500 => "INVALID_ARGUMENT",
                500 => "INTERNAL",
                504 => "DEADLINE_EXCEEDED",
                _ => "UNAVAILABLE",
            };
            json!({"error": {"code": status.as_u16(), "message": message, "status": word}})
        }
    }
}

impl From<Problem> for RelayFailure {
    fn from(problem: Problem) -> Self {
        let Problem { kind, detail, .. } = problem;
        let message = if detail.is_empty() { kind.title().to_owned() } else { detail };
        let message = match kind {
            Kind::Unauthenticated => format!("{message} (the gateway reads x-contexture-key)"),
            _ => message,
        };
        Self::new(kind.status(), kind.code(), message)
    }
}

impl From<SendFailure> for RelayFailure {
    fn from(failure: SendFailure) -> Self {
        let (status, code) = match failure {
            SendFailure::Own => (StatusCode::LOOP_DETECTED, "loop_detected"),
            SendFailure::RequestBody => (StatusCode::BAD_REQUEST, "invalid_request"),
            SendFailure::Unreachable | SendFailure::Broken | SendFailure::Malformed => {
                (StatusCode::BAD_GATEWAY, "upstream_failed")
            }
        };
        Self::new(status, code, failure.to_string())
    }
}
