//! `/mcp`: the Model Context Protocol over HTTP. A message is posted, its answer comes back; nothing
//! is sent unasked, so there is no stream to listen to.

use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::answer::json;
use super::body::{self, CancelOnDrop, Received};
use super::problem::{Body, Kind, Problem};
use super::state::AppState;
use crate::pipeline::Deadline;
use crate::service::mcp;

/// Speak MCP
///
/// One JSON-RPC message of the Model Context Protocol (streamable HTTP, without sessions). The tools
/// are `context_read`, `memory_create`, `memory_modify`, `memory_recall`, `compress` and `expand`, as far
/// as the key's scopes go.
#[utoipa::path(
    post,
    path = "/mcp",
    tag = "tools",
    operation_id = "speak_mcp",
    request_body(content = serde_json::Value, example = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})),
    responses(
        (status = OK, description = "The answer", body = serde_json::Value),
        (status = ACCEPTED, description = "It asks for no answer"),
        (status = "4XX", description = "The request cannot be met", body = Body, content_type = "application/problem+json"),
        (status = "5XX", description = "The server could not do it", body = Body, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn speak(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    check_origin(request.headers())?;
    let Received { text, share, services, allowed } = body::read(&state, request).await?;
    let place = state.pool.admit()?;
    let end = Instant::now() + allowed;
    let deadline = Deadline::at(end);
    let _guard = CancelOnDrop(deadline.clone());
    let job = move |seat| mcp::answer(&services.seated(seat), &text, &deadline);
    Ok(match place.run(end, share, job).await? {
        Some(answer) => json(answer),
        None => StatusCode::ACCEPTED.into_response(),
    })
}

/// A page in a browser may not speak to a server on the same machine in the name of its user.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let own = origin.split_once("://").map(|(_, behind)| behind);
    if own == Some(host) && !host.is_empty() {
        return Ok(());
    }
    Err(Problem::with_detail(Kind::Forbidden, "requests of other origins are not answered here"))
}
