//! Schemas that Gemini refuses as `parametersJsonSchema`, which takes a part of JSON Schema: see
//! `responseJsonSchema` in <https://ai.google.dev/api/generate-content#generationconfig>.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::editor::{Edit, SchemaEditor, list_text};
use super::references;
use crate::json::{self, Node, ObjectText, Value};
use crate::provider::writer::is_gemini_schema;

/// Definitions among which cycles are looked for.
const MAX_DEFINITIONS: usize = 256;

/// Takes names off `required` that no property has.
pub(super) fn with_known_required(node: &Node<'_>) -> Option<String> {
    let mut member = |schema: &Node<'_>, key: &str, value: &Node<'_>| {
        let Some(names) = value.as_array().filter(|_| key == "required") else { return Edit::Keep };
        let properties = schema.get("properties").and_then(Node::as_object);
        let properties: HashSet<&str> =
            properties.into_iter().flatten().map(|(name, _)| &**name).collect();
        only(names, |name| properties.contains(name))
    };
    SchemaEditor::of_members(&mut member).edited(node)
}

/// The names that stay in a list of required ones.
fn only(names: &[Node<'_>], stays: impl Fn(&str) -> bool) -> Edit {
    let all: Vec<&str> = names.iter().filter_map(Node::as_str).collect();
    let left: Vec<&str> = all.iter().copied().filter(|name| stays(name)).collect();
    if left.len() == all.len() {
        Edit::Keep
    } else if left.is_empty() {
        Edit::Remove
    } else {
        Edit::Replace(list_text(left.into_iter()))
    }
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
        if is_beside { Edit::Remove } else { Edit::Keep }
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
        let Some(values) = value.as_array().filter(|_| key == "enum") else { return Edit::Keep };
        let plain: Vec<&str> = values.iter().filter(is_plain).map(|value| value.raw).collect();
        if plain.len() == values.len() {
            Edit::Keep
        } else if plain.is_empty() {
            Edit::Remove
        } else {
            Edit::Replace(format!("[{}]", plain.join(",")))
        }
    };
    SchemaEditor::of_members(&mut member).edited(node)
}

/// "Cyclic references are unrolled to a limited degree and, as such, may only be used within
/// non-required properties."
pub(super) fn without_required_cycles(node: &Node<'_>) -> Option<String> {
    let needs = NeededDefinitions::find(node)?;
    let mut member = |schema: &Node<'_>, key: &str, value: &Node<'_>| {
        let is_root = std::ptr::eq(schema.raw.as_ptr(), node.raw.as_ptr());
        match (key, value.as_object()) {
            ("$defs", Some(definitions)) if is_root => {
                let mut out = ObjectText::default();
                let mut is_changed = false;
                for (name, definition) in definitions {
                    let edited = needs.without_cycles_to(name, definition);
                    is_changed |= edited.is_some();
                    out.member(name, edited.as_deref().unwrap_or(definition.raw));
                }
                if is_changed { Edit::Replace(out.finish()) } else { Edit::Keep }
            }
            ("required", _) => needs.required(WHOLE, schema, value),
            _ => Edit::Keep,
        }
    };
    SchemaEditor::of_members(&mut member).edited(node)
}

/// The name of the whole schema among the definitions.
const WHOLE: &str = "";

/// By the name of each definition, the definitions that every value of it has.
struct NeededDefinitions(BTreeMap<String, BTreeSet<String>>);

impl NeededDefinitions {
    /// None if there are no references, or too many definitions.
    fn find(root: &Node<'_>) -> Option<Self> {
        if !root.raw.contains("\"$ref\"") {
            return None;
        }
        let mut all = BTreeMap::from([(WHOLE.to_owned(), needed_by(root))]);
        for (name, schema) in root.get("$defs").and_then(Node::as_object).into_iter().flatten() {
            all.insert((**name).to_owned(), needed_by(schema));
        }
        (all.len() <= MAX_DEFINITIONS).then_some(Self(all))
    }

    /// Whether a definition needs another, or is that one.
    fn leads_to(&self, start: &str, end: &str) -> bool {
        let mut seen = BTreeSet::from([start]);
        let mut waiting = vec![start];
        while let Some(name) = waiting.pop() {
            if name == end {
                return true;
            }
            let next = self.0.get(name).into_iter().flatten();
            waiting.extend(next.map(String::as_str).filter(|next| seen.insert(next)));
        }
        false
    }

    /// The definition called `name` in which no required property leads back to it.
    fn without_cycles_to(&self, name: &str, definition: &Node<'_>) -> Option<String> {
        let mut member = |schema: &Node<'_>, key: &str, value: &Node<'_>| match key {
            "required" => self.required(name, schema, value),
            _ => Edit::Keep,
        };
        SchemaEditor::of_members(&mut member).edited(definition)
    }

    fn required(&self, owner: &str, schema: &Node<'_>, value: &Node<'_>) -> Edit {
        let Some(names) = value.as_array() else { return Edit::Keep };
        let properties = schema.get("properties").and_then(Node::as_object);
        let properties: HashMap<&str, &Node<'_>> =
            properties.into_iter().flatten().map(|(name, node)| (&**name, node)).collect();
        only(names, |name| {
            let needed = properties.get(name).map(|node| needed_by(node)).unwrap_or_default();
            !needed.iter().any(|definition| self.leads_to(definition, owner))
        })
    }
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
