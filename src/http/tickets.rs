//! `/events/ticket`: one stream for a reader that cannot send headers.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::answer::written;
use super::body::Received;
use super::job::visit;
use super::problem::{Body, Kind, Problem};
use super::query::Query;
use super::schema::EventTicket;
use super::state::AppState;
use crate::service::tickets::{self, GOOD_FOR};

/// Get a ticket for a stream
///
/// `GET /events?ticket=…` is served with it in the place of a key, once, within thirty seconds, at any
/// node: a browser's `EventSource` sends no headers. The stream ends when the key does.
#[utoipa::path(
    post,
    path = "/events/ticket",
    tag = "events",
    operation_id = "create_event_ticket",
    responses(
        (status = CREATED, description = "The ticket", body = EventTicket),
        (status = "4XX", description = "The request cannot be met", body = Body, content_type = "application/problem+json"),
        (status = "5XX", description = "The server could not do it", body = Body, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn create_event_ticket(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    Query::of(request.uri(), &[])?;
    let received = Received::nothing(&state, &request)?;
    let given = visit(&state, received, |services, _| Ok(tickets::give(services)?)).await?;
    let ticket =
        given.ok_or_else(|| Problem::with_detail(Kind::Overloaded, "too many tickets are out"))?;
    let body = json!({"ticket": ticket, "expires_in_seconds": GOOD_FOR.as_secs()});
    Ok((StatusCode::CREATED, written(&body)).into_response())
}
