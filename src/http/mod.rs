//! The HTTP API: routes, handlers, limits and error responses, without business logic.
//!
//! `router` lists every route. A handler reads its body (`body`), calls one use case and returns
//! the result (`response`); errors become a `problem`. The middleware in `layer` wraps every
//! handler.

mod access;
mod adapters;
mod arrival;
mod artifacts;
mod auth;
mod body;
mod candidates;
mod chunked_json;
mod compat;
mod compilations;
mod compile;
mod compress;
mod compressed_file;
mod console;
mod cors;
mod document;
mod enum_values;
mod events;
mod fallback;
mod gateway;
mod guide;
mod hooks;
mod idempotency;
mod inventory;
mod job;
mod keys;
mod layer;
mod mcp;
mod memory;
mod operations;
mod origin;
mod packs;
mod pages;
pub mod problem;
mod query;
mod range;
mod response;
mod response_memory;
mod router;
pub mod schema;
mod session_cookie;
mod sessions;
mod settings;
mod skills;
mod state;
mod stream_places;
mod tools;
mod zstd_window;

pub use access::{Access, ROUTES, RouteAccess, is_open};
pub use auth::CallerMark;
pub use document::portable_yaml;
pub use enum_values::{ENUM_MEMBERS, ENUM_PARAMETERS, EnumMember, EnumParameter};
pub use gateway::{Gateway, GatewaySums, GatewayTotals};
pub use operations::{is_about_health, too_many_connections};
pub use pages::section as problem_page;
pub use router::{openapi, router};
pub use state::AppState;
