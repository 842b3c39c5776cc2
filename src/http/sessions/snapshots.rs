//! Snapshots of sessions: take, list, read, restore.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::{id_of, respond_with_session};
use crate::domain::SnapshotHead;
use crate::http::body::{self, RequestInput};
use crate::http::idempotency::{self, Reply, RequestIdentity};
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::query::{Query, encode_cursor, name_of};
use crate::http::response::{respond_json, respond_with};
use crate::http::schema::{
    RestoreSession, Session, Snapshot, SnapshotList, SnapshotRow, TakeSnapshot,
};
use crate::http::state::AppState;
use crate::service::sessions;

/// Take a snapshot
///
/// Of everything that decides the session's next compile: defaults, memory, messages, turns,
/// compaction points, calibration.
#[utoipa::path(
    post,
    path = "/sessions/{id}/snapshots",
    tag = "sessions",
    operation_id = "take_snapshot",
    params(
        ("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = TakeSnapshot,
    responses((status = CREATED, description = "The snapshot, but for what it holds", body = SnapshotRow)),
)]
pub(crate) async fn take_snapshot(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let route = "POST /sessions/{id}/snapshots";
    let identity = RequestIdentity::read(route, request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run(&state, input, identity, move |services, text, once| {
        let write_reply = |head: &_| reply_with_snapshot(head).to_stored();
        Ok(reply_with_snapshot(&sessions::take_snapshot(services, &id, text, once, write_reply)?))
    })
    .await
}

fn reply_with_snapshot(head: &SnapshotHead) -> Reply {
    Reply::new(StatusCode::CREATED, &SnapshotRow::from(head))
}

/// List a session's snapshots
///
/// In the order in which they were taken.
#[utoipa::path(
    get,
    path = "/sessions/{id}/snapshots",
    tag = "sessions",
    operation_id = "list_snapshots",
    params(
        ("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the answer before"),
    ),
    responses((status = OK, description = "Some of them, and where the list goes on", body = SnapshotList)),
)]
pub(crate) async fn list_snapshots(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let query = Query::parse(request.uri(), &["limit", "cursor"])?;
    let (limit, after) = (query.limit()?, query.cursor()?);
    let input = RequestInput::without_body(&state, &request)?;
    let list = visit(&state, input, move |services, _| {
        sessions::list_snapshots(services, &id, after.as_deref(), limit)
    });
    let page = list.await?;
    let items = page.rows.iter().map(SnapshotRow::from).collect();
    let next_cursor = page.next.map(|id| encode_cursor(&id));
    Ok(respond_with(&SnapshotList { items, next_cursor }))
}

/// Read a snapshot
///
/// All of it, as plain JSON that any server can restore.
#[utoipa::path(
    get,
    path = "/snapshots/{id}",
    tag = "sessions",
    operation_id = "get_snapshot",
    params(("id" = String, Path, description = "The snapshot's id", example = "snap_0198c4f2")),
    responses(
        (status = OK, description = "The snapshot", body = Snapshot),
        (status = "4XX", description = "There is no such snapshot"),
    ),
)]
pub(crate) async fn get_snapshot(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let input = RequestInput::without_body(&state, &request)?;
    let find = visit(&state, input, move |services, _| sessions::find_snapshot(services, &id));
    Ok(respond_json(find.await?))
}

/// Restore a session
///
/// Makes it what a snapshot says, all of it: what the snapshot does not hold is gone. The snapshot
/// is one that is kept here, or a document from here or elsewhere; a session that is not there yet
/// begins so.
#[utoipa::path(
    post,
    path = "/sessions/{id}/restore",
    tag = "sessions",
    operation_id = "restore_session",
    params(("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17")),
    request_body = RestoreSession,
    responses((status = OK, description = "The session as it is now", body = Session)),
)]
pub(crate) async fn restore_session(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let input = body::read(&state, request).await?;
    let restore =
        visit(&state, input, move |services, text| sessions::restore_snapshot(services, &id, text));
    Ok(respond_with_session(&restore.await?))
}
