//! Lists and reads records.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;

use crate::domain::{CompilationStatus, ContentHash, RecordLevel, Target};
use crate::http::body::RequestInput;
use crate::http::console;
use crate::http::job::{visit, work};
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
/// The record of a compile: its ledger, its report, what it stored, and of a record in full the
/// request and the payload. With `explain=full` also what happened to each message. A browser that
/// opens the address gets the console, which shows the record to a caller who is signed in.
#[utoipa::path(
    get,
    path = "/compilations/{id}",
    tag = "compilations",
    operation_id = "get_compilation",
    params(
        ("id" = String, Path, description = "The `id` of a compile's answer"),
        ("explain" = Option<String>, Query, pattern = "^full$", description = "`full`: with `decisions`, and of a compile under a pack with `compiled_context` and `meta`. A record that does not have them is compiled again for it"),
    ),
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
    let mut response = if console::opens_record(&request) {
        console::page()
    } else {
        read_record(&state, request).await?
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    Ok(response)
}

async fn read_record(state: &AppState, request: Request) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let query = Query::parse(request.uri(), &["explain"])?;
    let is_explained = query.choice("explain", &[("full", ())])?.is_some();
    let input = RequestInput::without_body(state, &request)?;
    if !is_explained {
        let read = visit(state, input, move |services, _| {
            Ok(respond_json(compilations::find_shown(services, &id)?.write()))
        });
        return read.await;
    }
    let read = work(state, input, move |services, _| {
        let record = compilations::find_shown(services, &id)?;
        let explained = compilations::explain(services, &record, services.deadline());
        Ok(respond_json(record.write_explained(&explained)))
    });
    read.await
}
