//! `/keys` and `/usage`: who may do what, and who used how much.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::answer::written;
use super::body::{self, Received};
use super::idempotency::{self, Named, Reply};
use super::job::visit;
use super::problem::{Kind, Problem};
use super::query::{Query, encode_cursor, name_of, no_cursor};
use super::schema::{ChangeKey, CreateKey, Key, KeyList, NewKey, UsageList, UsageRow};
use super::state::AppState;
use crate::domain::{self, Day, Scope};
use crate::service::keys::{self, CreatedKey};
use crate::service::usage::{self, UsageCursor, UsageFilter};

/// Make a key
///
/// Its text is in the answer, and nowhere else: of a key the server keeps a hash. From the first
/// key on every caller needs one. A key holds no scope that its maker's lacks.
#[utoipa::path(
    post,
    path = "/keys",
    tag = "keys",
    operation_id = "create_key",
    params(("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the request is answered again, without the key's text, and makes no other key")),
    request_body = CreateKey,
    responses((status = CREATED, description = "The key and, this once, its text", body = NewKey)),
)]
pub(super) async fn create_key(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let named = Named::of("POST /keys", request.headers(), request.uri())?;
    let received = body::read(&state, request).await?;
    idempotency::run(&state, received, named, |services, text, once| {
        let tell = |key: &domain::Key| created(key, None).tell();
        let CreatedKey { key, text } = keys::create(services, text, once, tell)?;
        Ok(created(&key, Some(text.reveal())))
    })
    .await
}

fn created(key: &domain::Key, text: Option<&str>) -> Reply {
    let made = NewKey { shown: Key::from(key), key: text.map(str::to_owned) };
    Reply::new(StatusCode::CREATED, &made)
}

/// List the keys
///
/// Of your tenant, in the order of their ids; those that were revoked are not among them.
#[utoipa::path(
    get,
    path = "/keys",
    tag = "keys",
    operation_id = "list_keys",
    params(
        ("tenant" = Option<String>, Query, description = "Another tenant's; needs the scope `operator`"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the answer before"),
    ),
    responses((status = OK, description = "Some of them, and where the list goes on", body = KeyList)),
)]
pub(super) async fn list_keys(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::of(request.uri(), &["tenant", "limit", "cursor"])?;
    let limit = query.limit()?;
    let after = query.cursor()?;
    let received = of_tenant(Received::nothing(&state, &request)?, &query)?;
    let list =
        visit(&state, received, move |services, _| keys::list(services, after.as_deref(), limit));
    let (keys, next) = list.await?;
    let items = keys.iter().map(Key::from).collect();
    let next_cursor = next.map(|id| encode_cursor(&id));
    Ok(written(&KeyList { items, next_cursor }))
}

/// Change a key
///
/// What is absent stays as it is; null takes it away. Heeded everywhere within five seconds.
#[utoipa::path(
    patch,
    path = "/keys/{id}",
    tag = "keys",
    operation_id = "update_key",
    params(("id" = String, Path, description = "The key's id", example = "f3Zk09mQv7LcX2aT")),
    request_body = ChangeKey,
    responses((status = OK, description = "The key as it is now", body = Key)),
)]
pub(super) async fn update_key(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let id = name_of(&request).to_owned();
    let received = body::read(&state, request).await?;
    let update = visit(&state, received, move |services, text| keys::update(services, &id, text));
    let key = update.await?.ok_or_else(unknown)?;
    Ok(written(&Key::from(&key)))
}

/// Revoke a key
///
/// It is dead at once here, and within five seconds everywhere.
#[utoipa::path(
    delete,
    path = "/keys/{id}",
    tag = "keys",
    operation_id = "delete_key",
    params(("id" = String, Path, description = "The key's id", example = "f3Zk09mQv7LcX2aT")),
    responses(
        (status = NO_CONTENT, description = "It is revoked"),
        (status = "4XX", description = "There is no such key"),
    ),
)]
pub(super) async fn delete_key(
    State(state): State<AppState>,
    request: Request,
) -> Result<StatusCode, Problem> {
    let id = name_of(&request).to_owned();
    let received = Received::nothing(&state, &request)?;
    let delete = visit(&state, received, move |services, _| keys::delete(services, &id));
    if delete.await? { Ok(StatusCode::NO_CONTENT) } else { Err(unknown()) }
}

/// Read what was used
///
/// Compiles and compressions, with their tokens, by day, key and model. Counts are written every
/// few seconds; the last ones are lost where the process is killed.
#[utoipa::path(
    get,
    path = "/usage",
    tag = "keys",
    operation_id = "list_usage",
    params(
        ("from" = Option<String>, Query, description = "First day, such as `2026-12-31`; days are those of UTC"),
        ("to" = Option<String>, Query, description = "Last day"),
        ("key" = Option<String>, Query, description = "One key's; empty for callers without one"),
        ("model" = Option<String>, Query, description = "One model's; empty for requests that named none"),
        ("tenant" = Option<String>, Query, description = "Another tenant's; needs the scope `operator`"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the answer before"),
    ),
    responses((status = OK, description = "Some rows, and where the list goes on", body = UsageList)),
)]
pub(super) async fn list_usage(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let known = ["from", "to", "key", "model", "tenant", "limit", "cursor"];
    let query = Query::of(request.uri(), &known)?;
    let limit = query.limit()?;
    let after = query.get("cursor").map(cursor).transpose()?;
    let filter = UsageFilter {
        from: day(&query, "from")?,
        to: day(&query, "to")?,
        key: query.get("key").map(str::to_owned),
        model: query.get("model").map(str::to_owned),
    };
    let received = of_tenant(Received::nothing(&state, &request)?, &query)?;
    let tenant = received.services.caller().tenant.clone();
    // One more than is shown tells whether there is more.
    let list = visit(&state, received, move |services, _| {
        Ok(usage::list(services, &filter, after.as_ref(), limit + 1)?)
    });
    let mut rows = list.await?;
    let goes_on = rows.len() > limit;
    rows.truncate(limit);
    let next_cursor =
        rows.last().filter(|_| goes_on).map(|row| format!("{}.{}.{}", row.day, row.key, row.model));
    let items = rows.into_iter().map(|row| UsageRow::of(&tenant, row)).collect();
    Ok(written(&UsageList { items, next_cursor }))
}

/// For another tenant, where the query names one and the caller may ask for it.
fn of_tenant(received: Received, query: &Query) -> Result<Received, Problem> {
    let caller = received.services.caller();
    let Some(tenant) = query.get("tenant").filter(|tenant| **tenant != *caller.tenant) else {
        return Ok(received);
    };
    if !caller.has_any(&[Scope::Operator]) {
        let detail = "another tenant's need a key with the scope `operator`";
        return Err(Problem::with_detail(Kind::Forbidden, detail));
    }
    let services = received.services.for_tenant(&tenant.into());
    Ok(Received { services, ..received })
}

fn day(query: &Query, name: &str) -> Result<Option<Day>, Problem> {
    let Some(text) = query.get(name) else { return Ok(None) };
    Day::parse(text).map(Some).ok_or_else(|| {
        Problem::invalid("", format!("the parameter `{name}` must be a day like 2026-12-31"))
    })
}

fn cursor(text: &str) -> Result<UsageCursor, Problem> {
    let mut parts = text.splitn(3, '.');
    let mut part = || parts.next();
    if let (Some(day), Some(key), Some(model)) = (part().and_then(Day::parse), part(), part()) {
        return Ok(UsageCursor { day, key: key.to_owned(), model: model.to_owned() });
    }
    Err(no_cursor())
}

fn unknown() -> Problem {
    Problem::with_detail(Kind::NotFound, "there is no key of this id")
}
