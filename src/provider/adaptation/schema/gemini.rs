//! Schemas that Gemini refuses as `parametersJsonSchema`, which takes a part of JSON Schema: see
//! `responseJsonSchema` in <https://ai.google.dev/api/generate-content#generationconfig>.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::editor::{SchemaEdit, SchemaEditor, list_text};
use super::references;
use crate::json::{self, Node, Object, ObjectText, Value};
use crate::provider::schema::ReferenceResolver;
use crate::provider::writer::is_gemini_schema;

/// Definitions among which cycles are looked for.
const MAX_DEFINITIONS: usize = 256;

/// Leaves out what a condition says by requiring properties that it does not define: without them, it would
/// be met by everything, so that `not` would refuse every value and `then` would always hold.
pub(super) fn without_unknown_conditions(node: &Node<'_>) -> Option<String> {
    let mut member = |schema: &Node<'_>, key: &str, value: &Node<'_>| {
        let condition = match key {
            "not" | "if" => Some(value),
            "then" | "else" => schema.get("if"),
            _ => None,
        };
        if condition.is_some_and(requires_unknown) { SchemaEdit::Remove } else { SchemaEdit::Keep }
    };
    if !node.raw.contains("\"required\"") {
        return None;
    }
    SchemaEditor::of_members(&mut member).edited(node)
}

/// Whether a schema, or one in it, requires a property that it does not define.
fn requires_unknown(schema: &Node<'_>) -> bool {
    let properties = schema.get("properties").and_then(Node::as_object);
    let properties: HashSet<&str> =
        properties.into_iter().flatten().map(|(name, _)| &**name).collect();
    let required = schema.get("required").and_then(Node::as_array).unwrap_or_default();
    required.iter().filter_map(Node::as_str).any(|name| !properties.contains(name))
        || schema
            .as_object()
            .into_iter()
            .flatten()
            .flat_map(|(key, value)| json::schemas_in(key, value))
            .any(requires_unknown)
}

/// Takes names off `required` that no property has.
pub(super) fn with_known_required(node: &Node<'_>) -> Option<String> {
    let mut member = |schema: &Node<'_>, key: &str, value: &Node<'_>| {
        let Some(names) = value.as_array().filter(|_| key == "required") else {
            return SchemaEdit::Keep;
        };
        let properties = schema.get("properties").and_then(Node::as_object);
        let properties: HashSet<&str> =
            properties.into_iter().flatten().map(|(name, _)| &**name).collect();
        only(names, |name| properties.contains(name))
    };
    SchemaEditor::of_members(&mut member).edited(node)
}

/// The names that stay in a list of required ones.
fn only(names: &[Node<'_>], stays: impl Fn(&str) -> bool) -> SchemaEdit {
    let all: Vec<&str> = names.iter().filter_map(Node::as_str).collect();
    let left: Vec<&str> = all.iter().copied().filter(|name| stays(name)).collect();
    if left.len() == all.len() {
        SchemaEdit::Keep
    } else if left.is_empty() {
        SchemaEdit::Remove
    } else {
        SchemaEdit::Replace(list_text(left.into_iter()))
    }
}

/// The arguments are an object, which a reference at the top does not say: what it leads to is put in
/// its place. A chain of references ends with the first.
pub(super) fn without_top_reference(node: &Node<'_>) -> Option<String> {
    let reference = node.get("$ref")?.as_str().unwrap_or_default();
    let found = ReferenceResolver::new(node).find(reference);
    let found = found.and_then(Node::as_object).filter(|_| reference != "#");
    let others = || found.into_iter().flatten().filter(|(key, _)| key != "$ref");
    let mut out = ObjectText::default();
    for (key, value) in node.as_object()?.iter().filter(|(key, _)| key != "$ref") {
        let other = others().find(|(own, _)| own == key).map(|(_, other)| other);
        match (&**key, value.as_object(), other.and_then(Node::as_object)) {
            ("properties", Some(own), Some(other)) => {
                let mut both = ObjectText::default();
                for (name, schema) in own {
                    both.member(name, schema.raw);
                }
                let is_new = |name: &str| value.get(name).is_none();
                for (name, schema) in other.iter().filter(|(name, _)| is_new(name)) {
                    both.member(name, schema.raw);
                }
                out.member(key, &both.finish());
            }
            _ => out.member(key, value.raw),
        }
    }
    for (key, value) in others().filter(|(key, _)| node.get(key).is_none()) {
        out.member(key, value.raw);
    }
    Some(out.finish())
}

/// Definitions are in `$defs` there, and a reference leads to one or to the whole schema.
pub(super) fn with_definitions(node: &Node<'_>) -> Option<String> {
    let is_plain = |reference: &str| {
        reference.strip_prefix("#/$defs/").is_some_and(|name| !name.contains('/'))
    };
    let text = references::with_definitions(node, is_plain)?;
    let whole = json::parse(&text, json::Limits::default()).ok()?;
    let unused = json::without_members(&whole, |name, _| name == "definitions");
    Some(unused.unwrap_or_else(|| text.clone()))
}

/// "If a schema node has $ref set, then only description and default can be set alongside it": an
/// answer of `generateContent`, <https://github.com/anomalyco/opencode/issues/12295>.
pub(super) fn with_lone_references(node: &Node<'_>) -> Option<String> {
    let mut member = |schema: &Node<'_>, key: &str, _: &Node<'_>| {
        let stays = key.starts_with('$') || matches!(key, "description" | "default");
        let is_beside = !stays && schema.get("$ref").is_some();
        if is_beside { SchemaEdit::Remove } else { SchemaEdit::Keep }
    };
    if !node.raw.contains("\"$ref\"") {
        return None;
    }
    SchemaEditor::of_members(&mut member).edited(node)
}

/// Enums have strings and numbers there, and no empty string.
pub(super) fn with_plain_enums(node: &Node<'_>) -> Option<String> {
    if is_gemini_schema(node.raw) {
        return None;
    }
    let is_plain = |value: &&Node<'_>| match &value.value {
        Value::String(text) => !text.is_empty(),
        Value::Number(_) => true,
        _ => false,
    };
    let mut member = |_: &Node<'_>, key: &str, value: &Node<'_>| {
        let Some(values) = value.as_array().filter(|_| key == "enum") else {
            return SchemaEdit::Keep;
        };
        let plain: Vec<&str> = values.iter().filter(is_plain).map(|value| value.raw).collect();
        if plain.len() == values.len() {
            SchemaEdit::Keep
        } else if plain.is_empty() {
            SchemaEdit::Remove
        } else {
            SchemaEdit::Replace(format!("[{}]", plain.join(",")))
        }
    };
    SchemaEditor::of_members(&mut member).edited(node)
}

/// "Cyclic references are unrolled to a limited degree and, as such, may only be used within
/// non-required properties."
pub(super) fn without_required_cycles(node: &Node<'_>) -> Option<String> {
    let needs = NeededDefinitions::find(node)?;
    let leading = needs.leading_to(WHOLE);
    let mut member = |schema: &Node<'_>, key: &str, value: &Node<'_>| {
        let is_root = std::ptr::eq(schema.raw.as_ptr(), node.raw.as_ptr());
        match (key, value.as_object()) {
            ("$defs", Some(definitions)) if is_root => needs.without_cycles(definitions),
            ("required", _) => without_those(schema, value, &leading),
            _ => SchemaEdit::Keep,
        }
    };
    SchemaEditor::of_members(&mut member).edited(node)
}

/// The name of the whole schema among the definitions.
const WHOLE: &str = "";

/// By the name of each definition, the definitions that need it in each of their values.
struct NeededDefinitions(BTreeMap<String, Vec<String>>);

impl NeededDefinitions {
    /// None if there are no references, or too many definitions.
    fn find(root: &Node<'_>) -> Option<Self> {
        let definitions = || root.get("$defs").and_then(Node::as_object).into_iter().flatten();
        if !root.raw.contains("\"$ref\"") || definitions().count() > MAX_DEFINITIONS {
            return None;
        }
        let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let named = definitions().map(|(name, schema)| (&**name, schema));
        for (name, schema) in named.chain([(WHOLE, root)]) {
            for needed in needed_by(schema) {
                users.entry(needed).or_default().push(name.to_owned());
            }
        }
        Some(Self(users))
    }

    /// The definition itself, and those that need it.
    fn leading_to<'d>(&'d self, end: &'d str) -> BTreeSet<&'d str> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![end];
        while let Some(name) = waiting.pop() {
            if found.insert(name) {
                waiting.extend(self.0.get(name).into_iter().flatten().map(String::as_str));
            }
        }
        found
    }

    /// Definitions in which no required property leads back to its definition.
    fn without_cycles(&self, definitions: &Object<'_>) -> SchemaEdit {
        let mut out = ObjectText::default();
        let mut is_changed = false;
        for (name, definition) in definitions {
            let leading = self.leading_to(name);
            let mut member = |schema: &Node<'_>, key: &str, value: &Node<'_>| match key {
                "required" => without_those(schema, value, &leading),
                _ => SchemaEdit::Keep,
            };
            let edited = SchemaEditor::of_members(&mut member).edited(definition);
            is_changed |= edited.is_some();
            out.member(name, edited.as_deref().unwrap_or(definition.raw));
        }
        if is_changed { SchemaEdit::Replace(out.finish()) } else { SchemaEdit::Keep }
    }
}

/// The required properties that need none of these definitions.
fn without_those(
    schema: &Node<'_>,
    required: &Node<'_>,
    definitions: &BTreeSet<&str>,
) -> SchemaEdit {
    let Some(names) = required.as_array() else { return SchemaEdit::Keep };
    let properties = schema.get("properties").and_then(Node::as_object);
    let properties: HashMap<&str, &Node<'_>> =
        properties.into_iter().flatten().map(|(name, node)| (&**name, node)).collect();
    only(names, |name| {
        let needed = properties.get(name).map(|node| needed_by(node)).unwrap_or_default();
        !needed.iter().any(|definition| definitions.contains(definition.as_str()))
    })
}

fn needed_by(schema: &Node<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    add_needed(schema, &mut found);
    found
}

/// Adds the definitions that a schema refers to, except from properties that are not required.
fn add_needed(schema: &Node<'_>, found: &mut BTreeSet<String>) {
    let required = schema.get("required").and_then(Node::as_array).unwrap_or_default();
    let required: HashSet<&str> = required.iter().filter_map(Node::as_str).collect();
    for (key, value) in schema.as_object().into_iter().flatten() {
        match (&**key, &value.value) {
            ("$ref", Value::String(reference)) if **reference == *"#" => {
                found.insert(WHOLE.to_owned());
            }
            ("$ref", Value::String(reference)) => {
                found.extend(reference.strip_prefix("#/$defs/").map(str::to_owned));
            }
            ("properties", Value::Object(properties)) => {
                let needed = properties.iter().filter(|(name, _)| required.contains(&**name));
                needed.for_each(|(_, property)| add_needed(property, found));
            }
            ("items", _) => add_needed(value, found),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                for schema in schemas {
                    add_needed(schema, found);
                }
            }
            _ => {}
        }
    }
}
