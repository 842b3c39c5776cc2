//! `GET /v1/retrieve/{hash}` and `POST /v1/retrieve`.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::http::body::{self, RequestInput};
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::query::{Query, decode_path};
use crate::http::response::respond_with;
use crate::http::schema::RetrieveRequest;
use crate::http::state::AppState;
use crate::service::compat::{self, AskedOriginal, RetrievedOriginal};
use crate::service::{Error, Services};

const UNKNOWN: Error = Error::NotFound("nothing is stored under this hash");

/// Retrieve an original
///
/// What `hash=` names in a message. With a query its lines, each as `number:line`: those that hold
/// it, else those that hold all of its words, else any of them; all lines where none does.
#[utoipa::path(
    get,
    path = "/v1/retrieve/{hash}",
    tag = "gateway",
    operation_id = "retrieve_original",
    params(
        ("hash" = String, Path, description = "24 hex digits", example = "9f2c41d07be8a3556c1d90aa"),
        ("query" = Option<String>, Query, description = "Only the lines that are about this"),
    ),
    responses(
        (status = OK, description = "The original", body = RetrievedOriginal),
        (status = "4XX", description = "Nothing is stored under this hash"),
    ),
)]
pub(crate) async fn retrieve_original(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let hash = request.uri().path().rsplit('/').next().unwrap_or_default();
    let hash = decode_path(hash).ok_or_else(|| Problem::from(UNKNOWN))?;
    let query = Query::parse(request.uri(), &["query"])?;
    let query = query.get("query").map(str::to_owned);
    let input = RequestInput::without_body(&state, &request)?;
    let found = visit(&state, input, move |services, _| {
        find_original(services, &AskedOriginal { hash, query })
    });
    Ok(respond_with(&found.await?))
}

/// Retrieve an original, by a body
///
/// The same, for clients that ask so.
#[utoipa::path(
    post,
    path = "/v1/retrieve",
    tag = "gateway",
    operation_id = "retrieve_by_body",
    request_body = RetrieveRequest,
    responses(
        (status = OK, description = "The original", body = RetrievedOriginal),
        (status = "4XX", description = "Nothing is stored under this hash"),
    ),
)]
pub(crate) async fn retrieve_by_body(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let input = body::read(&state, request).await?;
    let found =
        visit(&state, input, |services, body| find_original(services, &compat::read_asked(body)?));
    Ok(respond_with(&found.await?))
}

fn find_original(services: &Services, asked: &AskedOriginal) -> Result<RetrievedOriginal, Error> {
    compat::retrieve(services, asked)?.ok_or(UNKNOWN)
}
