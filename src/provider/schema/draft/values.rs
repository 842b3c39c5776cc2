//! Values of keywords in the form of the present draft.

use std::collections::HashSet;

use super::NewValue;
use crate::json::{self, Limits, Node, Value, write_string};

/// Whether `items` is a list, as it was for tuples.
pub(super) fn has_tuple(schema: &Node<'_>) -> bool {
    schema.get("items").is_some_and(|items| items.as_array().is_some())
}

/// The keyword that a value has in the present draft.
pub(super) fn place_of(schema: &Node<'_>, key: &'static str) -> &'static str {
    match key {
        "items" if has_tuple(schema) => "prefixItems",
        "additionalItems" => "items",
        other => other,
    }
}

/// The names in `required`, if properties say by themselves that they are required, as in draft 3.
pub(super) fn lifted_names<'n>(schema: &'n Node<'_>) -> Vec<&'n str> {
    let properties = schema.get("properties").and_then(Node::as_object);
    let says = |property: &Node<'_>| property.get("required").and_then(Node::as_bool) == Some(true);
    let mut found: Vec<&str> = properties
        .into_iter()
        .flatten()
        .filter(|(_, property)| says(property))
        .map(|(name, _)| &**name)
        .collect();
    if !found.is_empty() {
        let given = schema.get("required").and_then(Node::as_array).unwrap_or_default();
        let mut seen = HashSet::new();
        let all: Vec<&str> = given.iter().filter_map(Node::as_str).chain(found).collect();
        found = all.into_iter().filter(|name| seen.insert(*name)).collect();
    }
    found
}

/// The word of the present draft for a type: its own in small letters, or that of a programming
/// language.
pub(super) fn type_name(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "string" | "str" => "string",
        "number" | "float" | "double" => "number",
        "integer" | "int" => "integer",
        "boolean" | "bool" => "boolean",
        "array" | "list" => "array",
        "object" | "dict" => "object",
        "null" => "null",
        _ => return None,
    })
}

pub(super) fn kind(value: &Node<'_>) -> NewValue {
    let words = value.as_array().unwrap_or(std::slice::from_ref(value));
    let mut kinds: Vec<&'static str> = Vec::new();
    let mut is_same = !words.is_empty();
    for word in words {
        let word = word.as_str().unwrap_or_default();
        // A type that is not known may be any.
        let Some(kind) = type_name(word) else { return NewValue::Gone };
        is_same &= kind == word && !kinds.contains(&kind);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    match (is_same, value.as_array(), kinds.as_slice()) {
        (true, ..) => NewValue::Same,
        (_, _, []) => NewValue::Gone,
        (_, None, [kind]) => NewValue::Text(format!("\"{kind}\"")),
        _ => NewValue::Text(names_text(kinds.into_iter())),
    }
}

/// The type of all arguments: providers take objects alone.
pub(super) fn top_type(value: &Node<'_>) -> NewValue {
    match value.as_str() {
        Some("object") => NewValue::Same,
        _ => NewValue::Text("\"object\"".to_owned()),
    }
}

/// The number that a value is, or that its text has.
fn number_of<'v>(value: &'v Node<'_>) -> Option<&'v str> {
    match &value.value {
        Value::Number(text) => Some(text),
        Value::String(text) => {
            let node = json::parse(text.trim(), Limits::default()).ok()?;
            matches!(node.value, Value::Number(_)).then(|| text.trim())
        }
        _ => None,
    }
}

pub(super) fn number(value: &Node<'_>, is_positive: bool) -> NewValue {
    let found = number_of(value)
        .filter(|text| !is_positive || text.parse().is_ok_and(|number: f64| number > 0.0));
    as_number(value, found)
}

pub(super) fn size(value: &Node<'_>) -> NewValue {
    let is_size =
        |text: &&str| text.parse().is_ok_and(|number: f64| number >= 0.0 && number.fract() == 0.0);
    as_number(value, number_of(value).filter(is_size))
}

fn as_number(value: &Node<'_>, found: Option<&str>) -> NewValue {
    match found {
        Some(_) if matches!(value.value, Value::Number(_)) => NewValue::Same,
        Some(text) => NewValue::Text(text.to_owned()),
        None => NewValue::Gone,
    }
}

/// `minimum` or `maximum`: draft 4 said next to it whether the bound itself is out.
pub(super) fn bound(schema: &Node<'_>, key: &str, value: &Node<'_>) -> NewValue {
    let beside = if key == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" };
    if schema.get(beside).and_then(Node::as_bool) == Some(true) {
        return NewValue::Gone;
    }
    number(value, false)
}

pub(super) fn exclusive_bound(schema: &Node<'_>, key: &str, value: &Node<'_>) -> NewValue {
    let beside = if key == "exclusiveMinimum" { "minimum" } else { "maximum" };
    match value.as_bool() {
        Some(true) => {
            let bound = schema.get(beside).and_then(number_of);
            bound.map_or(NewValue::Gone, |text| NewValue::Text(text.to_owned()))
        }
        Some(false) => NewValue::Gone,
        None => number(value, false),
    }
}

/// A list of different names. A lone name is a list of one.
pub(super) fn names(value: &Node<'_>) -> NewValue {
    let Some(items) = value.as_array() else {
        let name = value.as_str();
        return name.map_or(NewValue::Gone, |name| NewValue::Text(names_text([name].into_iter())));
    };
    let mut seen = HashSet::new();
    let names: Vec<&str> =
        items.iter().filter_map(Node::as_str).filter(|name| seen.insert(*name)).collect();
    if names.len() == items.len() {
        return NewValue::Same;
    }
    NewValue::Text(names_text(names.into_iter()))
}

pub(super) fn names_text<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.map(string_text).collect();
    format!("[{}]", names.join(","))
}

pub(super) fn string_text(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}
