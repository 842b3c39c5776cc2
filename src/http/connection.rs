//! Responses on connections beyond the maximum.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};

use super::layer;
use super::origin::HEALTH;
use super::problem::{Kind, Problem};

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
