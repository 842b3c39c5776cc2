//! `/artifacts`: long texts that are stored outside of payloads.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::body::{self, BodyMedia, RequestInput};
use super::idempotency::{self, Reply, RequestIdentity};
use super::job::{visit, visit_or_refuse};
use super::problem::{Kind, Problem};
use super::query::Query;
use super::range;
use super::response::respond_with;
use super::schema::{CleanupRequest, OffloadAnswer, OffloadRequest};
use super::state::AppState;
use crate::domain::{ArtifactId, ContentHash};
use crate::limit::Allowance;
use crate::service::artifacts::{self, Cleanup, OffloadLimits, OffloadResult};

/// Offload a text
///
/// A text above the threshold is stored; the response has a marker to put in its place: its
/// beginning and its end, cut at the borders of lines, and its id. The same text gives the same
/// marker. A shorter text is returned as it is, and nothing is stored. The body is JSON, or the
/// text itself as `text/plain` with the options in the query.
#[utoipa::path(
    post,
    path = "/artifacts",
    tag = "artifacts",
    operation_id = "create_artifact",
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done"),
        ("threshold" = Option<u64>, Query, description = "With a body of `text/plain`: as in JSON"),
        ("head_chars" = Option<u64>, Query, description = "With a body of `text/plain`: as in JSON"),
        ("tail_chars" = Option<u64>, Query, description = "With a body of `text/plain`: as in JSON"),
    ),
    request_body = OffloadRequest,
    responses(
        (status = CREATED, description = "The text is stored", body = OffloadAnswer),
        (status = OK, description = "The text is too short to be stored", body = OffloadAnswer),
    ),
)]
pub(super) async fn create_artifact(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri(), &["threshold", "head_chars", "tail_chars"])?;
    let default = OffloadLimits::default();
    let options = OffloadLimits {
        threshold: query.whole("threshold")?.unwrap_or(default.threshold),
        head: query.whole("head_chars")?.unwrap_or(default.head),
        tail: query.whole("tail_chars")?.unwrap_or(default.tail),
    };
    let identity = RequestIdentity::read("POST /artifacts", request.headers(), request.uri())?;
    let (input, media) = body::read_any(&state, request).await?;
    if media == BodyMedia::Json && options != default {
        return Err(Problem::invalid("", "with a body of JSON the options are its members"));
    }
    idempotency::run(&state, input, identity, move |services, text, once| {
        let write_reply = |offloaded: &_| offload_reply(offloaded).to_stored();
        let offloaded = match media {
            BodyMedia::Json => artifacts::offload(services, text, once, write_reply)?,
            BodyMedia::Text => {
                artifacts::offload_text(services, text, &options, once, write_reply)?
            }
        };
        Ok(offload_reply(&offloaded))
    })
    .await
}

fn offload_reply(offloaded: &OffloadResult) -> Reply {
    let (status, answer) = match offloaded {
        OffloadResult::Kept(text) => (StatusCode::OK, OffloadAnswer::kept(text.clone())),
        OffloadResult::Stored { artifact, marker } => {
            (StatusCode::CREATED, OffloadAnswer::stored(artifact, marker.clone()))
        }
    };
    Reply::new(status, &answer)
}

/// Read an artifact
///
/// The text as it was stored, byte for byte; or some of its lines, or those that hold some
/// words. `Range`, `If-Range` and `If-None-Match` are understood.
#[utoipa::path(
    get,
    path = "/artifacts/{id}",
    tag = "artifacts",
    operation_id = "get_artifact",
    params(
        ("id" = String, Path, description = "24 hex digits", example = "574a963fe4c28cab63d90746"),
        ("lines" = Option<String>, Query, description = "First and last line, counted from one: `10-20`, `10-`, `10`"),
        ("query" = Option<String>, Query, min_length = 1, description = "Only lines that hold this text in any case, each as `number:line`"),
        ("Range" = Option<String>, Header, description = "One range of bytes, such as `bytes=0-499`"),
    ),
    responses(
        (status = OK, description = "The text", body = String, content_type = "text/plain"),
        (status = PARTIAL_CONTENT, description = "The range that was asked for", body = String, content_type = "text/plain"),
        (status = NOT_MODIFIED, description = "It is what `If-None-Match` names"),
        (status = "4XX", description = "There is no such artifact or part"),
    ),
)]
pub(super) async fn get_artifact(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = id_of(&request)?;
    let query = Query::parse(request.uri(), &["lines", "query"])?;
    let lines = query.get("lines").map(|text| {
        artifacts::parse_lines(text).ok_or_else(|| {
            let detail = "the parameter `lines` must be like `10-20`, `10-` or `10`";
            Problem::invalid("", detail)
        })
    });
    let lines = lines.transpose()?;
    let words = query.get("query").map(str::to_owned);
    if words.as_deref() == Some("") {
        return Err(Problem::invalid("", "the parameter `query` must not be empty"));
    }
    let input = RequestInput::without_body(&state, &request)?;
    let found = visit_or_refuse(&state, input, move |services, _| {
        let (artifact, text) =
            artifacts::find::<Problem>(services, id)?.ok_or_else(artifact_not_found)?;
        let part = select(&text, lines, words.as_deref(), services.allowance()).transpose()?;
        let tag = part.as_deref().map_or(artifact.hash, ContentHash::of);
        Ok(FoundText { media_type: artifact.media_type, tag, text: part.unwrap_or(text) })
    });
    let FoundText { media_type, tag, text } = found.await?;
    let tag = format!("{tag:?}");
    Ok(range::respond_with_range(request.headers(), text, &media_type, &tag))
}

/// The text of an artifact, or a part of it.
struct FoundText {
    media_type: String,
    tag: ContentHash,
    text: String,
}

/// Delete an artifact
///
/// Its text is gone for good; a marker that names it leads nowhere from then on.
#[utoipa::path(
    delete,
    path = "/artifacts/{id}",
    tag = "artifacts",
    operation_id = "delete_artifact",
    params(("id" = String, Path, description = "24 hex digits", example = "574a963fe4c28cab63d90746")),
    responses(
        (status = NO_CONTENT, description = "It is gone"),
        (status = "4XX", description = "There is no such artifact"),
    ),
)]
pub(super) async fn delete_artifact(
    State(state): State<AppState>,
    request: Request,
) -> Result<StatusCode, Problem> {
    let id = id_of(&request)?;
    let input = RequestInput::without_body(&state, &request)?;
    let existed = visit(&state, input, move |services, _| artifacts::delete(services, id)).await?;
    if existed { Ok(StatusCode::NO_CONTENT) } else { Err(artifact_not_found()) }
}

/// Clean up now
///
/// Evicts artifacts that are too old, then the least recently read ones, until count and bytes
/// are within the caps. A cap that is absent is the setting's; the server does the same from
/// time to time. The body may be empty.
#[utoipa::path(
    post,
    path = "/artifacts/cleanup",
    tag = "artifacts",
    operation_id = "clean_up_artifacts",
    request_body = CleanupRequest,
    responses((status = OK, description = "What went", body = Cleanup)),
)]
pub(super) async fn clean_up_artifacts(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let mut input = body::read(&state, request).await?;
    input.services = input.services.freeing_room();
    let done = visit(&state, input, artifacts::cleanup).await?;
    Ok(respond_with(&done))
}

/// Reads the id at the end of the path. A malformed id is not found, like an unknown one.
fn id_of(request: &Request) -> Result<ArtifactId, Problem> {
    let name = request.uri().path().rsplit('/').next().unwrap_or_default();
    ArtifactId::parse(name).ok_or_else(artifact_not_found)
}

fn artifact_not_found() -> Problem {
    Problem::with_detail(Kind::NotFound, "no artifact of this id is stored")
}

/// Returns the lines of a text that the request asks for; `None` if it asks for all of the text.
fn select(
    text: &str,
    lines: Option<(usize, usize)>,
    words: Option<&str>,
    allowance: &Allowance,
) -> Option<Result<String, Problem>> {
    let (first, last) = lines.unwrap_or((1, usize::MAX));
    let Some(part) = artifacts::lines(text, first, last) else {
        let detail = format!("the artifact ends before line {first}");
        return Some(Err(Problem::invalid("", detail)));
    };
    match words {
        Some(words) => {
            let found = artifacts::search(part, words, first, allowance);
            Some(found.map_err(|error| Problem::with_detail(Kind::TextLimit, error.to_string())))
        }
        None => lines.map(|_| Ok(part.to_owned())),
    }
}
