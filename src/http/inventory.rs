//! `/inventory`: what requests carry, and what of it was used.

use axum::extract::{Request, State};
use axum::response::Response;

use super::body::RequestInput;
use super::job::work;
use super::problem::Problem;
use super::query::Query;
use super::response::respond_with;
use super::state::AppState;
use crate::service::compilations::inventory::{self, Inventory};

const DEFAULT_TURNS: usize = 20;
const MAX_TURNS: usize = 200;

/// Read what a session carries
///
/// Tools of the newest recorded request with the tokens of their definitions and how often they were called
/// in the newest turns; and the skills and memory entries that the newest records have, each with its tokens
/// and how often the model's messages used it. What has no call and no use is carried for nothing, and a request
/// without it saves its tokens. Tools and uses need a record in full. A session that the gateway made (`gws_…`)
/// has an inventory as long as its records are kept.
#[utoipa::path(
    get,
    path = "/inventory",
    tag = "sessions",
    operation_id = "get_inventory",
    params(
        ("session_id" = String, Query, description = "The session, of the API or of the gateway", example = "chat-17"),
        ("turns" = Option<u64>, Query, minimum = 1, maximum = 200, description = "How many of the newest turns count, 20 when absent"),
    ),
    responses(
        (status = OK, description = "What is carried", body = Inventory),
        (status = "4XX", description = "There is no such session"),
    ),
)]
pub(super) async fn get_inventory(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri(), &["session_id", "turns"])?;
    let session = query.get("session_id").map(str::to_owned);
    let session =
        session.ok_or_else(|| Problem::invalid("", "the parameter `session_id` is missing"))?;
    let turns = match query.get("turns") {
        None => DEFAULT_TURNS,
        Some(text) => {
            let turns = text.parse().ok().filter(|turns| (1..=MAX_TURNS).contains(turns));
            turns.ok_or_else(|| {
                let detail = format!("the parameter `turns` must be from 1 to {MAX_TURNS}");
                Problem::invalid("", detail)
            })?
        }
    };
    let input = RequestInput::without_body(&state, &request)?;
    let read = work(&state, input, move |services, _| inventory::read(services, &session, turns));
    Ok(respond_with(&read.await?))
}
