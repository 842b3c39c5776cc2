//! `/console/session`: signs a browser in and out.
//!
//! The middleware has identified the caller by its key or its cookie, so a handler only turns the one
//! into the other.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use crate::http::body::RequestInput;
use crate::http::job::visit;
use crate::http::problem::{Kind, Problem};
use crate::http::query::Query;
use crate::http::response::respond_with;
use crate::http::schema::ConsoleSession;
use crate::http::session_cookie::SessionCookie;
use crate::http::state::AppState;
use crate::service::console_sessions;

/// Sign a browser in
///
/// Exchanges the key of `authorization` for a cookie, which scripts cannot read and browsers send with
/// requests of the same site only. It replaces the key for twelve hours, or until the key is revoked.
/// With the cookie, a request that changes something needs the header `contexture-csrf` with
/// `csrf_token`.
#[utoipa::path(
    post,
    path = "/console/session",
    tag = "operations",
    operation_id = "create_console_session",
    responses((status = CREATED, description = "Who is signed in; the cookie is in `set-cookie`", body = ConsoleSession)),
)]
pub(crate) async fn create_console_session(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    Query::parse(request.uri(), &[])?;
    let is_https = came_by_https(request.headers());
    let input = RequestInput::without_body(&state, &request)?;
    let caller = input.services.caller().clone();
    let opened = visit(&state, input, |services, _| Ok(console_sessions::open(services)?)).await?;
    let token = opened
        .ok_or_else(|| Problem::with_detail(Kind::Overloaded, "too many sessions are open"))?;
    let cookie = SessionCookie(&token);
    let session = ConsoleSession::new(&caller, Some(cookie.csrf_token()));
    let mut response = (StatusCode::CREATED, respond_with(&session)).into_response();
    if let Some(value) = cookie.set(is_https) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    Ok(unstored(response))
}

/// Read who is signed in
///
/// By the cookie or by a key: scopes decide what the console shows. A server that needs no key
/// returns one without.
#[utoipa::path(
    get,
    path = "/console/session",
    tag = "operations",
    operation_id = "get_console_session",
    responses((status = OK, description = "Who is signed in", body = ConsoleSession)),
)]
pub(crate) async fn get_console_session(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    Query::parse(request.uri(), &[])?;
    let input = RequestInput::without_body(&state, &request)?;
    let cookie = SessionCookie::read(request.headers());
    let csrf_token = cookie.map(SessionCookie::csrf_token);
    Ok(unstored(respond_with(&ConsoleSession::new(input.services.caller(), csrf_token))))
}

/// Sign a browser out
///
/// The cookie is worth nothing afterwards, on every node.
#[utoipa::path(
    delete,
    path = "/console/session",
    tag = "operations",
    operation_id = "delete_console_session",
    responses((status = NO_CONTENT, description = "No caller is signed in by the cookie")),
)]
pub(crate) async fn delete_console_session(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let input = RequestInput::without_body(&state, &request)?;
    let token = SessionCookie::read(request.headers()).map(|cookie| cookie.0.to_owned());
    if let Some(token) = token {
        let close =
            visit(&state, input, move |services, _| Ok(console_sessions::close(services, &token)?));
        close.await?;
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    response.headers_mut().insert(header::SET_COOKIE, SessionCookie::removal());
    Ok(response)
}

/// Checks whether the page that sent the request was loaded over TLS, which a proxy may have ended.
fn came_by_https(headers: &HeaderMap) -> bool {
    let origin = headers.get(header::ORIGIN).map(HeaderValue::as_bytes);
    origin.is_some_and(|origin| origin.starts_with(b"https://"))
}

fn unstored(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
