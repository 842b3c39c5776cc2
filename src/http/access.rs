//! The scopes that each route requires.
//!
//! Every route has a row in [`ROUTES`]. A route without a row requires `admin` and fails a test.

use axum::http::Method;

use crate::domain::{Principal, Scope};

/// The scopes that a key needs for a route, if callers need a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// No key is needed: the response contains no data of a tenant.
    Open,
    /// Any key, whatever its scopes.
    AnyCaller,
    /// A key with at least one of these scopes.
    AnyOf(&'static [Scope]),
    /// A key with all of these scopes.
    AllOf(&'static [Scope]),
}

const COMPILE: Access = Access::AnyOf(&[Scope::Compile]);
const COMPRESS: Access = Access::AnyOf(&[Scope::Compress]);
const EITHER: Access = Access::AnyOf(&[Scope::Compile, Scope::Compress]);
const ADAPTERS_READ: Access = Access::AnyOf(&[Scope::AdaptersRead, Scope::AdaptersWrite]);
const ADAPTERS_WRITE: Access = Access::AnyOf(&[Scope::AdaptersWrite]);
const MEMORY_READ: Access = Access::AnyOf(&[Scope::MemoryRead, Scope::MemoryWrite]);
const MEMORY_WRITE: Access = Access::AnyOf(&[Scope::MemoryWrite]);
const SESSIONS_READ: Access = Access::AnyOf(&[Scope::SessionsRead, Scope::SessionsWrite]);
const SESSIONS_WRITE: Access = Access::AnyOf(&[Scope::SessionsWrite]);
/// A turn compiles and writes to the session, so it needs both scopes.
const TURN: Access = Access::AllOf(&[Scope::Compile, Scope::SessionsWrite]);
const COMPILE_OR_SESSIONS: Access = Access::AnyOf(&[Scope::Compile, Scope::SessionsWrite]);
const PACKS_READ: Access = Access::AnyOf(&[Scope::PacksRead, Scope::PacksWrite]);
const PACKS_WRITE: Access = Access::AnyOf(&[Scope::PacksWrite]);
/// Scopes for reading skills. Writing them needs `admin`, because a skill's instructions are part
/// of every prompt that uses it.
const SKILLS_READ: Access = Access::AnyOf(&[Scope::Compile, Scope::Tools]);
/// One of these scopes opens `/mcp`. Each of its tools then requires its own scope.
const MCP: Access = Access::AnyOf(&[
    Scope::Compile,
    Scope::Compress,
    Scope::MemoryRead,
    Scope::MemoryWrite,
    Scope::Tools,
]);
const TOOLS: Access = Access::AnyOf(&[Scope::Tools]);
const HOOKS_READ: Access = Access::AnyOf(&[Scope::HooksRead, Scope::HooksWrite]);
const HOOKS_WRITE: Access = Access::AnyOf(&[Scope::HooksWrite]);
const EVENTS: Access = Access::AnyOf(&[Scope::EventsRead]);
const METRICS: Access = Access::AnyOf(&[Scope::MetricsRead]);
/// Requests to providers through the gateway.
pub(super) const GATEWAY: Access = COMPRESS;
const ADMIN: Access = Access::AnyOf(&[Scope::Admin]);
const OPERATOR: Access = Access::AnyOf(&[Scope::Operator]);

/// A route, and who may use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteAccess {
    pub method: &'static str,
    /// As in the OpenAPI description.
    pub path: &'static str,
    pub access: Access,
}

const fn route(method: &'static str, path: &'static str, access: Access) -> RouteAccess {
    RouteAccess { method, path, access }
}

/// All routes.
pub const ROUTES: &[RouteAccess] = &[
    route("POST", "/compile", COMPILE),
    route("POST", "/tokens", EITHER),
    route("GET", "/compilations", COMPILE),
    route("GET", "/compilations/{id}", COMPILE),
    route("POST", "/compilations/diff", COMPILE),
    route("POST", "/compilations/{id}/replay", COMPILE),
    route("POST", "/compress", COMPRESS),
    route("POST", "/expand", EITHER),
    route("POST", "/artifacts", COMPRESS),
    route("GET", "/artifacts/{id}", EITHER),
    route("DELETE", "/artifacts/{id}", COMPRESS),
    route("POST", "/artifacts/cleanup", COMPRESS),
    route("GET", "/adapters", ADAPTERS_READ),
    route("GET", "/adapters/{name}", ADAPTERS_READ),
    route("PUT", "/adapters/{name}", ADAPTERS_WRITE),
    route("DELETE", "/adapters/{name}", ADAPTERS_WRITE),
    route("POST", "/adapters/{name}/test", ADAPTERS_READ),
    route("POST", "/memory", MEMORY_WRITE),
    route("GET", "/memory", MEMORY_READ),
    route("PUT", "/memory/{key}", MEMORY_WRITE),
    route("GET", "/memory/{key}", MEMORY_READ),
    route("PATCH", "/memory/{key}", MEMORY_WRITE),
    route("DELETE", "/memory/{key}", MEMORY_WRITE),
    route("GET", "/memory/{key}/versions", MEMORY_READ),
    route("POST", "/memory/{key}/restore", MEMORY_WRITE),
    route("POST", "/memory/{key}/retract", MEMORY_WRITE),
    route("POST", "/memory/{key}/promote", MEMORY_WRITE),
    route("POST", "/memory/import", MEMORY_WRITE),
    route("POST", "/memory/recall", MEMORY_READ),
    route("POST", "/memory-candidates", MEMORY_WRITE),
    route("GET", "/memory-candidates", MEMORY_READ),
    route("GET", "/memory-candidates/{id}", MEMORY_READ),
    route("DELETE", "/memory-candidates/{id}", MEMORY_WRITE),
    route("POST", "/memory-candidates/{id}/review", MEMORY_WRITE),
    route("POST", "/memory-candidates/{id}/promote", MEMORY_WRITE),
    route("GET", "/memory-candidates/events", MEMORY_READ),
    route("POST", "/sessions", SESSIONS_WRITE),
    route("GET", "/sessions", SESSIONS_READ),
    route("GET", "/sessions/{id}", SESSIONS_READ),
    route("PATCH", "/sessions/{id}", SESSIONS_WRITE),
    route("DELETE", "/sessions/{id}", SESSIONS_WRITE),
    route("POST", "/sessions/{id}/turns", TURN),
    route("GET", "/sessions/{id}/timeline", SESSIONS_READ),
    route("GET", "/inventory", SESSIONS_READ),
    route("POST", "/sessions/{id}/usage", COMPILE_OR_SESSIONS),
    route("POST", "/packs", PACKS_WRITE),
    route("GET", "/packs", PACKS_READ),
    route("POST", "/packs/lint", PACKS_READ),
    route("POST", "/packs/diff", PACKS_READ),
    route("GET", "/packs/{id}", PACKS_READ),
    route("GET", "/packs/{id}/{version}", PACKS_READ),
    route("PUT", "/packs/{id}/{version}/golden", PACKS_WRITE),
    route("GET", "/packs/{id}/{version}/golden", PACKS_READ),
    route("POST", "/packs/{id}/{version}/golden/run", PACKS_READ),
    route("POST", "/policy/evaluate", PACKS_READ),
    route("POST", "/sessions/{id}/delegations", COMPILE_OR_SESSIONS),
    route("POST", "/sessions/{id}/switch", SESSIONS_WRITE),
    route("POST", "/sessions/{id}/fork", SESSIONS_WRITE),
    route("POST", "/sessions/{id}/restore", SESSIONS_WRITE),
    route("POST", "/sessions/{id}/snapshots", SESSIONS_WRITE),
    route("GET", "/sessions/{id}/snapshots", SESSIONS_READ),
    route("GET", "/snapshots/{id}", SESSIONS_READ),
    route("POST", "/tools/calls", TOOLS),
    route("POST", "/tools/results", TOOLS),
    route("POST", "/mcp", MCP),
    route("POST", "/hooks", HOOKS_WRITE),
    route("GET", "/hooks", HOOKS_READ),
    route("GET", "/hooks/{id}", HOOKS_READ),
    route("PUT", "/hooks/{id}", HOOKS_WRITE),
    route("PATCH", "/hooks/{id}", HOOKS_WRITE),
    route("DELETE", "/hooks/{id}", HOOKS_WRITE),
    route("POST", "/hooks/{id}/diff", HOOKS_WRITE),
    route("POST", "/hooks/{id}/rotate-secret", HOOKS_WRITE),
    route("POST", "/hooks/test", HOOKS_WRITE),
    route("POST", "/hooks/{id}/test", HOOKS_WRITE),
    route("GET", "/hooks/{id}/deliveries", HOOKS_READ),
    route("POST", "/deliveries/{id}/retry", HOOKS_WRITE),
    route("GET", "/hook-points", HOOKS_READ),
    route("GET", "/hook-order", HOOKS_READ),
    route("PUT", "/hook-order", HOOKS_WRITE),
    route("GET", "/skills", SKILLS_READ),
    route("GET", "/skills/{name}", SKILLS_READ),
    route("PUT", "/skills/{name}", ADMIN),
    route("DELETE", "/skills/{name}", ADMIN),
    route("POST", "/skills/{name}/render", SKILLS_READ),
    route("POST", "/v1/compress", COMPRESS),
    route("GET", "/v1/retrieve/{hash}", EITHER),
    route("POST", "/v1/retrieve", EITHER),
    route("GET", "/health", Access::Open),
    route("GET", "/stats", COMPRESS),
    route("GET", "/events", EVENTS),
    route("POST", "/events/ticket", EVENTS),
    route("GET", "/keys", ADMIN),
    route("POST", "/keys", ADMIN),
    route("PATCH", "/keys/{id}", ADMIN),
    route("DELETE", "/keys/{id}", ADMIN),
    route("GET", "/usage", ADMIN),
    route("GET", "/settings", OPERATOR),
    route("GET", "/models", EITHER),
    route("GET", "/metrics", METRICS),
    route("GET", "/healthz", Access::Open),
    route("GET", "/readyz", Access::Open),
    route("GET", "/openapi.json", Access::Open),
    route("GET", "/docs", Access::Open),
    route("GET", "/docs/", Access::Open),
    route("GET", "/docs/{file}", Access::Open),
    route("GET", "/docs/guide", Access::Open),
    route("GET", "/docs/guide/", Access::Open),
    route("GET", "/docs/guide/{file}", Access::Open),
    route("GET", "/problems", Access::Open),
    route("GET", "/problems/{code}", Access::Open),
    route("GET", "/", Access::Open),
    route("GET", "/console/{file}", Access::Open),
    route("POST", "/console/session", Access::AnyCaller),
    route("GET", "/console/session", Access::AnyCaller),
    route("DELETE", "/console/session", Access::AnyCaller),
];

/// Checks whether a path is one that needs no key.
pub fn is_open(path: &str) -> bool {
    // A route of exactly this path serves it, not one with a parameter.
    let exact = ROUTES.iter().find(|row| row.path == path);
    let serves = |row: &RouteAccess| row.access == Access::Open && is_served_by(row.path, path);
    exact.map_or_else(|| ROUTES.iter().any(serves), |row| row.access == Access::Open)
}

/// Whether a path has the form of a route, whose last segment may be a parameter.
fn is_served_by(route: &str, path: &str) -> bool {
    match route.split_once('{') {
        None => route == path,
        Some((head, _)) => path.strip_prefix(head).is_some_and(|rest| !rest.contains('/')),
    }
}

impl Access {
    /// Returns the access of a route; `admin` if the table has no row for it.
    pub(super) fn for_route(method: &Method, path: &str) -> Self {
        // A route for GET also serves HEAD.
        let method = if method == Method::HEAD { "GET" } else { method.as_str() };
        let row = ROUTES.iter().find(|row| row.method == method && row.path == path);
        row.map_or(ADMIN, |row| row.access)
    }

    /// Checks whether a caller may use the route.
    pub(super) fn admits(self, caller: &Principal) -> bool {
        match self {
            Self::Open | Self::AnyCaller => true,
            Self::AnyOf(scopes) => caller.has_any(scopes),
            Self::AllOf(scopes) => scopes.iter().all(|scope| caller.has_any(&[*scope])),
        }
    }

    /// Returns the scopes that the route requires.
    pub(super) fn scopes(self) -> &'static [Scope] {
        match self {
            Self::Open | Self::AnyCaller => &[],
            Self::AnyOf(scopes) | Self::AllOf(scopes) => scopes,
        }
    }
}
