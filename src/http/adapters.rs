//! `/adapters`: the supported text formats, and formats that callers add as data.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::body::{self, RequestInput};
use super::job::{visit, work};
use super::problem::{Kind, Problem};
use super::query::{Query, name_of};
use super::response::{respond_with, respond_with_content_etag, respond_with_etag};
use super::schema::{
    Adapter, AdapterDefinition, AdapterList, AdapterRow, AdapterTest, AdapterTestRequest,
};
use super::state::AppState;
use crate::service::adapters::{self, AdapterCursor, FoundAdapter};

/// List the adapters
///
/// Built-in ones first, in the order in which texts are offered to them, then your own by name.
#[utoipa::path(
    get,
    path = "/adapters",
    tag = "adapters",
    operation_id = "list_adapters",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the answer before"),
    ),
    responses((status = OK, description = "Some of them, and where the list goes on; the `ETag` names these rows", body = AdapterList)),
)]
pub(super) async fn list_adapters(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri(), &["limit", "cursor"])?;
    let limit = query.limit()?;
    let after = query.get("cursor").map(parse_cursor).transpose()?;
    let input = RequestInput::without_body(&state, &request)?;
    let list =
        visit(&state, input, move |services, _| adapters::list(services, after.as_ref(), limit));
    let page = list.await?;
    let items = page.rows.into_iter().map(AdapterRow::from).collect();
    let next_cursor = page.next.as_ref().map(write_cursor);
    Ok(respond_with_content_etag(&AdapterList { items, next_cursor }))
}

/// Read an adapter
///
/// Your own with its definition as it was given; a built-in one by its name alone.
#[utoipa::path(
    get,
    path = "/adapters/{name}",
    tag = "adapters",
    operation_id = "get_adapter",
    params(("name" = String, Path, description = "What requests and reports call it", example = "ledger")),
    responses(
        (status = OK, description = "The adapter; its version is the `ETag`, `\"0\"` for a built-in one", body = Adapter),
        (status = "4XX", description = "There is no such adapter"),
    ),
)]
pub(super) async fn get_adapter(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let name = name_of(&request).to_owned();
    let input = RequestInput::without_body(&state, &request)?;
    let found = visit(&state, input, move |services, _| adapters::find(services, &name)).await?;
    Ok(match found.ok_or_else(adapter_not_found)? {
        // No adapter is stored under this name: the first stored version is 1.
        FoundAdapter::BuiltIn(name) => respond_with_etag(0, &Adapter::built_in(name)),
        FoundAdapter::Custom(stored, text) => {
            respond_with_etag(stored.version, &Adapter::custom(&stored, text))
        }
    })
}

/// Store an adapter
///
/// The body is its definition; `name` in it may be absent. Under the name of a built-in one it
/// replaces it, wherever that is meant.
#[utoipa::path(
    put,
    path = "/adapters/{name}",
    tag = "adapters",
    operation_id = "put_adapter",
    params(("name" = String, Path, description = "1 to 64 letters, digits, `_`, `-` or `.`, a letter first", example = "ledger")),
    request_body = AdapterDefinition,
    responses(
        (status = CREATED, description = "It is new", body = Adapter),
        (status = OK, description = "It replaces the previous one", body = Adapter),
        (status = "4XX", description = "The definition is not valid"),
    ),
)]
pub(super) async fn put_adapter(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let name = name_of(&request).to_owned();
    let input = body::read(&state, request).await?;
    let put = visit(&state, input, move |services, text| adapters::put(services, &name, text));
    let adapters::PutAdapter { stored, text, is_new } = put.await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let adapter = Adapter::custom(&stored, text);
    Ok((status, respond_with_etag(stored.version, &adapter)).into_response())
}

/// Delete an adapter
///
/// A built-in one of the same name is back from then on.
#[utoipa::path(
    delete,
    path = "/adapters/{name}",
    tag = "adapters",
    operation_id = "delete_adapter",
    params(("name" = String, Path, description = "What requests and reports call it", example = "ledger")),
    responses(
        (status = NO_CONTENT, description = "It is gone"),
        (status = "4XX", description = "No adapter of this name is stored"),
    ),
)]
pub(super) async fn delete_adapter(
    State(state): State<AppState>,
    request: Request,
) -> Result<StatusCode, Problem> {
    let name = name_of(&request).to_owned();
    let input = RequestInput::without_body(&state, &request)?;
    let delete = visit(&state, input, move |services, _| adapters::delete(services, &name));
    if delete.await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(Problem::with_detail(Kind::NotFound, "no adapter of this name is stored"))
}

/// Try an adapter
///
/// On one text, by itself: whether it takes it, and what it leaves. With a `definition`, that one
/// is tried and nothing is stored.
#[utoipa::path(
    post,
    path = "/adapters/{name}/test",
    tag = "adapters",
    operation_id = "test_adapter",
    params(("name" = String, Path, description = "What requests and reports call it", example = "ledger")),
    request_body = AdapterTestRequest,
    responses((status = OK, description = "What it makes of the text", body = AdapterTest)),
)]
pub(super) async fn test_adapter(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let name = name_of(&request).to_owned();
    let input = body::read(&state, request).await?;
    let test = work(&state, input, move |services, text| adapters::test(services, &name, text));
    let tested = test.await?.ok_or_else(adapter_not_found)?;
    Ok(respond_with(&AdapterTest::from(tested)))
}

fn adapter_not_found() -> Problem {
    Problem::with_detail(Kind::NotFound, "there is no adapter of this name")
}

fn write_cursor(cursor: &AdapterCursor) -> String {
    match cursor {
        AdapterCursor::BuiltIn(name) => format!("b.{name}"),
        AdapterCursor::Custom(name) => format!("c.{name}"),
    }
}

fn parse_cursor(text: &str) -> Result<AdapterCursor, Problem> {
    match text.split_once('.') {
        Some(("b", name)) => Ok(AdapterCursor::BuiltIn(name.to_owned())),
        Some(("c", name)) => Ok(AdapterCursor::Custom(name.to_owned())),
        _ => {
            let detail = "the parameter `cursor` must be the `next_cursor` of an answer";
            Err(Problem::invalid("", detail))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let name = || "a.b-c_d".to_owned();
        for cursor in [AdapterCursor::BuiltIn(name()), AdapterCursor::Custom(name())] {
            assert_eq!(parse_cursor(&write_cursor(&cursor)).unwrap(), cursor);
        }
        for bad in ["", "b", "x.ledger", "ledger"] {
            assert!(parse_cursor(bad).is_err(), "{bad}");
        }
    }
}
