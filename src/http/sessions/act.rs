//! What is told of a session, and done with it.

use axum::extract::{Request, State};
use axum::response::Response;

use super::{id_of, shown};
use crate::http::body;
use crate::http::job::visit;
use crate::http::problem::{Body, Problem};
use crate::http::schema::{Session, SessionUsage};
use crate::http::state::AppState;
use crate::service::sessions;

/// Report what the provider counted
///
/// The `usage` object of the answer to the session's last payload, as it came. From then on
/// `tokens_after`, `fits` and the squeeze of the session's compiles for this model go by it;
/// compaction points do not, so that no byte of the history moves for it.
#[utoipa::path(
    post,
    path = "/sessions/{id}/usage",
    tag = "sessions",
    operation_id = "report_usage",
    params(("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17")),
    request_body = SessionUsage,
    responses(
        (status = OK, description = "The session as it is now", body = Session),
        (status = "4XX", description = "The request cannot be met", body = Body, content_type = "application/problem+json"),
        (status = "5XX", description = "The server could not do it", body = Body, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn report_usage(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let received = body::read(&state, request).await?;
    let report =
        visit(&state, received, move |services, text| sessions::report(services, &id, text));
    Ok(shown(&report.await?))
}
