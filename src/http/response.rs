//! Responses as JSON, with versions as `ETag`.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::chunked_json::json_body;
use super::problem::Problem;
use crate::domain::ArtifactId;
use crate::service::WriteCondition;

/// Responds with text that is JSON already.
pub(super) fn respond_json(text: impl Into<axum::body::Body>) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], text.into())
        .into_response()
}

/// Responds with a value as JSON. Values of the API are plain data, which always serialises.
pub(super) fn respond_with(value: &impl Serialize) -> Response {
    respond_json(json_body(value))
}

/// Responds with a value as JSON, and with its version as the `ETag`.
pub(super) fn respond_with_etag(version: u64, value: &impl Serialize) -> Response {
    let mut response = respond_with(value);
    set_etag(&mut response, version);
    response
}

/// Responds with text that is JSON already, and with the version of its value as the `ETag`.
pub(super) fn respond_json_with_etag(version: u64, text: String) -> Response {
    let mut response = respond_json(text);
    set_etag(&mut response, version);
    response
}

/// Sets the `ETag` to the version of the value in the response.
pub(super) fn set_etag(response: &mut Response, version: u64) {
    set_etag_text(response, &version.to_string());
}

/// Responds with a value as JSON, and with a hash of the bytes as the `ETag`: for values without a
/// version.
pub(super) fn respond_with_content_etag(value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).unwrap_or_default();
    let tag = ArtifactId::of_text(&text).to_string();
    let mut response = respond_json(text);
    set_etag_text(&mut response, &tag);
    response
}

fn set_etag_text(response: &mut Response, tag: &str) {
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{tag}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
}

/// Reads the version in `If-Match`, for something that must be there anyway: `*` asks for nothing
/// more.
pub(super) fn read_if_match(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH).filter(|value| !is_any(value)) else {
        return Ok(None);
    };
    let tag = value.to_str().ok().map(|text| text.trim().trim_matches('"'));
    match tag.and_then(|tag| tag.parse().ok()) {
        Some(version) => Ok(Some(version)),
        None => {
            Err(Problem::invalid("", "the header If-Match must be `*` or one `ETag` of a response"))
        }
    }
}

fn is_any(value: &HeaderValue) -> bool {
    value.as_bytes().trim_ascii() == b"*"
}

/// Reads the condition of a write from `If-Match` and `If-None-Match`.
pub(super) fn read_condition(headers: &HeaderMap) -> Result<WriteCondition, Problem> {
    let if_match = headers.get(header::IF_MATCH);
    let Some(if_none_match) = headers.get(header::IF_NONE_MATCH) else {
        return Ok(match read_if_match(headers)? {
            Some(version) => WriteCondition::Version(version),
            None if if_match.is_some() => WriteCondition::Something,
            None => WriteCondition::Anything,
        });
    };
    if if_match.is_some() {
        return Err(Problem::invalid("", "If-Match and If-None-Match do not go together"));
    }
    if !is_any(if_none_match) {
        return Err(Problem::invalid("", "the header If-None-Match must be `*` if it writes"));
    }
    Ok(WriteCondition::Nothing)
}
