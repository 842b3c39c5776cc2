//! The console: a program for browsers whose built files are in `src/console`. Its sources are in
//! `console/`; it loads files of this server only.
//!
//! The files contain no data. The program requests the data with the cookie of a browser that is
//! signed in.

mod session;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method, header};
use axum::response::{IntoResponse as _, Response};

pub(super) use self::session::*;
use super::pages::wants_html;
use super::problem::{Kind, Problem};
use super::query::name_of;

/// Content security policy: scripts, styles and requests of the page may use this server only, and
/// no text may become markup.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
     require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);

/// The console
///
/// Usage, sessions, records and a playground, live.
#[utoipa::path(
    get,
    path = "/",
    tag = "operations",
    operation_id = "get_root",
    responses((status = OK, description = "A page that needs nothing from elsewhere", body = String, content_type = "text/html")),
)]
pub(super) async fn get_root() -> Response {
    page()
}

/// Checks whether a browser opens the address of a record. The page has no data, so it needs no key.
pub(super) fn opens_record(request: &Request) -> bool {
    let path = request.extensions().get::<MatchedPath>();
    path.is_some_and(|path| path.as_str() == "/compilations/{id}")
        && *request.method() == Method::GET
        && wants_html(request.headers())
}

/// The page that starts the program, at any path that it shows.
pub(super) fn page() -> Response {
    file("text/html; charset=utf-8", include_str!("../../console/index.html"))
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
            Ok(file("text/javascript; charset=utf-8", include_str!("../../console/console.js")))
        }
        "console.css" => {
            Ok(file("text/css; charset=utf-8", include_str!("../../console/console.css")))
        }
        "icon.svg" => Ok(file("image/svg+xml", include_str!("../../console/icon.svg"))),
        _ => Err(Problem::new(Kind::NotFound)),
    }
}

fn file(media: &'static str, text: &'static str) -> Response {
    let mut response = text.into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, media),
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    response
}
