//! Tests hooks, and stores nothing.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::http::body;
use crate::http::job::work;
use crate::http::problem::Problem;
use crate::http::query::name_of;
use crate::http::response::respond_with;
use crate::http::schema::{HookTried, TryHook, TryNewHook};
use crate::http::state::AppState;
use crate::service::hooks;

/// Try a hook
///
/// Calls it once with an input of its point, or the one that the body gives, and tells what went
/// over the wire and what would have come of it. Nothing is applied or stored; the call says
/// `"test": true`. The body may be empty.
#[utoipa::path(
    post,
    path = "/hooks/{id}/test",
    tag = "hooks",
    operation_id = "test_hook",
    params(("id" = String, Path, description = "The hook's id", example = "pii")),
    request_body = TryHook,
    responses((status = OK, description = "What was sent, what came back, and what it means", body = HookTried)),
)]
pub(crate) async fn test_hook(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    attempt(state, request, Some(id)).await
}

/// Try a hook that is not registered
///
/// The same, of the hook in the body. Its call is signed with `secret`, or with one that the answer
/// shows.
#[utoipa::path(
    post,
    path = "/hooks/test",
    tag = "hooks",
    operation_id = "test_new_hook",
    request_body = TryNewHook,
    responses((status = OK, description = "What was sent, what came back, and what it means", body = HookTried)),
)]
pub(crate) async fn test_new_hook(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    attempt(state, request, None).await
}

async fn attempt(
    state: AppState,
    request: Request,
    id: Option<String>,
) -> Result<Response, Problem> {
    let input = body::read(&state, request).await?;
    // A built-in hook computes; for a webhook, the thread's place is given away.
    let tried = work(&state, input, move |services, text| {
        let trial = hooks::prepare(services, id.as_deref(), text)?;
        hooks::try_out(services, trial)
    });
    Ok(respond_with(&tried.await?))
}
