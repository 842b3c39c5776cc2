//! Relays one request to its upstream and the response back, both as they flow.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, Version, header};
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;

use super::answer::{self, AnswerCount, ObservedAnswer};
use super::edits::{Editor, OutgoingRequest};
use super::exchange::OpenExchange;
use super::failure::RelayFailure;
use super::headers;
use super::silence::{LastActivity, SilenceLimit};
use super::{GatewayState, RequestLabel, route_of};
use crate::config::{NamedUpstream, UpstreamUrl};
use crate::domain::Principal;
use crate::gateway::SessionName;
use crate::http::access;
use crate::http::auth::{self, CallerMark, GATEWAY_KEY_HEADER};
use crate::http::problem::{Kind, Problem};
use crate::http::state::AppState;
use crate::service::gateway::{EditSkip, EditedRequest, GatewayExchange, session_id};
use crate::upstream::{RelayedRequestBody, UpstreamClient};

/// The header with the reason why texts stayed as they came.
const SKIPPED_HEADER: &str = "x-contexture-skipped";
/// The header by which a client names a session, and of a response the id of the session.
const SESSION_HEADER: &str = "x-contexture-session";
/// The header with the session of Claude Code.
const CLAUDE_CODE_SESSION_HEADER: &str = "x-claude-code-session-id";
/// The header with the tokens that the request has less than it came with.
const SAVED_HEADER: &str = "x-contexture-saved-tokens";
/// The header with the tokens of the blocks of mode `session`.
const ADDED_HEADER: &str = "x-contexture-added-tokens";
/// The header with the tokens that mode `compress` would have saved of the newest texts.
const OBSERVED_HEADER: &str = "x-contexture-observed-tokens";

/// Responds to a request with the response of its upstream.
pub(super) async fn relay(State(state): State<GatewayState>, mut request: Request) -> Response {
    let Some(label) = request.extensions().get::<RequestLabel>().cloned() else {
        return Problem::new(Kind::Internal).into_response();
    };
    let key = own_key(request.headers());
    let mark = request.extensions().get::<CallerMark>().cloned();
    let caller = match identify(&state.app, key, mark).await {
        Ok(caller) => caller,
        Err(refusal) => return refusal,
    };
    let span = tracing::Span::current();
    span.record("tenant", &*caller.tenant);
    span.record("key.id", caller.key.as_deref().unwrap_or_default());
    request.extensions_mut().insert(caller);
    match forward(&state, request, &label.id).await {
        Ok(response) => response,
        Err(failure) => failure.respond(label.wire, &label.id),
    }
}

/// Returns the key in the gateway's own header.
fn own_key(headers: &HeaderMap) -> Option<String> {
    let mut keys = headers.get_all(GATEWAY_KEY_HEADER).iter();
    match (keys.next(), keys.next()) {
        (None, _) => None,
        (Some(key), None) => Some(key.to_str().unwrap_or_default().trim().to_owned()),
        // Which of the two was meant cannot be known.
        (Some(_), Some(_)) => Some(String::new()),
    }
}

/// Returns the session that the headers of a request name.
fn session_name(headers: &HeaderMap) -> Option<SessionName> {
    let value = |name| headers.get(name).map(HeaderValue::as_bytes);
    SessionName::of_headers(value(SESSION_HEADER), value(CLAUDE_CODE_SESSION_HEADER))
}

/// Identifies the caller, and checks its scopes and its rate limit.
async fn identify(
    app: &AppState,
    key: Option<String>,
    mark: Option<CallerMark>,
) -> Result<Arc<Principal>, Response> {
    let caller = auth::identify_key(app, key.as_deref()).await;
    let caller = caller.map_err(|problem| problem.into_response())?;
    if let Some(mark) = mark {
        mark.set();
    }
    auth::admit(app, access::GATEWAY, &caller).map_err(|refusal| refusal.into_response())?;
    Ok(caller)
}

async fn forward(
    state: &GatewayState,
    request: Request,
    id: &Arc<str>,
) -> Result<Response, RelayFailure> {
    let started = Instant::now();
    let no_route = || RelayFailure::from(Problem::new(Kind::NotFound));
    let route = route_of(&request).ok_or_else(no_route)?;
    let upstream = state.gateway.upstream(&route);
    let upstream = upstream.ok_or_else(|| RelayFailure::no_upstream(route.upstream, route.wire))?;
    if route.leaves_folder() {
        let detail = "the path must not contain `..`";
        return Err(RelayFailure::new(StatusCode::BAD_REQUEST, "invalid_request", detail));
    }
    if is_web_socket(request.headers()) {
        return Err(RelayFailure::upgrade());
    }
    let uri = upstream_uri(&upstream.url, route.path, request.uri().query())?;
    let editor = Editor {
        state,
        id: Arc::clone(id),
        services: state.app.services_for(&request)?,
        upstream: &upstream.name,
        endpoint: route.endpoint,
        wire: route.wire,
        session: session_name(request.headers()),
    };
    let is_for_model = editor.is_for_model(&request);
    let OutgoingRequest { mut request, edited, mode, guards } = editor.edit(request).await?;
    let EditedRequest { skipped, savings, is_compacted, model, sent, session, .. } = edited;
    let counted_tokens = edited.counted_tokens;
    let named = || session_id(&editor.services, editor.upstream, editor.session.as_ref());
    let session = session.or_else(named);
    if is_for_model {
        state.gateway.totals.count_request(savings);
        answer::keep_readable_codings(request.headers_mut());
    }
    let reason = skipped.map_or("", EditSkip::as_str);
    let metrics = &state.app.metrics;
    metrics.record_gateway(editor.wire.as_str(), mode.as_str(), reason, savings.tokens);
    let gateway = &state.gateway;
    let call = UpstreamCall { upstream, client: &gateway.client, silence: gateway.silence };
    let mut response = if is_for_model {
        let exchange = GatewayExchange {
            id: Arc::clone(id),
            wire: editor.wire,
            endpoint: editor.endpoint,
            upstream: upstream.name.as_str().into(),
            mode,
            session: session.clone(),
            model: model.map(Arc::from),
            savings,
            counted_tokens,
            is_compacted,
            skipped,
            sent,
        };
        let services = editor.services.without_memory();
        let journal = gateway.journal.clone();
        let open = OpenExchange { journal, services, exchange, guards, started };
        send_noted(state, &call, uri, request, open).await?
    } else {
        call.send(uri, request).await?
    };
    let headers = response.headers_mut();
    if let Some(reason) = skipped {
        headers.insert(SKIPPED_HEADER, HeaderValue::from_static(reason.as_str()));
    }
    let session = session.filter(|_| is_for_model);
    if let Some(Ok(session)) = session.map(|id| HeaderValue::from_str(&id)) {
        headers.insert(SESSION_HEADER, session);
    }
    for (name, tokens) in [
        (SAVED_HEADER, savings.tokens),
        (OBSERVED_HEADER, savings.observed_tokens),
        (ADDED_HEADER, savings.added_tokens),
    ] {
        if tokens > 0 {
            headers.insert(name, HeaderValue::from(tokens));
        }
    }
    Ok(response)
}

/// Sends a request for a model, unless a guard denies it, and notes it once it has ended.
async fn send_noted(
    state: &GatewayState,
    call: &UpstreamCall<'_>,
    uri: Uri,
    request: Request,
    mut open: OpenExchange,
) -> Result<Response, RelayFailure> {
    let response = match open.guards.refusal.take() {
        Some(refusal) => Err(RelayFailure::from(Problem::from(refusal))),
        None => call.send(uri, request).await,
    };
    let response = match response {
        Ok(response) => response,
        Err(failure) => {
            open.end(failure.status.as_u16(), Some(failure.code), None);
            return Err(failure);
        }
    };
    let status = response.status();
    if !status.is_success() {
        open.end(status.as_u16(), None, None);
        return Ok(response);
    }
    let count = AnswerCount {
        reader: answer::usage_reader(response.headers()),
        metrics: state.app.metrics.clone(),
        totals: state.gateway.totals.clone(),
        status: status.as_u16(),
        open,
    };
    Ok(response.map(|body| Body::new(ObservedAnswer::new(body, count))))
}

/// Whether a request is to become a `WebSocket`. Offers of HTTP/2, as Java's client makes them, are passed
/// over: the request is complete without it (RFC 9110 §7.8).
fn is_web_socket(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::UPGRADE).iter();
    let protocols = values.filter_map(|value| value.to_str().ok()).flat_map(|it| it.split(','));
    protocols.map(str::trim).any(|protocol| protocol.eq_ignore_ascii_case("websocket"))
}

/// A call of an upstream.
struct UpstreamCall<'c> {
    upstream: &'c NamedUpstream,
    client: &'c UpstreamClient,
    silence: Duration,
}

impl UpstreamCall<'_> {
    /// Sends a request and returns the response, whose body follows as it comes.
    async fn send(&self, uri: Uri, request: Request) -> Result<Response, RelayFailure> {
        let activity = LastActivity::new();
        let (mut parts, body) = request.into_parts();
        parts.uri = uri;
        parts.version = Version::HTTP_11;
        // What was noted for this server is not for the client.
        parts.extensions.clear();
        headers::strip_request(&mut parts.headers);
        let body = activity.observe(body).map_err(|error| error.into_inner());
        let request = Request::from_parts(parts, RelayedRequestBody::new(body));
        let response = tokio::select! {
            response = self.client.send(request) => response,
            () = activity.silence(self.silence) => {
                tracing::info!(
                    upstream = %self.upstream.name,
                    "the upstream sent nothing for --upstream-silence-seconds; its response was \
                     given up"
                );
                return Err(RelayFailure::silent());
            }
        };
        let response = response.inspect_err(|failure| {
            tracing::info!(
                upstream = %self.upstream.name,
                %failure,
                "the request to an upstream failed"
            );
        })?;
        let (mut parts, body) = response.into_parts();
        headers::strip_response(&mut parts.headers);
        parts.version = Version::HTTP_11;
        Ok(Response::from_parts(parts, Body::new(SilenceLimit::new(body, self.silence))))
    }
}

/// Appends a path to the address of an upstream. Nothing of a request can change the host.
fn upstream_uri(url: &UpstreamUrl, path: &str, query: Option<&str>) -> Result<Uri, RelayFailure> {
    // Base URLs are often given with the version, which paths have too.
    let folder = ["/v1", "/v1beta"]
        .into_iter()
        .filter(|version| path.strip_prefix(version).is_some_and(|rest| rest.starts_with('/')))
        .find_map(|version| url.path.strip_suffix(version))
        .unwrap_or(&url.path);
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let wrong = || {
        RelayFailure::new(StatusCode::BAD_REQUEST, "invalid_request", "a path that cannot be sent")
    };
    let path: PathAndQuery = format!("{folder}{path}{query}").parse().map_err(|_| wrong())?;
    Uri::builder()
        .scheme(url.scheme.clone())
        .authority(url.authority.clone())
        .path_and_query(path)
        .build()
        .map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_appended_to_the_address_and_its_version_is_not_doubled() {
        let uri = |url: &str, path, query| {
            upstream_uri(&url.parse().unwrap(), path, query).unwrap().to_string()
        };
        for (url, path, query, wanted) in [
            ("https://a", "/v1/messages", Some("beta=true"), "https://a/v1/messages?beta=true"),
            ("https://a/api", "/v1/models", None, "https://a/api/v1/models"),
            ("https://a/v1", "/v1/models", None, "https://a/v1/models"),
            ("https://a/x/v1/", "/v1/models", None, "https://a/x/v1/models"),
            ("https://a/v1", "/v1x", None, "https://a/v1/v1x"),
            ("https://a", "//b.example/x", Some(""), "https://a//b.example/x?"),
            ("https://a", "/@b.example:1/%2e", None, "https://a/@b.example:1/%2e"),
        ] {
            assert_eq!(uri(url, path, query), wanted);
        }
    }
}
