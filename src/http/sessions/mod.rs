//! `/sessions`: conversations under a name.

mod entry;
mod lineage;
mod list;
mod snapshots;
mod turns;

use axum::extract::Request;
use axum::response::Response;

pub(super) use self::entry::*;
pub(super) use self::lineage::*;
pub(super) use self::list::*;
pub(super) use self::snapshots::*;
pub(super) use self::turns::*;
use super::answer::tagged;
use super::problem::Problem;
use super::query;
use super::schema::Session;

/// What stands behind `/sessions/`, decoded.
fn id_of(request: &Request) -> Result<String, Problem> {
    query::decode_path(query::name_of(request))
        .ok_or_else(|| Problem::invalid("", "the id is not UTF-8, percent-encoded"))
}

/// A session, with its version as its `ETag`.
fn shown(session: &crate::domain::Session) -> Response {
    tagged(session.version, &Session::from(session))
}
