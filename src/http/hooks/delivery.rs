//! Queued calls of hooks.

use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::{Value, json};

use crate::http::body::{self, RequestInput};
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::query::{Query, name_of};
use crate::http::response::respond_with;
use crate::http::schema::{Delivery, DeliveryList};
use crate::http::state::AppState;
use crate::service::hooks::queue::{self, DELIVERY_STATES, ListedDelivery};

/// List what was queued for a hook
///
/// The newest first, each with its attempts. What was dealt with is shown for a week. Content is
/// not shown.
#[utoipa::path(
    get,
    path = "/hooks/{id}/deliveries",
    tag = "hooks",
    operation_id = "list_hook_deliveries",
    params(
        ("id" = String, Path, description = "The hook's id", example = "pii"),
        ("state" = Option<String>, Query, description = "`queued`, `delivered` or `dead`"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<u64>, Query, description = "`next_cursor` of the answer before"),
    ),
    responses(
        (status = OK, description = "Some of them, and where the list goes on", body = DeliveryList),
        (status = "4XX", description = "There is no such hook"),
    ),
)]
pub(crate) async fn list_hook_deliveries(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let query = Query::parse(request.uri(), &["state", "limit", "cursor"])?;
    let (limit, before) = (query.limit()?, query.number_cursor()?);
    let wanted = query.choice("state", DELIVERY_STATES)?;
    let input = RequestInput::without_body(&state, &request)?;
    let list = visit(&state, input, move |services, _| {
        queue::list_deliveries(services, &id, wanted, before, limit)
    });
    let (found, next) = list.await?;
    let items: Vec<Value> = found.iter().map(ListedDelivery::write).collect();
    let next_cursor = next.map(|next| next.to_string());
    Ok(respond_with(&json!({"items": items, "next_cursor": next_cursor})))
}

/// Try a delivery again
///
/// One that was given up begins again; one that waits for its next attempt gets it at once.
#[utoipa::path(
    post,
    path = "/deliveries/{id}/retry",
    tag = "hooks",
    operation_id = "retry_delivery",
    params(("id" = String, Path, description = "The delivery's id")),
    responses(
        (status = OK, description = "It is queued", body = Delivery),
        (status = "4XX", description = "There is no such delivery, or it was delivered"),
    ),
)]
pub(crate) async fn retry_delivery(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let input = body::read(&state, request).await?;
    let retried = visit(&state, input, move |services, _| queue::retry(services, &id)).await?;
    Ok(respond_with(&retried.write()))
}
