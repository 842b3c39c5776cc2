//! `/memory`: entries by key, and what is done to them.

mod act;
mod entry;
mod list;
mod version;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;

pub(super) use self::act::*;
pub(super) use self::entry::*;
pub(super) use self::list::*;
pub(super) use self::version::*;
use super::answer::{if_match, tagged};
use super::problem::Problem;
use super::query::{self, Query};
use super::schema::MemoryEntry;
use crate::domain::MemoryScope;
use crate::service::memory::WriteCondition;

/// The parameters that say whose entry is meant.
const SCOPE: [&str; 3] = ["subject", "session_id", "agent"];

/// Where a list of lines goes on, which has no room for it.
pub(super) const NEXT_CURSOR: HeaderName = HeaderName::from_static("contexture-next-cursor");

/// What stands behind `/memory/`, decoded.
fn key_of(request: &Request) -> Result<String, Problem> {
    query::decode_path(query::name_of(request))
        .ok_or_else(|| Problem::invalid("", "the key is not UTF-8, percent-encoded"))
}

fn scope_of(query: &Query) -> MemoryScope {
    let part = |name: &str| query.get(name).filter(|text| !text.is_empty()).map(Into::into);
    MemoryScope { subject: part("subject"), session_id: part("session_id"), agent: part("agent") }
}

/// What `If-Match` and `If-None-Match` ask of what is stored.
fn expected(headers: &HeaderMap) -> Result<WriteCondition, Problem> {
    let is_any = |value: &HeaderValue| value.as_bytes().trim_ascii() == b"*";
    let wanted = headers.get(header::IF_MATCH);
    let Some(unwanted) = headers.get(header::IF_NONE_MATCH) else {
        return match wanted {
            Some(value) if is_any(value) => Ok(WriteCondition::Something),
            _ => Ok(if_match(headers)?.map_or(WriteCondition::Anything, WriteCondition::Version)),
        };
    };
    if wanted.is_some() {
        return Err(Problem::invalid("", "If-Match and If-None-Match do not go together"));
    }
    if !is_any(unwanted) {
        return Err(Problem::invalid("", "the header If-None-Match must be `*` where it writes"));
    }
    Ok(WriteCondition::Nothing)
}

/// An entry, with its version as its `ETag`.
fn shown(entry: &crate::domain::MemoryEntry) -> Response {
    tagged(entry.version, &MemoryEntry::from(entry))
}
