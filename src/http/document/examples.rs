//! Examples of requests and responses. They come from a run of the program: the test
//! `openapi_examples` writes `examples.json` with `UPDATE_OPENAPI=1` and compares it otherwise.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::Operation;

const EXAMPLES: &str = include_str!("examples.json");

/// What was sent to an operation and what came back.
#[derive(Debug, Deserialize)]
pub(super) struct Example {
    /// Absent if the request has no body.
    request: Option<Value>,
    status: u16,
    /// Absent if the response has no body.
    response: Option<Value>,
}

/// The examples by operation.
pub(super) fn read() -> HashMap<String, Example> {
    serde_json::from_str(EXAMPLES).unwrap_or_default()
}

/// Gives an operation its example.
pub(super) fn add(operation: &mut Operation, example: Example) {
    let Example { request, status, response } = example;
    if let Some(RefOr::T(body)) = &mut operation.request_body
        && let Some(RefOr::T(content)) = body.content.values_mut().next()
    {
        content.example = request;
    }
    let described = operation.responses.responses.get_mut(&status.to_string());
    if let Some(RefOr::T(described)) = described
        && let Some(RefOr::T(content)) = described.content.get_mut("application/json")
    {
        content.example = response;
    }
}
