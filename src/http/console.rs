//! `/`: the console, a page that shows events, compiles and hooks. It loads files of this server
//! only, and needs no build step.
//!
//! The page contains no data. It requests the data with the key that its reader enters.

use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};

use super::problem::{Kind, Problem};
use super::query::name_of;

/// Content security policy: scripts, styles and requests of the page may use this server only.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// The console
///
/// Events as they come, the last compiles with their tokens by part, and hooks with their health.
#[utoipa::path(
    get,
    path = "/",
    tag = "operations",
    operation_id = "get_root",
    responses((status = OK, description = "A page that needs nothing from elsewhere", body = String, content_type = "text/html")),
)]
pub(super) async fn get_root() -> Response {
    file("text/html; charset=utf-8", include_str!("../console/index.html"))
}

/// A file of the console
#[utoipa::path(
    get,
    path = "/console/{file}",
    tag = "operations",
    operation_id = "get_console_file",
    params(("file" = String, Path, description = "The page's script or style", example = "console.js")),
    responses(
        (status = OK, description = "The file", body = String, content_type = "text/javascript"),
        (status = NOT_FOUND, description = "No such file"),
    ),
)]
pub(super) async fn get_console_file(request: Request) -> Result<Response, Problem> {
    match name_of(&request) {
        "console.js" => {
            Ok(file("text/javascript; charset=utf-8", include_str!("../console/console.js")))
        }
        "console.css" => {
            Ok(file("text/css; charset=utf-8", include_str!("../console/console.css")))
        }
        _ => Err(Problem::new(Kind::NotFound)),
    }
}

fn file(media: &'static str, text: &'static str) -> Response {
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
