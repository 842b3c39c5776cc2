//! Who asks: the key of a request, what it may do, and how often.
//!
//! A handler gets the [`Principal`] in the request's extensions, and through it the services of
//! its tenant ([`AppState::services_for`]); there is no other way to them.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::access::Access;
use super::document::RouteTable;
use super::problem::{Kind, Problem};
use super::state::AppState;
use crate::domain::Principal;
use crate::service::{auth, tickets};

/// The services that know keys, and the routes that ask for them.
#[derive(Debug, Clone)]
pub(super) struct KeyCheck {
    pub(super) state: AppState,
    pub(super) routes: RouteTable,
}

/// Stands before every handler: nobody passes whose key does not hold what the route asks for.
pub(super) async fn check(
    State(keys): State<KeyCheck>,
    mut request: Request,
    next: Next,
) -> Response {
    // A path that is not served tells nothing, with a key or without.
    let Some(path) = request.extensions().get::<MatchedPath>() else {
        return next.run(request).await;
    };
    let KeyCheck { state, routes } = keys;
    let access = match access(&routes, request.method(), path.as_str()) {
        None | Some(Access::Open) => return next.run(request).await,
        Some(access) => access,
    };
    let ticket = ticket_of(&request, path.as_str());
    let known = match ticket {
        Some(ticket) => holder(&state, ticket.to_owned()).await,
        None => identify(&state, request.headers()).await,
    };
    let principal = match known {
        Ok(principal) => principal,
        Err(problem) => return problem.into_response(),
    };
    if !access.admits(&principal) {
        return lacks(access).into_response();
    }
    if let Err(limited) = auth::admit(state.shared(), &principal) {
        let problem = Problem::with_detail(Kind::RateLimited, limited.to_string());
        return later(problem, limited.pause);
    }
    let span = tracing::Span::current();
    span.record("tenant", &*principal.tenant);
    span.record("key.id", principal.key.as_deref().unwrap_or_default());
    request.extensions_mut().insert(principal);
    next.run(request).await
}

/// What a route asks for; none where the path is served with other methods only.
fn access(routes: &RouteTable, method: &Method, path: &str) -> Option<Access> {
    routes.contains(method, path).then(|| Access::of(method, path))
}

/// The ticket of a stream, in the place of a key.
fn ticket_of<'r>(request: &'r Request, path: &str) -> Option<&'r str> {
    let query = request.uri().query().filter(|_| path == "/events")?;
    query.split('&').find_map(|pair| pair.strip_prefix("ticket="))
}

async fn identify(state: &AppState, headers: &HeaderMap) -> Result<Arc<Principal>, Problem> {
    let given = bearer(headers)?;
    if let Some(known) = auth::recall(state.shared(), given) {
        return Ok(known?);
    }
    let (services, given) = (state.shared().clone(), given.map(str::to_owned));
    let found = state.pool.look(move || auth::identify(&services, given.as_deref())).await?;
    Ok(found?)
}

/// Whether callers need a key. A store that cannot be asked counts as one without keys, because the
/// rules for those are the stricter ones.
pub(super) async fn needs_key(state: &AppState) -> Result<bool, Problem> {
    match identify(state, &HeaderMap::new()).await {
        Ok(_) => Ok(false),
        Err(problem) if problem.kind == Kind::Unauthenticated => Ok(true),
        Err(problem) => Err(problem),
    }
}

/// Whose ticket it is, this once.
async fn holder(state: &AppState, ticket: String) -> Result<Arc<Principal>, Problem> {
    let services = state.shared().clone();
    let found = state.pool.look(move || tickets::take(&services, &ticket)).await??;
    found.ok_or_else(|| {
        Problem::with_detail(Kind::Unauthenticated, "the ticket was used, or its time is over")
    })
}

/// What stands behind `Bearer`; none where nothing is said.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let wrong =
        || Problem::with_detail(Kind::Unauthenticated, "send `authorization: Bearer <key>`");
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = given.next() else { return Ok(None) };
    if given.next().is_some() {
        return Err(wrong());
    }
    let text = value.to_str().map_err(|_| wrong())?;
    let Some((scheme, key)) = text.trim().split_once(' ') else { return Ok(Some("")) };
    // Another scheme is another's: a proxy's, say. Where a key is needed it is none.
    Ok(scheme.eq_ignore_ascii_case("bearer").then(|| key.trim()))
}

fn lacks(access: Access) -> Problem {
    let words = access.scopes().iter().map(|scope| format!("`{}`", scope.as_str()));
    let words: Vec<String> = words.collect();
    let detail = match access {
        Access::AllOf(_) => format!("this needs a key with the scopes {}", words.join(" and ")),
        _ => format!("this needs a key with the scope {}", words.join(" or ")),
    };
    Problem::with_detail(Kind::Forbidden, detail)
}

/// A problem that is over in a while; told in whole seconds, none too few.
fn later(problem: Problem, pause: Duration) -> Response {
    let mut response = problem.into_response();
    let seconds = pause.as_millis().div_ceil(1000).max(1).to_string();
    if let Ok(seconds) = HeaderValue::from_str(&seconds) {
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    response
}
