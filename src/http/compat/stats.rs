//! `GET /stats`.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::http::body::RequestInput;
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::response::respond_with;
use crate::http::schema::GatewayStats;
use crate::http::state::AppState;
use crate::service::usage;

/// Read what was saved, for a gateway
///
/// Sums of the caller's key since the beginning of the day in UTC: compiles, compressions and requests
/// through the gateway. `GET /usage` has other days and other keys.
#[utoipa::path(
    get,
    path = "/stats",
    tag = "gateway",
    operation_id = "get_gateway_stats",
    responses((status = OK, description = "The sums", body = GatewayStats)),
)]
pub(crate) async fn get_gateway_stats(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let input = RequestInput::without_body(&state, &request)?;
    let sums = visit(&state, input, |services, _| Ok(usage::sums_of_today(services)?));
    Ok(respond_with(&GatewayStats::from(sums.await?)))
}
