//! Which pages may read responses, as browsers ask for it (CORS).

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::CorsLayer;

use super::{layer, memory};

/// Lets pages of these origins, and of no others, read responses. Cookies are not allowed, because
/// keys are sent in a header.
pub(super) fn allow(origins: &[HeaderValue]) -> CorsLayer {
    let methods = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let request_headers = [
        header::AUTHORIZATION,
        header::CONTENT_TYPE,
        header::IF_MATCH,
        header::IF_NONE_MATCH,
        HeaderName::from_static("idempotency-key"),
        HeaderName::from_static("last-event-id"),
        HeaderName::from_static("contexture-deadline-ms"),
    ];
    let exposed_headers =
        [header::ETAG, header::RETRY_AFTER, layer::REQUEST_ID, memory::NEXT_CURSOR];
    CorsLayer::new()
        .allow_origin(origins.to_vec())
        .allow_methods(methods)
        .allow_headers(request_headers)
        .expose_headers(exposed_headers)
        .max_age(Duration::from_hours(1))
}
