//! Authentication: the key of a request, its scopes and its rate limit.
//!
//! [`check`] puts the [`Principal`] into the request's extensions. A handler gets the services of
//! its tenant through the principal only ([`AppState::services_for`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::access::Access;
use super::console;
use super::document::RouteTable;
use super::problem::{Kind, Problem};
use super::session_cookie::SessionCookie;
use super::state::AppState;
use crate::domain::Principal;
use crate::service::{auth, console_sessions, tickets};

/// The header in which headroom's clients send their key.
const TOKEN_HEADER: &str = "x-headroom-proxy-token";
/// The routes of headroom's wire, which take a key in that header.
const COMPATIBLE: &[&str] = &["/v1/compress", "/v1/retrieve", "/v1/retrieve/{hash}", "/stats"];

/// State of [`check`]: the services that look up keys, and the table of routes.
#[derive(Debug, Clone)]
pub(super) struct KeyCheck {
    pub(super) state: AppState,
    pub(super) routes: RouteTable,
}

/// Notes whether a request of a connection had a caller: a valid key, or any request to a server
/// that needs none. An extension of each request. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct CallerMark(Arc<AtomicBool>);

impl CallerMark {
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Authenticates the caller. Refuses requests without a valid key, without the scopes of the route,
/// or above the key's rate limit.
pub(super) async fn check(
    State(keys): State<KeyCheck>,
    mut request: Request,
    next: Next,
) -> Response {
    // A path that is not served needs no key: its 404 reveals nothing.
    let Some(path) = request.extensions().get::<MatchedPath>() else {
        return next.run(request).await;
    };
    let KeyCheck { state, routes } = keys;
    let access = match find_access(&routes, request.method(), path.as_str()) {
        None | Some(Access::Open) => return next.run(request).await,
        Some(_) if console::opens_record(&request) => return next.run(request).await,
        Some(access) => access,
    };
    let ticket = ticket_of(&request, path.as_str());
    let caller = match ticket {
        Some(ticket) => redeem_ticket(&state, ticket.to_owned()).await,
        None => identify(&state, request.method(), request.headers(), path.as_str()).await,
    };
    let principal = match caller {
        Ok(principal) => principal,
        Err(problem) => return with_hint(problem, request.headers()).into_response(),
    };
    if let Some(mark) = request.extensions().get::<CallerMark>() {
        mark.set();
    }
    if let Err(refusal) = admit(&state, access, &principal) {
        return refusal.into_response();
    }
    let span = tracing::Span::current();
    span.record("tenant", &*principal.tenant);
    span.record("key.id", principal.key.as_deref().unwrap_or_default());
    request.extensions_mut().insert(principal);
    next.run(request).await
}

/// Returns the access of a route; `None` if the path is served with other methods only.
fn find_access(routes: &RouteTable, method: &Method, path: &str) -> Option<Access> {
    routes.contains(method, path).then(|| Access::for_route(method, path))
}

/// Returns the ticket of an event stream, which a request sends instead of a key.
fn ticket_of<'r>(request: &'r Request, path: &str) -> Option<&'r str> {
    let query = request.uri().query().filter(|_| path == "/events")?;
    query.split('&').find_map(|pair| pair.strip_prefix("ticket="))
}

async fn identify(
    state: &AppState,
    method: &Method,
    headers: &HeaderMap,
    path: &str,
) -> Result<Arc<Principal>, Problem> {
    let token = if COMPATIBLE.contains(&path) { read_token(headers)? } else { None };
    let key = match token {
        Some(token) => Some(token),
        None => read_bearer(headers)?,
    };
    if let Some(cookie) = SessionCookie::read(headers).filter(|_| key.is_none())
        && let Some(principal) = find_session(state, cookie).await?
    {
        cookie.check(method, headers)?;
        return Ok(principal);
    }
    identify_key(state, key).await
}

/// Identifies the caller of a request by its key, if it has one.
pub(super) async fn identify_key(
    state: &AppState,
    key: Option<&str>,
) -> Result<Arc<Principal>, Problem> {
    if let Some(cached) = auth::recall(state.shared_services(), key) {
        return Ok(cached?);
    }
    let (services, key) = (state.shared_services().clone(), key.map(str::to_owned));
    let found = state.pool.look(move || auth::identify(&services, key.as_deref())).await?;
    Ok(found?)
}

/// Checks whether callers need a key. If the store is unavailable and no key was ever seen, they
/// need none, because `origin` is stricter about a server without keys.
pub(super) async fn needs_key(state: &AppState) -> Result<bool, Problem> {
    match identify_key(state, None).await {
        Ok(_) => Ok(false),
        Err(problem) if problem.kind == Kind::Unauthenticated => Ok(true),
        Err(problem) => Err(problem),
    }
}

/// Returns who signed in to the console with this cookie; none if the session is over.
async fn find_session(
    state: &AppState,
    cookie: SessionCookie<'_>,
) -> Result<Option<Arc<Principal>>, Problem> {
    let (services, token) = (state.shared_services().clone(), cookie.0.to_owned());
    Ok(state.pool.look(move || console_sessions::find(&services, &token)).await??)
}

/// Returns the owner of a ticket and makes the ticket invalid.
async fn redeem_ticket(state: &AppState, ticket: String) -> Result<Arc<Principal>, Problem> {
    let services = state.shared_services().clone();
    let found = state.pool.look(move || tickets::take(&services, &ticket)).await??;
    found.ok_or_else(|| {
        Problem::with_detail(Kind::Unauthenticated, "the ticket was used, or its time is over")
    })
}

/// Returns the key of the header of headroom's clients, which leaves `authorization` to a provider's.
fn read_token(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut values = headers.get_all(TOKEN_HEADER).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        let is_there = headers.contains_key(TOKEN_HEADER);
        let twice = || Problem::with_detail(Kind::Unauthenticated, "send one key in one header");
        return if is_there { Err(twice()) } else { Ok(None) };
    };
    Ok(Some(value.to_str().unwrap_or_default().trim()))
}

/// Returns the key of the `authorization` header; `None` if there is no header, or one with another
/// scheme.
fn read_bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let malformed =
        || Problem::with_detail(Kind::Unauthenticated, "send `authorization: Bearer <key>`");
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(malformed());
    }
    let text = value.to_str().map_err(|_| malformed())?;
    let Some((scheme, key)) = text.trim().split_once(' ') else { return Ok(Some("")) };
    // Another scheme is meant for another server, for instance a proxy. It is not a key.
    Ok(scheme.eq_ignore_ascii_case("bearer").then(|| key.trim()))
}

/// The header in which the gateway reads a key of this server. Keys of providers stay in their own
/// headers.
pub(super) const GATEWAY_KEY_HEADER: &str = "x-contexture-key";
/// Headers in which providers and gateways take their keys.
const OTHER_KEY_HEADERS: [&str; 3] = ["x-api-key", "api-key", "x-goog-api-key"];

/// Tells a caller whose key is in another place, or without its scheme, where it belongs.
fn with_hint(problem: Problem, headers: &HeaderMap) -> Problem {
    if problem.kind != Kind::Unauthenticated {
        return problem;
    }
    let bare = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let has_scheme = |scheme: &str| {
        let given = bare.and_then(|text| text.trim().split_once(' '));
        given.is_some_and(|(given, _)| given.eq_ignore_ascii_case(scheme))
    };
    let hint = if headers.contains_key(GATEWAY_KEY_HEADER) {
        format!("only the paths of providers (the gateway) read a key from `{GATEWAY_KEY_HEADER}`")
    } else if bare.is_some_and(|text| !text.trim().contains(' ')) {
        "the key has no scheme".to_owned()
    } else if has_scheme("basic") {
        "keys are not read from the scheme `Basic`".to_owned()
    } else if let (None, Some(name)) =
        (bare, OTHER_KEY_HEADERS.into_iter().find(|name| headers.contains_key(*name)))
    {
        format!("keys are not read from `{name}`")
    } else {
        return problem;
    };
    let detail = format!("{hint}: send `authorization: Bearer <key>`");
    Problem::with_detail(Kind::Unauthenticated, detail)
}

/// A caller that is known and may not do what it asks for.
#[derive(Debug)]
pub(super) struct AccessRefusal {
    pub(super) problem: Problem,
    /// The time after which it may, if it is over a limit.
    pub(super) pause: Option<Duration>,
}

/// Checks the scopes and the rate limit of a caller.
pub(super) fn admit(
    state: &AppState,
    access: Access,
    principal: &Principal,
) -> Result<(), AccessRefusal> {
    if !access.admits(principal) {
        return Err(AccessRefusal { problem: missing_scope(access), pause: None });
    }
    auth::admit(state.shared_services(), principal).map_err(|limited| AccessRefusal {
        problem: Problem::with_detail(Kind::RateLimited, limited.to_string()),
        pause: Some(limited.pause),
    })
}

impl IntoResponse for AccessRefusal {
    fn into_response(self) -> Response {
        let mut response = self.problem.into_response();
        if let Some(pause) = self.pause {
            response.headers_mut().insert(header::RETRY_AFTER, retry_after(pause));
        }
        response
    }
}

fn missing_scope(access: Access) -> Problem {
    let scopes = access.scopes().iter().map(|scope| format!("`{}`", scope.as_str()));
    let scopes: Vec<String> = scopes.collect();
    let detail = match access {
        Access::AllOf(_) => format!("the key needs the scopes {}", scopes.join(" and ")),
        _ => format!("the key needs the scope {}", scopes.join(" or ")),
    };
    Problem::with_detail(Kind::Forbidden, detail)
}

/// Returns the value of `retry-after`: the pause in whole seconds, rounded up, at least 1.
pub(super) fn retry_after(pause: Duration) -> HeaderValue {
    u64::try_from(pause.as_millis().div_ceil(1000).max(1)).unwrap_or(u64::MAX).into()
}
