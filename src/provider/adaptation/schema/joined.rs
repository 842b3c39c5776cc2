//! Unions at the top of a schema, joined into one object, and names of properties that are refused.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::editor::list_text;
use crate::json::{Node, ObjectText, Value};
use crate::provider::adaptation::calls::{is_word, rename};

/// Combinations that are refused at the top of a schema.
const UNIONS: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// Keywords that are refused at the top.
const REFUSED: [&str; 5] = ["anyOf", "oneOf", "allOf", "enum", "not"];

/// Schemas that one top-level schema is joined from, at most: definitions may refer to each other many
/// times over.
const MAX_JOINED_SCHEMAS: usize = 256;

/// The name that a property has for Anthropic, if the schema's own is refused: of the old name alone,
/// so that a call can be given back with the names of its tool.
pub(super) fn shown_property(name: &str) -> Option<Arc<str>> {
    const MAX_NAME_BYTES: usize = 64;
    let allowed = |c: char| is_word(c) || c == '.';
    let fits = (1..=MAX_NAME_BYTES).contains(&name.len()) && name.chars().all(allowed);
    (!fits).then(|| rename(name, MAX_NAME_BYTES, allowed))
}

/// The properties of a tool whose names are others for Anthropic, each after its name there: those of
/// the outermost object, and of what is joined into it.
pub fn shown_properties(schema: &Node<'_>) -> HashMap<Arc<str>, String> {
    let whole = SchemaJoiner { root: schema, left: MAX_JOINED_SCHEMAS }.object(schema);
    let names = whole.properties.into_iter().map(|(name, _)| name);
    names.filter_map(|name| Some((shown_property(&name)?, name))).collect()
}

/// Whether the outermost object has a property whose name is refused.
pub(super) fn has_refused_names(node: &Node<'_>) -> bool {
    let properties = node.get("properties").and_then(Node::as_object);
    properties.into_iter().flatten().any(|(name, _)| shown_property(name).is_some())
}

/// Whether a schema has at its top what is joined.
pub(super) fn has_unions(node: &Node<'_>) -> bool {
    let members = node.as_object();
    members.into_iter().flatten().any(|(key, _)| REFUSED.contains(&&**key))
}

/// Renames the properties of the outermost object.
pub(super) fn renamed(node: &Node<'_>) -> Option<String> {
    if !has_refused_names(node) {
        return None;
    }
    let new = |name: &str| shown_property(name).unwrap_or_else(|| name.into());
    let mut out = ObjectText::default();
    for (key, value) in node.as_object()? {
        match (&**key, &value.value) {
            ("properties", Value::Object(properties)) => {
                let mut inner = ObjectText::default();
                for (name, schema) in properties {
                    inner.member(&new(name), schema.raw);
                }
                out.member(key, &inner.finish());
            }
            ("required", Value::Array(names)) => {
                let names: Vec<Arc<str>> = names.iter().filter_map(Node::as_str).map(new).collect();
                out.member(key, &list_text(names.iter().map(|name| &**name)));
            }
            _ => out.member(key, value.raw),
        }
    }
    Some(out.finish())
}

/// Joins the unions at the top into one object: the properties of all, of which those are required
/// that each alternative requires, or that any part of `allOf` does.
pub(super) fn joined(node: &Node<'_>) -> Option<String> {
    let members = node.as_object().filter(|_| has_unions(node))?;
    let mut joiner = SchemaJoiner { root: node, left: MAX_JOINED_SCHEMAS };
    let whole = joiner.object(node);
    let mut out = ObjectText::default();
    for (key, value) in members {
        if !REFUSED.contains(&&**key) && !matches!(&**key, "properties" | "required" | "type") {
            out.member(key, value.raw);
        }
    }
    out.member("type", "\"object\"");
    let mut properties = ObjectText::default();
    for (name, schemas) in &whole.properties {
        match schemas.as_slice() {
            [one] => properties.member(name, one),
            several => properties.member(name, &format!("{{\"anyOf\":[{}]}}", several.join(","))),
        }
    }
    out.member("properties", &properties.finish());
    if !whole.required.is_empty() {
        out.member("required", &list_text(whole.required.iter().map(String::as_str)));
    }
    Some(out.finish())
}

/// The arguments that a schema of an object describes.
#[derive(Default)]
struct JoinedObject {
    /// Schemas by property, each once, in the order of the schema.
    properties: Vec<(String, Vec<String>)>,
    places: HashMap<String, usize>,
    /// The schemas that each property has.
    seen: HashSet<(usize, String)>,
    required: Vec<String>,
    is_required: HashSet<String>,
}

impl JoinedObject {
    fn add(&mut self, name: &str, schema: &str) {
        let place = *self.places.entry(name.to_owned()).or_insert_with(|| {
            self.properties.push((name.to_owned(), Vec::new()));
            self.properties.len() - 1
        });
        if self.seen.insert((place, schema.to_owned()))
            && let Some((_, schemas)) = self.properties.get_mut(place)
        {
            schemas.push(schema.to_owned());
        }
    }

    fn require(&mut self, name: &str) {
        if self.is_required.insert(name.to_owned()) {
            self.required.push(name.to_owned());
        }
    }

    fn take(&mut self, other: Self) -> Vec<String> {
        for (name, schemas) in other.properties {
            for schema in &schemas {
                self.add(&name, schema);
            }
        }
        other.required
    }
}

struct SchemaJoiner<'n, 'a> {
    root: &'n Node<'a>,
    left: usize,
}

impl<'n, 'a> SchemaJoiner<'n, 'a> {
    fn object(&mut self, node: &'n Node<'a>) -> JoinedObject {
        let mut whole = JoinedObject::default();
        let Some(left) = self.left.checked_sub(1) else { return whole };
        self.left = left;
        let properties = node.get("properties").and_then(Node::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            whole.add(name, schema.raw);
        }
        let required = node.get("required").and_then(Node::as_array).unwrap_or_default();
        required.iter().filter_map(Node::as_str).for_each(|name| whole.require(name));
        if let Some(target) = node.get("$ref").and_then(Node::as_str).and_then(|to| self.find(to)) {
            let required = self.object(target);
            whole.take(required).iter().for_each(|name| whole.require(name));
        }
        for key in UNIONS {
            let schemas = node.get(key).and_then(Node::as_array).unwrap_or_default();
            let mut of_all: Option<Vec<String>> = None;
            for schema in schemas {
                let part = self.object(schema);
                let required = whole.take(part);
                of_all = Some(match of_all {
                    None => required,
                    Some(known) if key == "allOf" => known.into_iter().chain(required).collect(),
                    Some(known) => {
                        let here: HashSet<String> = required.into_iter().collect();
                        known.into_iter().filter(|name| here.contains(name)).collect()
                    }
                });
            }
            of_all.iter().flatten().for_each(|name| whole.require(name));
        }
        whole
    }

    /// The definition that a reference inside the schema leads to.
    fn find(&self, reference: &str) -> Option<&'n Node<'a>> {
        let pointer = reference.strip_prefix("#/")?;
        pointer.split('/').try_fold(self.root, |node, key| node.get(key))
    }
}
