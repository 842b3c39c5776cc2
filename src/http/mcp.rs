//! `/mcp`: the Model Context Protocol over HTTP. A message is posted, its answer comes back; nothing
//! is sent unasked, so there is no stream to listen to.
//!
//! Who asks, how much and for how long is settled as for every other route; `rmcp` is given what is
//! left, a message at a time.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body as ResponseBody;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use http_body_util::Full;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::de::IgnoredAny;

use super::body::{self, CancelOnDrop, Received};
use super::layer::AlreadyLogged;
use super::problem::{Body, Kind, Problem};
use super::state::AppState;
use crate::pipeline::Deadline;
use crate::service::mcp::{CallTime, McpHost};

/// Bytes of an error in plain words.
const LONGEST_COMPLAINT: usize = 4_096;

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
        (status = BAD_REQUEST, description = "Its headers and its members do not go together, or it answers what nobody asked",
            content((serde_json::Value = "application/json"), (Body = "application/problem+json"))),
    ),
)]
pub(super) async fn speak(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let message = bare(&request);
    let Received { text, share, services, allowed } = body::read(&state, request).await?;
    let end = Instant::now() + allowed;
    let deadline = Deadline::at(end).allowing(services.allowance());
    let _guard = CancelOnDrop(deadline.clone());
    let host =
        McpHost::new(services, state.pool.clone(), CallTime::Until(end, deadline)).holding(share);
    let refused = host.refused();
    let text = Bytes::from(text);
    let service = StreamableHttpService::new(
        move || Ok(host.clone()),
        Arc::new(NeverSessionManager::default()),
        config(),
    );
    let answer = service.handle(message.map(|()| Full::new(text.clone()))).await;
    match refused.why() {
        Some(error) => Err(error.into()),
        None => understood(answer.map(ResponseBody::new), &text).await,
    }
}

/// A message is answered by itself, with JSON. Hosts, origins and sizes are not judged a second time:
/// the layers around every route did (`origin`, `body`).
fn config() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(usize::MAX)
        .disable_allowed_hosts()
        .disable_allowed_origins()
}

/// The request without its body, and with what is settled here: it is JSON, and so is the answer.
/// Hosts that forget to say so are served all the same.
fn bare(request: &Request) -> Request<()> {
    let mut bare = Request::new(());
    *bare.method_mut() = request.method().clone();
    *bare.uri_mut() = request.uri().clone();
    *bare.headers_mut() = request.headers().clone();
    let json = HeaderValue::from_static("application/json");
    bare.headers_mut().insert(header::CONTENT_TYPE, json);
    let either = HeaderValue::from_static("application/json, text/event-stream");
    bare.headers_mut().insert(header::ACCEPT, either);
    bare
}

/// The answer, or the problem where it is an error in words that no host can read.
async fn understood(mut answer: Response, text: &[u8]) -> Result<Response, Problem> {
    let status = answer.status();
    let media = answer.headers().get(header::CONTENT_TYPE);
    if status.is_success() || media.is_some_and(|media| media == "application/json") {
        answer.extensions_mut().insert(AlreadyLogged);
        return Ok(answer);
    }
    Err(match status {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => match serde_json::from_slice::<IgnoredAny>(text) {
            Err(error) => Problem::with_detail(Kind::InvalidJson, error.to_string()),
            Ok(_) => Problem::with_detail(Kind::InvalidRequest, "this is no message of JSON-RPC"),
        },
        StatusCode::BAD_REQUEST => {
            let said = axum::body::to_bytes(answer.into_body(), LONGEST_COMPLAINT).await;
            let said = said.unwrap_or_default();
            Problem::with_detail(Kind::InvalidRequest, String::from_utf8_lossy(&said))
        }
        _ => {
            tracing::error!(status = status.as_u16(), "a message of MCP was not answered");
            Problem::new(Kind::Internal)
        }
    })
}
