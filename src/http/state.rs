//! State that all handlers share.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::Request;
use axum::http::Method;
use tokio_util::sync::CancellationToken;

use super::problem::{Kind, Problem};
use super::stream_places::StreamPlaces;
use crate::config::{LimitsConfig, Setting};
use crate::domain::Principal;
use crate::limit::Allowance;
use crate::service::pool::Pool;
use crate::service::{MemoryPermit, RequestMemory, Services};
use crate::telemetry::Metrics;

/// State of one server that all handlers share. Each layer of middleware clones it several times a
/// request, so a clone is one more reference.
#[derive(Debug, Clone)]
pub struct AppState(Arc<ServerState>);

/// What [`AppState`] refers to.
#[derive(Debug, Clone)]
pub struct ServerState {
    services: Services,
    pub(super) pool: Pool,
    pub(super) metrics: Metrics,
    pub(super) memory: RequestMemory,
    pub(super) max_decoded_bytes: usize,
    pub(super) streams: StreamPlaces,
    /// The names of the gateway's upstreams.
    pub(super) upstreams: Arc<[String]>,
    /// What the server was started with.
    pub(super) settings: Arc<[Setting]>,
    ready: Arc<AtomicBool>,
    stopping: CancellationToken,
}

/// The number of services like this one that a request has passed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hops(pub(super) u8);

impl Deref for AppState {
    type Target = ServerState;

    fn deref(&self) -> &ServerState {
        &self.0
    }
}

impl AppState {
    pub fn new(services: Services, pool: Pool, metrics: Metrics, limits: &LimitsConfig) -> Self {
        // As much as a body may have, because a text is in memory about three times at once: on its
        // own, in its message and in the response.
        let allowance = Allowance::new(limits.max_decoded_bytes);
        Self(Arc::new(ServerState {
            services: services.allowing(&allowance),
            pool,
            metrics,
            memory: RequestMemory::default(),
            max_decoded_bytes: limits.max_decoded_bytes,
            streams: StreamPlaces::default(),
            upstreams: Arc::default(),
            settings: Arc::default(),
            ready: Arc::default(),
            stopping: CancellationToken::new(),
        }))
    }

    /// Sets what the server was started with.
    #[must_use]
    pub fn started_with(mut self, settings: Vec<Setting>) -> Self {
        Arc::make_mut(&mut self.0).settings = settings.into();
        self
    }

    /// Sets the names of the gateway's upstreams.
    #[must_use]
    pub(super) fn naming_upstreams(mut self, names: Arc<[String]>) -> Self {
        Arc::make_mut(&mut self.0).upstreams = names;
        self
    }

    /// Returns the services for the caller of a request. Handlers have no other way to the services
    /// of a tenant.
    pub(super) fn services_for(&self, request: &Request) -> Result<Services, Problem> {
        let extensions = request.extensions();
        let caller = extensions.get::<Arc<Principal>>();
        let caller = caller.ok_or_else(|| {
            tracing::error!("a route without a key requested the data of a caller; this is a bug");
            Problem::new(Kind::Internal)
        })?;
        let hops = extensions.get::<Hops>().map_or(0, |hops| hops.0);
        let permit = extensions.get::<MemoryPermit>().cloned();
        let permit = permit.unwrap_or_else(|| self.memory.permit(caller));
        let services = self.services.for_caller(caller).through(hops).reserving(permit);
        let frees_room = request.method() == Method::DELETE;
        Ok(if frees_room { services.freeing_room() } else { services })
    }

    /// Returns services without a caller: for authentication, and for data that all tenants share.
    pub(super) fn shared_services(&self) -> &Services {
        &self.services
    }

    /// Checks whether the server takes new work: from when it listens until it begins to stop.
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }

    pub fn set_ready(&self, ready: bool) {
        self.ready.store(ready, Ordering::Relaxed);
    }

    /// Returns a token that is cancelled when the server begins to stop. It ends work that has no
    /// end of its own, such as streams.
    pub fn stopping(&self) -> CancellationToken {
        self.stopping.clone()
    }
}
