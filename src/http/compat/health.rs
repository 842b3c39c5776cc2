//! `GET /health`.

use axum::extract::State;
use axum::response::Response;

use crate::http::answer::written;
use crate::http::schema::GatewayHealth;
use crate::http::state::AppState;
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
pub(in crate::http) async fn get_gateway_health(State(state): State<AppState>) -> Response {
    let ready = state.is_ready();
    let is_well = ready && state.shared().condition() == StoreCondition::Good;
    written(&GatewayHealth {
        status: if is_well { "healthy" } else { "unhealthy" },
        ready,
        version: env!("CARGO_PKG_VERSION"),
    })
}
