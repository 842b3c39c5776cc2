//! Creates, reads, changes and deletes one session.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::{id_of, respond_with_session};
use crate::domain;
use crate::http::body::{self, RequestInput};
use crate::http::idempotency::{self, Reply, RequestIdentity};
use crate::http::job::{self, visit};
use crate::http::problem::Problem;
use crate::http::response::read_if_match;
use crate::http::schema::{ChangeSession, CreateSession, Session};
use crate::http::state::AppState;
use crate::service::sessions;

/// Open a session
///
/// One begins with its first use in `/compile`, too; this gives it defaults before that. One of
/// this id that is there is returned as it is.
#[utoipa::path(
    post,
    path = "/sessions",
    tag = "sessions",
    operation_id = "create_session",
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = CreateSession,
    responses(
        (status = CREATED, description = "It is new", body = Session),
        (status = OK, description = "It was there, and is as it was", body = Session),
    ),
)]
pub(crate) async fn create_session(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let identity = RequestIdentity::read("POST /sessions", request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run(&state, input, identity, |services, text, once| {
        let write_reply = |session: &_, is_new| reply_with_session(session, is_new).to_stored();
        let (session, is_new) = sessions::create(services, text, once, write_reply)?;
        Ok(reply_with_session(&session, is_new))
    })
    .await
}

/// Makes the reply with a session: 201 if it is new, 200 if it existed.
pub(super) fn reply_with_session(session: &domain::Session, is_new: bool) -> Reply {
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Reply::with_version(status, session.version, &Session::from(session))
}

/// Read a session
#[utoipa::path(
    get,
    path = "/sessions/{id}",
    tag = "sessions",
    operation_id = "get_session",
    params(("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17")),
    responses(
        (status = OK, description = "The session", body = Session),
        (status = "4XX", description = "There is no such session"),
    ),
)]
pub(crate) async fn get_session(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let input = RequestInput::without_body(&state, &request)?;
    let find = visit(&state, input, move |services, _| sessions::find(services, &id));
    Ok(respond_with_session(&find.await?))
}

/// Change a session
///
/// `defaults` are merged into those that are there (RFC 7396): what is absent stays, null takes
/// away.
#[utoipa::path(
    patch,
    path = "/sessions/{id}",
    tag = "sessions",
    operation_id = "update_session",
    params(
        ("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that must be stored"),
    ),
    request_body = ChangeSession,
    responses((status = OK, description = "The session as it is now", body = Session)),
)]
pub(crate) async fn update_session(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let if_match = read_if_match(request.headers())?;
    let input = body::read(&state, request).await?;
    let update =
        visit(&state, input, move |services, text| sessions::update(services, &id, text, if_match));
    Ok(respond_with_session(&update.await?))
}

/// Delete a session
///
/// With its memory, its messages, its snapshots and what it was sent, for good.
#[utoipa::path(
    delete,
    path = "/sessions/{id}",
    tag = "sessions",
    operation_id = "delete_session",
    params(
        ("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that must be stored"),
    ),
    responses(
        (status = NO_CONTENT, description = "It is gone"),
        (status = "4XX", description = "There is no such session"),
    ),
)]
pub(crate) async fn delete_session(
    State(state): State<AppState>,
    request: Request,
) -> Result<StatusCode, Problem> {
    let id = id_of(&request)?;
    job::delete(&state, request, id, sessions::delete).await
}
