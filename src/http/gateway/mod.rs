//! The gateway: clients speak to it as to their provider, and it forwards to the provider.
//!
//! It has middleware of its own, since nothing of the API's fits: responses are the provider's, with
//! its headers and errors; there is no limit on bodies and none on the time of a response. It takes
//! the paths that the API does not have and that are a provider's ([`ProviderRoute`]).

mod answer;
mod edit_options;
mod edits;
mod exchange;
mod failure;
mod headers;
mod relay;
mod silence;
mod totals;
mod upload;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use tower::{ServiceBuilder, ServiceExt as _};
use tower_http::catch_panic::CatchPanicLayer;
use tracing::Instrument as _;
use tracing::field::Empty;
use uuid::Uuid;

use self::failure::{ID_HEADER, RelayFailure};
pub use self::totals::{GatewaySums, GatewayTotals};
use super::problem::Problem;
use super::state::AppState;
use super::{cors, layer, origin};
use crate::config::{GatewayConfig, NamedUpstream, ServerConfig};
use crate::domain::{GatewayMode, ToolPattern};
use crate::gateway::{ProviderRoute, Wire};
use crate::service::gateway::GatewayJournal;
use crate::upstream::UpstreamClient;

/// The upstreams of a server and the client that calls them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Gateway {
    upstreams: Arc<[NamedUpstream]>,
    client: UpstreamClient,
    silence: Duration,
    edits: EditSettings,
    totals: GatewayTotals,
    journal: GatewayJournal,
}

/// What the settings say about edits.
#[derive(Debug, Clone)]
struct EditSettings {
    mode: GatewayMode,
    /// Tokens that a request may have in mode `fit`.
    budget: Option<u64>,
    /// Tools whose results stay as they are.
    protected: Arc<[ToolPattern]>,
    /// The time that the edits of a request may take.
    limit: Duration,
}

/// State of the gateway's handler.
#[derive(Debug, Clone)]
struct GatewayState {
    app: AppState,
    gateway: Gateway,
}

/// The gateway's router, if the server has upstreams.
pub(super) type GatewayRouter = Option<Router>;

/// The id of a request through the gateway, and what its path says.
#[derive(Debug, Clone)]
struct RequestLabel {
    id: Arc<str>,
    wire: Wire,
}

impl Gateway {
    /// Returns the gateway of the settings, which notes its requests in `journal`.
    pub fn new(config: &GatewayConfig, client: UpstreamClient, journal: GatewayJournal) -> Self {
        let edits = EditSettings {
            mode: config.gateway_mode,
            budget: config.gateway_budget,
            protected: config.gateway_protect.as_slice().into(),
            limit: config.deadline(),
        };
        Self {
            upstreams: config.upstream.as_slice().into(),
            client,
            silence: config.silence(),
            edits,
            totals: GatewayTotals::default(),
            journal,
        }
    }

    /// What all requests saved.
    pub fn totals(&self) -> GatewayTotals {
        self.totals.clone()
    }

    /// The names of the upstreams, in the order of the settings.
    pub(super) fn upstream_names(&self) -> Arc<[String]> {
        self.upstreams.iter().map(|one| one.name.clone()).collect()
    }

    /// The upstream that a request is for.
    fn upstream(&self, route: &ProviderRoute<'_>) -> Option<&NamedUpstream> {
        let names: Vec<&str> = self.upstreams.iter().map(|one| &*one.name).collect();
        self.upstreams.get(route.choose(&names)?)
    }
}

/// Builds the router of the gateway.
pub(super) fn router(gateway: Gateway, app: &AppState, server: &ServerConfig) -> Router {
    let state = GatewayState { app: app.clone(), gateway };
    let cors = (!server.cors_origin.is_empty()).then(|| cors::allow(&server.cors_origin));
    let layers = ServiceBuilder::new()
        .layer(from_fn_with_state(app.clone(), edge))
        .layer(from_fn(origin::check_host))
        .option_layer(cors)
        .layer(CatchPanicLayer::custom(layer::respond_to_panic))
        .layer(from_fn_with_state(origin::Rules::new(app.clone(), server), origin::check));
    Router::new().fallback(relay::relay).layer(layers).with_state(state)
}

/// Hands requests to the gateway that are for a provider and for no route of the API.
pub(super) async fn divert(
    State(gateway): State<GatewayRouter>,
    request: Request,
    next: Next,
) -> Response {
    let is_of_api = request.extensions().get::<MatchedPath>().is_some();
    match gateway {
        Some(gateway) if !is_of_api && is_of_provider(&request) => {
            // A router never fails.
            gateway.oneshot(request).await.unwrap_or_else(|never| match never {})
        }
        _ => next.run(request).await,
    }
}

fn is_of_provider(request: &Request) -> bool {
    *request.method() != Method::CONNECT && route_of(request).is_some()
}

fn route_of(request: &Request) -> Option<ProviderRoute<'_>> {
    ProviderRoute::of_path(request.uri().path(), wire_of_headers(request.headers()))
}

/// The wire format of paths that several have: that of a header which only one provider's clients send.
fn wire_of_headers(headers: &HeaderMap) -> Wire {
    if headers.contains_key("anthropic-version") {
        Wire::Anthropic
    } else if headers.contains_key("x-goog-api-key") || headers.contains_key("x-goog-api-client") {
        Wire::Gemini
    } else {
        Wire::Openai
    }
}

/// Gives a request its id, logs and counts the response, and writes errors of ours in the format of
/// the provider. Headers of the provider stay as they are.
async fn edge(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id: Arc<str> = format!("cmp_{}_gw", Uuid::now_v7().simple()).into();
    let route = route_of(&request);
    let wire = route.map_or(Wire::Openai, |route| route.wire);
    let endpoint = route.map_or("other", |route| route.endpoint.as_str());
    let method = layer::method_name(&request);
    let label = format!("gateway:{}:{endpoint}", wire.as_str());
    let span = tracing::info_span!(
        "request", request.id = %id, method, route = label, tenant = Empty, key.id = Empty
    );
    request.extensions_mut().insert(RequestLabel { id: Arc::clone(&id), wire });
    let in_flight = layer::InFlightGuard::new(app.metrics.clone());
    let mut response = next.run(request).instrument(span.clone()).await;
    in_flight.finish();

    let _entered = span.entered();
    let mut problem = "";
    if let Some(found) = response.extensions_mut().remove::<Problem>() {
        problem = found.kind.code();
        let mut written = RelayFailure::from(found).respond(wire, &id);
        if let Some(retry_after) = response.headers().get(axum::http::header::RETRY_AFTER) {
            let name = axum::http::header::RETRY_AFTER;
            written.headers_mut().insert(name, retry_after.clone());
        }
        response = written;
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(ID_HEADER, value);
    }
    let (status, took) = (response.status(), started.elapsed());
    app.metrics.record_response(method, &label, status.as_u16(), took);
    layer::log(status, took.as_secs_f64() * 1000.0, Some(problem));
    response
}
