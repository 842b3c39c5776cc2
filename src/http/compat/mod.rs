//! The wire of another product, headroom's, which `LiteLLM`'s guardrail speaks too: kept apart from
//! our own, so that neither bends to the other.
//!
//! `POST /v1/compress` refuses nothing that holds messages: an error here is an outage where a
//! gateway waits for the answer.

mod compress;
mod retrieve;

use axum::extract::State;
use axum::response::Response;

pub(super) use compress::*;
pub(super) use retrieve::*;

use super::answer::written;
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
    let is_well = ready && state.shared().condition() == StoreCondition::Good;
    written(&GatewayHealth {
        status: if is_well { "healthy" } else { "unhealthy" },
        ready,
        version: env!("CARGO_PKG_VERSION"),
    })
}
