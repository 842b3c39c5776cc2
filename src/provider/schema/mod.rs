//! Schemas of tools in other forms than the one that readers of JSON Schema expect.

mod draft;
mod open_api;
mod pattern;
mod reference;

pub use draft::{CurrentSchema, as_current_schema};
pub use open_api::as_json_schema;
pub(crate) use open_api::lower_types;
pub(crate) use reference::ReferenceResolver;
