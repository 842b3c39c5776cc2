//! A text with one value, for schemas that are made by hand.

use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{ObjectBuilder, Type};

/// A text with one value, such as the type of an event. `const` is written by way of the extensions,
/// which utoipa puts next to its own keywords.
pub(crate) fn constant(value: &str) -> ObjectBuilder {
    let keyword = Extensions::from_iter([("const", value)]);
    ObjectBuilder::new().schema_type(Type::String).extensions(Some(keyword))
}
