//! Whether a schema can be used at all: its types are known, and what it refers to is there.

use std::collections::BTreeMap;

use serde_json::Value;

use super::value::{MAX_QUOTE_BYTES, quote};
use crate::json::cut;

/// Words of `type`.
pub(super) const TYPE_NAMES: [&str; 7] =
    ["null", "boolean", "object", "array", "number", "string", "integer"];
/// Keywords whose value is a schema, or a list of them.
const SCHEMA_KEYWORDS: [&str; 14] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value holds schemas by name.
const SCHEMA_MAP_KEYWORDS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// An error if it cannot be used.
pub(super) fn check(schema: &Value) -> Result<(), String> {
    let anchors = anchors(schema);
    let mut result = Ok(());
    each(schema, &mut |one| {
        if result.is_ok() {
            result = check_one(schema, &anchors, one);
        }
    });
    result
}

fn check_one(root: &Value, anchors: &BTreeMap<&str, &Value>, one: &Value) -> Result<(), String> {
    let Some(members) = one.as_object() else {
        return if one.is_boolean() { Ok(()) } else { Err(format!("{} is no schema", quote(one))) };
    };
    let kinds = match members.get("type") {
        Some(Value::Array(kinds)) => kinds.as_slice(),
        Some(kind) => std::slice::from_ref(kind),
        None => &[],
    };
    if let Some(odd) =
        kinds.iter().find(|kind| !kind.as_str().is_some_and(|k| TYPE_NAMES.contains(&k)))
    {
        return Err(format!("there is no type {}", quote(odd)));
    }
    for key in ["$ref", "$dynamicRef"] {
        if let Some(target) = members.get(key).and_then(Value::as_str)
            && resolve(root, anchors, target).is_none()
        {
            let target = cut(target, MAX_QUOTE_BYTES);
            return Err(format!("it refers to `{target}`, which is not in it"));
        }
    }
    Ok(())
}

/// The schemas that are called by a name of their own.
pub(super) fn anchors(root: &Value) -> BTreeMap<&str, &Value> {
    let mut found = Vec::new();
    each(root, &mut |one| found.push(one));
    let named = found.into_iter().flat_map(|one| {
        let name = |key: &str| one.get(key).and_then(Value::as_str);
        [name("$anchor"), name("$dynamicAnchor")].into_iter().flatten().map(move |name| (name, one))
    });
    named.collect()
}

/// Resolves a reference.
pub(super) fn resolve<'s>(
    root: &'s Value,
    anchors: &BTreeMap<&str, &'s Value>,
    target: &str,
) -> Option<&'s Value> {
    let own = root.get("$id").and_then(Value::as_str).filter(|id| !id.is_empty());
    let target = own.and_then(|id| target.strip_prefix(id)).unwrap_or(target);
    let behind = if target.is_empty() { "" } else { target.strip_prefix('#')? };
    match behind {
        "" => Some(root),
        pointer if pointer.starts_with('/') => {
            root.pointer(&pointer.replace("%25", "%").replace("%22", "\""))
        }
        name => anchors.get(name).copied(),
    }
}

/// Goes through a schema and all schemas in it. Their depth is that of the JSON text, which was
/// bounded when it was read.
fn each<'s>(schema: &'s Value, visit: &mut impl FnMut(&'s Value)) {
    visit(schema);
    for (key, member) in schema.as_object().into_iter().flatten() {
        if SCHEMA_KEYWORDS.contains(&key.as_str()) {
            match member {
                Value::Array(list) => list.iter().for_each(|one| each(one, visit)),
                one => each(one, visit),
            }
        } else if SCHEMA_MAP_KEYWORDS.contains(&key.as_str()) {
            member.as_object().into_iter().flatten().for_each(|(_, one)| each(one, visit));
        }
    }
}
