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
const ADMIN: Access = Access::AnyOf(&[Scope::Admin]);

/// All routes: method, path as in the OpenAPI description, and access.
pub const ROUTES: &[(&str, &str, Access)] = &[
    ("POST", "/compile", COMPILE),
    ("POST", "/tokens", EITHER),
    ("GET", "/compilations", COMPILE),
    ("GET", "/compilations/{id}", COMPILE),
    ("POST", "/compilations/diff", COMPILE),
    ("POST", "/compilations/{id}/replay", COMPILE),
    ("POST", "/compress", COMPRESS),
    ("POST", "/expand", EITHER),
    ("POST", "/artifacts", COMPRESS),
    ("GET", "/artifacts/{id}", EITHER),
    ("DELETE", "/artifacts/{id}", COMPRESS),
    ("POST", "/artifacts/cleanup", COMPRESS),
    ("GET", "/adapters", ADAPTERS_READ),
    ("GET", "/adapters/{name}", ADAPTERS_READ),
    ("PUT", "/adapters/{name}", ADAPTERS_WRITE),
    ("DELETE", "/adapters/{name}", ADAPTERS_WRITE),
    ("POST", "/adapters/{name}/test", ADAPTERS_READ),
    ("POST", "/memory", MEMORY_WRITE),
    ("GET", "/memory", MEMORY_READ),
    ("PUT", "/memory/{key}", MEMORY_WRITE),
    ("GET", "/memory/{key}", MEMORY_READ),
    ("PATCH", "/memory/{key}", MEMORY_WRITE),
    ("DELETE", "/memory/{key}", MEMORY_WRITE),
    ("GET", "/memory/{key}/versions", MEMORY_READ),
    ("POST", "/memory/{key}/restore", MEMORY_WRITE),
    ("POST", "/memory/{key}/retract", MEMORY_WRITE),
    ("POST", "/memory/{key}/promote", MEMORY_WRITE),
    ("POST", "/memory/import", MEMORY_WRITE),
    ("POST", "/memory/recall", MEMORY_READ),
    ("POST", "/memory-candidates", MEMORY_WRITE),
    ("GET", "/memory-candidates", MEMORY_READ),
    ("GET", "/memory-candidates/{id}", MEMORY_READ),
    ("DELETE", "/memory-candidates/{id}", MEMORY_WRITE),
    ("POST", "/memory-candidates/{id}/review", MEMORY_WRITE),
    ("POST", "/memory-candidates/{id}/promote", MEMORY_WRITE),
    ("GET", "/memory-candidates/events", MEMORY_READ),
    ("POST", "/sessions", SESSIONS_WRITE),
    ("GET", "/sessions", SESSIONS_READ),
    ("GET", "/sessions/{id}", SESSIONS_READ),
    ("PATCH", "/sessions/{id}", SESSIONS_WRITE),
    ("DELETE", "/sessions/{id}", SESSIONS_WRITE),
    ("POST", "/sessions/{id}/turns", TURN),
    ("POST", "/sessions/{id}/usage", COMPILE_OR_SESSIONS),
    ("POST", "/packs", PACKS_WRITE),
    ("GET", "/packs", PACKS_READ),
    ("POST", "/packs/lint", PACKS_READ),
    ("POST", "/packs/diff", PACKS_READ),
    ("GET", "/packs/{id}", PACKS_READ),
    ("GET", "/packs/{id}/{version}", PACKS_READ),
    ("PUT", "/packs/{id}/{version}/golden", PACKS_WRITE),
    ("GET", "/packs/{id}/{version}/golden", PACKS_READ),
    ("POST", "/packs/{id}/{version}/golden/run", PACKS_READ),
    ("POST", "/policy/evaluate", PACKS_READ),
    ("POST", "/sessions/{id}/delegations", COMPILE_OR_SESSIONS),
    ("POST", "/sessions/{id}/switch", SESSIONS_WRITE),
    ("POST", "/sessions/{id}/fork", SESSIONS_WRITE),
    ("POST", "/sessions/{id}/restore", SESSIONS_WRITE),
    ("POST", "/sessions/{id}/snapshots", SESSIONS_WRITE),
    ("GET", "/sessions/{id}/snapshots", SESSIONS_READ),
    ("GET", "/snapshots/{id}", SESSIONS_READ),
    ("POST", "/tools/calls", TOOLS),
    ("POST", "/tools/results", TOOLS),
    ("POST", "/mcp", MCP),
    ("POST", "/hooks", HOOKS_WRITE),
    ("GET", "/hooks", HOOKS_READ),
    ("GET", "/hooks/{id}", HOOKS_READ),
    ("PUT", "/hooks/{id}", HOOKS_WRITE),
    ("PATCH", "/hooks/{id}", HOOKS_WRITE),
    ("DELETE", "/hooks/{id}", HOOKS_WRITE),
    ("POST", "/hooks/{id}/rotate-secret", HOOKS_WRITE),
    ("POST", "/hooks/test", HOOKS_WRITE),
    ("POST", "/hooks/{id}/test", HOOKS_WRITE),
    ("GET", "/hooks/{id}/deliveries", HOOKS_READ),
    ("POST", "/deliveries/{id}/retry", HOOKS_WRITE),
    ("GET", "/hook-points", HOOKS_READ),
    ("GET", "/hook-order", HOOKS_READ),
    ("PUT", "/hook-order", HOOKS_WRITE),
    ("GET", "/skills", SKILLS_READ),
    ("GET", "/skills/{name}", SKILLS_READ),
    ("PUT", "/skills/{name}", ADMIN),
    ("DELETE", "/skills/{name}", ADMIN),
    ("POST", "/skills/{name}/render", SKILLS_READ),
    ("POST", "/v1/compress", COMPRESS),
    ("GET", "/v1/retrieve/{hash}", EITHER),
    ("POST", "/v1/retrieve", EITHER),
    ("GET", "/health", Access::Open),
    ("GET", "/events", EVENTS),
    ("POST", "/events/ticket", EVENTS),
    ("GET", "/keys", ADMIN),
    ("POST", "/keys", ADMIN),
    ("PATCH", "/keys/{id}", ADMIN),
    ("DELETE", "/keys/{id}", ADMIN),
    ("GET", "/usage", ADMIN),
    ("GET", "/models", EITHER),
    ("GET", "/metrics", METRICS),
    ("GET", "/healthz", Access::Open),
    ("GET", "/readyz", Access::Open),
    ("GET", "/openapi.json", Access::Open),
    ("GET", "/docs", Access::Open),
    ("GET", "/docs/", Access::Open),
    ("GET", "/docs/{file}", Access::Open),
    ("GET", "/problems", Access::Open),
    ("GET", "/problems/{code}", Access::Open),
    ("GET", "/", Access::Open),
    ("GET", "/console/{file}", Access::Open),
];

impl Access {
    /// Returns the access of a route; `admin` if the table has no row for it.
    pub(super) fn for_route(method: &Method, path: &str) -> Self {
        // A route for GET also serves HEAD.
        let method = if method == Method::HEAD { "GET" } else { method.as_str() };
        let row = ROUTES.iter().find(|row| row.0 == method && row.1 == path);
        row.map_or(ADMIN, |row| row.2)
    }

    /// Checks whether a caller may use the route.
    pub(super) fn admits(self, caller: &Principal) -> bool {
        match self {
            Self::Open => true,
            Self::AnyOf(scopes) => caller.has_any(scopes),
            Self::AllOf(scopes) => scopes.iter().all(|scope| caller.has_any(&[*scope])),
        }
    }

    /// Returns the scopes that the route requires.
    pub(super) fn scopes(self) -> &'static [Scope] {
        match self {
            Self::Open => &[],
            Self::AnyOf(scopes) | Self::AllOf(scopes) => scopes,
        }
    }
}
