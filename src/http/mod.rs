//! The HTTP face: shapes in, shapes out, and nothing that decides.
//!
//! `router` is the table of contents. A handler reads its body (`body`), calls one use case and
//! answers; what fails is a `problem`. `layer` stands around all of them.

mod adapters;
mod artifacts;
mod body;
mod candidates;
mod compile;
mod compress;
mod events;
mod layer;
mod memory;
mod metrics;
mod operations;
mod pages;
pub mod problem;
mod query;
mod range;
mod router;
pub mod schema;
mod state;
mod tools;
mod window;

pub use metrics::Metrics;
pub use pages::section as problem_page;
pub use router::{openapi, router};
pub use state::AppState;
