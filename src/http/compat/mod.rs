//! The API of headroom, which `LiteLLM`'s guardrail uses too. It is separate from our own API, so
//! that each can change without the other.
//!
//! `POST /v1/compress` refuses no body with messages, because an error would be an outage of the
//! gateway that waits for the response.

mod compress;
mod retrieval;
mod stats;

use axum::extract::State;
use axum::response::Response;

pub(super) use compress::*;
pub(super) use retrieval::*;
pub(super) use stats::*;

use super::response::respond_with;
use super::schema::GatewayHealth;
use super::state::AppState;
use crate::service::StoreCondition;

/// Whether to send work here, for a gateway
///
/// 200 in either case, as its clients expect. `GET /readyz` tells more.
#[utoipa::path(
    get,
    path = "/health",
    tag = "gateway",
    operation_id = "get_gateway_health",
    responses((status = OK, description = "How it is", body = GatewayHealth)),
)]
pub(super) async fn get_gateway_health(State(state): State<AppState>) -> Response {
    let ready = state.is_ready();
    let is_healthy = ready && state.shared_services().condition() == StoreCondition::Good;
    respond_with(&GatewayHealth {
        status: if is_healthy { "healthy" } else { "unhealthy" },
        ready,
        version: env!("CARGO_PKG_VERSION"),
    })
}
