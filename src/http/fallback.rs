//! Responses to requests for paths and methods that there are not, with what to do instead.

use axum::http::Uri;

use super::problem::{Kind, Problem};

/// Beginnings of paths of providers, with the upstream that serves them.
const PROVIDER_PATHS: &[(&str, &str)] = &[
    ("/v1/messages", "anthropic"),
    ("/v1beta/", "gemini"),
    ("/v1alpha/", "gemini"),
    ("/v1/", "openai"),
];

/// Responds to a path that there is not.
pub(super) async fn not_found(uri: Uri) -> Problem {
    let path = uri.path();
    let provider = PROVIDER_PATHS.iter().find(|(beginning, _)| path.starts_with(beginning));
    let detail = match provider {
        Some((_, upstream)) => format!(
            "this server forwards no requests for models: start it with `--upstream {upstream}`, or use `POST /compile`"
        ),
        None if path.ends_with('/') => "paths have no slash at the end".to_owned(),
        None => "`GET /docs` lists all paths".to_owned(),
    };
    Problem::with_detail(Kind::NotFound, detail)
}

/// Responds to a method that a path does not have. The router adds the header `allow`.
pub(super) async fn method_not_allowed() -> Problem {
    let detail = "the header `allow` lists the methods of this path; `POST` takes a body of JSON, and \
                  `GET /docs` has an example for each path";
    Problem::with_detail(Kind::MethodNotAllowed, detail)
}
