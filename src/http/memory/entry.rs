//! Stores, changes, reads and deletes one entry.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::{SCOPE, key_of, respond_with_entry, scope_of};
use crate::http::body::{self, RequestInput};
use crate::http::idempotency::{self, Reply, RequestIdentity};
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::response::read_condition;
use crate::http::schema::{MemoryChange, MemoryEntry, MemoryWrite};
use crate::http::state::AppState;
use crate::service::memory::{self, EntryAddress, PutEntry, WriteKind};

/// Store an entry
///
/// Under its key in its scope; over the entry that is there, whose other members stay. With
/// `If-Match`, only over that version; with `If-None-Match: *`, only where there is none.
#[utoipa::path(
    put,
    path = "/memory/{key}",
    tag = "memory",
    operation_id = "put_memory",
    params(
        ("key" = String, Path, description = "1 to 256 bytes, percent-encoded", example = "language"),
        ("subject" = Option<String>, Query, description = "Its scope's subject, where the body has no `scope`"),
        ("session_id" = Option<String>, Query, description = "Its scope's session, likewise"),
        ("agent" = Option<String>, Query, description = "Its scope's agent, likewise"),
        ("pack_tenant" = Option<String>, Query, description = "Its scope's pack tenant, likewise"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that must be stored; `*` for any"),
        ("If-None-Match" = Option<String>, Header, description = "`*`: only where no entry is stored"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = MemoryWrite,
    responses(
        (status = CREATED, description = "It is new", body = MemoryEntry),
        (status = OK, description = "It is there with its new value", body = MemoryEntry),
    ),
)]
pub(crate) async fn put_memory(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    put(state, request, false).await
}

/// Change an entry
///
/// What the body does not say stays as it is; null takes it away, or makes it as usual.
#[utoipa::path(
    patch,
    path = "/memory/{key}",
    tag = "memory",
    operation_id = "patch_memory",
    params(
        ("key" = String, Path, description = "The entry's key, percent-encoded", example = "language"),
        ("subject" = Option<String>, Query, description = "Its scope's subject, where the body has no `scope`"),
        ("session_id" = Option<String>, Query, description = "Its scope's session, likewise"),
        ("agent" = Option<String>, Query, description = "Its scope's agent, likewise"),
        ("pack_tenant" = Option<String>, Query, description = "Its scope's pack tenant, likewise"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that must be stored; `*` for any"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = MemoryChange,
    responses((status = OK, description = "The entry as it is now", body = MemoryEntry)),
)]
pub(crate) async fn patch_memory(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    put(state, request, true).await
}

async fn put(state: AppState, request: Request, partial: bool) -> Result<Response, Problem> {
    let key = key_of(&request)?;
    let expected = read_condition(request.headers())?;
    let scope = scope_of(&Query::parse(request.uri(), &SCOPE)?);
    let route = if partial { "PATCH /memory/{key}" } else { "PUT /memory/{key}" };
    let identity = RequestIdentity::read(route, request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run_recorded(&state, input, identity, reply_to_put, move |services, text, told| {
        let at = EntryAddress { query: &scope, key: &key };
        memory::put(services, at, text, WriteKind { partial, expected }, told)
    })
    .await
}

fn reply_to_put(PutEntry { entry, is_new }: &PutEntry) -> Reply {
    let status = if *is_new { StatusCode::CREATED } else { StatusCode::OK };
    Reply::with_version(status, entry.version, &MemoryEntry::from(entry))
}

/// Read an entry
#[utoipa::path(
    get,
    path = "/memory/{key}",
    tag = "memory",
    operation_id = "get_memory",
    params(
        ("key" = String, Path, description = "The entry's key, percent-encoded", example = "language"),
        ("subject" = Option<String>, Query, description = "Its scope's subject"),
        ("session_id" = Option<String>, Query, description = "Its scope's session"),
        ("agent" = Option<String>, Query, description = "Its scope's agent"),
        ("pack_tenant" = Option<String>, Query, description = "Its scope's pack tenant"),
    ),
    responses(
        (status = OK, description = "The entry", body = MemoryEntry),
        (status = "4XX", description = "There is no such entry"),
    ),
)]
pub(crate) async fn get_memory(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key_of(&request)?;
    let scope = scope_of(&Query::parse(request.uri(), &SCOPE)?);
    let input = RequestInput::without_body(&state, &request)?;
    let find = visit(&state, input, move |services, _| memory::find(services, &scope, &key));
    Ok(respond_with_entry(&find.await?))
}

/// Delete an entry
///
/// With all its versions, for good.
#[utoipa::path(
    delete,
    path = "/memory/{key}",
    tag = "memory",
    operation_id = "delete_memory",
    params(
        ("key" = String, Path, description = "The entry's key, percent-encoded", example = "language"),
        ("subject" = Option<String>, Query, description = "Its scope's subject"),
        ("session_id" = Option<String>, Query, description = "Its scope's session"),
        ("agent" = Option<String>, Query, description = "Its scope's agent"),
        ("pack_tenant" = Option<String>, Query, description = "Its scope's pack tenant"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that must be stored; `*` for any"),
    ),
    responses(
        (status = NO_CONTENT, description = "It is gone"),
        (status = "4XX", description = "There is no such entry"),
    ),
)]
pub(crate) async fn delete_memory(
    State(state): State<AppState>,
    request: Request,
) -> Result<StatusCode, Problem> {
    let key = key_of(&request)?;
    let expected = read_condition(request.headers())?;
    let scope = scope_of(&Query::parse(request.uri(), &SCOPE)?);
    let input = RequestInput::without_body(&state, &request)?;
    let delete =
        visit(&state, input, move |services, _| memory::delete(services, &scope, &key, expected));
    delete.await?;
    Ok(StatusCode::NO_CONTENT)
}
