//! Answers as JSON, and versions as their tags.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::problem::Problem;
use crate::domain::ArtifactId;

pub(super) fn json(text: impl Into<axum::body::Body>) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], text.into())
        .into_response()
}

/// An answer as JSON. It is plain data: there is nothing in it that JSON cannot hold.
pub(super) fn written(answer: &impl Serialize) -> Response {
    json(serde_json::to_string(answer).unwrap_or_default())
}

/// The same, with the version of what it tells as its `ETag`.
pub(super) fn tagged(version: u64, answer: &impl Serialize) -> Response {
    let mut response = written(answer);
    tag(&mut response, version);
    response
}

/// The same, of an answer that is JSON text already.
pub(super) fn tagged_text(version: u64, text: String) -> Response {
    let mut response = json(text);
    tag(&mut response, version);
    response
}

/// Gives an answer the version of what it tells as its `ETag`.
pub(super) fn tag(response: &mut Response, version: u64) {
    tag_as(response, &version.to_string());
}

/// An answer as JSON, with what names its bytes as its `ETag`: for what has no version of its own.
pub(super) fn tagged_by_bytes(answer: &impl Serialize) -> Response {
    let text = serde_json::to_string(answer).unwrap_or_default();
    let tag = ArtifactId::of_text(&text).to_string();
    let mut response = json(text);
    tag_as(&mut response, &tag);
    response
}

fn tag_as(response: &mut Response, tag: &str) {
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{tag}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
}

/// The version that `If-Match` names.
pub(super) fn if_match(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let tag = value.to_str().ok().map(|text| text.trim().trim_matches('"'));
    match tag.and_then(|tag| tag.parse().ok()) {
        Some(version) => Ok(Some(version)),
        None => Err(Problem::invalid("", "the header If-Match must be one `ETag` of an answer")),
    }
}
