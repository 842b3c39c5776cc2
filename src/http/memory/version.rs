//! Versions of an entry: list, restore, retract.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::{SCOPE, key_of, scope_of};
use crate::domain::{self, MemoryScope};
use crate::http::body::{self, RequestInput};
use crate::http::idempotency::{self, Reply, RequestIdentity};
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::response::respond_with;
use crate::http::schema::{
    MemoryEntry, MemoryRestore, MemoryScopeRequest, MemoryVersionRow, MemoryVersions,
};
use crate::http::state::AppState;
use crate::service::idempotency::ResponseRecorder;
use crate::service::{Error, Services, memory};

fn reply_with_entry(entry: &domain::MemoryEntry) -> Reply {
    Reply::with_version(StatusCode::OK, entry.version, &MemoryEntry::from(entry))
}

/// A service that changes the entry of a key in a scope. It reads a body, and records its result.
type EntryChange = fn(
    &Services,
    &MemoryScope,
    &str,
    &str,
    ResponseRecorder<domain::MemoryEntry>,
) -> Result<domain::MemoryEntry, Error>;

/// Changes the entry that the path and the query name, once for an idempotency key.
async fn change_entry(
    state: &AppState,
    request: Request,
    route: &'static str,
    change: EntryChange,
) -> Result<Response, Problem> {
    let key = key_of(&request)?;
    let scope = scope_of(&Query::parse(request.uri(), &SCOPE)?);
    let identity = RequestIdentity::read(route, request.headers(), request.uri())?;
    let input = body::read(state, request).await?;
    let work = move |services: &Services, text: &str, recorder| {
        change(services, &scope, &key, text, recorder)
    };
    idempotency::run_recorded(state, input, identity, reply_with_entry, work).await
}

/// List the versions of an entry
///
/// The newest first; the last hundred are kept.
#[utoipa::path(
    get,
    path = "/memory/{key}/versions",
    tag = "memory",
    operation_id = "list_memory_versions",
    params(
        ("key" = String, Path, description = "The entry's key, percent-encoded", example = "language"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<u64>, Query, description = "`next_cursor` of the answer before"),
        ("subject" = Option<String>, Query, description = "Its scope's subject"),
        ("session_id" = Option<String>, Query, description = "Its scope's session"),
        ("agent" = Option<String>, Query, description = "Its scope's agent"),
        ("pack_tenant" = Option<String>, Query, description = "Its scope's pack tenant"),
    ),
    responses(
        (status = OK, description = "Its versions", body = MemoryVersions),
        (status = "4XX", description = "There is no such entry"),
    ),
)]
pub(crate) async fn list_memory_versions(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key_of(&request)?;
    let known = [&["limit", "cursor"][..], &SCOPE].concat();
    let query = Query::parse(request.uri(), &known)?;
    let (limit, before) = (query.limit()?, query.number_cursor()?);
    let scope = scope_of(&query);
    let input = RequestInput::without_body(&state, &request)?;
    let versions = visit(&state, input, move |services, _| {
        let page = memory::versions(services, &scope, &key, before, limit)?;
        let items = page.rows.iter().map(MemoryVersionRow::from).collect();
        let next_cursor = page.next.map(|next| next.to_string());
        Ok(respond_with(&MemoryVersions { items, next_cursor }))
    });
    versions.await
}

/// Restore a version of an entry
///
/// The entry is what it was then; that is a new version of it.
#[utoipa::path(
    post,
    path = "/memory/{key}/restore",
    tag = "memory",
    operation_id = "restore_memory",
    params(
        ("key" = String, Path, description = "The entry's key, percent-encoded", example = "language"),
        ("subject" = Option<String>, Query, description = "Its scope's subject, where the body has no `scope`"),
        ("session_id" = Option<String>, Query, description = "Its scope's session, likewise"),
        ("agent" = Option<String>, Query, description = "Its scope's agent, likewise"),
        ("pack_tenant" = Option<String>, Query, description = "Its scope's pack tenant, likewise"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = MemoryRestore,
    responses(
        (status = OK, description = "The entry as it is now", body = MemoryEntry),
        (status = "4XX", description = "There is no such entry or version"),
    ),
)]
pub(crate) async fn restore_memory(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    change_entry(&state, request, "POST /memory/{key}/restore", memory::restore).await
}

/// Promote an entry
///
/// Accepts an entry that a model captured, so that compiles under a pack recall it. The body may be
/// empty.
#[utoipa::path(
    post,
    path = "/memory/{key}/promote",
    tag = "memory",
    operation_id = "promote_memory",
    params(
        ("key" = String, Path, description = "The entry's key, percent-encoded", example = "language"),
        ("subject" = Option<String>, Query, description = "Its scope's subject, if the body has no `scope`"),
        ("session_id" = Option<String>, Query, description = "Its scope's session, likewise"),
        ("agent" = Option<String>, Query, description = "Its scope's agent, likewise"),
        ("pack_tenant" = Option<String>, Query, description = "Its scope's pack tenant, likewise"),
        ("Idempotency-Key" = Option<String>, Header, description = "A repeated request within a day returns the stored response and changes nothing"),
    ),
    request_body = MemoryScopeRequest,
    responses(
        (status = OK, description = "The entry as it is now", body = MemoryEntry),
        (status = "4XX", description = "There is no such entry, or it is not current"),
    ),
)]
pub(crate) async fn promote_memory(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    change_entry(&state, request, "POST /memory/{key}/promote", memory::promote).await
}

/// Retract an entry
///
/// It is no longer recalled. It can still be read, and restored. The body may be empty.
#[utoipa::path(
    post,
    path = "/memory/{key}/retract",
    tag = "memory",
    operation_id = "retract_memory",
    params(
        ("key" = String, Path, description = "The entry's key, percent-encoded", example = "language"),
        ("subject" = Option<String>, Query, description = "Its scope's subject, where the body has no `scope`"),
        ("session_id" = Option<String>, Query, description = "Its scope's session, likewise"),
        ("agent" = Option<String>, Query, description = "Its scope's agent, likewise"),
        ("pack_tenant" = Option<String>, Query, description = "Its scope's pack tenant, likewise"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = MemoryScopeRequest,
    responses(
        (status = OK, description = "The entry as it is now", body = MemoryEntry),
        (status = "4XX", description = "There is no such entry"),
    ),
)]
pub(crate) async fn retract_memory(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    change_entry(&state, request, "POST /memory/{key}/retract", memory::retract).await
}
