//! Keywords of JSON Schema whose values hold schemas.

use crate::json::{Node, Value};

/// How the value of a keyword holds schemas.
#[derive(Debug, Clone, Copy)]
pub enum InnerSchemas<'n, 'a> {
    /// The value is a schema.
    One,
    List(&'n [Node<'a>]),
    /// An object has schemas by names, which are no keywords.
    Named,
}

/// The schemas in the value of a keyword; `None` if it holds none. Values of `default`, `enum` and the
/// like belong to the caller.
pub fn inner_schemas<'n, 'a>(key: &str, value: &'n Node<'a>) -> Option<InnerSchemas<'n, 'a>> {
    match (key, &value.value) {
        (
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
            Value::Object(_),
        ) => Some(InnerSchemas::Named),
        ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(schemas)) => {
            Some(InnerSchemas::List(schemas))
        }
        (
            "items"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "additionalItems"
            | "propertyNames"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else",
            _,
        ) => Some(InnerSchemas::One),
        _ => None,
    }
}

/// The same as one list, in order; empty if the keyword holds none.
pub fn schemas_in<'n, 'a>(
    key: &str,
    value: &'n Node<'a>,
) -> impl Iterator<Item = &'n Node<'a>> + use<'n, 'a> {
    let (list, named) = match inner_schemas(key, value) {
        Some(InnerSchemas::One) => (std::slice::from_ref(value), None),
        Some(InnerSchemas::List(schemas)) => (schemas, None),
        Some(InnerSchemas::Named) => (&[][..], value.as_object()),
        None => (&[][..], None),
    };
    list.iter().chain(named.into_iter().flatten().map(|(_, schema)| schema))
}
