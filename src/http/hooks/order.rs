//! The points at which hooks run, and their order.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::http::body::{self, RequestInput};
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::response::{read_if_match, respond_json, respond_json_with_etag};
use crate::http::schema::{HookOrder, HookOrderRequest, HookPoints};
use crate::http::state::AppState;
use crate::service::hooks;

/// List the hook points
///
/// The kinds that each point allows, what a call carries there, and what a hook returns.
#[utoipa::path(
    get,
    path = "/hook-points",
    tag = "hooks",
    operation_id = "list_hook_points",
    responses((status = OK, description = "All points", body = HookPoints)),
)]
pub(crate) async fn list_hook_points(request: Request) -> Result<Response, Problem> {
    Query::parse(request.uri(), &[])?;
    Ok(respond_json(hooks::points()))
}

/// Read the order of hooks
///
/// As it was given, and as it comes out: by kind, priority, this list, and id.
#[utoipa::path(
    get,
    path = "/hook-order",
    tag = "hooks",
    operation_id = "get_hook_order",
    params(("session_id" = Option<String>, Query, description = "The order of this session; of all when absent")),
    responses((status = OK, description = "The order; its revision is the `ETag`", body = HookOrder)),
)]
pub(crate) async fn get_hook_order(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let session = session_of(&request)?;
    let input = RequestInput::without_body(&state, &request)?;
    let read = visit(&state, input, move |services, _| hooks::order(services, session.as_deref()));
    Ok(respond_with_order(&read.await?))
}

/// Set the order of hooks
///
/// Hooks that are listed at a point run before those that are not, where kind and priority are the
/// same. What a session says of a point replaces what is said for all.
#[utoipa::path(
    put,
    path = "/hook-order",
    tag = "hooks",
    operation_id = "put_hook_order",
    params(
        ("session_id" = Option<String>, Query, description = "The order of this session; of all when absent"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that must be stored; `\"0\"` where none was ever given"),
    ),
    request_body = HookOrderRequest,
    responses((status = OK, description = "The order as it is now, and how it changed", body = HookOrder)),
)]
pub(crate) async fn put_hook_order(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let session = session_of(&request)?;
    let if_match = read_if_match(request.headers())?;
    let input = body::read(&state, request).await?;
    let put = visit(&state, input, move |services, text| {
        hooks::put_order(services, session.as_deref(), text, if_match)
    });
    Ok(respond_with_order(&put.await?))
}

fn session_of(request: &Request) -> Result<Option<String>, Problem> {
    let query = Query::parse(request.uri(), &["session_id"])?;
    match query.get("session_id") {
        // A client that lost the id would change the order of all sessions.
        Some("") => Err(Problem::invalid(
            "",
            "the parameter `session_id` must not be empty; leave it out for all sessions",
        )),
        session => Ok(session.map(str::to_owned)),
    }
}

fn respond_with_order(order: &hooks::Order) -> Response {
    respond_json_with_etag(order.revision, order.write())
}
