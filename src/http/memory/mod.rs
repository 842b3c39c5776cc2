//! `/memory`: entries by key, and what is done to them.

mod act;
mod entry;
mod list;
mod version;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use serde::Serialize;

pub(super) use self::act::*;
pub(super) use self::entry::*;
pub(super) use self::list::*;
pub(super) use self::version::*;
use super::compile::json;
use super::problem::Problem;
use super::query::{self, Query};
use super::schema::MemoryEntry;
use crate::domain::MemoryScope;

/// Rows of a list where the query does not say.
const USUAL: u64 = 100;
const MOST: u64 = 1_000;
/// The parameters that say whose entry is meant.
const SCOPE: [&str; 3] = ["subject", "session_id", "agent"];

/// What stands behind `/memory/`, decoded.
fn key_of(request: &Request) -> Result<String, Problem> {
    let part = request.uri().path().split('/').nth(2).unwrap_or_default();
    query::decode_path(part)
        .ok_or_else(|| Problem::invalid("", "the key is not UTF-8, percent-encoded"))
}

fn scope_of(query: &Query) -> MemoryScope {
    let part = |name: &str| query.get(name).filter(|text| !text.is_empty()).map(Into::into);
    MemoryScope { subject: part("subject"), session_id: part("session_id"), agent: part("agent") }
}

pub(super) fn limit(query: &Query) -> Result<usize, Problem> {
    let limit = query.whole("limit")?.unwrap_or(USUAL);
    let limit = usize::try_from(limit).ok().filter(|_| (1..=MOST).contains(&limit));
    limit.ok_or_else(|| {
        Problem::invalid("", format!("the parameter `limit` must be from 1 to {MOST}"))
    })
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

/// An entry, with its version as its `ETag`.
fn tagged(entry: &crate::domain::MemoryEntry) -> Response {
    let mut response = written(&MemoryEntry::from(entry));
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", entry.version)) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// An answer as JSON. It is plain data: there is nothing in it that JSON cannot hold.
pub(super) fn written(answer: &impl Serialize) -> Response {
    json(serde_json::to_string(answer).unwrap_or_default())
}
