//! Stores, imports and recalls entries: operations whose path has no key.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use crate::domain::word_of;
use crate::http::body;
use crate::http::idempotency::{self, Reply, RequestIdentity};
use crate::http::job::work;
use crate::http::problem::Problem;
use crate::http::response::respond_with;
use crate::http::schema::{
    MemoryActRequest, MemoryActed, MemoryImported, MemoryRecallRequest, MemoryRecalled,
};
use crate::http::state::AppState;
use crate::json;
use crate::service::memory::{self, ImportCounts, MemoryAct, MemoryActResult};

/// Add, replace or remove an entry
///
/// `store_memory` as PraisonAI has it: its actions, its types and its words. What is added gets a
/// key where none is given; the answer names it.
#[utoipa::path(
    post,
    path = "/memory",
    tag = "memory",
    operation_id = "store_memory",
    params(("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done")),
    request_body = MemoryActRequest,
    responses(
        (status = CREATED, description = "An entry was added", body = MemoryActed),
        (status = OK, description = "An entry was replaced or removed, or there was none to remove", body = MemoryActed),
    ),
)]
pub(crate) async fn store_memory(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let identity = RequestIdentity::read("POST /memory", request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run_recorded(&state, input, identity, reply_to_act, memory::act).await
}

fn reply_to_act(MemoryActResult { action, target, entry }: &MemoryActResult) -> Reply {
    let status = match action {
        MemoryAct::Add => StatusCode::CREATED,
        MemoryAct::Replace | MemoryAct::Remove => StatusCode::OK,
    };
    let answer = MemoryActed {
        action: word_of(MemoryAct::WORDS, *action),
        target,
        memory_id: entry.as_ref().map(|entry| entry.scope.entry_id(&entry.key)),
        key: entry.as_ref().map(|entry| entry.key.to_string()),
        affected: u64::from(entry.is_some()),
        entry: entry.as_ref().filter(|_| *action != MemoryAct::Remove).map(Into::into),
    };
    Reply::new(status, &answer)
}

/// Import entries
///
/// A line of JSON an entry: `key` next to what a `PUT` takes, or what a list answers. None is stored if a
/// line has a fault or the quota has no room for all. They are stored in parts: if the request ends early,
/// the first of them are there, and the same request stores the rest.
#[utoipa::path(
    post,
    path = "/memory/import",
    tag = "memory",
    operation_id = "import_memory",
    params(("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done")),
    request_body(content = String, content_type = "application/x-ndjson"),
    responses(
        (status = OK, description = "All of them are stored", body = MemoryImported),
        (status = "4XX", description = "A line is not valid: a pointer begins with its number, from 0"),
    ),
)]
pub(crate) async fn import_memory(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let identity = RequestIdentity::read("POST /memory/import", request.headers(), request.uri())?;
    let (mut input, _) = body::read_any(&state, request).await?;
    input.text = json::replace_halves(input.text);
    idempotency::run_recorded(&state, input, identity, reply_to_import, memory::import).await
}

fn reply_to_import(&ImportCounts { created, updated }: &ImportCounts) -> Reply {
    Reply::new(StatusCode::OK, &MemoryImported { created, updated })
}

/// See what memory would show
///
/// The recall of a compile by itself, with the reasons for each entry. Nothing is changed.
#[utoipa::path(
    post,
    path = "/memory/recall",
    tag = "memory",
    operation_id = "recall_memory",
    request_body = MemoryRecallRequest,
    responses((status = OK, description = "The entries, best first", body = MemoryRecalled)),
)]
pub(crate) async fn recall_memory(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let input = body::read(&state, request).await?;
    let recalled = work(&state, input, memory::recall).await?;
    Ok(respond_with(&MemoryRecalled::from(&recalled)))
}
