//! Responses to requests for paths and methods that there are not, with what to do instead.

use axum::http::{Method, Uri};
use axum::response::{IntoResponse as _, Redirect, Response};

use super::access::ROUTES;
use super::problem::{Kind, Problem};

/// Beginnings of paths of providers, with the upstream that serves them.
const PROVIDER_PATHS: &[(&str, &str)] = &[
    ("/v1/messages", "anthropic"),
    ("/v1beta/", "gemini"),
    ("/v1alpha/", "gemini"),
    ("/v1/", "openai"),
];

/// Paths of providers without the `/v1` that a client's base URL lacks.
const BARE_PROVIDER_PATHS: &[&str] = &["/chat/completions", "/messages", "/responses"];

/// Returns the methods and path of each route at exactly this path.
fn routes_at(path: &str) -> Vec<String> {
    let rows = ROUTES.iter().filter(|row| row.path == path);
    rows.map(|row| format!("`{} {}`", row.method, row.path)).collect()
}

/// Responds to a path that there is not. Who looks for the console at its name is sent to it.
pub(super) async fn not_found(method: Method, uri: Uri) -> Response {
    let reads = matches!(method, Method::GET | Method::HEAD);
    if reads && matches!(uri.path(), "/console" | "/console/") {
        return Redirect::temporary("/").into_response();
    }
    missing(uri.path()).into_response()
}

/// The problem of a path that there is not, with the path that was probably meant.
fn missing(path: &str) -> Problem {
    let slash = path.strip_suffix('/').map(routes_at).unwrap_or_default();
    if !slash.is_empty() {
        let detail = format!("paths have no slash at the end: use {}", slash.join(" or "));
        return Problem::with_detail(Kind::NotFound, detail);
    }
    let version = path.strip_prefix("/v1").map(routes_at).unwrap_or_default();
    if !version.is_empty() {
        let detail = format!(
            "paths have no `/v1`: use {}. Requests for models are forwarded with `--upstream openai`",
            version.join(" or ")
        );
        return Problem::with_detail(Kind::NotFound, detail);
    }
    let provider = PROVIDER_PATHS.iter().find(|(beginning, _)| path.starts_with(beginning));
    let detail = match provider {
        Some((_, upstream)) => format!(
            "this server forwards no requests for models: start it with `--upstream {upstream}`, or use `POST /compile`"
        ),
        None if BARE_PROVIDER_PATHS.contains(&path) => {
            format!("requests for models are at `/v1{path}`: end the base URL in `/v1`")
        }
        None if path.ends_with('/') => "paths have no slash at the end".to_owned(),
        None => "`GET /docs` lists all paths".to_owned(),
    };
    Problem::with_detail(Kind::NotFound, detail)
}

/// Responds to a method that a path does not have. The router adds the header `allow`.
pub(super) async fn method_not_allowed(uri: Uri) -> Problem {
    let routes = routes_at(uri.path());
    let methods = if routes.is_empty() {
        "the header `allow` lists the methods of this path".to_owned()
    } else {
        format!("use {}", routes.join(" or "))
    };
    let detail = format!("{methods}; `GET /docs` has an example for each path");
    Problem::with_detail(Kind::MethodNotAllowed, detail)
}
