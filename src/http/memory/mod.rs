//! `/memory`: memory entries by key.

mod actions;
mod entry;
mod list;
mod version;

use axum::extract::Request;
use axum::http::HeaderName;
use axum::response::Response;

pub(super) use self::actions::*;
pub(super) use self::entry::*;
pub(super) use self::list::*;
pub(super) use self::version::*;
use super::problem::Problem;
use super::query::{self, Query};
use super::response::respond_with_etag;
use super::schema::MemoryEntry;
use crate::domain::MemoryScope;

/// The query parameters with the scope of an entry.
const SCOPE: [&str; 4] = ["subject", "session_id", "agent", "pack_tenant"];

/// Header with the cursor of a list of lines, which has no member for it.
pub(super) const NEXT_CURSOR: HeaderName = HeaderName::from_static("contexture-next-cursor");

/// Decodes the key in the path.
fn key_of(request: &Request) -> Result<String, Problem> {
    query::decode_path(query::name_of(request))
        .ok_or_else(|| Problem::invalid("", "the key is not UTF-8, percent-encoded"))
}

fn scope_of(query: &Query) -> MemoryScope {
    let part = |name: &str| query.get(name).filter(|text| !text.is_empty()).map(Into::into);
    MemoryScope {
        subject: part("subject"),
        session_id: part("session_id"),
        agent: part("agent"),
        pack_tenant: part("pack_tenant"),
    }
}

/// Responds with an entry, and with its version as the `ETag`.
fn respond_with_entry(entry: &crate::domain::MemoryEntry) -> Response {
    respond_with_etag(entry.version, &MemoryEntry::from(entry))
}
