//! Lists and reads records.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;

use super::page::page;
use crate::domain::{CompilationStatus, ContentHash, RecordLevel, Target};
use crate::http::body::RequestInput;
use crate::http::job::{visit, work};
use crate::http::pages::wants_html;
use crate::http::problem::Problem;
use crate::http::query::{Query, encode_cursor, name_of};
use crate::http::response::{respond_json, respond_with};
use crate::http::schema::{CompilationList, CompilationRecord};
use crate::http::state::AppState;
use crate::service::compilations::{self, CompilationFilter};

/// List compilations
///
/// The records of compiles, newest first. `record` in a compile's request says what is kept of it. A page
/// looks at 5,000 records at most, so one with a filter may be shorter than `limit`, or empty, and still
/// have a `next_cursor`.
#[utoipa::path(
    get,
    path = "/compilations",
    tag = "compilations",
    operation_id = "list_compilations",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the answer before"),
        ("session_id" = Option<String>, Query, description = "Only compiles of this session"),
        ("target" = Option<String>, Query, description = "Only compiles for this target"),
        ("model" = Option<String>, Query, description = "Only compiles for this model"),
        ("status" = Option<String>, Query, description = "`compiled` or `refused`"),
        ("record" = Option<String>, Query, description = "`hashes` or `full`"),
        ("payload_hash" = Option<String>, Query, pattern = "^[0-9a-f]{64}$", description = "Only compiles with this payload"),
    ),
    responses((status = OK, description = "Some of them, and where the list goes on", body = CompilationList)),
)]
pub(crate) async fn list_compilations(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let parameters =
        ["limit", "cursor", "session_id", "target", "model", "status", "record", "payload_hash"];
    let query = Query::parse(request.uri(), &parameters)?;
    let limit = query.limit()?;
    let text = |name: &str| query.get(name).map(str::to_owned);
    let hash = query.get("payload_hash").map(|text| {
        let detail = "the parameter `payload_hash` must be 64 hex digits in lower case";
        ContentHash::parse(text).ok_or_else(|| Problem::invalid("", detail))
    });
    let filter = CompilationFilter {
        session_id: text("session_id"),
        target: query.choice("target", Target::WORDS)?.map(|target| target.as_str().to_owned()),
        model: text("model"),
        status: query.choice("status", CompilationStatus::WORDS)?,
        level: query.choice("record", RecordLevel::KEPT)?,
        payload_hash: hash.transpose()?,
    };
    let before = query.cursor()?;
    let input = RequestInput::without_body(&state, &request)?;
    let list = visit(&state, input, move |services, _| {
        let page = compilations::list(services, &filter, before.as_deref(), limit)?;
        let items = page.rows.iter().map(Into::into).collect();
        let next_cursor = page.next.map(|id| encode_cursor(&id));
        Ok(respond_with(&CompilationList { items, next_cursor }))
    });
    list.await
}

/// Read a compilation
///
/// The record of a compile: its ledger, its report, what it left behind, and of a record in full the
/// request and the payload. A browser gets a page: what came and what is sent beside each other, and
/// every cut with its original.
#[utoipa::path(
    get,
    path = "/compilations/{id}",
    tag = "compilations",
    operation_id = "get_compilation",
    params(("id" = String, Path, description = "The `id` of a compile's answer")),
    responses(
        (status = OK, description = "The record", content(
            (CompilationRecord = "application/json"),
            (String = "text/html"),
        )),
        (status = "4XX", description = "There is no such record, or no longer"),
    ),
)]
pub(crate) async fn get_compilation(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let is_page = wants_html(request.headers());
    let input = RequestInput::without_body(&state, &request)?;
    let mut response = if is_page {
        // A record whose report does not have the cuts is compiled again.
        let answer = work(&state, input, move |services, _| {
            let record = compilations::find(services, &id)?;
            Ok(page(&record, compilations::cuts(services, &record, services.deadline()).as_deref()))
        });
        answer.await?
    } else {
        let answer = visit(&state, input, move |services, _| {
            Ok(respond_json(compilations::find(services, &id)?.write()))
        });
        answer.await?
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    Ok(response)
}
