//! Routes for operators and tools: models, health, metrics, the API's description and reference; and
//! the response on a connection beyond the maximum.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use bytes::Bytes;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::Config;

use super::compressed_file;
use super::layer;
use super::origin::HEALTH;
use super::problem::{Kind, Problem};
use super::response::{respond_json, respond_with};
use super::schema::ModelList;
use super::state::AppState;
use crate::domain::ModelRow;
use crate::service::StoreCondition;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HealthReport)]
pub(super) struct Health {
    /// `ok`, or `degraded` where the store cannot be written.
    #[schema(example = "ok")]
    status: &'static str,
    /// Why not: `full`, `unavailable` or `lost`; absent where all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<&'static str>,
    /// The names of the gateway's upstreams, which are not asked; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["anthropic", "openai"]))]
    upstreams: Vec<String>,
}

/// Makes the OpenAPI description once; all responses share its bytes. The router passes the function
/// in, because only it has all routes.
#[derive(Debug, Clone)]
pub(super) struct DescriptionSource {
    describe: fn() -> OpenApi,
    text: Arc<OnceLock<Bytes>>,
}

impl DescriptionSource {
    pub(super) fn new(describe: fn() -> OpenApi) -> Self {
        Self { describe, text: Arc::default() }
    }

    fn text(&self) -> Bytes {
        let make = || Bytes::from((self.describe)().to_json().unwrap_or_default());
        self.text.get_or_init(make).clone()
    }
}

/// List the models
///
/// The table that `model` in a request is looked up in: window, largest answer, tokenizer.
#[utoipa::path(
    get,
    path = "/models",
    tag = "compile",
    responses(
        (status = OK, description = "The table", body = ModelList),
        (status = "4XX", description = "The caller may not"),
    ),
)]
pub(super) async fn list_models(State(state): State<AppState>) -> Response {
    let items = state.shared_services().models().rows().iter().map(ModelRow::from).collect();
    respond_with(&ModelList { items, next_cursor: None })
}

/// Whether the process lives
///
/// Returns 200 as long as the server serves requests at all.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "operations",
    responses((status = OK, description = "It lives", body = Health)),
)]
pub(super) async fn get_health() -> Response {
    respond_json(r#"{"status":"ok"}"#.to_owned())
}

/// Whether to send work here
///
/// Yes from the moment of listening until a stop begins. `degraded` where the store cannot be
/// written: what needs no store goes on.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "operations",
    responses(
        (status = OK, description = "Send work", body = Health),
        (status = SERVICE_UNAVAILABLE, description = "Stopping"),
    ),
)]
pub(super) async fn get_readiness(State(state): State<AppState>) -> Result<Response, Problem> {
    if state.is_ready() {
        let (status, store) = match state.shared_services().condition() {
            StoreCondition::Good => ("ok", None),
            condition => ("degraded", Some(condition.as_str())),
        };
        let upstreams = state.upstreams.to_vec();
        return Ok(respond_with(&Health { status, store, upstreams }));
    }
    Err(Problem::with_detail(Kind::Overloaded, "the server is starting or stopping"))
}

/// Figures for Prometheus
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "operations",
    responses(
        (status = OK, description = "Prometheus' text form", body = String, content_type = "text/plain"),
        (status = "4XX", description = "The caller may not"),
    ),
)]
pub(super) async fn get_metrics(State(state): State<AppState>) -> Response {
    const TEXT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    state.metrics.set_writable(state.shared_services().condition() == StoreCondition::Good);
    ([(header::CONTENT_TYPE, TEXT)], state.metrics.render()).into_response()
}

/// This description, as JSON
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "operations",
    operation_id = "get_openapi",
    responses((status = OK, description = "OpenAPI 3.1", body = serde_json::Value)),
)]
pub(super) async fn get_openapi(Extension(source): Extension<DescriptionSource>) -> Response {
    respond_json(source.text())
}

/// The API reference
#[utoipa::path(
    get,
    path = "/docs",
    tag = "operations",
    operation_id = "get_docs",
    responses((status = 303, description = "To `/docs/`, where the page's files are")),
)]
pub(super) async fn get_docs() -> Redirect {
    Redirect::to("/docs/")
}

/// The API reference as a page
#[utoipa::path(
    get,
    path = "/docs/",
    tag = "operations",
    operation_id = "get_docs_page",
    responses((status = OK, description = "A page that needs nothing from elsewhere", body = String, content_type = "text/html")),
)]
pub(super) async fn get_docs_page(headers: HeaderMap) -> Result<Response, Problem> {
    docs_file(&headers, "index.html")
}

/// A file of the API reference
#[utoipa::path(
    get,
    path = "/docs/{file}",
    tag = "operations",
    operation_id = "get_docs_file",
    params(("file" = String, Path, description = "A script, style or image of the page")),
    responses(
        (status = OK, description = "The file", body = String, content_type = "text/css"),
        (status = NOT_FOUND, description = "No such file"),
    ),
)]
pub(super) async fn get_docs_file(request: Request) -> Result<Response, Problem> {
    // No file of the page has a name that needs decoding.
    let path = request.uri().path();
    docs_file(request.headers(), path.strip_prefix("/docs/").unwrap_or_default())
}

/// Content security policy: the page loads files of this server only, and has inline styles.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     frame-ancestors 'none'",
);

fn docs_file(headers: &HeaderMap, name: &str) -> Result<Response, Problem> {
    let config = Arc::new(Config::from("/openapi.json"));
    let file = utoipa_swagger_ui::serve(name, config)
        .map_err(|error| {
            tracing::error!(%error, "the API reference cannot be served");
            Problem::new(Kind::Internal)
        })?
        .ok_or_else(|| Problem::new(Kind::NotFound))?;
    let kind = HeaderValue::from_str(&file.content_type)
        .unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let mut response = match file.bytes {
        Cow::Borrowed(bytes) if file.gzpipped => compressed_file::respond(headers, bytes)?,
        Cow::Borrowed(bytes) => bytes.into_response(),
        // The file that names the API's description: the only one that is made.
        Cow::Owned(bytes) => bytes.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    Ok(response)
}

/// Checks whether a path is one by which an orchestrator decides whether to restart the server.
pub fn is_about_health(path: &str) -> bool {
    HEALTH.contains(&path)
}

/// Refuses a request on a connection that has no place, and closes the connection.
pub fn too_many_connections() -> Response {
    let problem = || Problem::with_detail(Kind::Overloaded, "too many open connections");
    let mut response = problem().into_response();
    problem().write_into(&mut response, &layer::request_id(None));
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
