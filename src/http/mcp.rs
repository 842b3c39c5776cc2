//! `/mcp`: the Model Context Protocol over HTTP. Each posted message gets one response. The server
//! sends nothing on its own, so there is no event stream.
//!
//! Authentication, size limits and deadlines are the same as for every other route. `rmcp` then
//! handles one message at a time.

use std::sync::Arc;

use axum::body::Body as ResponseBody;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use http_body_util::Full;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::de::IgnoredAny;

use super::body::{self, CancelOnDrop, RequestInput};
use super::layer::ForeignBody;
use super::problem::{Body, Kind, Problem};
use super::state::AppState;
use crate::service::mcp::{CallTime, McpHost};

/// Bytes that are read of an error in plain text.
const MAX_ERROR_BYTES: usize = 4_096;

/// Speak MCP
///
/// One JSON-RPC message of the Model Context Protocol (streamable HTTP, without sessions). The tools
/// are `context_read`, `memory_create`, `memory_modify`, `memory`, `memory_recall`, `compress` and `expand`,
/// as far as the key's scopes go.
#[utoipa::path(
    post,
    path = "/mcp",
    tag = "tools",
    operation_id = "speak_mcp",
    request_body(content = serde_json::Value, example = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})),
    responses(
        (status = OK, description = "The answer", body = serde_json::Value),
        (status = ACCEPTED, description = "It asks for no answer"),
        (status = BAD_REQUEST, description = "Its headers and its members do not go together, or it responds to a request that was not sent",
            content((serde_json::Value = "application/json"), (Body = "application/problem+json"))),
    ),
)]
pub(super) async fn speak(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let message = copy_head(&request);
    let input = body::read(&state, request).await?;
    let deadline = input.deadline();
    let _guard = CancelOnDrop(deadline.clone());
    let RequestInput { text, services, .. } = input;
    let host = McpHost::new(services, state.pool.clone(), CallTime::Until(deadline));
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
        None => translate_errors(answer.map(ResponseBody::new), &text).await,
    }
}

/// Configures `rmcp`: no sessions, and JSON responses. Hosts, origins and sizes are not checked
/// again, because `origin` and `body` have checked them.
fn config() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(usize::MAX)
        .disable_allowed_hosts()
        .disable_allowed_origins()
}

/// Copies the request without its body. Sets `content-type` and `accept`, which `rmcp` requires, so
/// that MCP hosts that omit them are served too.
fn copy_head(request: &Request) -> Request<()> {
    let mut head = Request::new(());
    *head.method_mut() = request.method().clone();
    *head.uri_mut() = request.uri().clone();
    *head.headers_mut() = request.headers().clone();
    let json = HeaderValue::from_static("application/json");
    head.headers_mut().insert(header::CONTENT_TYPE, json);
    let either = HeaderValue::from_static("application/json, text/event-stream");
    head.headers_mut().insert(header::ACCEPT, either);
    head
}

/// Returns the response as it is, or a problem if it is an error in plain text, which MCP hosts
/// cannot read.
async fn translate_errors(mut answer: Response, text: &[u8]) -> Result<Response, Problem> {
    let status = answer.status();
    let media = answer.headers().get(header::CONTENT_TYPE);
    if status.is_success() || media.is_some_and(|media| media == "application/json") {
        answer.extensions_mut().insert(ForeignBody);
        return Ok(answer);
    }
    Err(match status {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => match serde_json::from_slice::<IgnoredAny>(text) {
            Err(error) => Problem::with_detail(Kind::InvalidJson, error.to_string()),
            Ok(_) => Problem::with_detail(Kind::InvalidRequest, "this is no message of JSON-RPC"),
        },
        StatusCode::BAD_REQUEST => {
            let detail = axum::body::to_bytes(answer.into_body(), MAX_ERROR_BYTES).await;
            let detail = detail.unwrap_or_default();
            Problem::with_detail(Kind::InvalidRequest, String::from_utf8_lossy(&detail))
        }
        _ => {
            tracing::error!(status = status.as_u16(), "an MCP message failed");
            Problem::new(Kind::Internal)
        }
    })
}
