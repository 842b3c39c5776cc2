//! The timeline of a session: a row for each record.

use axum::extract::{Request, State};
use axum::response::Response;

use super::id_of;
use crate::domain::is_gateway_session;
use crate::http::body::RequestInput;
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::query::{Query, encode_cursor};
use crate::http::response::respond_with;
use crate::http::schema::{Timeline, TimelineRow};
use crate::http::state::AppState;
use crate::service::{compilations, sessions};

/// Read a session's timeline
///
/// A row for each compile of the session that is recorded, newest first: tokens by part, the budget, what
/// the provider's cache can use, where the payload first changed and why, and what it cost. Requests
/// through the gateway have rows, too; a session that the gateway made (`gws_…`) has them as long as its
/// records are kept.
#[utoipa::path(
    get,
    path = "/sessions/{id}/timeline",
    tag = "sessions",
    operation_id = "get_session_timeline",
    params(
        ("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the answer before"),
    ),
    responses(
        (status = OK, description = "Some rows, and where the list goes on", body = Timeline),
        (status = "4XX", description = "There is no such session"),
    ),
)]
pub(crate) async fn get_session_timeline(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let query = Query::parse(request.uri(), &["limit", "cursor"])?;
    let limit = query.limit()?;
    let before = query.cursor()?;
    let input = RequestInput::without_body(&state, &request)?;
    let list = visit(&state, input, move |services, _| {
        // The sessions of the gateway have records, and no state that could be found.
        if !is_gateway_session(&id) {
            sessions::find(services, &id)?;
        }
        let page = compilations::list_of_session(services, &id, before.as_deref(), limit)?;
        let items = page.rows.iter().map(TimelineRow::from).collect();
        let next_cursor = page.next.map(|id| encode_cursor(&id));
        Ok(respond_with(&Timeline { items, next_cursor }))
    });
    list.await
}
