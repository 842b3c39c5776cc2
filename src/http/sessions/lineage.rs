//! Switches and forks sessions, and records delegations between agents.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::{id_of, reply_with_session};
use crate::http::body;
use crate::http::idempotency::{self, Reply, RequestIdentity};
use crate::http::problem::Problem;
use crate::http::schema::{Delegation, DelegationRow, ForkSession, Session, SwitchSession};
use crate::http::state::AppState;
use crate::service::sessions;

/// Go on in another session
///
/// With all that this one holds, its memory moved; or, with `reset`, with nothing of it, and this
/// one stays as it is. Defaults and time to live go along in either case. A session of the new id
/// that is there takes the memory and keeps all else.
#[utoipa::path(
    post,
    path = "/sessions/{id}/switch",
    tag = "sessions",
    operation_id = "switch_session",
    params(
        ("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = SwitchSession,
    responses(
        (status = CREATED, description = "The session to go on in, which is new", body = Session),
        (status = OK, description = "The session to go on in, which was there", body = Session),
    ),
)]
pub(crate) async fn switch_session(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let route = "POST /sessions/{id}/switch";
    let identity = RequestIdentity::read(route, request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run(&state, input, identity, move |services, text, once| {
        let write_reply = |session: &_, is_new| reply_with_session(session, is_new).to_stored();
        let (session, is_new) = sessions::switch(services, &id, text, once, write_reply)?;
        Ok(reply_with_session(&session, is_new))
    })
    .await
}

/// Fork a session
///
/// Another one begins as this one is, or was at a snapshot, with a copy of its memory; both go on
/// from there.
#[utoipa::path(
    post,
    path = "/sessions/{id}/fork",
    tag = "sessions",
    operation_id = "fork_session",
    params(
        ("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = ForkSession,
    responses((status = CREATED, description = "The new session", body = Session)),
)]
pub(crate) async fn fork_session(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let identity =
        RequestIdentity::read("POST /sessions/{id}/fork", request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run(&state, input, identity, move |services, text, once| {
        let write_reply = |session: &_, is_new| reply_with_session(session, is_new).to_stored();
        let session = sessions::fork(services, &id, text, once, write_reply)?;
        Ok(reply_with_session(&session, true))
    })
    .await
}

/// Report a delegation
///
/// An agent of the session handed a task to another, and this came of it. One report for each that
/// it was handed to. Nothing of it is kept; the event is `delegation:recorded`.
#[utoipa::path(
    post,
    path = "/sessions/{id}/delegations",
    tag = "sessions",
    operation_id = "report_delegation",
    params(
        ("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
    ),
    request_body = Delegation,
    responses((status = CREATED, description = "The event was published", body = DelegationRow)),
)]
pub(crate) async fn report_delegation(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let route = "POST /sessions/{id}/delegations";
    let identity = RequestIdentity::read(route, request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run(&state, input, identity, move |services, text, once| {
        let write_reply = |delegation: &_| reply_with_delegation(delegation).to_stored();
        let delegation = sessions::delegate(services, &id, text, once, write_reply)?;
        Ok(reply_with_delegation(&delegation))
    })
    .await
}

fn reply_with_delegation(delegation: &crate::domain::Delegation) -> Reply {
    Reply::new(StatusCode::CREATED, &DelegationRow::from(delegation))
}
