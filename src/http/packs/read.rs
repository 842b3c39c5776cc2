//! Packs that were published.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::http::answer::written;
use crate::http::body::Received;
use crate::http::job::visit;
use crate::http::problem::{Kind, Problem};
use crate::http::query::{Query, decode_cursor, decode_path, encode_cursor};
use crate::http::schema::{Pack, PackList, PackRow, PackVersions};
use crate::http::state::AppState;
use crate::pack::PackRef;
use crate::service::packs::{self, PackCursor};

/// List the packs
///
/// Every version, by id and version.
#[utoipa::path(
    get,
    path = "/packs",
    tag = "packs",
    operation_id = "list_packs",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the answer before"),
    ),
    responses((status = OK, description = "Some of them, and where the list goes on", body = PackList)),
)]
pub(crate) async fn list_packs(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::of(request.uri(), &["limit", "cursor"])?;
    let limit = query.limit()?;
    let after = query.get("cursor").map(parse_cursor).transpose()?;
    let received = Received::nothing(&state, &request)?;
    let list =
        visit(&state, received, move |services, _| packs::list(services, after.as_ref(), limit));
    let (rows, next) = list.await?;
    let items = rows.iter().map(PackRow::of).collect();
    let next_cursor = next.as_ref().map(write_cursor);
    Ok(written(&PackList { items, next_cursor }))
}

/// List a pack's versions
#[utoipa::path(
    get,
    path = "/packs/{id}",
    tag = "packs",
    operation_id = "list_pack_versions",
    params(("id" = String, Path, description = "The pack's id", example = "pack.dbops")),
    responses(
        (status = OK, description = "Its versions, the newest first", body = PackVersions),
        (status = "4XX", description = "No such pack is published"),
    ),
)]
pub(crate) async fn list_pack_versions(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = part(&request, 2)?;
    let received = Received::nothing(&state, &request)?;
    let shown = id.clone();
    let rows = visit(&state, received, move |services, _| packs::versions(services, &id)).await?;
    let versions = rows.iter().map(PackRow::of).collect();
    Ok(written(&PackVersions { id: shown, versions }))
}

/// Read a version of a pack
///
/// With the document as it was published.
#[utoipa::path(
    get,
    path = "/packs/{id}/{version}",
    tag = "packs",
    operation_id = "get_pack",
    params(
        ("id" = String, Path, description = "The pack's id", example = "pack.dbops"),
        ("version" = String, Path, description = "Three numbers", example = "1.4.0"),
    ),
    responses(
        (status = OK, description = "The version", body = Pack),
        (status = "4XX", description = "No such version is published"),
    ),
)]
pub(crate) async fn get_pack(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let (id, version) = (part(&request, 2)?, part(&request, 3)?);
    let received = Received::nothing(&state, &request)?;
    let find = visit(&state, received, move |services, _| packs::find(services, &id, &version));
    let (stored, text) = find.await?;
    Ok(written(&Pack::of(&stored, text)))
}

/// A part of the path, decoded. What is not UTF-8 names nothing.
pub(super) fn part(request: &Request, at: usize) -> Result<String, Problem> {
    let part = request.uri().path().split('/').nth(at).unwrap_or_default();
    decode_path(part).ok_or_else(|| Problem::new(Kind::PackNotFound))
}

fn write_cursor(cursor: &PackCursor) -> String {
    let (id, [major, minor, patch]) = cursor;
    encode_cursor(&format!("{id}@{major}.{minor}.{patch}"))
}

fn parse_cursor(text: &str) -> Result<PackCursor, Problem> {
    let reference = decode_cursor(text).and_then(|text| PackRef::parse(&text));
    let reference = reference.ok_or_else(|| {
        let detail = "the parameter `cursor` must be the `next_cursor` of an answer";
        Problem::invalid("", detail)
    })?;
    let version = &reference.version;
    Ok((reference.id.to_string(), [version.major, version.minor, version.patch]))
}
