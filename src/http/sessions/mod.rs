//! `/sessions`: named conversations.

mod entry;
mod lineage;
mod list;
mod snapshots;
mod timeline;
mod turns;

use axum::extract::Request;
use axum::response::Response;

pub(super) use self::entry::*;
pub(super) use self::lineage::*;
pub(super) use self::list::*;
pub(super) use self::snapshots::*;
pub(super) use self::timeline::*;
pub(super) use self::turns::*;
use super::problem::Problem;
use super::query;
use super::response::respond_with_etag;
use super::schema::Session;

/// Decodes the session id in the path.
fn id_of(request: &Request) -> Result<String, Problem> {
    query::decode_path(query::name_of(request))
        .ok_or_else(|| Problem::invalid("", "the id is not UTF-8, percent-encoded"))
}

/// Responds with a session, and with its version as the `ETag`.
fn respond_with_session(session: &crate::domain::Session) -> Response {
    respond_with_etag(session.version, &Session::from(session))
}
