//! Lists and reads published packs.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::http::body::RequestInput;
use crate::http::job::visit;
use crate::http::problem::{Kind, Problem};
use crate::http::query::{Query, decode_cursor, decode_path, encode_cursor};
use crate::http::response::respond_with;
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
    let query = Query::parse(request.uri(), &["limit", "cursor"])?;
    let limit = query.limit()?;
    let after = query.get("cursor").map(parse_cursor).transpose()?;
    let input = RequestInput::without_body(&state, &request)?;
    let list =
        visit(&state, input, move |services, _| packs::list(services, after.as_ref(), limit));
    let page = list.await?;
    let items = page.rows.iter().map(PackRow::from).collect();
    let next_cursor = page.next.as_ref().map(write_cursor);
    Ok(respond_with(&PackList { items, next_cursor }))
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
    let id = path_segment(&request, 2)?;
    let input = RequestInput::without_body(&state, &request)?;
    let pack_id = id.clone();
    let rows = visit(&state, input, move |services, _| packs::versions(services, &id)).await?;
    let versions = rows.iter().map(PackRow::from).collect();
    Ok(respond_with(&PackVersions { id: pack_id, versions }))
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
    let (id, version) = (path_segment(&request, 2)?, path_segment(&request, 3)?);
    let input = RequestInput::without_body(&state, &request)?;
    let find = visit(&state, input, move |services, _| packs::find(services, &id, &version));
    let (stored, text) = find.await?;
    Ok(respond_with(&Pack::new(&stored, text)))
}

/// Decodes a segment of the path. A pack is not found if it is not UTF-8.
pub(super) fn path_segment(request: &Request, at: usize) -> Result<String, Problem> {
    let segment = request.uri().path().split('/').nth(at).unwrap_or_default();
    decode_path(segment).ok_or_else(|| Problem::new(Kind::PackNotFound))
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
