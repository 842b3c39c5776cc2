//! `/docs/guide`: the pages of `docs` as a site with a search. `scripts/guide.py` builds the files in
//! `src/guide` with mdBook; they are kept as gzip and load files of this server only.

use std::path::Path;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use include_dir::{Dir, include_dir};

use super::compressed_file;
use super::problem::{Kind, Problem};
use super::range::lists_tag;

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/src/guide");

/// Content security policy: scripts, styles and images of the pages come from this server, and none
/// are inside a page.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; \
     form-action 'self'; frame-ancestors 'none'",
);

/// The guide
#[utoipa::path(
    get,
    path = "/docs/guide",
    tag = "operations",
    responses((status = 303, description = "To `/docs/guide/`, where the guide's files are")),
)]
pub(super) async fn get_guide() -> Redirect {
    Redirect::to("/docs/guide/")
}

/// The first page of the guide
///
/// The documentation of this version with a search, which needs nothing from elsewhere.
#[utoipa::path(
    get,
    path = "/docs/guide/",
    tag = "operations",
    responses((status = OK, description = "All pages of the guide", body = String, content_type = "text/html")),
)]
pub(super) async fn get_guide_page(headers: HeaderMap) -> Result<Response, Problem> {
    respond(&headers, "index.html")
}

/// A file of the guide
#[utoipa::path(
    get,
    path = "/docs/guide/{file}",
    tag = "operations",
    params(("file" = String, Path, description = "A page, or a script or style of the pages", example = "concepts.html")),
    responses(
        (status = OK, description = "The file", body = String, content_type = "text/html"),
        (status = NOT_FOUND, description = "No such file"),
    ),
)]
pub(super) async fn get_guide_file(request: Request) -> Result<Response, Problem> {
    // No file of the guide has a name that needs decoding.
    let name = request.uri().path().rsplit('/').next().unwrap_or_default();
    respond(request.headers(), name)
}

fn respond(headers: &HeaderMap, name: &str) -> Result<Response, Problem> {
    let missing = || {
        Problem::with_detail(
            Kind::NotFound,
            "the guide has no such page; `/docs/guide/` links all of them",
        )
    };
    let compressed = FILES
        .get_file(format!("{name}.gz"))
        .map(include_dir::File::contents)
        .ok_or_else(missing)?;
    let tag = format!("\"{}\"", blake3::hash(compressed).to_hex());
    let mut response = if lists_tag(headers.get(header::IF_NONE_MATCH), &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        compressed_file::respond(headers, compressed)?
    };
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    out.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    out.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    // Weak, because the compressed and the plain file have the same one.
    if let Ok(tag) = HeaderValue::from_str(&format!("W/{tag}")) {
        out.insert(header::ETAG, tag);
    }
    Ok(response)
}

fn media_type(name: &str) -> &'static str {
    match Path::new(name).extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => "application/octet-stream",
    }
}
