//! `/keys` and `/usage`: API keys, and what was used with them.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::body::{self, RequestInput};
use super::idempotency::{self, Reply, RequestIdentity};
use super::job::visit;
use super::problem::{Kind, Problem};
use super::query::{Query, decode_cursor, encode_cursor, invalid_cursor, name_of};
use super::response::respond_with;
use super::schema::{
    ChangeKey, CreateKey, Key, KeyList, NewKey, QuotaRow, UsageDurations, UsageList, UsageRow,
};
use super::state::AppState;
use crate::domain::{self, Day, Scope};
use crate::service::keys::{self, CreatedKey};
use crate::service::usage::{self, UsageCursor, UsageFilter, UsageScope};

/// Make a key
///
/// Its text is in the answer, and nowhere else: of a key the server keeps a hash. From the first
/// key on every caller needs one. A key holds no scope that its maker's lacks.
#[utoipa::path(
    post,
    path = "/keys",
    tag = "keys",
    operation_id = "create_key",
    params(("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed, without the key's text, and makes no other key")),
    request_body = CreateKey,
    responses((status = CREATED, description = "The key and, this once, its text", body = NewKey)),
)]
pub(super) async fn create_key(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let identity = RequestIdentity::read("POST /keys", request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run(&state, input, identity, |services, text, once| {
        let write_reply = |key: &domain::Key| reply_with_key(key, None).to_stored();
        let CreatedKey { key, text } = keys::create(services, text, once, write_reply)?;
        Ok(reply_with_key(&key, Some(text.reveal())))
    })
    .await
}

fn reply_with_key(key: &domain::Key, text: Option<&str>) -> Reply {
    let new_key = NewKey { shown: Key::from(key), key: text.map(str::to_owned) };
    Reply::new(StatusCode::CREATED, &new_key)
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
    let query = Query::parse(request.uri(), &["tenant", "limit", "cursor"])?;
    let limit = query.limit()?;
    let after = query.cursor()?;
    let input = for_named_tenant(RequestInput::without_body(&state, &request)?, &query)?;
    let list =
        visit(&state, input, move |services, _| keys::list(services, after.as_deref(), limit));
    let page = list.await?;
    let items = page.rows.iter().map(Key::from).collect();
    let next_cursor = page.next.map(|id| encode_cursor(&id));
    Ok(respond_with(&KeyList { items, next_cursor }))
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
    let input = body::read(&state, request).await?;
    let update = visit(&state, input, move |services, text| keys::update(services, &id, text));
    let key = update.await?.ok_or_else(key_not_found)?;
    Ok(respond_with(&Key::from(&key)))
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
    let input = RequestInput::without_body(&state, &request)?;
    let delete = visit(&state, input, move |services, _| keys::delete(services, &id));
    if delete.await? { Ok(StatusCode::NO_CONTENT) } else { Err(key_not_found()) }
}

/// Read what was used
///
/// Compiles and compressions, with their tokens and costs, by day, key and model; with
/// `by=session` or `session_id` those of sessions, by session, day, key and model; with `by=hour` by
/// hour, key and model, for the last 31 days. Compiles with `dry_run=true` are not counted. Counts are
/// written every few seconds; the last ones are lost where the process is killed.
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
        ("by" = Option<String>, Query, description = "`session`: a row for each session, day, key and model; `hour`: a row for each hour, key and model"),
        ("session_id" = Option<String>, Query, description = "One session's rows"),
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
    let parameters =
        ["from", "to", "key", "model", "by", "session_id", "tenant", "limit", "cursor"];
    let query = Query::parse(request.uri(), &parameters)?;
    let limit = query.limit()?;
    let by_hour = query.choice("by", &[("session", false), ("hour", true)])?;
    let session = query.get("session_id").map(str::to_owned);
    let scope = match (by_hour, session) {
        (Some(true), None) => UsageScope::Hours,
        (Some(true), Some(_)) => {
            let detail = "usage of a session is not kept by hour: leave `by` or `session_id` out";
            return Err(Problem::invalid("", detail));
        }
        (None, None) => UsageScope::Tenant,
        (_, session) => UsageScope::Sessions(session),
    };
    let after = query.get("cursor").map(|text| parse_cursor(text, &scope)).transpose()?;
    let filter = UsageFilter {
        from: parse_day(&query, "from")?,
        to: parse_day(&query, "to")?,
        key: query.get("key").map(str::to_owned),
        model: query.get("model").map(str::to_owned),
    };
    let input = for_named_tenant(RequestInput::without_body(&state, &request)?, &query)?;
    let tenant = input.services.caller().tenant.clone();
    // One row more than the page needs, which shows whether there is a next page.
    let list = visit(&state, input, move |services, _| {
        let rows = usage::list(services, &scope, &filter, after.as_ref(), limit + 1)?;
        let is_part = filter.key.is_some()
            || filter.model.is_some()
            || matches!(scope, UsageScope::Sessions(_));
        let durations =
            if is_part { None } else { usage::durations(services, filter.from, filter.to)? };
        Ok((rows, usage::quotas(services)?, durations))
    });
    let (mut rows, quotas, durations) = list.await?;
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next_cursor = rows.last().filter(|_| has_more).map(write_cursor);
    let items = rows.into_iter().map(|row| UsageRow::new(&tenant, row)).collect();
    let quotas = quotas.into_iter().map(QuotaRow::from).collect();
    let durations = durations.map(UsageDurations::from);
    Ok(respond_with(&UsageList { items, next_cursor, quotas, durations }))
}

/// Switches to the tenant that the query names, if the caller may read other tenants.
fn for_named_tenant(input: RequestInput, query: &Query) -> Result<RequestInput, Problem> {
    let caller = input.services.caller();
    let Some(tenant) = query.get("tenant").filter(|tenant| **tenant != *caller.tenant) else {
        return Ok(input);
    };
    if !caller.has_any(&[Scope::Operator]) {
        let detail = "another tenant's need a key with the scope `operator`";
        return Err(Problem::with_detail(Kind::Forbidden, detail));
    }
    let services = input.services.for_tenant(&tenant.into());
    Ok(RequestInput { services, ..input })
}

fn parse_day(query: &Query, name: &str) -> Result<Option<Day>, Problem> {
    let Some(text) = query.get(name) else { return Ok(None) };
    Day::parse(text).map(Some).ok_or_else(|| {
        Problem::invalid("", format!("the parameter `{name}` must be a day like 2026-12-31"))
    })
}

/// The cursor after a row: its day, key and model, after its session in a list of sessions, and
/// after its hour in a list by hour.
fn write_cursor(row: &usage::UsageRow) -> String {
    let session = row.session.as_deref().map(|id| format!("{}.", encode_cursor(id)));
    let hour = row.hour.map(|hour| format!("{hour}."));
    let first = session.or(hour).unwrap_or_default();
    format!("{first}{}.{}.{}", row.day, row.key, row.model)
}

fn parse_cursor(text: &str, scope: &UsageScope) -> Result<UsageCursor, Problem> {
    let is_plain = matches!(scope, UsageScope::Tenant);
    let (first, text) = match text.split_once('.').filter(|_| !is_plain) {
        Some((first, rest)) => (Some(first), rest),
        None => (None, text),
    };
    let (mut session, mut hour) = (None, None);
    match (scope, first) {
        (UsageScope::Sessions(_), Some(first)) => {
            session = Some(decode_cursor(first).ok_or_else(invalid_cursor)?);
        }
        (UsageScope::Hours, Some(first)) => {
            hour = Some(first.parse().map_err(|_| invalid_cursor())?);
        }
        _ => {}
    }
    let mut parts = text.splitn(3, '.');
    let mut part = || parts.next();
    if let (Some(day), Some(key), Some(model)) = (part().and_then(Day::parse), part(), part()) {
        let (key, model) = (key.to_owned(), model.to_owned());
        return Ok(UsageCursor { session, day, hour, key, model });
    }
    Err(invalid_cursor())
}

fn key_not_found() -> Problem {
    Problem::with_detail(Kind::NotFound, "there is no key of this id")
}
