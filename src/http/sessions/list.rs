//! Lists sessions.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::http::body::RequestInput;
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::query::{Query, encode_cursor};
use crate::http::response::respond_with;
use crate::http::schema::{Session, SessionList};
use crate::http::state::AppState;
use crate::service::sessions;

/// List sessions
///
/// Those that have not expired, in the byte order of their ids.
#[utoipa::path(
    get,
    path = "/sessions",
    tag = "sessions",
    operation_id = "list_sessions",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the answer before"),
        ("parent_session_id" = Option<String>, Query, description = "Only sessions that go on from this one"),
    ),
    responses((status = OK, description = "Some of them, and where the list goes on", body = SessionList)),
)]
pub(crate) async fn list_sessions(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri(), &["limit", "cursor", "parent_session_id"])?;
    let limit = query.limit()?;
    let after = query.cursor()?;
    let parent = query.get("parent_session_id").map(str::to_owned);
    let input = RequestInput::without_body(&state, &request)?;
    let list = visit(&state, input, move |services, _| {
        let page = sessions::list(services, parent.as_deref(), after.as_deref(), limit)?;
        let items = page.rows.iter().map(Session::from).collect();
        let next_cursor = page.next.map(|id| encode_cursor(&id));
        Ok(respond_with(&SessionList { items, next_cursor }))
    });
    list.await
}
