//! Schemas of tools that a provider refuses, rewritten into ones that it takes.
//!
//! What is lost is what a provider does not check anyway: which of several sets of arguments is
//! required. The service still checks calls against the schema of the request.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::calls::{is_word, rename};
use crate::domain::Target;
use crate::json::{self, Limits, Node, ObjectText, Value, write_string};

/// Combinations that are refused at the top of a schema.
const UNIONS: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// Schemas that one top-level schema is joined from, at most: definitions may refer to each other many
/// times over.
const MAX_JOINED_SCHEMAS: usize = 256;

/// A schema that was rewritten, and what was changed.
pub(super) struct RewrittenSchema {
    pub(super) text: String,
    pub(super) changes: Vec<&'static str>,
}

/// A change of a schema, and the function that makes it where it is needed.
type SchemaStep = (&'static str, fn(&Node<'_>) -> Option<String>);

/// Rewrites a schema for a target; `None` if it takes it as it is.
pub(super) fn rewrite(schema: &str, target: Target) -> Option<RewrittenSchema> {
    let mut found = RewrittenSchema { text: schema.to_owned(), changes: Vec::new() };
    let steps: &[SchemaStep] = match target {
        // "input_schema does not support oneOf, allOf, or anyOf at the top level", and property keys
        // of `[a-zA-Z0-9_.-]{1,64}`: answers of the Messages API.
        Target::Anthropic => {
            &[("top-level unions joined", joined), ("properties renamed", renamed)]
        }
        // "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top
        // level", and "array schema missing items": answers of both APIs.
        Target::Openai | Target::OpenaiResponses => {
            &[("top-level unions joined", joined), ("items added", with_items)]
        }
        // "required[0]: property is not defined": an answer of `generateContent`.
        Target::Gemini => &[("unknown properties no longer required", with_known_required)],
        Target::Neutral => &[],
    };
    for (change, step) in steps {
        let Ok(node) = json::parse(&found.text, Limits::default()) else { break };
        if let Some(text) = step(&node) {
            found.text = text;
            found.changes.push(change);
        }
    }
    (!found.changes.is_empty()).then_some(found)
}

/// The name that a property has for Anthropic, if the schema's own is refused: of the old name alone,
/// so that a call can be given back with the names of its tool.
fn shown_property(name: &str) -> Option<Arc<str>> {
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

/// Renames the properties of the outermost object.
fn renamed(node: &Node<'_>) -> Option<String> {
    let properties = node.get("properties")?.as_object()?;
    if !properties.iter().any(|(name, _)| shown_property(name).is_some()) {
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
fn joined(node: &Node<'_>) -> Option<String> {
    const REFUSED: [&str; 5] = ["anyOf", "oneOf", "allOf", "enum", "not"];
    let members = node.as_object()?;
    if !members.iter().any(|(key, _)| REFUSED.contains(&&**key)) {
        return None;
    }
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

/// Adds `items` to arrays without them.
fn with_items(node: &Node<'_>) -> Option<String> {
    let is_array = |kind: &Node<'_>| kind.as_str() == Some("array");
    let lacks = |node: &Node<'_>| {
        let kind = node.get("type");
        let has = kind.is_some_and(is_array)
            || kind.and_then(Node::as_array).is_some_and(|kinds| kinds.iter().any(is_array));
        has && node.get("items").is_none() && node.get("prefixItems").is_none()
    };
    let edit = |node: &Node<'_>, out: &mut ObjectText| {
        let found = lacks(node);
        if found {
            out.member("items", "{}");
        }
        found
    };
    SchemaEditor { end: &edit, keeps: &|_, _, _| None, is_changed: false }.edited(node)
}

/// Takes names off `required` that no property has.
fn with_known_required(node: &Node<'_>) -> Option<String> {
    let keeps = |schema: &Node<'_>, key: &str, value: &Node<'_>| {
        let names = value.as_array().filter(|_| key == "required")?;
        let properties = schema.get("properties").and_then(Node::as_object);
        let properties: HashSet<&str> =
            properties.into_iter().flatten().map(|(name, _)| &**name).collect();
        let is_known = |name: &&str| properties.contains(name);
        let all: Vec<&str> = names.iter().filter_map(Node::as_str).collect();
        let known: Vec<&str> = all.iter().copied().filter(is_known).collect();
        (known.len() < all.len()).then(|| list_text(known.into_iter()))
    };
    SchemaEditor { end: &|_, _| false, keeps: &keeps, is_changed: false }.edited(node)
}

/// Adds members to the end of a schema; returns whether it did.
type EndEdit<'e> = &'e dyn Fn(&Node<'_>, &mut ObjectText) -> bool;
/// The new value of a schema's member, if it gets one. An empty list takes the member out.
type MemberEdit<'e> = &'e dyn Fn(&Node<'_>, &str, &Node<'_>) -> Option<String>;

/// Writes a schema and all schemas in it with edits.
struct SchemaEditor<'e> {
    end: EndEdit<'e>,
    keeps: MemberEdit<'e>,
    is_changed: bool,
}

impl SchemaEditor<'_> {
    fn edited(mut self, node: &Node<'_>) -> Option<String> {
        let text = self.schema(node);
        self.is_changed.then_some(text)
    }

    fn schema(&mut self, node: &Node<'_>) -> String {
        let Some(members) = node.as_object() else { return node.raw.to_owned() };
        let mut out = ObjectText::default();
        for (key, value) in members {
            if let Some(new) = (self.keeps)(node, key, value) {
                self.is_changed = true;
                if new != "[]" {
                    out.member(key, &new);
                }
                continue;
            }
            let text = self.member(key, value);
            out.member(key, text.as_deref().unwrap_or(value.raw));
        }
        self.is_changed |= (self.end)(node, &mut out);
        out.finish()
    }

    /// The value of a keyword that holds schemas.
    fn member(&mut self, key: &str, value: &Node<'_>) -> Option<String> {
        match (key, &value.value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(named),
            ) => {
                let mut out = ObjectText::default();
                for (name, schema) in named {
                    let schema = self.schema(schema);
                    out.member(name, &schema);
                }
                Some(out.finish())
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(schemas)) => {
                let schemas: Vec<String> =
                    schemas.iter().map(|schema| self.schema(schema)).collect();
                Some(format!("[{}]", schemas.join(",")))
            }
            (
                "items"
                | "additionalProperties"
                | "contains"
                | "not"
                | "if"
                | "then"
                | "else"
                | "propertyNames"
                | "unevaluatedItems"
                | "unevaluatedProperties",
                Value::Object(_),
            ) => Some(self.schema(value)),
            _ => None,
        }
    }
}

/// A list of names as JSON.
fn list_text<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut text = String::from("[");
    for (index, name) in names.enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_string(&mut text, name);
    }
    text.push(']');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(schema: &str, target: Target) -> Option<String> {
        rewrite(schema, target).map(|found| found.text)
    }

    #[test]
    fn unions_at_the_top_become_one_object() {
        for (before, after) in [
            (
                r#"{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
                r#"{"type":"object","properties":{"a":{},"b":{}}}"#,
            ),
            (
                r#"{"oneOf":[{"properties":{"k":{"const":"x"},"a":{}},"required":["k","a"]},{"properties":{"k":{"const":"y"}},"required":["k"]}]}"#,
                r#"{"type":"object","properties":{"k":{"anyOf":[{"const":"x"},{"const":"y"}]},"a":{}},"required":["k"]}"#,
            ),
            (
                r##"{"$defs":{"d":{"properties":{"z":{}},"required":["z"]}},"allOf":[{"$ref":"#/$defs/d"},{"required":["q"]}]}"##,
                r#"{"$defs":{"d":{"properties":{"z":{}},"required":["z"]}},"type":"object","properties":{"z":{}},"required":["z","q"]}"#,
            ),
        ] {
            assert_eq!(text(before, Target::Anthropic).as_deref(), Some(after));
            assert_eq!(text(before, Target::Openai).as_deref(), Some(after));
            assert_eq!(text(before, Target::Neutral), None);
        }
    }

    #[test]
    fn definitions_that_refer_to_each_other_end() {
        let schema = r##"{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}},"allOf":[{"$ref":"#/$defs/a"}]}"##;
        assert!(
            text(schema, Target::Anthropic)
                .unwrap()
                .ends_with(r#""type":"object","properties":{}}"#)
        );
    }

    #[test]
    fn arrays_get_items_and_names_that_are_values_stay() {
        let before = r#"{"type":"object","properties":{"items":{"type":"array"},"a":{"type":["array","null"]}},"default":{"type":"array"}}"#;
        let after = r#"{"type":"object","properties":{"items":{"type":"array","items":{}},"a":{"type":["array","null"],"items":{}}},"default":{"type":"array"}}"#;
        assert_eq!(text(before, Target::OpenaiResponses).as_deref(), Some(after));
        assert_eq!(text(before, Target::Anthropic), None);
    }

    #[test]
    fn properties_that_are_not_there_are_not_required() {
        let before = r#"{"type":"object","properties":{"a":{"type":"object","required":["x"]}},"required":["a","b"]}"#;
        let after = r#"{"type":"object","properties":{"a":{"type":"object"}},"required":["a"]}"#;
        assert_eq!(text(before, Target::Gemini).as_deref(), Some(after));
    }

    #[test]
    fn refused_property_names_are_renamed_by_themselves_alone() {
        let before = r#"{"type":"object","properties":{"a b":{},"c":{}},"required":["a b"]}"#;
        let name = shown_property("a b").unwrap();
        let after = format!(
            r#"{{"type":"object","properties":{{"{name}":{{}},"c":{{}}}},"required":["{name}"]}}"#
        );
        assert_eq!(text(before, Target::Anthropic), Some(after));
        assert_eq!(shown_property("c.d-1"), None);
        assert!(shown_property("").is_some());
    }
}
