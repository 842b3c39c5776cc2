//! Error responses of the operations: those that several share are components.

use utoipa::ToSchema as _;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::response::Response;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Components, Ref, RefOr};

use crate::http::problem;

/// An error response that several operations have.
struct SharedResponse {
    status: &'static str,
    name: &'static str,
    description: &'static str,
    /// A header that tells how to go on, with what it contains.
    header: Option<(&'static str, &'static str)>,
}

const RETRY_AFTER: (&str, &str) = ("Retry-After", "Seconds after which to send the request again");

const CONFLICT: SharedResponse = SharedResponse {
    status: "409",
    name: "Conflict",
    description: "What is stored does not allow it, or the same request is being carried out",
    header: Some(("Retry-After", "Seconds to wait; only if the same request is being carried out")),
};
const PRECONDITION_FAILED: SharedResponse = SharedResponse {
    status: "412",
    name: "PreconditionFailed",
    description: "Another version is stored",
    header: None,
};
const BODY_TOO_LARGE: SharedResponse = SharedResponse {
    status: "413",
    name: "BodyTooLarge",
    description: "The body is larger than the limit",
    header: None,
};
const INVALID_REQUEST: SharedResponse = SharedResponse {
    status: "422",
    name: "InvalidRequest",
    description: "The request is not valid; `errors` lists every faulty place",
    header: None,
};
const RATE_LIMITED: SharedResponse = SharedResponse {
    status: "429",
    name: "RateLimited",
    description: "The key has made all the requests that it may make for now",
    header: Some(RETRY_AFTER),
};
const UNAVAILABLE: SharedResponse = SharedResponse {
    status: "503",
    name: "Unavailable",
    description: "The server is overloaded, or its store cannot be reached",
    header: Some(RETRY_AFTER),
};
const SHARED: [&SharedResponse; 6] = [
    &CONFLICT,
    &PRECONDITION_FAILED,
    &BODY_TOO_LARGE,
    &INVALID_REQUEST,
    &RATE_LIMITED,
    &UNAVAILABLE,
];

/// Operations that can conflict with what is stored and have no `Idempotency-Key`.
const CONFLICTING: &[&str] = &[
    "create_artifact",
    "create_hook",
    "create_key",
    "fork_session",
    "promote_candidate",
    "promote_memory",
    "propose_candidate",
    "publish_pack",
    "put_adapter",
    "put_hook",
    "replay_compilation",
    "report_usage",
    "retry_delivery",
    "review_candidate",
    "rotate_hook_secret",
    "store_memory",
    "take_turn",
    "update_hook",
];

/// Paths whose handlers cannot fail: their response is always available. `/v1/compress` returns its
/// input if it cannot compress it.
const NEVER_FAIL: &[&str] = &["/hook-points", "/metrics", "/models", "/v1/compress"];

/// Adds the shared responses to the components.
pub(super) fn add_components(components: &mut Components) {
    for shared in SHARED {
        let mut response = Response::new(shared.description);
        if let Some((name, description)) = shared.header {
            let seconds = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
            let header = HeaderBuilder::new().schema(Some(seconds)).description(Some(description));
            response.headers.insert(name.to_owned(), RefOr::T(header.build()));
        }
        set_body(&mut response);
        components.responses.insert(shared.name.to_owned(), RefOr::T(response));
    }
}

/// Adds the error responses that an operation with a key may have, unless it describes its own.
pub(super) fn add(path: &str, operation: &mut Operation) {
    let parameters = operation.parameters.iter().flatten();
    let headers: Vec<&str> = parameters
        .filter_map(|parameter| match parameter {
            RefOr::T(parameter) if matches!(parameter.parameter_in, ParameterIn::Header) => {
                Some(parameter.name.as_str())
            }
            _ => None,
        })
        .collect();
    let id = operation.operation_id.as_deref().unwrap_or_default();
    let may_fail = !NEVER_FAIL.contains(&path);
    let conflicts = headers.contains(&"Idempotency-Key") || CONFLICTING.contains(&id);
    let is_conditional = headers.iter().any(|name| name.starts_with("If-"));
    let has_body = operation.request_body.is_some();
    let occurring = [
        (conflicts, &CONFLICT),
        (is_conditional, &PRECONDITION_FAILED),
        (has_body, &BODY_TOO_LARGE),
        (has_body && may_fail, &INVALID_REQUEST),
        (true, &RATE_LIMITED),
        (may_fail, &UNAVAILABLE),
    ];
    let responses = &mut operation.responses.responses;
    for (_, shared) in occurring.iter().filter(|(occurs, _)| *occurs) {
        let reference = || RefOr::Ref(Ref::from_response_name(shared.name));
        responses.entry(shared.status.to_owned()).or_insert_with(reference);
    }
    if may_fail {
        let response = || RefOr::T(Response::new("The server could not do it"));
        responses.entry("5XX".to_owned()).or_insert_with(response);
    }
    add_refusal(operation);
}

/// Adds the error response that every operation may have: a request of another host, for example.
pub(super) fn add_refusal(operation: &mut Operation) {
    let response = || RefOr::T(Response::new("The request cannot be met"));
    operation.responses.responses.entry("4XX".to_owned()).or_insert_with(response);
}

/// Gives every error response the body of a problem, unless it describes its own.
pub(super) fn fill(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && status.starts_with(['4', '5'])
            && response.content.is_empty()
        {
            set_body(response);
        }
    }
}

fn set_body(response: &mut Response) {
    let problem = Ref::from_schema_name(problem::Body::name());
    let content = ContentBuilder::new().schema(Some(problem)).build();
    response.content.insert(problem::MEDIA_TYPE.to_owned(), RefOr::T(content));
}
