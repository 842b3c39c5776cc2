//! Registers, lists, changes and deletes hooks.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use crate::http::body::{self, RequestInput};
use crate::http::idempotency::{self, Reply, RequestIdentity};
use crate::http::job::{self, visit};
use crate::http::problem::Problem;
use crate::http::query::{Query, encode_cursor, name_of};
use crate::http::response::{
    read_condition, read_if_match, respond_json, respond_json_with_etag, respond_with,
};
use crate::http::schema::{
    HookChange, HookDiff, HookList, HookRegistration, HookShown, NewHook, RotateSecret,
};
use crate::http::state::AppState;
use crate::service::hooks::{self, NewHookSecret, POINTS, PutHook, PutOnce, RegisteredHook};

/// Register a hook
///
/// From the next request on it is asked at its points. What its calls are signed with is in the
/// answer, and nowhere else.
#[utoipa::path(
    post,
    path = "/hooks",
    tag = "hooks",
    operation_id = "create_hook",
    params(("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed, without the secret, and registers no other hook")),
    request_body = HookRegistration,
    responses((status = CREATED, description = "The hook and, this once, its secret", body = NewHook)),
)]
pub(crate) async fn create_hook(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let identity = RequestIdentity::read("POST /hooks", request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run(&state, input, identity, |services, text, once| {
        let write_reply = |registered: &RegisteredHook| {
            let new_hook = NewHookSecret { registered: registered.clone(), secret: None };
            reply_with_hook(StatusCode::CREATED, &new_hook).to_stored()
        };
        Ok(reply_with_hook(StatusCode::CREATED, &hooks::create(services, text, once, write_reply)?))
    })
    .await
}

fn reply_with_hook(
    status: StatusCode,
    NewHookSecret { registered, secret }: &NewHookSecret,
) -> Reply {
    let version = Some(registered.revision());
    Reply { status, version, body: registered.write(secret.as_ref()).into() }
}

/// List the hooks
///
/// In the byte order of their ids; those of the operator's file are among them.
#[utoipa::path(
    get,
    path = "/hooks",
    tag = "hooks",
    operation_id = "list_hooks",
    params(
        ("point" = Option<String>, Query, description = "Only hooks at this point", example = "tool_result"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the answer before"),
    ),
    responses((status = OK, description = "Some of them, and where the list goes on", body = HookList)),
)]
pub(crate) async fn list_hooks(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri(), &["point", "limit", "cursor"])?;
    let limit = query.limit()?;
    let words: Vec<_> = POINTS.iter().map(|point| (point.as_str(), *point)).collect();
    let point = query.choice("point", &words)?;
    let after = query.cursor()?;
    let input = RequestInput::without_body(&state, &request)?;
    let list = visit(&state, input, move |services, _| {
        hooks::list(services, point, after.as_deref(), limit)
    });
    let page = list.await?;
    let items: Vec<String> = page.rows.iter().map(|hook| hook.write(None)).collect();
    // A cursor has no character that JSON would escape.
    let next =
        page.next.map_or_else(|| "null".to_owned(), |id| format!("\"{}\"", encode_cursor(&id)));
    Ok(respond_json(format!("{{\"items\":[{}],\"next_cursor\":{next}}}", items.join(","))))
}

/// Read a hook
#[utoipa::path(
    get,
    path = "/hooks/{id}",
    tag = "hooks",
    operation_id = "get_hook",
    params(("id" = String, Path, description = "The hook's id", example = "pii")),
    responses(
        (status = OK, description = "The hook; its revision is the `ETag`", body = HookShown),
        (status = "4XX", description = "There is no such hook"),
    ),
)]
pub(crate) async fn get_hook(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let input = RequestInput::without_body(&state, &request)?;
    let found = visit(&state, input, move |services, _| hooks::find(services, &id)).await?;
    Ok(respond_with_hook(&found))
}

/// Register or replace a hook
///
/// All of a hook that is there is replaced, but its secret stays unless another one is given. A hook
/// that is there as given stays as it is, with its revision.
#[utoipa::path(
    put,
    path = "/hooks/{id}",
    tag = "hooks",
    operation_id = "put_hook",
    params(
        ("id" = String, Path, description = "The hook's id", example = "pii"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that must be stored"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed, without the secret"),
    ),
    request_body = HookRegistration,
    responses(
        (status = OK, description = "The hook as it is now", body = NewHook),
        (status = CREATED, description = "The new hook and, this once, its secret unless it was given", body = NewHook),
    ),
)]
pub(crate) async fn put_hook(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let identity = RequestIdentity::read("PUT /hooks/{id}", request.headers(), request.uri())?;
    let condition = read_condition(request.headers())?;
    let input = body::read(&state, request).await?;
    idempotency::run(&state, input, identity, move |services, text, once| {
        let tell = |registered: &RegisteredHook, is_new: bool| {
            let new_hook = NewHookSecret { registered: registered.clone(), secret: None };
            reply_with_hook(status_of(is_new), &new_hook).to_stored()
        };
        let once = PutOnce { request: once, tell };
        let PutHook { new, is_new } = hooks::put(services, &id, text, condition, once)?;
        Ok(reply_with_hook(status_of(is_new), &new))
    })
    .await
}

/// Compare a hook with a definition
///
/// Tells what `PUT /hooks/{id}` would change with the same body, and changes nothing. Of the path of a
/// URL, the values of headers and the secret, it tells that they change and not what they are.
#[utoipa::path(
    post,
    path = "/hooks/{id}/diff",
    tag = "hooks",
    operation_id = "diff_hook",
    params(("id" = String, Path, description = "The hook's id", example = "pii")),
    request_body = HookRegistration,
    responses((status = OK, description = "What would change", body = HookDiff)),
)]
pub(crate) async fn diff_hook(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let input = body::read(&state, request).await?;
    let compared = visit(&state, input, move |services, text| hooks::compare(services, &id, text));
    Ok(respond_with(&HookDiff::from(compared.await?)))
}

fn status_of(is_new: bool) -> StatusCode {
    if is_new { StatusCode::CREATED } else { StatusCode::OK }
}

/// Change a hook
///
/// What is absent stays as it is; null takes it away. Requests that are under way go on with the
/// hook as it was. Where `url` names another server, headers have to be given again.
#[utoipa::path(
    patch,
    path = "/hooks/{id}",
    tag = "hooks",
    operation_id = "update_hook",
    params(
        ("id" = String, Path, description = "The hook's id", example = "pii"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that must be stored"),
    ),
    request_body = HookChange,
    responses((status = OK, description = "The hook as it is now", body = HookShown)),
)]
pub(crate) async fn update_hook(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let if_match = read_if_match(request.headers())?;
    let input = body::read(&state, request).await?;
    let update =
        visit(&state, input, move |services, text| hooks::update(services, &id, text, if_match));
    Ok(respond_with_hook(&update.await?))
}

/// Delete a hook
///
/// Requests that are under way still ask it.
#[utoipa::path(
    delete,
    path = "/hooks/{id}",
    tag = "hooks",
    operation_id = "delete_hook",
    params(
        ("id" = String, Path, description = "The hook's id", example = "pii"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that must be stored"),
    ),
    responses(
        (status = NO_CONTENT, description = "It is gone"),
        (status = "4XX", description = "There is no such hook"),
    ),
)]
pub(crate) async fn delete_hook(
    State(state): State<AppState>,
    request: Request,
) -> Result<StatusCode, Problem> {
    let id = name_of(&request).to_owned();
    job::delete(&state, request, id, hooks::delete).await
}

/// Give a hook another secret
///
/// Its calls carry two signatures until the old secret's time is over, so that the receiver can
/// change over in between. The body may be empty.
#[utoipa::path(
    post,
    path = "/hooks/{id}/rotate-secret",
    tag = "hooks",
    operation_id = "rotate_hook_secret",
    params(
        ("id" = String, Path, description = "The hook's id", example = "pii"),
        ("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed, without the secret, and makes no other one"),
    ),
    request_body = RotateSecret,
    responses((status = OK, description = "The hook and, this once, its new secret", body = NewHook)),
)]
pub(crate) async fn rotate_hook_secret(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let route = "POST /hooks/{id}/rotate-secret";
    let identity = RequestIdentity::read(route, request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run(&state, input, identity, move |services, text, once| {
        let write_reply = |registered: &RegisteredHook| {
            let new_hook = NewHookSecret { registered: registered.clone(), secret: None };
            reply_with_hook(StatusCode::OK, &new_hook).to_stored()
        };
        Ok(reply_with_hook(StatusCode::OK, &hooks::rotate(services, &id, text, once, write_reply)?))
    })
    .await
}

fn respond_with_hook(registered: &RegisteredHook) -> Response {
    respond_json_with_etag(registered.revision(), registered.write(None))
}
