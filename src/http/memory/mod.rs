//! `/memory`: entries by key, and what is done to them.

mod act;
mod entry;
mod list;
mod version;

use axum::extract::Request;
use axum::response::Response;

pub(super) use self::act::*;
pub(super) use self::entry::*;
pub(super) use self::list::*;
pub(super) use self::version::*;
use super::answer::tagged;
use super::problem::Problem;
use super::query::{self, Query};
use super::schema::MemoryEntry;
use crate::domain::MemoryScope;

/// The parameters that say whose entry is meant.
const SCOPE: [&str; 3] = ["subject", "session_id", "agent"];

/// What stands behind `/memory/`, decoded.
fn key_of(request: &Request) -> Result<String, Problem> {
    query::decode_path(query::name_of(request))
        .ok_or_else(|| Problem::invalid("", "the key is not UTF-8, percent-encoded"))
}

fn scope_of(query: &Query) -> MemoryScope {
    let part = |name: &str| query.get(name).filter(|text| !text.is_empty()).map(Into::into);
    MemoryScope { subject: part("subject"), session_id: part("session_id"), agent: part("agent") }
}

/// An entry, with its version as its `ETag`.
fn shown(entry: &crate::domain::MemoryEntry) -> Response {
    tagged(entry.version, &MemoryEntry::from(entry))
}
