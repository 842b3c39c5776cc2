//! Turns of sessions, and the provider's usage of them.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::id_of;
use crate::http::body;
use crate::http::idempotency::{self, Reply, RequestIdentity};
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::response::respond_with_etag;
use crate::http::schema::{self, SessionTurn, SessionUsage, TurnAnswer, UsageAnswer};
use crate::http::state::AppState;
use crate::service::sessions;
use crate::service::tools::HandledCall;
use crate::service::turns::{self, TurnError, TurnOutcome, TurnResponse};

/// Take a turn
///
/// Appends what happened since to the session's messages, judges the model's calls in it and carries
/// out those of our tools, and answers the next payload: all of it or nothing. The session keeps the
/// conversation, so only what is new is sent. With `"compile": false` there is no payload: messages
/// are appended while tools run whose results come in a later turn. A key needs both scopes, and `tools` or `memory:write`
/// next to them where calls write memory.
#[utoipa::path(
    post,
    path = "/sessions/{id}/turns",
    tag = "sessions",
    operation_id = "take_turn",
    params(
        ("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
        ("Contexture-Deadline-Ms" = Option<u64>, Header, minimum = 1, maximum = 60_000,
         description = "Milliseconds that the turn may take, 10,000 when absent"),
    ),
    request_body = SessionTurn,
    responses((status = OK, description = "The payload, its report, and the outcome of calls without a result", body = TurnAnswer)),
)]
pub(crate) async fn take_turn(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let identity =
        RequestIdentity::read("POST /sessions/{id}/turns", request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    let metrics = state.metrics.clone();
    idempotency::run_computing(&state, input, identity, move |services, text, once| {
        let response = TurnResponse { once, write: write_results };
        let body = match turns::turn(services, &id, text, response, services.deadline())? {
            TurnOutcome::Compiled(answer) => {
                metrics.record_compile(answer.report.tokens_before, answer.report.tokens_after);
                answer.body
            }
            TurnOutcome::Appended(body) => body.into(),
        };
        Ok::<_, TurnError>(Reply { status: StatusCode::OK, version: None, body })
    })
    .await
}

/// Writes the results of calls as JSON.
fn write_results(handled: Vec<HandledCall>) -> String {
    serde_json::to_string(&schema::call_results(handled)).unwrap_or_default()
}

/// Report what the provider counted
///
/// The `usage` object of the answer to the session's last payload, as it came. From then on
/// `tokens_after`, `fits` and the squeeze of the session's compiles for this model go by it;
/// compaction points do not, so that no byte of the history moves for it. A report of fewer than
/// 1,000 tokens is not learnt from, and neither is one whose factor is below half or above twice
/// that of the model table, which is a warning.
#[utoipa::path(
    post,
    path = "/sessions/{id}/usage",
    tag = "sessions",
    operation_id = "report_usage",
    params(("id" = String, Path, description = "The session's id, percent-encoded", example = "chat-17")),
    request_body = SessionUsage,
    responses((status = OK, description = "The session as it is now", body = UsageAnswer)),
)]
pub(crate) async fn report_usage(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let input = body::read(&state, request).await?;
    let report = visit(&state, input, move |services, text| sessions::report(services, &id, text));
    let reported = report.await?;
    Ok(respond_with_etag(reported.session.version, &UsageAnswer::from(&reported)))
}
